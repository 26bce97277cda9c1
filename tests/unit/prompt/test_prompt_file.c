/* Bodies that are no JSON: what is judged of them, and what goes up. */
#include "testing.h"

#include "mask/masking.h"
#include "policy/request_policy.h"
#include "prompt/prompt_file.h"
#include "prompt/prompt_judge.h"
#include "support/judge.h"

#define SECRET "sesame-7Q2X"
#define FORM   "multipart/form-data; boundary=b-1"
#define PART(head, body) "--b-1\r\nContent-Disposition: form-data; " head "\r\n\r\n" body "\r\n"
#define END    "--b-1--\r\n"
#define PNG    "\x89PNG\r\n\x1a\n\x01\x02 "

static const char rules[] = "rules:\n"
                            TEST_RULE("key", "secret", "high", "0.9", "pattern: sesame-7Q2X")
                            TEST_RULE("name", "pii", "medium", "0.8", "pattern: Mallory")
                            TEST_RULE("digits", "pii", "medium", "0.8", "pattern: '47110815'");

struct fixture {
    struct judge judge;
    struct exchange x;
    struct buf out;
    struct prompt_outcome outcome;
};

static struct fixture f;

static void begin(const char *request)
{
    char policy[512];

    f = (struct fixture){0};
    (void)snprintf(policy, sizeof(policy),
                   "policies: {default: {rules: [key, name, digits], actions: [{category: secret, action: block}], request: %s}}\n", request);
    if (!judge_init(&f.judge, rules, policy, false)) {
        fail_msg("%s", f.judge.err.text);
    }
    buf_init(&f.out, 1 << 20);
}

static void end(void)
{
    buf_deinit(&f.out);
    judge_deinit(&f.judge);
}

static void judge(const char *type, struct span body)
{
    const struct prompt_input q = {.route = "openai-files", .type = span_str(type), .body = body};

    f.x = (struct exchange){.snapshot = f.judge.snapshot,
                            .policy = snapshot_policy(f.judge.snapshot, span_of("", 0), span_of("", 0))};
    prompt_judge(f.judge.worker, &q, &f.x, &f.out, &f.outcome);
}

#define BODY(text) span_of(text, sizeof(text) - 1)
#define REDACT "{actions: [{rule: key, action: redact, with: label}, {rule: name, action: redact, with: label}, {rule: digits, action: redact, with: label}]}"

static void assert_up(struct span body, const char *expected)
{
    judge(FORM, body);
    assert_int_equal(f.x.action, ACTION_REDACT);
    assert_true(f.outcome.is_changed);
    assert_int_equal(f.out.len, strlen(expected));
    assert_memory_equal(f.out.data, expected, f.out.len);
}

static void assert_blocked(struct span body, const char *rule)
{
    judge(FORM, body);
    if (f.x.action != ACTION_BLOCK) {
        fail_msg("not blocked: " SPAN_FMT, SPAN_ARG(buf_span(&f.out)));
    }
    assert_true(span_is(f.x.rule, rule));
}

static void fields_files_and_their_names_are_redacted_where_they_stand(void **state)
{
    (void)state;
    begin(REDACT);
    assert_up(BODY(PART("name=\"prompt\"", "say " SECRET "\n\"now\"") END), PART("name=\"prompt\"", "say [key]\n\"now\"") END);
    assert_up(BODY(PART("name=\"file\"; filename=\"" SECRET ".txt\"", "a") END), PART("name=\"file\"; filename=\"[key].txt\"", "a") END);
    assert_up(BODY(PART("name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain", "one\r\n" SECRET " Mallory\r\n") END),
              PART("name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain", "one\r\n[key] [name]\r\n") END);
    end();
}

