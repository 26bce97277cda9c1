#include "unit/decision_log/decision_format_testing.h"

static void a_record_says_what_was_decided_for_whom(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    f.exchange.who = (struct identity){.tenant = text_of("acme"),
                                       .app = text_of("web"),
                                       .route = text_of("openai"),
                                       .agent = text_of("support-7"),
                                       .session = text_of("s-1")};
    add_channel(&f, "", "a text");
    const json_t *r = format(&f);
    assert_int_equal(number_at(r, "v"), 2);
    assert_string_equal(text_at(r, "type"), "decision");
    assert_string_equal(text_at(r, "ts"), "2024-02-29T12:34:56.000000789Z");
    assert_string_equal(text_at(r, "req_id"), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    assert_string_equal(text_at(r, "tenant"), "acme");
    assert_string_equal(text_at(r, "app"), "web");
    assert_string_equal(text_at(r, "route"), "openai");
    assert_string_equal(text_at(r, "agent"), "support-7");
    assert_token(text_at(r, "session"), "s-1");
    assert_token(text_at(r, "input_tok"), "a text");
    assert_string_equal(text_at(json_object_get(r, "policy"), "name"), "default");
    assert_string_equal(text_at(json_object_get(r, "policy"), "digest"), "sha256:00ff");
    assert_string_equal(text_at(r, "engine"), FILTERD_VERSION);
    assert_string_equal(text_at(r, "action"), "allow");
    assert_int_equal(number_at(r, "in_bytes"), 6);
    assert_int_equal(number_at(r, "out_bytes"), 6);
    assert_int_equal(number_at(r, "elapsed_us"), 41);
    assert_null(json_object_get(r, "rule"));
    assert_null(json_object_get(r, "reason"));
    end(&f);
}

static void a_record_says_which_trace_it_is_part_of(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    struct trace_context *t = &f.exchange.who.trace;
    assert_true(trace_parse(text_of("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), t));
    add_channel(&f, "", "a text");
    const json_t *r = format(&f);
    assert_string_equal(text_at(r, "trace_id"), "0af7651916cd43dd8448eb211c80319c");
    assert_string_equal(text_at(r, "span_id"), "b7ad6b7169203331");
    assert_null(json_object_get(r, "parent_span_id"));
    assert_null(json_object_get(r, "span"));
    end(&f);
}

static void a_recorded_span_has_the_times_of_its_parts(void **state)
{
    static const struct supervision answered = {.outcome = SUPERVISION_ANSWERED, .latency_ns = 10000};
    static const struct {
        struct exchange_times times;
        const char *parts;
    } cases[] = {
        {{.started_ns = 1000, .received_ns = 5000, .ended_ns = 45000},
         "receive 0 4 judge 4 40 scan 4 7 classify 11 2 supervisor 34 10 "},
        {{.started_ns = 1000, .received_ns = 5000, .asked_ns = 5000, .answered_ns = 9000, .answer_ended_ns = 30000, .delivered_ns = 12000,
          .ended_ns = 45000},
         "receive 0 4 scan 4 7 classify 11 2 supervisor 34 10 upstream 4 25 hold 8 3 deliver 11 33 "},
        {{.started_ns = 1000, .ended_ns = 45000}, "judge 0 44 scan 0 7 classify 7 2 supervisor 34 10 "},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct fixture f;
        struct exchange_times times = cases[k].times;
        char parts[512] = "";
        start(&f);
        times.started_utc_ns = f.exchange.now_ns;
        f.exchange.who.trace = (struct trace_context){.id = {1}, .parent = {2}, .span = {3}, .is_recorded = true};
        f.exchange.times = &times;
        f.exchange.stage_ns[STAGE_SCAN] = 7000;
        f.exchange.stage_ns[STAGE_CLASSIFY] = 2000;
        f.exchange.supervision = &answered;
        add_channel(&f, "", "a text");
        const json_t *r = format(&f), *span = json_object_get(r, "span"), *list = json_object_get(span, "parts");
        assert_string_equal(text_at(r, "span_id"), "0300000000000000");
        assert_string_equal(text_at(r, "parent_span_id"), "0200000000000000");
        assert_string_equal(text_at(span, "start"), "2024-02-29T12:34:56.000000789Z");
        assert_int_equal(number_at(span, "us"), 44);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *part = json_array_get(list, i);
            (void)snprintf(parts + strlen(parts), sizeof(parts) - strlen(parts), "%s %d %d ", text_at(part, "name"),
                           (int)number_at(part, "at_us"), (int)number_at(part, "us"));
        }
        assert_string_equal(parts, cases[k].parts);
        end(&f);
    }
}

static void dates_are_those_of_the_calendar(void **state)
{
    static const struct {
        int64_t seconds;
        const char *date;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000000000Z"},
        {951782399, "2000-02-28T23:59:59.000000000Z"},
        {951782400, "2000-02-29T00:00:00.000000000Z"},
        {951868800, "2000-03-01T00:00:00.000000000Z"},
        {1798761599, "2026-12-31T23:59:59.000000000Z"},
        {4107542400, "2100-03-01T00:00:00.000000000Z"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f;
        start(&f);
        f.exchange.now_ns = cases[i].seconds * 1000000000;
        assert_string_equal(text_at(format(&f), "ts"), cases[i].date);
        end(&f);
    }
}

/* Only of a conversation that has pseudonyms. */
static void what_was_restored_is_counted(void **state)
{
    struct error err;
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "", "a text");
    const json_t *r = format(&f);
    assert_null(json_object_get(r, "restored"));
    f.exchange.masking = masking_new(NULL, &masking_limits_default, &err);
    assert_null(json_object_get(format(&f), "restored"));
    struct masked_value v = {.kind = text_of("key"), .value = text_of("a value")};
    struct span pseudonym;
    assert_true(masking_pseudonym(f.exchange.masking, &v, NULL, 0, &pseudonym, &err));
    f.exchange.restored.restored = 2;
    r = format(&f);
    assert_int_equal(number_at(r, "restored"), 2);
    assert_null(json_object_get(r, "kept_masked"));
    assert_null(json_object_get(r, "unknown_pseudonyms"));
    f.exchange.restored = (struct restore_counts){.withheld = 3, .unknown = 4};
    r = format(&f);
    assert_int_equal(number_at(r, "restored"), 0);
    assert_int_equal(number_at(r, "kept_masked"), 3);
    assert_int_equal(number_at(r, "unknown_pseudonyms"), 4);
    masking_unref(f.exchange.masking);
    end(&f);
}

static void a_zeroed_exchange_is_recorded_as_a_block(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    f.exchange =
        (struct exchange){.unjudged_reason = "time-out", .rule = text_of("filterd.unjudged")};
    const json_t *r = format(&f);
    assert_string_equal(text_at(r, "action"), "block");
    assert_string_equal(text_at(r, "rule"), "filterd.unjudged");
    assert_string_equal(text_at(r, "reason"), "time-out");
    assert_null(json_object_get(r, "tenant"));
    assert_null(json_object_get(r, "policy"));
    end(&f);
}

static void a_finding_is_recorded_by_place_and_token_alone(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "", "card 4111111111111111 here")->output = text_of("card [payment-card] here");
    struct finding *n = add_finding(&f, 0, 5, 21);
    n->checks_passed = 1 << 1;
    n->is_over_limit = true;
    f.exchange.action = ACTION_REDACT;
    f.exchange.rule = f.rule.id;
    const json_t *r = format(&f);
    const json_t *finding = item(r, "findings", 0);
    assert_string_equal(text_at(finding, "source"), "rule");
    assert_string_equal(text_at(finding, "rule"), "payment-card");
    assert_string_equal(text_at(finding, "category"), "pii");
    assert_string_equal(text_at(finding, "severity"), "high");
    assert_string_equal(text_at(finding, "view"), "raw");
    assert_string_equal(text_at(finding, "action"), "redact");
    assert_int_equal(number_at(finding, "start"), 5);
    assert_int_equal(number_at(finding, "end"), 21);
    assert_int_equal(number_at(finding, "len"), 16);
    assert_true(json_real_value(json_object_get(finding, "score")) > 0.9799);
    assert_true(json_is_true(json_object_get(finding, "over_limit")));
    assert_null(json_object_get(finding, "shadow"));
    assert_int_equal(json_array_size(json_object_get(finding, "checks")), 1);
    assert_string_equal(json_string_value(item(finding, "checks", 0)), "luhn");
    assert_token(text_at(finding, "value_tok"), "4111111111111111");
    assert_int_equal(number_at(r, "out_bytes"), 24);
    assert_false(holds(&f, "4111"));
    end(&f);
}

static void a_disguised_value_has_the_token_of_the_plain_one(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "", "NDExMQ==");
    add_finding(&f, 0, 0, 8)->value = text_of("4111");
    assert_token(text_at(item(format(&f), "findings", 0), "value_tok"), "4111");
    end(&f);
}

static void a_blocked_text_has_no_bytes_out(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "", "secret");
    f.exchange.action = ACTION_BLOCK;
    f.exchange.rule = f.rule.id;
    assert_int_equal(number_at(format(&f), "out_bytes"), 0);
    end(&f);
}

