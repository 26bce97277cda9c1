/* What people did is written as the schema has it and read back as it was meant; and lines become items as they say. */
#include "testing.h"

#include <stdio.h>

#include "index/index_line.h"
#include "review/review_candidate.h"
#include "support/line_schema.h"
#include "support/random.h"

static struct arena memory;
static struct buf text;
static struct random chance = {11};

static unsigned pick(unsigned n)
{
    return (unsigned)random_below(&chance, n);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&memory, 0, 1 << 20);
    buf_init(&text, REVIEW_LINE_MAX);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_deinit(&memory);
    buf_deinit(&text);
    return 0;
}

static struct review_line random_line(uint64_t items[REVIEW_ITEMS_MAX])
{
    static const char *const names[] = {"anna", "uid 0", "J\"rg \\ \n", "\xc3\xa4"};
    struct review_line l = {.ts_ns = INT64_C(1763700000123456789) + pick(1000), .verb = (enum item_verb)(1 + pick(ITEM_VERBS - 1)),
                            .items = items, .from = ITEM_STATES, .to = ITEM_STATES, .by = span_str(names[pick(4)]),
                            .role = span_str("reviewer")};

    l.has_group = pick(2) == 0;
    l.n_items = l.has_group ? 0 : pick(3) == 0 ? REVIEW_ITEMS_MAX : 1;
    for (size_t i = 0; i < l.n_items; i++) {
        items[i] = (i == 0 ? 0 : items[i - 1]) + 1 + pick(1000000);
    }
    for (size_t i = 0; l.has_group && i < REVIEW_GROUP; i++) {
        l.group[i] = (uint8_t)pick(256);
    }
    if (pick(2) == 0) {
        l.from = pick(ITEM_STATES);
        l.to = pick(ITEM_STATES);
    }
    l.disposition = (enum item_disposition)pick(ITEM_DISPOSITIONS);
    l.assignee = pick(2) == 0 ? span_str(names[pick(4)]) : span_of(NULL, 0);
    l.note = pick(2) == 0 ? span_str("a note: {\"type\":\"review\"}") : span_of(NULL, 0);
    l.until_ms = pick(2) == 0 ? INT64_C(1763700900123) : 0;
    l.snooze = (struct review_snooze){pick(2) == 0 ? INT64_C(1763800000000) : 0, pick(3), pick(2) == 0};
    l.undo_of = pick(3);
    if (pick(2) == 0) {
        l.console = span_str("desk.example/review");
        l.order = span_str("00112233445566778899aabbccddeeff");
    }
    return l;
}

static void a_line_is_read_as_it_was_written(void **state)
{
    uint64_t items[REVIEW_ITEMS_MAX];
    struct review_line back;
    struct error err;

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        struct review_line l = random_line(items);
        arena_reset(&memory);
        if (!review_line_format(&l, &text, &err) || !review_line_parse(buf_span(&text), &memory, &back, &err)) {
            fail_msg("%s", err.text);
        }
        assert_line(buf_span(&text));
        assert_true(back.ts_ns == l.ts_ns && back.verb == l.verb && back.n_items == l.n_items && back.has_group == l.has_group);
        assert_true(l.n_items == 0 || memcmp(back.items, l.items, l.n_items * sizeof(*items)) == 0);
        assert_memory_equal(back.group, l.group, REVIEW_GROUP);
        assert_true(back.from == l.from && back.to == l.to && back.disposition == l.disposition && back.until_ms == l.until_ms);
        assert_true(span_equal(back.by, l.by) && span_equal(back.role, l.role) && span_equal(back.assignee, l.assignee));
        assert_true(span_equal(back.note, l.note) && back.undo_of == l.undo_of && back.snooze.more == l.snooze.more);
        assert_true(back.snooze.until_ms == l.snooze.until_ms && back.snooze.until_policy == l.snooze.until_policy);
    }
}

static void what_is_no_step_is_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{\"type\":\"review\"}",
        "{\"step\":\"claim\",\"by\":\"a\"}",
        "{\"step\":\"shout\",\"by\":\"a\",\"item\":1}",
        "{\"step\":\"claim\",\"item\":1}",
        "{\"step\":\"claim\",\"by\":\"a\",\"items\":[2,1]}",
        "{\"step\":\"claim\",\"by\":\"a\",\"items\":[1,1]}",
        "{\"step\":\"claim\",\"by\":\"a\",\"items\":[0]}",
        "{\"step\":\"claim\",\"by\":\"a\",\"group\":\"group:zz\"}",
    };
    struct review_line l;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (review_line_parse(span_str(lines[i]), &memory, &l, &err)) {
            fail_msg("accepted: %s", lines[i]);
        }
    }
}

/* --- candidates --------------------------------------------------------------- */

#define HEAD "{\"seq\":7,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"decision\",\"ts\":\"2026-11-23T10:00:00.500000000Z\""
#define WHO ",\"tenant\":\"acme\",\"app\":\"web\",\"agent\":\"one\",\"policy\":{\"name\":\"default\",\"digest\":\"sha256:aa\"}"
#define MARK ",\"review\":{\"why\":\"severity\",\"due_s\":60,\"reviewers\":2,\"agent_share\":0.2500}"
#define FINDING(rule, score, token) \
    "{\"rule\":\"" rule "\",\"severity\":\"high\",\"path\":\"/0\",\"score\":" score ",\"action\":\"redact\"" token "}"
#define TOKEN(digit) ",\"value_tok\":\"k1:0000000000000000000000000000000" digit "\""