static void a_list_of_fields_is_one_text(void **state)
{
    (void)state;
    begin(REDACT);
    assert_up(BODY(PART("name=\"prompt\"", "it is sesame-") PART("name=\"prompt\"", "7Q2X now") END),
              PART("name=\"prompt\"", "it is [key]") PART("name=\"prompt\"", "[key] now") END);
    assert_up(BODY(PART("name=\"stop[]\"", "sesame-") PART("name=\"stop[]\"", "7Q2X") END), PART("name=\"stop[]\"", "[key]") PART("name=\"stop[]\"", "[key]") END);
    assert_up(BODY(PART("name=\"a[0]\"", "sesame-") PART("name=\"a[1]\"", "7Q2X") PART("name=\"b\"", SECRET) END),
              PART("name=\"a[0]\"", "[key]") PART("name=\"a[1]\"", "[key]") PART("name=\"b\"", "[key]") END);
    judge(FORM, BODY(PART("name=\"prompt\"", "sesame-") PART("name=\"language\"", "7Q2X") END));
    assert_int_equal(f.x.action, ACTION_ALLOW);
    end();
}

/* The escapes of JSON are read, and what takes their place is JSON. */
static void lines_of_json_are_read_by_their_strings(void **state)
{
    (void)state;
    begin(REDACT);
    assert_up(BODY(PART("name=\"file\"; filename=\"b.jsonl\"", "{\"body\":{\"a\":\"sesa\\u006de-7Q2X\"}}\n{\"b\":[\"Mallory\"]}\n") END),
              PART("name=\"file\"; filename=\"b.jsonl\"", "{\"body\":{\"a\":\"[key]\"}}\n{\"b\":[\"[name]\"]}\n") END);
    end();
}

static void what_cannot_be_redacted_blocks(void **state)
{
    (void)state;
    begin(REDACT);
    assert_blocked(BODY(PART("name=\"" SECRET "\"", "a") END), "key");
    assert_blocked(BODY(PART("name=\"a\"; filename*=utf-8''" SECRET, "a") END), "key");
    assert_blocked(BODY(PART("name=\"a\"; filename=\"a\"\r\nContent-Type: " SECRET, "a") END), "key");
    assert_blocked(BODY(PART("name=\"a\"\r\nContent-Length: 47110815", "a") END), "digits");
    end();
}

/* It stands in the type and before each part: with another one it would be another form. */
static void a_boundary_with_a_finding_blocks(void **state)
{
    (void)state;
    begin(REDACT);
    judge("multipart/form-data; boundary=" SECRET, BODY("--" SECRET "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--" SECRET "--\r\n"));
    assert_int_equal(f.x.action, ACTION_BLOCK);
    assert_true(span_is(f.x.rule, "key") && !f.outcome.is_unreadable);
    judge(FORM, BODY(PART("name=\"a\"", "b") END));
    assert_int_equal(f.x.action, ACTION_ALLOW);
    end();
}

static void a_form_that_readers_may_read_in_two_ways_is_refused(void **state)
{
    (void)state;
    begin(REDACT);
    judge(FORM, BODY(PART("name=\"a\"", "b") "--b-1"));
    assert_int_equal(f.x.action, ACTION_BLOCK);
    assert_true(f.outcome.is_unreadable && span_is(f.x.rule, "filterd.unjudged"));
    judge(FORM, BODY(PART("name=\"a\"", "b\xff") END)); /* a field is text */
    assert_true(f.outcome.is_unreadable);
    end();
}

/* A replacement that holds the delimiter would make another form of it. */
static void a_redaction_makes_no_boundary(void **state)
{
    (void)state;
    begin("{actions: [{rule: key, action: redact, with: {replace: \"\\r\\n--b-1\\r\\n\"}}]}");
    assert_blocked(BODY(PART("name=\"a\"", "x " SECRET) END), "filterd.unjudged");
    end();
    begin("{actions: [{rule: key, action: redact, with: {replace: 'a\"; x=\"b'}}]}");
    assert_blocked(BODY(PART("name=\"a\"; filename=\"" SECRET "\"", "x") END), "filterd.unjudged");
    end();
}

static void media_are_unread_as_the_policy_says(void **state)
{
    (void)state;
    begin(REDACT);
    judge(FORM, BODY(PART("name=\"image\"; filename=\"a.png\"", PNG "by Mallory, in person") END));
    assert_int_equal(f.x.action, ACTION_BLOCK); /* what is to be replaced in it cannot be */
    judge(FORM, BODY(PART("name=\"image\"; filename=\"a.png\"", PNG "by somebody, in person") END));
    assert_int_equal(f.x.action, ACTION_ALLOW);
    assert_int_equal(f.outcome.unread, sizeof(PNG "by somebody, in person") - 1);
    assert_true(f.outcome.has_line);
    assert_blocked(BODY(PART("name=\"image\"; filename=\"a.png\"", PNG "the word is " SECRET) END), "key");
    end();
    begin("{unread: block}");
    assert_blocked(BODY(PART("name=\"image\"; filename=\"a.png\"", PNG) END), "filterd.unjudged");
    end();
}