static void ids_are_cut_and_escaped(void **state)
{
    char long_id[300];
    struct fixture f;
    (void)state;
    memset(long_id, 'x', sizeof(long_id) - 1);
    long_id[sizeof(long_id) - 1] = '\0';
    start(&f);
    f.exchange.who.agent = text_of(long_id);
    f.exchange.who.tenant = text_of("a\"b\n\xff");
    const json_t *r = format(&f);
    assert_int_equal(strlen(text_at(r, "agent")), 128);
    assert_string_equal(text_at(r, "tenant"), "a\"b\n\xef\xbf\xbd");
    end(&f);
}

static void of_many_findings_the_strictest_are_listed_and_the_rest_counted(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "", "0123456789");
    for (int i = 0; i < 200; i++) {
        add_finding(&f, 0, 1, 2)->action = i == 150 ? ACTION_BLOCK : ACTION_ALLOW;
    }
    const json_t *r = format(&f);
    assert_int_equal(json_array_size(json_object_get(r, "findings")), 64);
    assert_int_equal(number_at(r, "findings_more"), 136);
    assert_string_equal(text_at(item(r, "findings", 0), "action"), "block");
    end(&f);
}

static void of_many_channels_those_not_judged_are_listed(void **state)
{
    struct fixture f;
    (void)state;
    start(&f);
    for (int i = 0; i < 200; i++) {
        add_channel(&f, "/a", "text");
    }
    f.channels[170].judged = 1;
    const json_t *r = format(&f);
    assert_int_equal(json_array_size(json_object_get(r, "channels")), 1);
    assert_int_equal(number_at(item(r, "channels", 0), "channel"), 170);
    assert_int_equal(number_at(item(r, "channels", 0), "judged"), 1);
    assert_int_equal(number_at(r, "channels_more"), 199);
    assert_int_equal(number_at(r, "judged_bytes"), 797);
    end(&f);
}

