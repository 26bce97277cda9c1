/* What no service is needed to show: every contract is found by its route, refuses as its product does, and says a verdict without
 * a finding in a way that a client which fails closed understands. tests/e2e/contracts.sh has the verdicts. */
#include "testing.h"

#include <time.h>

#include "base/json.h"
#include "contracts/contracts.h"
#include "contracts/presidio.h"

static struct arena arena;
static struct buf out;

static struct span header(const void *context, const char *name)
{
    (void)context;
    return strcmp(name, "detector-id") == 0 ? span_str("d") : span_of("", 0);
}

static struct contract_call call_of(const char *body)
{
    return (struct contract_call){
        .arena = &arena, .body = span_str(body), .parameter = span_str("default"), .text_max = 1000, .header = header};
}

/* A body that each contract accepts. */
static const struct row {
    const char *path, *body;
    unsigned blocked_status;   /* of a verdict without a finding */
    const char *blocked_words; /* in its answer */
} rows[] = {
    {"/v1/moderations", "{\"input\":\"a\"}", 500, "\"server_error\""},
    {"/analyze", "{\"text\":\"a\",\"language\":\"en\"}", 500, "\"error\""},
    {"/api/v1/text/contents", "{\"contents\":[\"a\"]}", 500, "\"code\":500"},
    {"/api/v1/text/generation", "{\"generated_text\":\"a\"}", 500, "\"code\":500"},
    {"/api/v1/text/chat", "{\"messages\":[\"a\"]}", 500, "\"code\":500"},
    {"/api/v1/text/context/doc", "{\"content\":\"a\",\"context\":[]}", 500, "\"code\":500"},
    {"/request", "{\"body\":{\"messages\":[\"a\"]}}", 200, "\"status_code\":403"},
    {"/request", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"model\":\"m\"}", 200, "{\"messages\":[]}"},
    {"/response", "{\"body\":{\"choices\":[\"a\"]}}", 200, "\"status_code\":403"},
    {"/portkey", "{\"eventType\":\"afterRequestHook\",\"response\":{\"json\":{\"a\":\"b\"}}}", 200, "\"verdict\":false"},
    {"/v1/evaluate", "{\"kind\":\"step/request\",\"step_id\":\"s\",\"agent_id\":\"a\",\"payload\":{\"m\":\"a\"}}", 200,
     "\"decision\":\"block\""},
    {"/analyze/output", "{\"output\":\"a\"}", 200, "\"is_valid\":false"},
    {"/scan/output", "{\"output\":\"a\"}", 200, "\"is_valid\":false"},
    {"/analyze/prompt", "{\"prompt\":\"a\"}", 200, "\"is_valid\":false"},
    {"/scan/prompt", "{\"prompt\":\"a\"}", 200, "\"is_valid\":false"},
    {"/guardrail/{version...}/apply", "{\"source\":\"INPUT\",\"content\":[{\"text\":{\"text\":\"a\"}}]}", 200, "GUARDRAIL_INTERVENED"},
    {"/v1/guardrail/checks", "{\"messages\":[\"a\"]}", 200, "\"status\":\"blocked\""},
    {"/guards/{name}/validate", "{\"llmOutput\":\"a\"}", 200, "\"validationPassed\":false"},
    {"/v1/hooks/claude-code", "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"command\":\"a\"}}", 200,
     "\"permissionDecision\":\"deny\""},
    {"/v1/hooks/claude-code", "{\"hook_event_name\":\"PostToolUse\",\"tool_response\":{\"type\":\"text\",\"content\":\"a\"}}", 200,
     "\"updatedToolOutput\":{\"type\":\"text\",\"content\":\"Withheld.\"}"},
    {"/v1/hooks/claude-code", "{\"hook_event_name\":\"PostToolBatch\",\"tool_calls\":[{\"tool_response\":\"a\"}]}", 200, "\"decision\":\"block\""},
    {"/v1/hooks/codex", "{\"hook_event_name\":\"PostToolUse\",\"tool_response\":\"a\"}", 200, "\"decision\":\"block\""},
    {"/llm/v1/sanitize", "{\"text\":\"a\"}", 400, "\"error\""},
    {"/llm/v1/sanitize_credentials", "{\"text\":\"a\"}", 400, "\"error\""},
};

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 16, 1 << 24);
    buf_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    buf_deinit(&out);
    return 0;
}

static void verdicts_without_a_finding(void **state)
{
    static const struct policy policy = {.notice = {"Withheld.", 9}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct contract *contract = contract_find(rows[i].path);
        struct contract_call call = call_of(rows[i].body);
        struct contract_exchange c = {0};
        struct filter_fault fault = {0};
        struct error err;
        struct writer w = {.out = &out, .err = &err, .is_ok = true};
        assert_non_null(contract);
        assert_true(contract->read(&call, &c, &fault));
        struct exchange x = {.policy = &policy, .channels = c.channels, .n_channels = c.n_channels};
        buf_clear(&out);
        assert_int_equal(contract->write(&w, &call, &c, &x), rows[i].blocked_status);
        assert_true(w.is_ok && json_validate(buf_span(&out), &err));
        assert_true(buf_append(&out, span_of("", 1), &err)); /* a string now */
        assert_non_null(strstr(out.data, rows[i].blocked_words));
    }
}

