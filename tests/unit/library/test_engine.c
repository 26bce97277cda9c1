/* test_engine.c - filterd_open, filterd_judge: verdicts, errors, older callers, threads, fork. */
#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>

#include "unit/library/library_testing.h"

static filterd_engine *engine;
static filterd_worker *worker;

static int set_up(void **state)
{
    (void)state;
    make_rules();
    engine = open_library();
    worker = filterd_worker_new(engine);
    return worker == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    filterd_worker_free(worker);
    filterd_close(engine);
    remove_rules();
    return 0;
}

static struct filterd_verdict judge(const char *text)
{
    struct filterd_verdict v = {.size = sizeof(v)};

    int action = filterd_judge(worker, text, strlen(text), 0, &v);
    assert_int_equal(action, v.action);
    return v;
}

static void a_harmless_text_is_delivered_as_it_is(void **state)
{
    const char *text = "nothing to see";
    struct filterd_verdict v = judge(text);

    (void)state;
    assert_int_equal(v.action, FILTERD_ALLOW);
    assert_ptr_equal(v.text, text);
    assert_int_equal(v.text_length, strlen(text));
    assert_int_equal(v.rule, FILTERD_NO_RULE);
    assert_int_equal(v.n_findings, 0);
    assert_null(v.notice);
    assert_null(v.error);
    assert_int_equal(v.is_unjudged, 0);
}

static void a_finding_is_redacted_and_named(void **state)
{
    struct filterd_verdict v = judge("see TK123456 and what they say");

    (void)state;
    assert_int_equal(v.action, FILTERD_REDACT);
    assert_memory_equal(v.text, "see [ticket] and what they say", v.text_length);
    assert_string_equal(filterd_rule_name(engine, v.rule), "ticket");
    assert_int_equal(v.n_findings, 2);
    const struct filterd_finding *f = filterd_verdict_finding(&v, 0);
    assert_int_equal(f->start, 4);
    assert_int_equal(f->end, 12);
    assert_int_equal(f->action, FILTERD_REDACT);
    assert_string_equal(filterd_category_name(f->category), "secret");
    assert_string_equal(filterd_severity_name(f->severity), "high");
    assert_string_equal(f->view, "raw");
    assert_string_equal(filterd_rule_name(engine, filterd_verdict_finding(&v, 1)->rule), "rumour");
    assert_int_equal(filterd_verdict_finding(&v, 1)->action, FILTERD_ALLOW);
}

static void a_blocked_text_is_not_returned(void **state)
{
    struct filterd_verdict v = judge("LC12345678 TK123456");

    (void)state;
    assert_int_equal(v.action, FILTERD_BLOCK);
    assert_null(v.text);
    assert_memory_equal(v.notice, "withheld", v.notice_length);
    assert_string_equal(filterd_rule_name(engine, v.rule), "launch-code");
    assert_int_equal(v.is_unjudged, 0);
}

static void bytes_that_are_no_utf8_and_nul_are_judged(void **state)
{
    static const char text[] = "\xff\0TK123456\0";
    struct filterd_verdict v = {.size = sizeof(v)};

    (void)state;
    assert_int_equal(filterd_judge(worker, text, sizeof(text), 0, &v), FILTERD_REDACT);
    assert_memory_equal(v.text, "\xff\0[ticket]\0", v.text_length);
}

static void a_text_past_the_limit_is_blocked_as_unjudged(void **state)
{
    size_t length = (size_t)FILTERD_TEXT_MAX + 1;
    char *text = calloc(1, length);
    struct filterd_verdict v = {.size = sizeof(v)};

    (void)state;
    assert_non_null(text);
    assert_int_equal(filterd_judge(worker, text, length, 0, &v), FILTERD_BLOCK);
    assert_int_equal(v.is_unjudged, 1);
    assert_null(v.text);
    assert_non_null(v.error);
    assert_string_equal(filterd_rule_name(engine, v.rule), "filterd.unjudged");
    free(text);
}

static void a_verdict_of_an_older_program_is_not_written_past_its_end(void **state)
{
    struct filterd_verdict v;

    (void)state;
    memset(&v, 0x5a, sizeof(v));
    v.size = offsetof(struct filterd_verdict, findings);
    assert_int_equal(filterd_judge(worker, "TK123456", 8, 0, &v), FILTERD_REDACT);
    assert_int_equal(v.text_length, strlen("[ticket]"));
    assert_int_equal(((const unsigned char *)&v)[offsetof(struct filterd_verdict, findings)], 0x5a);
}

static void assert_refused(struct filterd_options options, const char *expected)
{
    char error[FILTERD_ERROR_MAX] = "";

    assert_null(filterd_open(&options, error, sizeof(error)));
    if (strstr(error, expected) == NULL) {
        fail_msg("'%s' expected in: %s", expected, error);
    }
    assert_null(filterd_open(&options, NULL, 0));
}

static void what_cannot_be_opened_is_refused_with_a_reason(void **state)
{
    const uint32_t size = sizeof(struct filterd_options);

    (void)state;
    assert_refused((struct filterd_options){.size = 3}, "options of 3 bytes");
    assert_refused((struct filterd_options){.size = size + 8}, "at most");
    assert_refused((struct filterd_options){.size = size, .flags = 1}, "flags");
    assert_refused((struct filterd_options){.size = size, .rules = "/nonexistent"}, "/nonexistent");
    assert_refused((struct filterd_options){.size = size, .rules = library_folder, .policy_name = "strict"}, "'strict'");
    assert_refused((struct filterd_options){.size = size, .rules = library_folder, .policy = "a", .policy_text = "b"}, "both");
    assert_refused((struct filterd_options){.size = size, .rules = library_folder, .policy_text = "policies: 3"}, "policy:1");
}

