/* A receipt is of the line that was written, and of no other. */
#include "unit/decision_log/proven_log_testing.h"

#include <semaphore.h>

enum { LINES = 400 };

struct waiting {
    struct decision_receipt receipt;
    bool is_durable;
    sem_t is_done;
};

static struct waiting waiting[LINES];

static void wake(void *context, bool is_durable)
{
    struct waiting *w = context;

    w->is_durable = is_durable;
    (void)sem_post(&w->is_done);
}

/* Lines of many lengths, so that some of them end a buffer of the writer's. */
static void add(struct decision_log *log, unsigned from, unsigned to)
{
    static char line[DECISION_RECORD_MAX];

    for (unsigned i = from; i < to; i++) {
        int room = (int)(i % 7 == 0 ? i * 150 : i), len = snprintf(line, sizeof(line), "{\"n\":%u,\"filling\":\"%0*d\"}", i, room, 0);
        waiting[i] = (struct waiting){.receipt = {.seq = 0}};
        (void)sem_init(&waiting[i].is_done, 0, 0);
        must(decision_log_append_receipt(log, span_of(line, (size_t)len), &waiting[i].receipt, wake, &waiting[i], &err));
    }
    for (unsigned i = from; i < to; i++) {
        assert_int_equal(sem_wait(&waiting[i].is_done), 0);
        (void)sem_destroy(&waiting[i].is_done);
        assert_true(waiting[i].is_durable);
    }
}

static void receipts_are_of_the_lines_in_the_file(void **state)
{
    struct proven_log p;
    struct buf text;
    unsigned i = 0;
    uint64_t seq = 0;
    (void)state;

    open_proven(&p);
    add(p.log, 0, LINES / 2);
    must(decision_log_append(p.log, span_str("{\"type\":\"between\"}"), NULL, NULL, &err));
    add(p.log, LINES / 2, LINES);
    close_proven(&p);
    read_text("decisions.jsonl", &text);
    for (struct span rest = buf_span(&text); rest.len > 0;) {
        size_t len = (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        struct tree_hash leaf;
        seq++;
        tree_hash_leaf(span_of(rest.ptr, len), &leaf);
        if (i < LINES && waiting[i].receipt.seq == seq) {
            assert_true(tree_hash_equal(&leaf, &waiting[i].receipt.leaf));
            i++;
        }
        rest = span_slice(rest, len + 1, rest.len);
    }
    assert_int_equal(i, LINES);
    buf_deinit(&text);
    expect_sound(seq);
}

static void without_a_proof_there_is_no_receipt(void **state)
{
    struct decision_log *log = decision_log_open(at("plain.jsonl"), &err);
    (void)state;

    must(log != NULL);
    add(log, 0, 3);
    decision_log_close(log);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(waiting[i].receipt.seq, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(receipts_are_of_the_lines_in_the_file, empty_folder),
        cmocka_unit_test_teardown(without_a_proof_there_is_no_receipt, empty_folder),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
