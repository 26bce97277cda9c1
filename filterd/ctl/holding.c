#include "ctl/holding.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/plural.h"
#include "ctl/input.h"
#include "ctl/lines.h"
#include "judge/decide.h"
#include "pipeline/document.h"
#include "pipeline/stream.h"
#include "regex/trigger.h"
#include "view/segment.h"

enum { CORE_MAX = 64 * 1024, ARENA_KEEP = 1024 * 1024, TEXTS_MAX = 4 * 1024 * 1024 };

/* --- what the pattern alone says -------------------------------------------------- */

static size_t shortest(const struct trigger_literals *literals)
{
    size_t least = literals->n > 0 ? literals->len[0] : 0;

    for (size_t i = 1; i < literals->n; i++) {
        least = literals->len[i] < least ? literals->len[i] : least;
    }
    return least;
}

static bool append_literals(const struct trigger_literals *literals, struct buf *out, struct error *err)
{
    size_t least = shortest(literals);

    if (least == 0) {
        return buf_append_str(out, "begins with no literal bytes: holds before its first letters are known", err);
    }
    if (!buf_appendf(out, err, "begins with %zu literal byte%s%s:", least, plural_s(least), literals->n > 1 ? " or more" : "")) {
        return false;
    }
    for (size_t i = 0; i < literals->n; i++) {
        if (!buf_appendf(out, err, "%s '%.*s'", i == 0 ? "" : ",", (int)literals->len[i], literals->text[i])) {
            return false;
        }
    }
    return buf_append_str(out, literals->is_caseless ? " in any case" : "", err);
}

static bool describe_pattern(const struct rule *rule, size_t index, struct buf *out, struct error *err)
{
    struct buf core CLEANUP(buf_deinit);
    struct trigger_literals literals;

    buf_init(&core, CORE_MAX);
    if (!trigger_core(rule->patterns.items[index], &core, err)) {
        return false;
    }
    uint32_t longest = trigger_max_width(buf_span(&core));
    longest = rule->max_length != 0 && rule->max_length < longest ? rule->max_length : longest;
    trigger_literals(buf_span(&core), &literals);
    return buf_appendf(out, err, "  pattern %zu: a match of at most %u byte%s, ", index + 1, longest, plural_s(longest)) &&
           append_literals(&literals, out, err) && buf_append_char(out, '\n', err);
}

static size_t unit_max(enum hold_unit hold)
{
    return (hold == HOLD_PARAGRAPH ? SEGMENT_PARAGRAPH_MAX : SEGMENT_SENTENCE_MAX) + SEGMENT_AHEAD;
}

/* What is judged as a whole is held as a whole, found or not. */
bool holding_describe_unit(enum hold_unit hold, struct buf *out, struct error *err)
{
    if (hold == HOLD_NONE) {
        return buf_append_str(out, "  holds nothing: hold is none, so classifiers take no part in streams\n", err);
    }
    if (hold == HOLD_ALL) {
        return buf_append_str(out, "  holds everything until the text has ended: hold is all\n", err);
    }
    return buf_appendf(out, err, "  holds each %s until it has ended: at most %zu bytes\n", hold_name(hold),
                       unit_max(hold));
}

bool holding_describe_supervisor(const struct policy_supervisor *s, size_t bytes, struct buf *out, struct error *err)
{
    unsigned long long wait_ms = (unsigned long long)(s->deadline_ns / 1000000);
    bool asks = !s->is_later && (s->is_always || s->n_triggers > 0);

    if (!asks || s->hold == HOLD_NONE) {
        return buf_append_str(out, "held of a stream: 0 bytes\n", err);
    }
    if (s->hold == HOLD_ALL) {
        return buf_appendf(out, err, "held of a stream: %zu byte%s, all of it; the end waits at most %llu ms\n", bytes, plural_s(bytes),
                           wait_ms);
    }
    return buf_appendf(out, err,
                       "held of a stream: each %s until it has ended, at most %zu bytes beside what rules and classifiers "
                       "hold\n  one that is asked about waits at most %llu ms; of at most %u questions the last is about "
                       "all that is left, and that waits to the end\n",
                       hold_name(s->hold), unit_max(s->hold), wait_ms, s->questions);
}

/* As stream_new.c chooses whose patterns may hold. */
static bool may_hold(const struct session *s, const struct rule *rule)
{
    const bool *has_rule = s->policy->has_rule;

    return (has_rule == NULL || has_rule[rule_set_index(s->snapshot->rules, rule)]) &&
           decision_may_act(s->policy, &s->who, rule);
}

bool holding_describe(const struct session *s, const struct rule *rule, struct buf *out, struct error *err)
{
    if (!buf_appendf(out, err, SPAN_FMT ": " SPAN_FMT "\n", SPAN_ARG(rule->id), SPAN_ARG(rule->title))) {
        return false;
    }
    for (size_t i = 0; i < rule->patterns.n; i++) {
        if (!describe_pattern(rule, i, out, err)) {
            return false;
        }
    }
    if (rule->classifier.len > 0 && s->policy->has_rule[rule_set_index(s->snapshot->rules, rule)]) {
        return holding_describe_unit(s->policy->hold, out, err);
    }
    return may_hold(s, rule) ||
           buf_append_str(out, "  holds nothing: the policy does not act on what it finds\n", err);
}

/* --- what a text says --------------------------------------------------------------- */