static struct review_candidate read_line(const char *line)
{
    struct review_candidate c;

    assert_true(review_candidate_read(span_str(line), &memory, &c));
    return c;
}

static void an_item_has_what_its_line_says(void **state)
{
    struct review_candidate c = read_line(HEAD WHO ",\"action\":\"redact\",\"rule\":\"b\"" MARK ",\"findings\":["
                                          FINDING("a", "0.9000", TOKEN("1")) "," FINDING("b", "0.6250", TOKEN("2")) "]}");

    (void)state;
    assert_int_equal(c.seq, 7);
    assert_int_equal(c.why, REVIEW_SEVERITY);
    assert_int_equal(c.due_ms - c.ts_ms, 60000);
    assert_int_equal(c.reviewers, 2);
    assert_int_equal(c.agent_share, 2500);
    assert_int_equal(c.action, INDEX_REDACT);
    assert_int_equal(c.severity, 3);
    assert_int_equal(c.confidence, 6250); /* of the rule that decided */
    assert_true(span_is(c.tenant, "acme") && span_is(c.agent, "one") && span_is(c.rule, "b") && span_is(c.digest, "sha256:aa"));
}

/* No rule decided: the one that the sample is for is in the mark. */
static void a_sample_of_a_rule_has_the_rule_and_no_group(void **state)
{
    struct review_candidate c = read_line(HEAD WHO ",\"action\":\"allow\",\"review\":{\"why\":\"rule_sample\",\"rule\":\"b\",\"due_s\":60},\"findings\":["
                                          FINDING("a", "0.9000", TOKEN("1")) "," FINDING("b", "0.6250", TOKEN("2")) "]}");

    (void)state;
    assert_int_equal(c.why, REVIEW_RULE_SAMPLE);
    assert_true(span_is(c.rule, "b"));
    assert_int_equal(c.confidence, 6250);
    assert_int_equal(c.action, INDEX_ALLOW);
    assert_false(c.has_group);
}

static void groups_are_of_a_value_or_else_of_a_place(void **state)
{
    const struct {
        const char *a, *b;
        bool is_same;
    } pairs[] = {
        /* One value by two agents; another tenant; another value; one place without a value; another place. */
        {HEAD ",\"tenant\":\"t\",\"agent\":\"x\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", TOKEN("1")) "]}",
         HEAD ",\"tenant\":\"t\",\"agent\":\"y\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.1", TOKEN("1")) "]}", true},
        {HEAD ",\"tenant\":\"t\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", TOKEN("1")) "]}",
         HEAD ",\"tenant\":\"u\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", TOKEN("1")) "]}", false},
        {HEAD ",\"tenant\":\"t\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", TOKEN("1")) "]}",
         HEAD ",\"tenant\":\"t\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", TOKEN("2")) "]}", false},
        {HEAD ",\"agent\":\"x\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", "") "]}",
         HEAD ",\"agent\":\"x\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.2", "") "]}", true},
        {HEAD ",\"agent\":\"x\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", "") "]}",
         HEAD ",\"agent\":\"y\",\"rule\":\"a\"" MARK ",\"findings\":[" FINDING("a", "0.9", "") "]}", false},
        /* Parts do not run into one another. */
        {HEAD ",\"tenant\":\"ab\",\"agent\":\"c\"" MARK "}", HEAD ",\"tenant\":\"a\",\"agent\":\"bc\"" MARK "}", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct review_candidate a = read_line(pairs[i].a), b = read_line(pairs[i].b);
        assert_true(a.has_group && b.has_group);
        assert_int_equal(memcmp(a.group, b.group, REVIEW_GROUP) == 0, pairs[i].is_same);
    }
}

static void samples_have_no_group_and_events_are_critical(void **state)
{
    struct review_candidate sample = read_line(HEAD WHO ",\"review\":{\"why\":\"sample\",\"due_s\":9}}");
    struct review_candidate event = read_line("{\"seq\":8,\"type\":\"agent\",\"ts\":\"2026-11-23T10:00:00.000000000Z\",\"event\":\"kill\",\"tenant\":\"t\","
                                              "\"agent\":\"x\",\"review\":{\"why\":\"event\",\"due_s\":9}}");

    (void)state;
    assert_false(sample.has_group);
    assert_true(event.has_group && event.severity == 4 && span_is(event.rule, "agent.kill"));
}

/* A name that reads like the member does not make an item. */
static void other_lines_become_none(void **state)
{
    static const char *const lines[] = {
        HEAD WHO "}",
        HEAD ",\"agent\":\"\\\"review\\\":{\\\"why\\\":\\\"action\\\"}\"}",
        HEAD ",\"review\":{\"why\":\"whim\",\"due_s\":1}}",
        HEAD ",\"review\":{}}",
        HEAD MARK,
        "{\"review\":{\"why\":\"action\",\"due_s\":1}}",
    };
    struct review_candidate c;

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (review_candidate_read(span_str(lines[i]), &memory, &c)) {
            fail_msg("an item: %s", lines[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_as_it_was_written),
        cmocka_unit_test(what_is_no_step_is_refused),
        cmocka_unit_test(an_item_has_what_its_line_says),
        cmocka_unit_test(a_sample_of_a_rule_has_the_rule_and_no_group),
        cmocka_unit_test(groups_are_of_a_value_or_else_of_a_place),
        cmocka_unit_test(samples_have_no_group_and_events_are_critical),
        cmocka_unit_test(other_lines_become_none),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
