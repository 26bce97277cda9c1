#include "testing.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/harm_file.h"
#include "enforce/ledger_store.h"

static const struct violations rules = {
    .is_on = true,
    .weights = {[VIOLATION_SECRET] = 25, [VIOLATION_HONEYTOKEN] = 50},
    .half_life_ns = INT64_C(600000000000),
    .thresholds = {{100, REACTION_KILL}},
    .n_thresholds = 1,
};
static const struct agent_key one = {{"acme", 4}, {"one", 3}}, two = {{"", 0}, {"t'wo \"x\"", 8}};

static char path[64];
static struct ledger *l;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/filterd-ledger-%d.db", (int)getpid());
    l = ledger_new(100, &err);
    return l == NULL;
}

static int tear_down(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[80];

    (void)state;
    ledger_free(l);
    for (size_t i = 0; i < COUNT(endings); i++) {
        (void)snprintf(file, sizeof(file), "%s%s", path, endings[i]);
        (void)unlink(file);
    }
    return 0;
}

static struct ledger_store *open_store(struct ledger *ledger)
{
    struct error err;
    struct ledger_store *s = ledger_store_open(path, ledger, &err);

    if (s == NULL) {
        fail_msg("%s", err.text);
    }
    assert_true(ledger_store_start(s, &err));
    return s;
}

static void add(const struct agent_key *key, enum violation kind, int64_t at)
{
    struct agent_account a;
    struct error err;
    unsigned due;

    assert_true(ledger_add(l, &rules, &(struct ledger_event){.key = key, .kinds = 1U << kind, .now_ns = at}, &a, &due, &err));
}

static void accounts_outlive_the_process(void **state)
{
    struct agent_account a;
    struct error err;

    (void)state;
    struct ledger_store *s = open_store(l);
    for (int i = 0; i < 3; i++) {
        add(&one, VIOLATION_HONEYTOKEN, 7);
    }
    add(&two, VIOLATION_SECRET, 9);
    ledger_store_close(s);
    struct ledger *again = ledger_new(100, &err);
    s = open_store(again);
    assert_int_equal(ledger_count(again), 2);
    assert_true(ledger_look(again, &rules, &one, 7, &a));
    assert_true(a.state == AGENT_KILLED && a.score == 150 && a.counts[VIOLATION_HONEYTOKEN] == 3 && a.first_ns == 7);
    assert_true(ledger_look(again, &rules, &two, 9, &a));
    assert_true(a.state == AGENT_ACTIVE && a.score == 25);
    ledger_store_close(s);
    ledger_free(again);
}

static void what_was_revived_stays_forgotten(void **state)
{
    struct agent_account a;
    struct error err;

    (void)state;
    struct ledger_store *s = open_store(l);
    add(&one, VIOLATION_SECRET, 7);
    add(&two, VIOLATION_SECRET, 7);
    ledger_store_close(s);
    ledger_free(l);
    l = ledger_new(100, &err);
    s = open_store(l);
    assert_true(ledger_revive(l, &one, 8, &a));
    ledger_store_close(s);
    ledger_free(l);
    l = ledger_new(100, &err);
    s = open_store(l);
    assert_false(ledger_look(l, &rules, &one, 8, &a));
    assert_true(ledger_look(l, &rules, &two, 8, &a));
    ledger_store_close(s);
}

static void run_into_harm(enum harm how)
{
    (void)open_store(l);
    add(&one, VIOLATION_SECRET, 7);
    (void)usleep(300000);
    harm_file(path, how);
    (void)usleep(1700000);
    (void)raise(SIGKILL);
}

/* Whoever is killed in the ledger would be let through again after a restart. */
static void a_file_that_others_harm_is_written_anew(void **state)
{
    struct agent_account a;
    struct error err;
    int status;

    for (enum harm how = 0; how < HARMS; how++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            run_into_harm(how);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        ledger_free(l);
        l = ledger_new(100, &err);
        ledger_store_close(open_store(l));
        assert_true(ledger_look(l, &rules, &one, 7, &a));
        (void)tear_down(state);
        (void)set_up(state);
    }
}

static void more_than_a_batch_is_kept(void **state)
{
    struct error err;
    struct ledger *many = ledger_new(2000, &err);
    struct agent_account a;
    unsigned due;

    (void)state;
    struct ledger_store *s = open_store(many);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "a%d", i);
        const struct agent_key key = {{"", 0}, span_str(name)};
        assert_true(ledger_add(many, &rules, &(struct ledger_event){.key = &key, .kinds = 1, .now_ns = i}, &a, &due, &err));
    }
    ledger_store_close(s);
    ledger_free(many);
    many = ledger_new(2000, &err);
    s = open_store(many);
    assert_int_equal(ledger_count(many), 1000);
    ledger_store_close(s);
    ledger_free(many);
}

static void a_ledger_with_less_room_refuses_to_forget(void **state)
{
    struct error err = {0};

    (void)state;
    struct ledger_store *s = open_store(l);
    add(&one, VIOLATION_HONEYTOKEN, 7);
    add(&two, VIOLATION_HONEYTOKEN, 7);
    ledger_store_close(s);
    struct ledger *small = ledger_new(1, &err);
    assert_null(ledger_store_open(path, small, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    ledger_free(small);
}

static void two_processes_do_not_share_it(void **state)
{
    struct error err = {0};

    (void)state;
    struct ledger_store *s = open_store(l);
    struct ledger *other = ledger_new(10, &err);
    assert_null(ledger_store_open(path, other, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    ledger_free(other);
    ledger_store_close(s);
}

static void another_file_is_left_alone(void **state)
{
    struct error err = {0};
    struct stat info;
    FILE *f = fopen(path, "w");

    (void)state;
    assert_non_null(f);
    for (int i = 0; i < 200; i++) {
        (void)fputs("this is no ledger\n", f);
    }
    (void)fclose(f);
    assert_null(ledger_store_open(path, l, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_true(stat(path, &info) == 0 && info.st_size == 200 * 18);
}

static void only_the_owner_reads_it(void **state)
{
    struct stat info;

    (void)state;
    struct ledger_store *s = open_store(l);
    assert_true(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600);
    ledger_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(accounts_outlive_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_revived_stays_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_harm_is_written_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_than_a_batch_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ledger_with_less_room_refuses_to_forget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_processes_do_not_share_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_file_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_owner_reads_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