static void the_largest_record_fits_into_a_line(void **state)
{
    static struct rule_check many_checks[32];
    static const struct check_type long_named = {.name =
                                                     "a_check_with_a_name_of_forty_characters_"};
    char id[200], path[256];
    struct fixture f;
    (void)state;
    memset(id, 1, sizeof(id)); /* six bytes each when escaped */
    for (size_t i = 0; i + 2 < sizeof(path); i += 2) {
        memcpy(path + i, "/a", 3);
    }
    start(&f);
    for (size_t i = 0; i < COUNT(many_checks); i++) {
        many_checks[i].type = &long_named;
    }
    f.rule.id = span_of(id, sizeof(id));
    f.rule.checks = many_checks;
    f.rule.n_checks = COUNT(many_checks);
    f.exchange.who = (struct identity){.tenant = f.rule.id, .app = f.rule.id, .route = f.rule.id, .agent = f.rule.id, .session = f.rule.id};
    for (uint32_t i = 0; i < 64; i++) {
        add_channel(&f, path, "text");
        add_finding(&f, i, 0, 4)->checks_passed = UINT32_MAX;
    }
    const json_t *r = format(&f);
    size_t n = json_array_size(json_object_get(r, "findings"));
    assert_true(n > 4 && n < 64);
    assert_int_equal(number_at(r, "findings_more"), 64 - n);
    assert_true(f.line.len <= DECISION_RECORD_MAX);
    end(&f);
}