/* A text that begins like a file of another kind is a text; what is no text and says not what it is is judged, and is unread, too. */
static void only_what_says_what_it_is_is_not_judged(void **state)
{
    (void)state;
    begin(REDACT);
    judge(FORM, BODY(PART("name=\"image\"; filename=\"a.pdf\"", "%PDF- " SECRET) END));
    assert_int_equal(f.x.action, ACTION_REDACT);
    assert_int_equal(f.outcome.unread, 0);
    assert_up(BODY(PART("name=\"image\"; filename=\"a.png\"", "\xff\xfe " SECRET) END),
              PART("name=\"image\"; filename=\"a.png\"", "\xff\xfe [key]") END);
    assert_int_equal(f.outcome.unread, sizeof("\xff\xfe " SECRET) - 1);
    end();
}

/* In a charset whose letters are elsewhere a reader sees another text than what was judged. */
static void a_text_in_another_charset_is_unread(void **state)
{
    static const char *const known[] = {"text/plain; charset=utf-8", "text/plain; charset=\"ISO-8859-1\"", "text/plain; format=flowed", "text/plain"};
    static const char *const others[] = {"text/plain; charset=utf-7", "text/plain; charset=cp037", "text/plain; charset=utf-8; charset=cp037",
                                         "text/plain; charset"};
    char body[256];

    (void)state;
    begin(REDACT);
    for (size_t i = 0; i < COUNT(known); i++) {
        (void)snprintf(body, sizeof(body), PART("name=\"file\"; filename=\"a\"\r\nContent-Type: %s", "abc") END, known[i]);
        judge(FORM, span_str(body));
        assert_int_equal(f.outcome.unread, 0);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        (void)snprintf(body, sizeof(body), PART("name=\"file\"; filename=\"a\"\r\nContent-Type: %s", "abc") END, others[i]);
        judge(FORM, span_str(body));
        assert_int_equal(f.outcome.unread, 3);
        assert_int_equal(f.x.action, ACTION_ALLOW);
        (void)snprintf(body, sizeof(body), PART("name=\"field\"\r\nContent-Type: %s", "abc") END, others[i]);
        judge(FORM, span_str(body));
        assert_true(f.outcome.is_unreadable);
    }
    judge("text/plain; charset=utf-7", BODY("abc"));
    assert_int_equal(f.outcome.unread, 3);
    end();
}

static void a_body_that_is_a_file_is_read_as_one(void **state)
{
    (void)state;
    begin(REDACT);
    judge("text/plain", BODY("say " SECRET));
    assert_int_equal(f.x.action, ACTION_REDACT);
    assert_memory_equal(f.out.data, "say [key]", f.out.len);
    judge("audio/wav", BODY(PNG));
    assert_int_equal(f.x.action, ACTION_ALLOW);
    assert_int_equal(f.outcome.unread, sizeof(PNG) - 1);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_files_and_their_names_are_redacted_where_they_stand),
        cmocka_unit_test(a_list_of_fields_is_one_text),
        cmocka_unit_test(lines_of_json_are_read_by_their_strings),
        cmocka_unit_test(what_cannot_be_redacted_blocks),
        cmocka_unit_test(a_form_that_readers_may_read_in_two_ways_is_refused),
        cmocka_unit_test(a_boundary_with_a_finding_blocks),
        cmocka_unit_test(a_redaction_makes_no_boundary),
        cmocka_unit_test(media_are_unread_as_the_policy_says),
        cmocka_unit_test(only_what_says_what_it_is_is_not_judged),
        cmocka_unit_test(a_text_in_another_charset_is_unread),
        cmocka_unit_test(a_body_that_is_a_file_is_read_as_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