static void a_policy_may_come_as_text(void **state)
{
    struct filterd_options options = {.size = sizeof(options),
                                      .rules = library_folder,
                                      .policy_text = "policies:\n  default:\n    rules: [rumour]\n    actions:\n"
                                                     "      - {category: content, action: redact}\n    notice: n\n"};
    char error[FILTERD_ERROR_MAX];
    filterd_engine *other = filterd_open(&options, error, sizeof(error));
    struct filterd_verdict v = {.size = sizeof(v)};

    (void)state;
    assert_non_null(other);
    filterd_worker *w = filterd_worker_new(other);
    assert_int_equal(filterd_judge(w, "they say LC12345678", 19, 0, &v), FILTERD_REDACT);
    assert_memory_equal(v.text, "[rumour] LC12345678", v.text_length);
    assert_string_not_equal(filterd_digest(other), filterd_digest(engine));
    filterd_worker_free(w);
    filterd_close(other);
}

static void numbers_of_no_name_have_none(void **state)
{
    (void)state;
    assert_int_equal(filterd_rule_count(engine), 3);
    assert_string_equal(filterd_rule_name(engine, 3), "filterd.unjudged");
    assert_null(filterd_rule_name(engine, 4));
    assert_null(filterd_rule_name(engine, FILTERD_NO_RULE));
    assert_null(filterd_action_name(3));
    assert_null(filterd_category_name(200));
    assert_null(filterd_severity_name(200));
    assert_int_equal(filterd_abi(), FILTERD_ABI);
}

static void *judge_often(void *context)
{
    filterd_worker *own = filterd_worker_new(engine);
    bool *is_good = context;
    struct filterd_verdict v = {.size = sizeof(v)};

    *is_good = own != NULL;
    for (int i = 0; *is_good && i < 30; i++) {
        *is_good = filterd_judge(own, "TK123456", 8, 0, &v) == FILTERD_REDACT && filterd_judge(own, "LC12345678", 10, 0, &v) == FILTERD_BLOCK &&
                   filterd_judge(own, "ok", 2, 0, &v) == FILTERD_ALLOW;
    }
    filterd_worker_free(own);
    return NULL;
}

static void threads_share_an_engine(void **state)
{
    enum { THREADS = 100 };
    pthread_t threads[THREADS];
    bool is_good[THREADS];

    (void)state;
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, judge_often, &is_good[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(is_good[i]);
    }
}

/* Bytes of the process that are in memory. */
static size_t resident_bytes(void)
{
    size_t size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu %zu", &size, &resident), 2);
    assert_int_equal(fclose(f), 0);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool is_sanitized = true; /* the sanitizer keeps what is freed, and finds leaks itself */
#else
static const bool is_sanitized = false;
#endif

static void open_and_close(void)
{
    filterd_engine *other = open_library();
    filterd_worker *w = filterd_worker_new(other);
    struct filterd_verdict v = {.size = sizeof(v)};

    assert_int_equal(filterd_judge(w, "TK123456", 8, 0, &v), FILTERD_REDACT);
    filterd_worker_free(w);
    filterd_close(other);
}

/* FILTERD_OPENS: how often. */
static void engines_that_are_closed_leave_nothing(void **state)
{
    enum { WARM_UP = 20, GROWTH_MAX = 1024 * 1024 };
    const char *opens = getenv("FILTERD_OPENS");
    long n = opens != NULL ? strtol(opens, NULL, 10) : 100;
    size_t before = 0;

    (void)state;
    for (long i = 0; i < WARM_UP + n; i++) {
        before = i == WARM_UP ? resident_bytes() : before;
        open_and_close();
    }
    size_t after = resident_bytes();
    if (after > before + GROWTH_MAX && !is_sanitized) {
        fail_msg("%zu bytes more after %ld engines", after - before, n);
    }
}

static int judge_in_child(void)
{
    struct filterd_verdict v = {.size = sizeof(v)};

    if (filterd_judge(worker, "ok", 2, 0, &v) != FILTERD_BLOCK || v.is_unjudged != 1 || v.error == NULL || strstr(v.error, "fork") == NULL) {
        return 1;
    }
    return filterd_worker_new(engine) == NULL ? 0 : 2;
}

static void after_fork_every_call_fails_and_says_so(void **state)
{
    int status = 0;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        _exit(judge_in_child());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_harmless_text_is_delivered_as_it_is),
        cmocka_unit_test(a_finding_is_redacted_and_named),
        cmocka_unit_test(a_blocked_text_is_not_returned),
        cmocka_unit_test(bytes_that_are_no_utf8_and_nul_are_judged),
        cmocka_unit_test(a_text_past_the_limit_is_blocked_as_unjudged),
        cmocka_unit_test(a_verdict_of_an_older_program_is_not_written_past_its_end),
        cmocka_unit_test(what_cannot_be_opened_is_refused_with_a_reason),
        cmocka_unit_test(a_policy_may_come_as_text),
        cmocka_unit_test(numbers_of_no_name_have_none),
        cmocka_unit_test(threads_share_an_engine),
        cmocka_unit_test(engines_that_are_closed_leave_nothing),
        cmocka_unit_test(after_fork_every_call_fails_and_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
