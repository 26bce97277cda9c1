#include "judge/partner.h"

#include "scan/liveness.h"

enum { WORD_BITS = 64 };

static bool take_any(void *context, uint32_t pattern, size_t start)
{
    bool *is_live = context;

    (void)pattern;
    (void)start;
    *is_live = true;
    return false;
}

static size_t next_character(struct span text, size_t at)
{
    do {
        at++;
    } while (at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80);
    return at;
}

/* What one pattern says of the starts in [from, last]; a match ends at `end` or before. */
static enum nearness search(struct finder *f, const struct partner_query *q, uint32_t pattern, size_t from, size_t last,
                            size_t end)
{
    const struct scanner *scanner = q->rules->scanner;
    enum nearness nearness = FAR;

    while (from <= last) {
        struct scanner_place place;
        if (!scanner_search(scanner, f->scan, pattern, q->text, from, last, &place)) {
            break;
        }
        bool is_open = q->may_go_on && scanner_is_live_at(scanner, f->scan, pattern, q->text, place.from);
        if (!is_open && place.to <= end) {
            return NEAR;
        }
        nearness = is_open ? OPEN : nearness;
        from = next_character(q->text, place.from);
    }
    return nearness;
}

static enum nearness search_around(struct finder *f, const struct partner_query *q, uint32_t pattern)
{
    size_t within = q->context->within;
    size_t first = q->from > within ? q->from - within : 0;
    size_t last = q->text.len - q->to > within ? q->to + within : q->text.len;
    enum nearness before = FAR;

    while (first < q->from && ((unsigned char)q->text.ptr[first] & 0xc0) == 0x80) {
        first++;
    }
    if (q->from > 0 && first < q->from) {
        before = search(f, q, pattern, first, q->from - 1, q->from);
    }
    if (before == NEAR) {
        return NEAR;
    }
    enum nearness behind = search(f, q, pattern, q->to, last, q->text.len);
    return behind == FAR ? before : behind;
}

/* Whether one may yet begin behind the span. What could not be asked may. */
static bool is_live_behind(struct finder *f, const struct partner_query *q)
{
    const struct rule_set *rules = q->rules;
    size_t n_words = rules->n_patterns / WORD_BITS + 1;
    struct error err;
    uint64_t *wanted = arena_array(f->arena, n_words, sizeof(*wanted), &err);
    const struct live_query query = {
        .text = q->text, .from = q->to, .to = q->to + q->context->within + 1, .wanted = wanted};
    bool is_live = false;

    if (wanted == NULL) {
        return true;
    }
    memset(wanted, 0, n_words * sizeof(*wanted));
    for (size_t i = 0; i < q->context->rules.n; i++) {
        uint32_t rule = rule_set_index(rules, rule_set_find(rules, q->context->rules.items[i]));
        for (uint32_t pattern = rules->first_pattern[rule]; pattern < rules->first_pattern[rule + 1]; pattern++) {
            wanted[pattern / WORD_BITS] |= (uint64_t)1 << pattern % WORD_BITS;
        }
    }
    return !scanner_each_live(rules->scanner, f->scan, &query, take_any, &is_live, &err) || is_live;
}

enum nearness partner_find(struct finder *f, const struct partner_query *q)
{
    const struct rule_set *rules = q->rules;
    enum nearness best = FAR;

    for (size_t i = 0; i < q->context->rules.n; i++) {
        uint32_t rule = rule_set_index(rules, rule_set_find(rules, q->context->rules.items[i]));
        for (uint32_t pattern = rules->first_pattern[rule]; pattern < rules->first_pattern[rule + 1]; pattern++) {
            enum nearness nearness = search_around(f, q, pattern);
            if (nearness == NEAR) {
                return NEAR;
            }
            best = nearness == OPEN ? OPEN : best;
        }
    }
    return best == FAR && q->may_go_on && is_live_behind(f, q) ? OPEN : best;
}
