/* fuzz_review_line.c - any line of the log is a step, an item or neither; a step that is read is written and read the same. */
#include <stdlib.h>

#include "review/review_candidate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool is_same(const struct review_line *a, const struct review_line *b)
{
    return a->verb == b->verb && a->n_items == b->n_items &&
           (a->n_items == 0 || memcmp(a->items, b->items, a->n_items * sizeof(*a->items)) == 0) && a->has_group == b->has_group &&
           a->disposition == b->disposition && a->undo_of == b->undo_of && a->snooze.more == b->snooze.more &&
           a->snooze.until_policy == b->snooze.until_policy && span_equal(a->by, b->by) && span_equal(a->note, b->note);
}

static void check_line(struct span line, struct arena *memory)
{
    struct review_line l, again;
    struct error err;
    struct buf text;

    if (!review_line_parse(line, memory, &l, &err)) {
        return;
    }
    must(l.verb != ITEM_NO_VERB && l.by.len > 0 && (l.n_items > 0 || l.has_group) && l.n_items <= REVIEW_ITEMS_MAX);
    buf_init(&text, REVIEW_LINE_MAX);
    if (review_line_format(&l, &text, &err)) {
        must(review_line_parse(buf_span(&text), memory, &again, &err) && is_same(&l, &again));
    }
    buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span line = span_of((const char *)data, size);
    struct review_candidate c;
    struct arena memory;

    if (size > 65536) {
        return 0;
    }
    arena_init(&memory, 0, 1 << 20);
    check_line(line, &memory);
    if (review_candidate_read(line, &memory, &c)) {
        must(c.why > REVIEW_NOT && c.why < REVIEW_WHYS && c.severity <= 4 && c.confidence <= 10000 && c.agent_share <= 10000);
        must(c.tenant.len <= REVIEW_WORD_MAX && c.rule.len <= REVIEW_WORD_MAX + sizeof("agent."));
        must(c.has_group == !review_why_is_blind(c.why));
    }
    arena_deinit(&memory);
    return 0;
}
