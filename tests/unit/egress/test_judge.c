#include "testing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/egress/judge.h"

static const char rules[] =
    "rules:\n"
    "  - id: test-key\n    title: t\n    category: secret\n    severity: high\n    pattern: 'KEY-[0-9]{8}'\n"
    "    boundary: token\n    confidence: 0.9\n    match: [KEY-00000000, 'a KEY-11111111 b', 'KEY-22222222.']\n"
    "    no_match: [KEY, KEY-1, key-00000000]\n"
    "  - id: test-order\n    title: t\n    category: injection\n    severity: critical\n    pattern: 'ORDER[0-9]{4}'\n"
    "    boundary: token\n    confidence: 0.9\n    match: [ORDER0001, 'an ORDER0002 b', 'ORDER0003.']\n"
    "    no_match: [ORDER, ORDER1, order0001]\n";
static const char policies[] =
    "policies:\n  default:\n    rules: [local]\n    actions:\n      - {category: secret, action: redact}\n"
    "      - {category: injection, action: block}\n    notice: n\n"
    "  careless:\n    rules: [local]\n    actions: []\n    notice: n\n";

static char folder[] = "/tmp/filterd-egress-judge-XXXXXX";
static struct egress_judge *judge;
static struct egress_verdict verdict;
static struct buf stripped;
static struct error err;

static bool write_file(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0;
}

static int set_up(void **state)
{
    const struct egress_judge_options options = {.rules = ".", .agent = "a", .workers = 2};

    (void)state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("local", 0700) != 0 ||
        !write_file("local/rules.yaml", rules) || !write_file("policy.yaml", policies)) {
        return 1;
    }
    buf_init(&stripped, 1 << 16);
    judge = egress_judge_new(&options, &err);
    if (judge == NULL) {
        print_message("%s\n", err.text);
    }
    return judge == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    egress_judge_free(judge);
    buf_deinit(&stripped);
    return unlink("local/rules.yaml") == 0 && unlink("policy.yaml") == 0 && rmdir("local") == 0 && chdir("/") == 0
               ? rmdir(folder)
               : 1;
}

static struct egress_header header;
static struct egress_head head;

/* Judges a request; an empty header is none. */
static enum action ask(const char *url, const char *name, const char *value, struct span body)
{
    header = (struct egress_header){.name = span_str(name), .value = span_str(value)};
    head.headers[0] = header;
    head.n = name[0] == '\0' ? 0 : 1;
    const struct egress_message m = {
        .route = span_str("egress/request"), .url = span_str(url), .head = &head, .body = body};

    egress_judge_message(judge, &m, &verdict);
    return verdict.action;
}

static enum action answer(struct span body)
{
    buf_clear(&stripped);
    head.n = 0;
    const struct egress_message m = {
        .route = span_str("egress/response"), .head = &head, .body = body, .stripped = &stripped};

    egress_judge_message(judge, &m, &verdict);
    return verdict.action;
}

static void assert_left(const char *body, const char *left)
{
    assert_int_not_equal(answer(span_str(body)), ACTION_ALLOW);
    assert_true(verdict.is_stripped);
    assert_int_equal(stripped.len, strlen(left));
    assert_memory_equal(stripped.data, left, strlen(left));
}

static void what_has_nothing_in_it_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(ask("api.test/a?b=c", "X-Note", "hello", span_str("nothing")), ACTION_ALLOW);
    assert_string_equal(verdict.rule, "");
    assert_int_equal(ask("", "", "", (struct span){0}), ACTION_ALLOW);
}

static void every_part_of_a_request_is_looked_at(void **state)
{
    static const struct {
        const char *url, *name, *value, *body;
        bool is_url;
    } cases[] = {
        {"api.test/KEY-12345678", "", "", "", true},
        {"api.test/a?k=KEY-12345678", "", "", "", true},
        {"api.test/a?k=KEY%2D12345678", "", "", "", true},
        {"api.test/", "X-Note", "KEY-12345678", "", false},
        {"api.test/", "KEY-12345678", "1", "", false},
        {"api.test/", "", "", "the KEY-12345678 is it", false},
        {"api.test/", "", "", "{\"a\":[{\"b\":\"\\u004bEY-12345678\"}]}", false},
        {"api.test/", "", "", "{\"KEY-12345678\":1}", false},
        {"api.test/", "", "", "dGhlIEtFWS0xMjM0NTY3OCBpcyBpdA==", false},
        {"api.test/", "", "", "{\"a\":1} KEY-12345678", false}, /* no JSON */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_not_equal(ask(cases[i].url, cases[i].name, cases[i].value, span_str(cases[i].body)), ACTION_ALLOW);
        assert_string_equal(verdict.rule, "test-key");
        assert_int_equal(verdict.is_url_secret, cases[i].is_url);
    }
}

static void a_finding_that_blocks_blocks_the_request(void **state)
{
    (void)state;
    assert_int_equal(ask("a.test/", "", "", span_str("ORDER1234")), ACTION_BLOCK);
    assert_int_equal(ask("a.test/", "", "", span_str("KEY-12345678 ORDER1234")), ACTION_BLOCK);
    assert_string_equal(verdict.rule, "test-order");
}

