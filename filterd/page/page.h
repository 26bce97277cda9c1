/* page.h - one page of the review: a request, who makes it, and what is written.
 *
 * What a screen does (screens.h): it reads the parameters with page_parameter or the fields of the form with page_field, asks the
 * readers and services that /v1 asks, too, and writes with html.h and frame.h. It returns true when all is written; false after
 * page_fault, or with an error, which becomes a page that says what happened: NOT_FOUND is 404, LIMIT and NO_MEMORY are 503, all
 * else is 500 and goes to the log of the service.
 *
 * Spans live as long as the page. One thread, which may wait for a disk unless the screen is urgent. */
#ifndef FILTERD_PAGE_PAGE_H
#define FILTERD_PAGE_PAGE_H

#include "base/arena.h"
#include "page/form.h"
#include "page/html.h"
#include "service/access.h"

struct screen;

enum { PAGE_KEY = 32, PAGE_TOKEN_HEX = 32 };

struct page {
    struct html html;
    struct caller caller;        /* nobody where the screen needs no role */
    const struct screen *screen; /* NULL: none has this address */
    struct span path;            /* below /review, decoded */
    struct span part;            /* what the braces of the screen's path match */
    bool is_post;
    struct form form; /* of a POST */
    struct request *request;
    struct arena memory; /* for what lives as long as the page */
    uint8_t key[PAGE_KEY]; /* of the tokens of its forms */
    enum text notice;      /* NONE: none */
    unsigned fault;        /* status of the page; 0: none */
    enum text fault_text;
    bool has_index;
    uint64_t behind_ms;
};

typedef bool page_fn(struct page *p, struct error *err);

/* Answers a request for /review, where `path` is what follows it. */
void page_run(struct request *r, struct span path, bool is_post);
/* It may be answered at once, by the thread that got it. */
bool page_is_urgent(struct span path, bool is_post);

/* A parameter of the address, or a field of the form; empty when it is missing. The first of several. */
struct span page_parameter(const struct page *p, const char *name);
struct span page_field(const struct page *p, const char *name);
/* The same as numbers: false when it is missing or no number. */
bool page_parameter_number(const struct page *p, const char *name, uint64_t *n);
bool page_field_number(const struct page *p, const char *name, uint64_t *n);

/* Ends a POST with 303 to a path of a screen, whose braces become `part`, and with a notice; TEXT_NONE: without. Always true. */
bool page_redirect(struct page *p, const char *path, struct span part, enum text notice);
/* The same, and the page is asked to show line `line` of the record as what this made; 0: none. */
bool page_redirect_line(struct page *p, const char *path, struct span part, enum text notice, uint64_t line);
/* Ends with a page that says what is wrong. Always false. */
bool page_fault(struct page *p, unsigned status, enum text text);

/* Puts on record what is looked at, and waits until it is on disk: before what is shown is answered. `what` is a static word of
 * the record (list, record, reveal, export, search); a query is its canonical text. */
MUST_CHECK bool page_record_access(struct page *p, const char *what, uint64_t item, struct span query, struct error *err);
/* Judges what a person typed by the service's own rules: *text becomes what may be on record. False after page_fault. */
MUST_CHECK bool page_judge(struct page *p, struct span *text);

#endif