/* A member that is judged once, twice given: the product would read one of them. */
static void a_member_given_twice_is_refused(void **state)
{
    char body[300];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct contract_exchange c = {0};
        struct filter_fault fault = {0};
        (void)snprintf(body, sizeof(body), "%.*s,%s", (int)(strlen(rows[i].body) - 1), rows[i].body, rows[i].body + 1);
        struct contract_call call = call_of(body);
        assert_false(contract_find(rows[i].path)->read(&call, &c, &fault));
        assert_int_equal(fault.status, 400);
    }
}

static void texts_past_the_limit_are_413(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct contract_exchange c = {0};
        struct filter_fault fault = {0};
        struct contract_call call = call_of(rows[i].body);
        call.text_max = 0;
        assert_false(contract_find(rows[i].path)->read(&call, &c, &fault));
        assert_int_equal(fault.status, 413);
    }
}

static bool read_inputs(size_t n, struct contract_exchange *c, struct filter_fault *fault)
{
    struct contract_call call = call_of("");
    struct buf body;
    struct error err;

    buf_init(&body, 8 * (n + 2));
    assert_true(buf_append_str(&body, "{\"input\":[\"\"", &err));
    for (size_t i = 1; i < n; i++) {
        assert_true(buf_append_str(&body, ",\"\"", &err));
    }
    assert_true(buf_append_str(&body, "]}", &err));
    call.body = buf_span(&body);
    bool is_read = contract_find("/v1/moderations")->read(&call, c, fault);
    buf_deinit(&body);
    return is_read;
}

/* Each has a result of a kilobyte. */
static void inputs_of_moderations_are_counted(void **state)
{
    struct contract_exchange c = {0}, none = {0};
    struct filter_fault fault = {0};

    (void)state;
    assert_true(read_inputs(2048, &c, &fault));
    assert_int_equal(c.n_channels, 2048);
    assert_false(read_inputs(2049, &none, &fault));
    assert_int_equal(fault.status, 413);
    assert_string_equal(fault.pointer, "/input");
    assert_string_equal(fault.detail, "at most 2048 inputs expected");
}

static void other_paths_have_no_contract(void **state)
{
    (void)state;
    assert_null(contract_find("/v1/filter"));
    assert_null(contract_find(""));
}

static unsigned transform(const char *body, unsigned (*route)(const struct contract_call *call, struct writer *w))
{
    struct contract_call call = call_of(body);
    struct error err;
    struct writer w = {.out = &out, .err = &err, .is_ok = true};

    call.text_max = call.body.len;
    buf_clear(&out);
    arena_reset(&arena);
    unsigned status = route(&call, &w);
    assert_true(w.is_ok && json_validate(buf_span(&out), &err));
    assert_true(buf_append(&out, span_of("", 1), &err));
    return status;
}

static unsigned anonymize(const char *body)
{
    return transform(body, presidio_anonymize);
}

/* Presidio's statuses and sentences for what an operator's configuration lacks. */
static void operators_are_checked(void **state)
{
    static const struct {
        const char *operator;
        unsigned status;
        const char *words;
    } bad[] = {
        {"{\"type\":\"mask\",\"masking_char\":\"*\"}", 422, "Expected parameter chars_to_mask"},
        {"{\"type\":\"mask\",\"masking_char\":\"**\",\"chars_to_mask\":1,\"from_end\":true}", 422, "masking_char"},
        {"{\"type\":\"mask\",\"masking_char\":\"*\",\"chars_to_mask\":-1,\"from_end\":true}", 422, "chars_to_mask"},
        {"{\"type\":\"mask\",\"masking_char\":\"*\",\"chars_to_mask\":1e5,\"from_end\":true}", 422, "chars_to_mask"},
        {"{\"type\":\"mask\",\"masking_char\":\"*\",\"chars_to_mask\":1,\"from_end\":1}", 422, "from_end"},
        {"{\"type\":\"hash\",\"hash_type\":\"md5\"}", 422, "hash_type"},
        {"{\"type\":\"hash\",\"salt\":\"short\"}", 422, "salt"},
        {"{\"type\":\"encrypt\"}", 422, "Expected parameter key"},
        {"{\"type\":\"encrypt\",\"key\":\"short\"}", 422, "128, 192 or 256 bits"},
        {"{\"type\":\"replace\",\"new_value\":1}", 422, "Invalid parameter value for new_value. Expecting 'string'"},
        {"{\"type\":\"custom\"}", 400, "not supported"},
        {"{\"type\":\"decrypt\",\"key\":\"0123456789abcdef\"}", 422, "Invalid operator class"},
        {"{\"kind\":\"mask\"}", 422, "operator_name"},
    };
    char body[400];

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        (void)snprintf(body, sizeof(body),
                       "{\"text\":\"abc\",\"analyzer_results\":[{\"start\":0,\"end\":2,\"score\":1,\"entity_type\":\"A\"}],"
                       "\"anonymizers\":{\"A\":%s}}",
                       bad[i].operator);
        assert_int_equal(anonymize(body), bad[i].status);
        assert_non_null(strstr(out.data, bad[i].words));
    }
}

