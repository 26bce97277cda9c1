/* screen_proof.c - downloads the proof of one record with its line, to be verified without trust in this machine. */
#include "base/clock.h"
#include "page/lines.h"
#include "page/screens.h"
#include "record/note_text.h"
#include "signin/head_lines.h"

static bool is_theirs(struct page *p, struct span line, struct error *err)
{
    struct query *query = access_query(&p->caller, span_of("", 0), clock_utc_ns(), err);
    bool is_matched = query != NULL && query_matches(query, line);

    query_free(query);
    return is_matched;
}

/* A line of another tenant is answered like a missing one. */
static bool check_tenant(struct page *p, uint64_t seq, struct error *err)
{
    struct buf line;

    if (p->caller.tenant[0] == '\0') {
        return true;
    }
    struct index_reader *reader = lines_reader(p, err);
    if (reader == NULL) {
        return false;
    }
    buf_init(&line, TREE_LEAF_MAX + 1);
    bool is_shown = index_line_at(reader, seq, &line, err) &&
                    (is_theirs(p, buf_span(&line), err) || page_fault(p, 404, TEXT_FAULT_404));
    buf_deinit(&line);
    index_reader_close(reader);
    return is_shown;
}

bool proof_show(struct page *p, struct error *err)
{
    struct request *r = p->request;
    char disposition[128];
    uint64_t seq = 0;

    if (!note_read_number(p->part, &seq) || seq == 0) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (!check_tenant(p, seq, err) || !page_record_access(p, "record", seq, span_of(NULL, 0), err)) {
        return false;
    }
    buf_clear(&r->answer); /* a file instead of a page */
    (void)snprintf(disposition, sizeof(disposition), "attachment; filename=\"%llu.tlog-proof\"", (unsigned long long)seq);
    if (!log_view_proof(&r->service->witnessed.view, seq, 0, &r->answer, err)) {
        return false;
    }
    if (!head_lines_add(r->head, "Content-Disposition", span_str(disposition))) {
        return page_fault(p, 500, TEXT_FAULT_500);
    }
    r->reply = (struct reply){.status = 200, .type = "text/plain; charset=utf-8", .cache = "no-store"};
    return true;
}