/* What is the same in several is written once and copied. */
static void a_finding_reads_the_same_beside_others(void **state)
{
    enum { CHANNELS = 70, N = 60 };
    struct rule others[] = {{.id = text_of("email-address"), .category = CATEGORY_SECRET}, {.id = text_of("x"), .checks = checks, .n_checks = COUNT(checks)}};
    char paths[CHANNELS][16];
    json_t *record;
    struct fixture f;

    (void)state;
    start(&f);
    for (size_t i = 0; i < CHANNELS; i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "/%zu", i % 7);
        add_channel(&f, paths[i], "0123456789");
    }
    for (size_t i = 0; i < N; i++) {
        struct finding *n = add_finding(&f, (uint32_t)(i * 29 % CHANNELS), i % 9, 10);
        n->rule = i / 4 % 3 == 0 ? &f.rule : &others[i / 4 % 3 - 1];
        n->checks_passed = (uint32_t)(i / 2 % 4);
        n->source = i % 11 == 10 ? FINDING_CLASSIFIER : FINDING_RULE;
    }
    (void)format(&f);
    record = json_incref(f.record);
    end(&f);
    assert_int_equal(json_array_size(json_object_get(record, "findings")), N);
    for (size_t i = 0; i < N; i++) {
        const struct finding alone = f.findings[i];
        f.exchange.findings = &alone;
        f.exchange.n_findings = 1;
        const json_t *expected = item(format(&f), "findings", 0);
        if (!json_equal(item(record, "findings", i), expected)) {
            fail_msg("finding %zu", i);
        }
        end(&f);
    }
    json_decref(record);
}

static void documents_cut_differently_have_different_tokens(void **state)
{
    char first[64];
    struct fixture f;
    (void)state;
    start(&f);
    add_channel(&f, "/a", "one");
    add_channel(&f, "/b", "two");
    (void)snprintf(first, sizeof(first), "%s", text_at(format(&f), "input_tok"));
    end(&f);
    start(&f);
    add_channel(&f, "/a", "onet");
    add_channel(&f, "/b", "wo");
    assert_string_not_equal(text_at(format(&f), "input_tok"), first);
    end(&f);
}

/* Messages of a request that were judged with an earlier one. */
static void texts_judged_before_are_not_in_the_token(void **state)
{
    static const struct finding found;
    char alone[64];
    struct fixture f;

    (void)state;
    start(&f);
    add_channel(&f, "/a", "one");
    (void)snprintf(alone, sizeof(alone), "%s", text_at(format(&f), "input_tok"));
    end(&f);
    add_channel(&f, "/b", "two");
    f.exchange.channels[1].known = &found;
    assert_string_equal(text_at(format(&f), "input_tok"), alone);
    end(&f);
    f.exchange.channels[0].known = &found;
    assert_null(json_object_get(format(&f), "input_tok"));
    end(&f);
}

static void a_buffer_too_small_is_an_error_and_left_empty(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;
    start(&f);
    add_channel(&f, "/a", "x");
    add_finding(&f, 0, 0, 1);
    for (size_t max = 0; max < 500; max += 7) {
        struct buf line;
        buf_init(&line, max);
        assert_false(decision_format(&f.exchange, &keys, 0, &line, &err));
        assert_int_equal(err.kind, ERROR_LIMIT);
        assert_int_equal(line.len, 0);
        buf_deinit(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_what_was_decided_for_whom),
        cmocka_unit_test(a_record_says_which_trace_it_is_part_of),
        cmocka_unit_test(a_recorded_span_has_the_times_of_its_parts),
        cmocka_unit_test(dates_are_those_of_the_calendar),
        cmocka_unit_test(what_was_restored_is_counted),
        cmocka_unit_test(a_zeroed_exchange_is_recorded_as_a_block),
        cmocka_unit_test(a_finding_is_recorded_by_place_and_token_alone),
        cmocka_unit_test(a_disguised_value_has_the_token_of_the_plain_one),
        cmocka_unit_test(a_blocked_text_has_no_bytes_out),
        cmocka_unit_test(ids_are_cut_and_escaped),
        cmocka_unit_test(of_many_findings_the_strictest_are_listed_and_the_rest_counted),
        cmocka_unit_test(of_many_channels_those_not_judged_are_listed),
        cmocka_unit_test(the_largest_record_fits_into_a_line),
        cmocka_unit_test(documents_cut_differently_have_different_tokens),
        cmocka_unit_test(texts_judged_before_are_not_in_the_token),
        cmocka_unit_test(a_finding_reads_the_same_beside_others),
        cmocka_unit_test(a_buffer_too_small_is_an_error_and_left_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
