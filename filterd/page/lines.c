#include "page/lines.h"

#include "base/clock.h"
#include "page/frame.h"
#include "query/timestamp.h"
#include "record/note_text.h"

enum { LINES_MEMORY = INDEX_PAGE_BYTES + 2 * INDEX_FETCH_BYTES, LINE_MEMORY = 256 * 1024 };

struct index_reader *lines_reader(struct page *p, struct error *err)
{
    struct request *r = p->request;
    const struct following *f = &r->service->following;

    if (!f->is_on) {
        (void)page_fault(p, 404, TEXT_FAULT_NO_INDEX);
        return NULL;
    }
    if (!service_hold(r->service, LINES_MEMORY)) {
        (void)page_fault(p, 503, TEXT_FAULT_503);
        return NULL;
    }
    r->held += LINES_MEMORY; /* given back with the request */
    struct index_reader *reader = index_reader_open(f->path, f->place.folder, err);
    if (reader == NULL && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_DENIED)) {
        (void)page_fault(p, 503, TEXT_FAULT_503);
    }
    return reader;
}

/* --- a page of lines ---------------------------------------------------------------------- */

struct taker {
    struct page *p;
    const struct lines_page *page;
    struct arena memory;
    uint64_t n;
};

static bool take(void *context, uint64_t seq, struct span text, struct error *err)
{
    struct taker *t = context;
    const struct record_line line = {.seq = seq, .object = json_root(text), .memory = &t->memory};

    arena_reset(&t->memory);
    t->n++;
    return t->page->show(t->p, &line, t->page->context, err);
}

static bool find(struct page *p, const struct lines_page *page, const struct query *query, uint64_t *next, uint64_t *n,
                 struct error *err)
{
    struct taker t = {.p = p, .page = page};
    const struct index_page wanted = {.query = query, .before = page->before, .limit = page->limit, .take = take, .context = &t};

    struct index_reader *reader = lines_reader(p, err);
    if (reader == NULL) {
        return false;
    }
    arena_init(&t.memory, LINE_MEMORY, LINE_MEMORY);
    bool is_read = index_find(reader, &wanted, next, err);
    arena_deinit(&t.memory);
    index_reader_close(reader);
    *n = t.n;
    return is_read;
}

bool lines_show(struct page *p, const struct lines_page *page, uint64_t *next, uint64_t *n, struct error *err)
{
    struct query *query = access_query(&p->caller, page->query, clock_utc_ns(), err);

    if (query == NULL) {
        return false;
    }
    struct span recorded = query_canonical(query);
    bool is_shown = page_judge(p, &recorded) && page_record_access(p, "list", 0, recorded, err) &&
                    find(p, page, query, next, n, err);
    query_free(query);
    return is_shown;
}

void lines_put_pages(struct page *p, const char *path, uint64_t before, uint64_t next)
{
    struct html *h = &p->html;

    if (before == 0 && next == 0) {
        return;
    }
    HTML(h, "<p class=\"pages\">");
    if (before != 0) {
        HTML(h, "<a href=\"");
        page_address(p, path, span_of("", 0));
        HTML(h, "\">");
        html_word(h, TEXT_NEWEST);
        HTML(h, "</a> ");
    }
    if (next != 0) {
        HTML(h, "<a rel=\"next\" href=\"");
        page_address(p, path, span_of("", 0));
        HTML(h, "?before=");
        html_id(h, next);
        HTML(h, "\">");
        html_word(h, TEXT_OLDER);
        HTML(h, "</a>");
    }
    HTML(h, "</p>");
}

/* --- members -------------------------------------------------------------------------------- */

static bool find_member(const struct record_line *line, const char *name, struct json_value *out)
{
    struct json_iterator it = json_iterate(line->object);
    struct span member;

    while (json_next(&it, &member, out)) {
        if (span_is(member, name)) {
            return true;
        }
    }
    return false;
}

struct span record_text(const struct record_line *line, const char *name)
{
    struct span text = span_of("", 0);
    struct json_value value;
    struct error ignored;

    if (!find_member(line, name, &value)) {
        return text;
    }
    if (value.kind == JSON_KIND_NUMBER) {
        return value.raw;
    }
    return value.kind == JSON_KIND_STRING && json_unquote(line->memory, value, &text, &ignored) ? text : span_of("", 0);
}

bool record_number(const struct record_line *line, const char *name, uint64_t *n)
{
    struct json_value value;

    return find_member(line, name, &value) && value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, n);
}

int64_t record_time(const struct record_line *line, const char *name)
{
    int64_t ns = 0;

    return timestamp_parse(record_text(line, name), 0, &ns) ? ns : 0;
}