struct holding {
    const struct session *session;
    const struct rule *rule;
    struct worker *worker;
    struct buf released;
    uint64_t random;
    size_t texts, blocked, chunks, bytes;
    size_t held_chunks, held_sum, held_max; /* by the rule */
    size_t all_sum, all_max;                /* by any, or by a reading */
};

static void holding_deinit(struct holding *h)
{
    worker_free(h->worker);
    buf_deinit(&h->released);
}

/* 1 to 8 bytes, 4 in the mean. */
static size_t token_len(struct holding *h)
{
    static const unsigned char lengths[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 8};

    h->random ^= h->random << 13;
    h->random ^= h->random >> 7;
    h->random ^= h->random << 17;
    return lengths[h->random % COUNT(lengths)];
}

static void count_held(struct holding *h, const struct stream *s, const struct stream_channel *c)
{
    size_t held = stream_channel_held(c);

    h->chunks++;
    h->all_sum += held;
    h->all_max = held > h->all_max ? held : h->all_max;
    if (stream_channel_holder(s, c) == h->rule) {
        h->held_chunks++;
        h->held_sum += held;
        h->held_max = held > h->held_max ? held : h->held_max;
    }
}

static bool stream_text(struct holding *h, struct span text, struct error *err)
{
    const struct stream_options options = {.snapshot = h->session->snapshot,
                                           .policy = h->session->policy,
                                           .who = h->session->who,
                                           .now_ns = h->session->now_ns,
                                           .text_max = SIZE_MAX,
                                           .hold_max = SIZE_MAX / 4,
                                           .is_asked_elsewhere = true}; /* rules are measured */
    struct stream *s = stream_new(&options, err);
    struct stream_channel *c = s != NULL ? stream_channel(s, span_of("", 0), err) : NULL;

    for (size_t at = 0; c != NULL && at < text.len && stream_action(s) != ACTION_BLOCK;) {
        size_t len = token_len(h);
        len = len < text.len - at ? len : text.len - at;
        buf_clear(&h->released);
        stream_feed(s, c, h->worker, span_slice(text, at, at + len), &h->released);
        count_held(h, s, c);
        at += len;
        h->bytes += len;
    }
    h->texts++;
    h->blocked += c != NULL && stream_action(s) == ACTION_BLOCK;
    stream_free(s);
    return c != NULL;
}

static bool stream_line(struct holding *h, struct arena *arena, struct span line, struct error *err)
{
    struct document d;
    struct error ignored;

    arena_reset(arena);
    if (!json_validate(line, &ignored) || !document_read(arena, line, span_of("", 0), &d, &ignored)) {
        return stream_text(h, line, err);
    }
    for (size_t i = 0; i < d.n; i++) {
        if (!d.channels[i].is_member_name && !stream_text(h, d.channels[i].text, err)) {
            return false;
        }
    }
    return true;
}

static bool stream_file(struct holding *h, const char *path, struct error *err)
{
    struct lines lines CLEANUP(lines_close);
    struct buf batch CLEANUP(buf_deinit);
    struct arena arena CLEANUP(arena_deinit);
    size_t first;
    bool is_ok;

    buf_init(&batch, LINE_MAX_BYTES + 2 * LINES_BATCH);
    arena_init(&arena, ARENA_KEEP, worker_limits_default().memory_max);
    if (!lines_open(&lines, path, err)) {
        return false;
    }
    do {
        struct span rest, line;
        buf_clear(&batch);
        is_ok = lines_next(&lines, &batch, &first, err);
        rest = buf_span(&batch);
        while (is_ok && h->bytes < TEXTS_MAX && lines_split(&rest, &line)) {
            is_ok = stream_line(h, &arena, line, err);
        }
    } while (is_ok && batch.len > 0 && h->bytes < TEXTS_MAX);
    return is_ok;
}

static bool append_measured(const struct holding *h, struct buf *out, struct error *err)
{
    double n = (double)h->chunks;

    return buf_appendf(out, err, "  in %zu text%s of %zu byte%s, %zu token%s:\n", h->texts, plural_s(h->texts), h->bytes, plural_s(h->bytes),
                       h->chunks, plural_s(h->chunks)) &&
           buf_appendf(out, err, "    it holds after %.2f %% of the tokens, %.3f bytes in the mean over all, %zu at most\n",
                       100 * (double)h->held_chunks / n, (double)h->held_sum / n, h->held_max) &&
           buf_appendf(out, err, "    held in all: %.2f bytes in the mean, %zu at most\n", (double)h->all_sum / n,
                       h->all_max) &&
           (h->blocked == 0 || buf_appendf(out, err, "    %zu %s blocked, and not fed further\n", h->blocked, plural(h->blocked, "text was", "texts were")));
}

bool holding_measure(const struct session *s, const struct rule *rule, const char *path, struct buf *out,
                     struct error *err)
{
    const struct worker_limits limits = worker_limits_default();
    struct holding h CLEANUP(holding_deinit) = {.session = s, .rule = rule, .random = 88172645463325252ULL};

    buf_init(&h.released, SIZE_MAX / 2);
    h.worker = worker_new(&limits, &s->keys, err);
    if (h.worker == NULL || !stream_file(&h, path, err)) {
        return false;
    }
    return h.chunks > 0 ? append_measured(&h, out, err) : error_set(err, ERROR_INVALID, "%s: text expected", path);
}
