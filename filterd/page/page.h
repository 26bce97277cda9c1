/* page.h - one request for the review page: the request, the caller, and the output.
 *
 * A screen (screens.h) reads parameters with page_parameter or form fields with page_field, calls the readers and services that /v1
 * uses, and writes with html.h and frame.h. It returns true when everything is written; false after page_fault, or with an
 * error, which becomes an error page: NOT_FOUND is 404, LIMIT and NO_MEMORY are 503, others are 500 and logged.
 *
 * Spans are valid as long as the page. One thread, which may block on I/O unless the screen is urgent. */
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
    struct caller caller;        /* zeroed if the screen needs no role */
    const struct screen *screen; /* NULL: unknown address */
    struct span path;            /* below /review, decoded */
    struct span part;            /* matched by the braces of the screen's path */
    bool is_post;
    struct form form; /* of a POST */
    struct request *request;
    struct arena memory; /* freed with the page */
    uint8_t key[PAGE_KEY]; /* of its form tokens */
    enum text notice;      /* NONE: none */
    unsigned fault;        /* status of the error page; 0: none */
    enum text fault_text;
    bool has_index;
    uint64_t behind_ms;
};

typedef bool page_fn(struct page *p, struct error *err);

/* Answers a request for /review; `path` is the rest of the address. */
void page_run(struct request *r, struct span path, bool is_post);
/* The request is answered on the listener's thread, without a worker. */
bool page_is_urgent(struct span path, bool is_post);

/* A query parameter, or a field of the form: the first with that name; empty if absent. */
struct span page_parameter(const struct page *p, const char *name);
struct span page_field(const struct page *p, const char *name);
/* The same as numbers: false if absent or not a number. */
bool page_parameter_number(const struct page *p, const char *name, uint64_t *n);
bool page_field_number(const struct page *p, const char *name, uint64_t *n);

/* Ends a POST with 303 to the path of a screen, with `part` in place of the braces, and a notice or TEXT_NONE. Always true. */
bool page_redirect(struct page *p, const char *path, struct span part, enum text notice);
/* The same, and the page then shows that line `line` of the record was written; 0: none. */
bool page_redirect_line(struct page *p, const char *path, struct span part, enum text notice, uint64_t line);
/* The screen at that address, which GET shows and a role is needed for, and its part; else the first: a link must not redirect to
 * another site. */
const char *page_destination(struct span to, struct span *part);
/* Ends with an error page. Always false. */
bool page_fault(struct page *p, unsigned status, enum text text);
/* What an error page says of a status of the service. */
struct page_status {
    unsigned status; /* 0 ends a table: its text is for all others, whose page has status 503 */
    enum text text;
};
bool page_fault_of(struct page *p, unsigned status, const struct page_status *texts);

/* Records an access and waits until the line is on disk; to be called before anything is shown. `what` is a static name in the
 * record (list, record, reveal, export, search); `query` is canonical. */
MUST_CHECK bool page_record_access(struct page *p, const char *what, uint64_t item, struct span query, struct error *err);
/* Judges text that a person entered under the default policy and replaces *text by the redacted text. False after page_fault. */
MUST_CHECK bool page_judge(struct page *p, struct span *text);

#endif