static void a_policy_that_is_not_there_blocks_and_says_why(void **state)
{
    const struct egress_message m = {
        .policy = span_str("none"), .route = span_str("egress/request"), .url = span_str("a"), .head = &head};

    (void)state;
    head.n = 0;
    verdict = (struct egress_verdict){.action = ACTION_ALLOW};
    egress_judge_message(judge, &m, &verdict);
    assert_int_equal(verdict.action, ACTION_BLOCK);
    assert_string_equal(verdict.rule, "filterd.unjudged");
    assert_true(verdict.is_url_secret); /* not known to be clean */
    assert_false(egress_judge_has_policy(judge, span_str("none")));
    assert_true(egress_judge_has_policy(judge, span_str("careless")));
    assert_true(egress_judge_has_policy(judge, (struct span){0}));
}

static void the_policy_that_is_named_decides(void **state)
{
    const struct egress_message m = {.policy = span_str("careless"),
                                     .route = span_str("egress/request"),
                                     .url = span_str("a/KEY-12345678"),
                                     .head = &head};

    (void)state;
    head.n = 0;
    egress_judge_message(judge, &m, &verdict);
    assert_int_equal(verdict.action, ACTION_ALLOW);
}

static void more_than_a_worker_takes_is_not_allowed(void **state)
{
    size_t n = ((size_t)64 << 20) + 4096;
    char *large = malloc(n);

    (void)state;
    assert_non_null(large);
    memset(large, 'a', n);
    assert_int_equal(ask("a.test/", "", "", span_of(large, n)), ACTION_BLOCK);
    assert_string_equal(verdict.rule, "filterd.unjudged");
    free(large);
}

static void what_is_redacted_is_taken_out_where_it_stands(void **state)
{
    (void)state;
    assert_left("the KEY-12345678 is it", "the [test-key] is it");
    assert_int_equal(verdict.action, ACTION_REDACT);
    assert_left("KEY-12345678KEY\nand KEY-87654321", "KEY-12345678KEY\nand [test-key]");
}

static void what_blocks_goes_with_its_line(void **state)
{
    (void)state;
    assert_left("one\nnow ORDER1234 at once\ntwo", "one\n[test-order]\ntwo");
    assert_int_equal(verdict.action, ACTION_BLOCK);
    assert_left("ORDER1234", "[test-order]");
    assert_left("a KEY-12345678, ORDER1234\nb", "[test-order]\nb");
    assert_left("a ORDER1234, KEY-12345678\nKEY-12345678", "[test-order]\n[test-key]");
}

static void strings_of_json_are_stripped_and_it_stays_json(void **state)
{
    (void)state;
    assert_left("{\"a\": \"x ORDER1234\", \"n\": [1, \"KEY-12345678\"]}", "{\"a\": \"[test-order]\", \"n\": [1, \"[test-key]\"]}");
    assert_left("{\"a\": \"first\\nORDER1234 \\\"q\\\"\\nlast\"}", "{\"a\": \"first\\n[test-order]\\nlast\"}");
}

static void what_cannot_be_taken_out_is_not_stripped(void **state)
{
    (void)state;
    assert_int_not_equal(answer(span_str("{\"KEY-12345678\": 1}")), ACTION_ALLOW);
    assert_false(verdict.is_stripped);
    header = (struct egress_header){.name = span_str("X"), .value = span_str("ORDER1234")};
    const struct egress_message m = {.route = span_str("egress/response"), .head = &head, .body = span_str("b"), .stripped = &stripped};
    head.headers[0] = header;
    head.n = 1;
    egress_judge_message(judge, &m, &verdict);
    assert_int_equal(verdict.action, ACTION_BLOCK);
    assert_false(verdict.is_stripped);
}

static void what_is_found_in_another_reading_goes_where_it_comes_from(void **state)
{
    (void)state;
    assert_int_not_equal(answer(span_str("see dGhlIEtFWS0xMjM0NTY3OCBpcyBpdA== there")), ACTION_ALLOW);
    assert_true(verdict.is_stripped);
    assert_null(memmem(stripped.data, stripped.len, "dGhlIEtFWS0xMjM0NTY3OCBpcyBpdA==", 32));
}

static void an_answer_that_is_allowed_is_not_stripped(void **state)
{
    (void)state;
    assert_int_equal(answer(span_str("fine")), ACTION_ALLOW);
    assert_false(verdict.is_stripped);
    assert_int_equal(stripped.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_nothing_in_it_is_allowed),
        cmocka_unit_test(every_part_of_a_request_is_looked_at),
        cmocka_unit_test(a_finding_that_blocks_blocks_the_request),
        cmocka_unit_test(a_policy_that_is_not_there_blocks_and_says_why),
        cmocka_unit_test(the_policy_that_is_named_decides),
        cmocka_unit_test(more_than_a_worker_takes_is_not_allowed),
        cmocka_unit_test(what_is_redacted_is_taken_out_where_it_stands),
        cmocka_unit_test(what_blocks_goes_with_its_line),
        cmocka_unit_test(strings_of_json_are_stripped_and_it_stays_json),
        cmocka_unit_test(what_cannot_be_taken_out_is_not_stripped),
        cmocka_unit_test(what_is_found_in_another_reading_goes_where_it_comes_from),
        cmocka_unit_test(an_answer_that_is_allowed_is_not_stripped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