static void an_empty_request_is_none_in_both_directions(void **state)
{
    (void)state;
    assert_int_equal(transform("{}", presidio_anonymize), 400);
    assert_non_null(strstr(out.data, "Invalid request json"));
    assert_int_equal(transform("{}", presidio_deanonymize), 400);
    assert_non_null(strstr(out.data, "Invalid request json"));
}

/* `n` results, each of a type of its own and of `len` characters, one character behind each other, with `n_operators`. */
static void make_request(struct buf *body, size_t n, size_t len, size_t n_operators)
{
    char text[120];
    struct error err;

    buf_init(body, 8 * 1024 * 1024);
    assert_true(buf_append_str(body, "{\"text\":\"", &err));
    for (size_t i = 0; i < n + len; i++) {
        assert_true(buf_append_char(body, 'a', &err));
    }
    assert_true(buf_append_str(body, "\",\"anonymizers\":{\"DEFAULT\":{\"type\":\"redact\"}", &err));
    for (size_t i = 0; i < n_operators; i++) {
        (void)snprintf(text, sizeof(text), ",\"O%zu\":{\"type\":\"redact\"}", i);
        assert_true(buf_append_str(body, text, &err));
    }
    assert_true(buf_append_str(body, "},\"analyzer_results\":[", &err));
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof(text), "%s{\"start\":%zu,\"end\":%zu,\"score\":1,\"entity_type\":\"E%zu\"}", i > 0 ? "," : "", i,
                       i + len, i);
        assert_true(buf_append_str(body, text, &err));
    }
    assert_true(buf_append(body, span_of("]}", 3), &err));
}

static unsigned anonymize_many(size_t n, size_t len, size_t n_operators, double *seconds)
{
    struct buf body;

    make_request(&body, n, len, n_operators);
    clock_t began = clock();
    unsigned status = anonymize(body.data);
    *seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    buf_deinit(&body);
    return status;
}

static void results_that_all_overlap_are_not_each_read_to_their_end(void **state)
{
    double seconds = 0;
    (void)state;
    assert_int_equal(anonymize_many(4000, 2, 0, &seconds), 200);
    assert_int_equal(anonymize_many(4000, 50000, 0, &seconds), 413);
}

/* 4,000 times as many results were 4,000 times the work. */
static void operators_are_not_searched_once_for_each_result(void **state)
{
    double one = 0, many = 0;
    (void)state;
    assert_int_equal(anonymize_many(1, 1, 20000, &one), 200);
    assert_int_equal(anonymize_many(4000, 1, 20000, &many), 200);
    assert_true(many < 40 * (one + 0.001));
}

static void only_known_languages_are_accepted(void **state)
{
    (void)state;
    assert_true(presidio_has_language(span_str("en")));
    assert_false(presidio_has_language(span_str("zz")));
    assert_false(presidio_has_language(span_str("")));
}

static void findings_of_a_channel_are_found_among_those_of_all(void **state)
{
    const struct finding findings[] = {{.channel = 1}, {.channel = 1}, {.channel = 3}, {.channel = 7}};
    const struct exchange x = {.findings = findings, .n_findings = COUNT(findings)}, none = {0};
    static const size_t first[] = {0, 0, 2, 2, 3, 3, 3, 3, 4};
    size_t n;

    (void)state;
    for (size_t channel = 0; channel < COUNT(first); channel++) {
        const struct finding *f = contract_findings_from(&x, channel, &n);
        assert_int_equal(COUNT(findings) - first[channel], n);
        assert_ptr_equal(n == 0 ? NULL : findings + first[channel], f);
    }
    assert_null(contract_findings_from(&none, 0, &n));
    assert_int_equal(0, n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_a_channel_are_found_among_those_of_all),
        cmocka_unit_test(verdicts_without_a_finding), cmocka_unit_test(a_member_given_twice_is_refused), cmocka_unit_test(texts_past_the_limit_are_413),
        cmocka_unit_test(inputs_of_moderations_are_counted),
        cmocka_unit_test(other_paths_have_no_contract),
        cmocka_unit_test(operators_are_checked), cmocka_unit_test(an_empty_request_is_none_in_both_directions),
        cmocka_unit_test(results_that_all_overlap_are_not_each_read_to_their_end),
        cmocka_unit_test(operators_are_not_searched_once_for_each_result), cmocka_unit_test(only_known_languages_are_accepted),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
