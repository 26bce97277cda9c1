/* test_stream_locked.c - what a stream leaves in the process: nothing, once texts are locked. */
#include "testing.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/locked_pages.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/judge.h"
#include "support/process_memory.h"

static const char rules[] = "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}'");
static const char policy[] = "policies:\n  default: {rules: [local], actions: [{category: secret, action: redact}]}\n";

static struct judge j;
static struct error err;

/* A text of many lines, with the secret in each, in chunks of `size`; what is released is wiped by the caller. */
static void run_stream(size_t size)
{
    const struct worker_limits limits = worker_limits_default();
    const struct stream_options options = {.snapshot = j.snapshot, .policy = snapshot_policy(j.snapshot, (struct span){0}, (struct span){0}),
                                           .text_max = 1 << 20, .hold_max = 50000};
    struct worker *w = worker_new(&limits, NULL, &err);
    char chunk[4096], line[SECRET + 16];
    struct buf out;

    assert_non_null(w);
    worker_lock(w);
    struct stream *s = stream_new(&options, &err);
    assert_non_null(s);
    struct stream_channel *c = stream_channel(s, span_str("/text"), &err);
    assert_non_null(c);
    buf_init_text(&out, 1 << 20);
    memcpy(line, "a line with ", 12);
    put_secret(line + 12);
    line[12 + SECRET] = '\n';
    for (size_t at = 0, n = 0; at < 20000; at += n) {
        for (n = 0; n < size; n++) {
            chunk[n] = line[(at + n) % (13 + SECRET)];
        }
        stream_feed(s, c, w, span_of(chunk, n), &out);
    }
    assert_true(count_in_process() > 1);
    stream_end(s, c, w, STREAM_COMPLETE, &out);
    worker_end(w);
    buf_deinit(&out);
    stream_free(s);
    worker_free(w);
    explicit_bzero(chunk, sizeof(chunk));
    explicit_bzero(line, sizeof(line));
}

static void a_stream_leaves_nothing_of_its_text(void **state)
{
    static const size_t sizes[] = {1, 7, 100, 1500, 4096};
    (void)state;

    buf_lock_texts();
    (void)mallopt(M_PERTURB, 0xff);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        run_stream(sizes[i]);
        assert_int_equal(count_in_process(), 0);
    }
}

static int open_judge(void **state)
{
    (void)state;
    return judge_init(&j, rules, policy, false) ? 0 : -1;
}

static int close_judge(void **state)
{
    (void)state;
    judge_deinit(&j);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_stream_leaves_nothing_of_its_text)};

    /* As the service's unit does: a library's first call of a function saves vector registers, and the text in them, on the stack. */
    if (getenv("LD_BIND_NOW") == NULL && setenv("LD_BIND_NOW", "1", 1) == 0) {
        (void)execv("/proc/self/exe", argv);
    }
    (void)argc;

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
