/* review_testing.h - random lines of a log under review, and what they come to. */
#ifndef FILTERD_TESTS_REVIEW_TESTING_H
#define FILTERD_TESTS_REVIEW_TESTING_H

#include "unit/index/index_testing.h"

#include "review/review_find.h"
#include "review/review_fold.h"

static const char *const review_tables[] = {"item", "opinion", "step", "standing", "verdict", "quality", "grp", "grp_agent", "grp_step", "hit", "ordered",
                                            "position"};
static const char *const people[] = {"anna", "ben", "cleo"};

enum { T0_S = 1763700000 };

static inline void append_start(struct buf *out, uint64_t seq, const char *type)
{
    time_t seconds = (time_t)((uint64_t)T0_S + seq * 20);
    struct error err;
    struct tm t;
    char ts[40];

    (void)strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S.000000000Z", gmtime_r(&seconds, &t));
    must(buf_appendf(out, &err, "{\"seq\":%" PRIu64 ",\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"%s\",\"ts\":\"%s\"", seq, type,
                     ts),
         &err);
}

/* A decision that is to be reviewed. */
static inline void append_candidate(struct buf *out, uint64_t seq)
{
    static const char *const whys[] = {"action", "severity", "band", "sample", "rule_sample\",\"rule\":\"iban"};
    struct error err;

    append_start(out, seq, "decision");
    must(buf_appendf(out, &err,
                     ",\"req_id\":\"%08" PRIx64 "-a580-7761-a879-d7f612f9f4cb\",\"tenant\":\"t%u\",\"app\":\"web\",\"agent\":\"agent-%u\","
                     "\"policy\":{\"name\":\"default\",\"digest\":\"sha256:0%u\"},\"action\":\"block\",\"rule\":\"iban\","
                     "\"review\":{\"why\":\"%s\",\"due_s\":%u%s},\"findings\":[{\"rule\":\"iban\",\"severity\":\"%s\",\"path\":\"/%u\","
                     "\"score\":0.%04u,\"action\":\"block\"",
                     seq, pick(3), pick(4), pick(2), whys[pick(5)], pick(100000), pick(3) == 0 ? ",\"reviewers\":2" : "", grades[pick(4)],
                     pick(3), pick(10000)),
         &err);
    must((pick(2) == 0 || buf_appendf(out, &err, ",\"value_tok\":\"k1:%032x\"", pick(5))) && buf_append_str(out, "}]}\n", &err), &err);
}

static inline void append_event(struct buf *out, uint64_t seq)
{
    struct error err;

    append_start(out, seq, "agent");
    must(buf_appendf(out, &err, ",\"event\":\"kill\",\"tenant\":\"t1\",\"agent\":\"agent-%u\",\"review\":{\"why\":\"event\",\"due_s\":60}}\n",
                     pick(3)),
         &err);
}

/* A step that somebody could think of, possible or not, with items of earlier lines or with the group of one. */
static inline void append_step(struct buf *out, uint64_t seq, const uint8_t group[REVIEW_GROUP])
{
    uint64_t items[3] = {1 + pick((unsigned)seq), 0, 0};
    struct review_line l = {.ts_ns = ((int64_t)T0_S + (int64_t)seq * 20) * 1000000000, .verb = (enum item_verb)(1 + pick(ITEM_VERBS - 1)),
                            .items = items, .n_items = group != NULL ? 0 : 1 + pick(3), .has_group = group != NULL,
                            .from = ITEM_STATES, .to = ITEM_STATES, .by = span_str(people[pick(3)]), .role = span_str("reviewer")};
    struct error err;
    struct buf line;

    items[1] = items[0] + 1 + pick(10);
    items[2] = items[1] + 1 + pick(10);
    if (group != NULL) {
        memcpy(l.group, group, REVIEW_GROUP);
    }
    l.disposition = l.verb == ITEM_DISPOSE ? (enum item_disposition)(1 + pick(ITEM_DISPOSITIONS - 1)) : ITEM_UNDISPOSED;
    l.assignee = l.verb == ITEM_ASSIGN || l.verb == ITEM_ESCALATE ? span_str(people[pick(3)]) : span_of(NULL, 0);
    l.until_ms = l.verb == ITEM_CLAIM ? l.ts_ns / 1000000 + 200000 : 0;
    l.undo_of = l.verb == ITEM_UNDO ? seq - 1 - pick(3) : 0;
    if (l.verb == ITEM_SNOOZE) {
        l.snooze = (struct review_snooze){pick(2) == 0 ? l.ts_ns / 1000000 + 500000 : 0, 1 + pick(5), pick(2) == 0};
    }
    if (pick(4) == 0) {
        l.console = span_str("desk.example/review");
        l.order = span_str(pick(2) == 0 ? "00112233445566778899aabbccddeeff" : "ffeeddccbbaa99887766554433221100");
    }
    buf_init(&line, REVIEW_LINE_MAX);
    must(review_line_format(&l, &line, &err), &err);
    must(buf_appendf(out, &err, "{\"seq\":%" PRIu64 ",\"node\":\"n\",\"boot_id\":\"b\",%.*s\n", seq, (int)line.len - 1, line.data + 1), &err);
    buf_deinit(&line);
}

/* Line `seq`; steps with groups are about that of the last candidate. */
static inline void append_review_line(struct buf *out, uint64_t seq)
{
    static uint8_t group[REVIEW_GROUP];
    static bool has_group;
    struct review_candidate c;
    struct arena memory;
    struct error err;
    size_t from = out->len;
    unsigned kind = pick(10);

    if (seq == 1) {
        append_start(out, seq, "log");
        must(buf_appendf(out, &err, ",\"origin\":\"%s\"}\n", ORIGIN), &err);
    } else if (kind < 3) {
        append_candidate(out, seq);
    } else if (kind == 3) {
        append_event(out, seq);
    } else if (kind == 4) {
        append_random_line(out, seq, NULL);
    } else {
        append_step(out, seq, kind == 5 && has_group ? group : NULL);
    }
    arena_init(&memory, 0, 65536);
    if (review_candidate_read(span_of(out->data + from, out->len - from - 1), &memory, &c) && c.has_group) {
        memcpy(group, c.group, sizeof(group));
        has_group = true;
    }
    arena_deinit(&memory);
}

#endif
