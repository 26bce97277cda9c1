/* The index of a log that is written, moved, compressed and crashed upon is the index made of its lines at once. */
#include "index_testing.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "index/index_follow.h"

static const char *const tables[] = {"word", "chunk", "finding", "held", "agent_held", "agent_region", "tally", "file", "block", "filter", "position"};

static struct index_place place_of(const char *index)
{
    return (struct index_place){.log = in_folder("decisions.jsonl"), .folder = folder, .index = index};
}

static char live_path[256], fresh_path[256];

static int setup(void **state)
{
    (void)empty_folder(state);
    (void)snprintf(live_path, sizeof(live_path), "%s/live", folder);
    assert_int_equal(mkdir(live_path, 0700), 0);
    (void)snprintf(live_path, sizeof(live_path), "%s/live/index.db", folder);
    (void)snprintf(fresh_path, sizeof(fresh_path), "%s/live/fresh.db", folder);
    return 0;
}

static void follow_all(struct index_follow *f, uint64_t last)
{
    struct error err;
    bool more = true;

    while (more) {
        must(index_follow_step(f, last, 1000, &more, &err), &err);
    }
}

/* Opens, indexes up to `last`, closes; the number of the last line. */
static uint64_t bring_up(const char *index, uint64_t last)
{
    struct index_place place = place_of(index);
    struct error err;

    struct index_follow *f = index_follow_open(&place, &err);
    must(f != NULL, &err);
    follow_all(f, last);
    uint64_t seq = index_follow_seq(f);
    index_follow_close(f);
    return seq;
}

static void rebuild(const char *index)
{
    struct index_place place = place_of(index);
    struct error err;

    struct index_follow *f = index_follow_rebuild(&place, &err);
    must(f != NULL, &err);
    follow_all(f, UINT64_MAX);
    must(index_follow_finish(f, &err), &err);
    index_follow_close(f);
}

static void assert_same_index(void)
{
    struct buf live, fresh;

    buf_init(&live, LINES_MAX);
    buf_init(&fresh, LINES_MAX);
    for (size_t i = 0; i < COUNT(tables); i++) {
        dump_table(live_path, tables[i], &live);
        dump_table(fresh_path, tables[i], &fresh);
        if (!span_equal(buf_span(&live), buf_span(&fresh))) {
            fail_msg("table %s differs", tables[i]);
        }
    }
    buf_deinit(&live);
    buf_deinit(&fresh);
}

static void assert_tables_have_rows(void)
{
    struct buf rows;

    buf_init(&rows, LINES_MAX);
    for (size_t i = 0; i < COUNT(tables); i++) {
        dump_table(live_path, tables[i], &rows);
        if (rows.len == 0) {
            fail_msg("table %s is empty", tables[i]);
        }
    }
    buf_deinit(&rows);
}

static void append_to(const char *name, struct span text)
{
    FILE *file = fopen(in_folder(name), "a");

    assert_non_null(file);
    assert_int_equal(fwrite(text.ptr, 1, text.len, file), text.len);
    assert_int_equal(fclose(file), 0);
}

/* What happens to a log and its index while both are written. */
struct life {
    struct index_follow *follow; /* NULL: stopped */
    struct index_place place;
    uint64_t seq, file_from; /* lines written; first of the open file */
    struct buf text, file; /* of the open file, for compressing */
};

static void write_some(struct life *l)
{
    uint64_t to = l->seq + 1 + pick(400);
    struct error err;

    buf_clear(&l->text);
    append_lines(&l->text, l->seq + 1, to, l->file_from == l->seq + 1);
    append_to("decisions.jsonl", buf_span(&l->text));
    must(buf_append(&l->file, buf_span(&l->text), &err), &err);
    l->seq = to;
}

static void rotate(struct life *l)
{
    char name[64];
    unsigned how = pick(3);

    if (l->file_from > l->seq) {
        return;
    }
    (void)snprintf(name, sizeof(name), "decisions-%08" PRIu64 ".jsonl", l->file_from);
    if (how == 0) {
        assert_int_equal(rename(in_folder("decisions.jsonl"), in_folder(name)), 0);
    } else {
        write_log(name, how == 1 ? LOG_GZIP : LOG_ZSTD, buf_span(&l->file));
        assert_int_equal(unlink(in_folder("decisions.jsonl")), 0);
    }
    append_to("decisions.jsonl", span_of("", 0));
    buf_clear(&l->file);
    l->file_from = l->seq + 1;
}

static void index_some(struct life *l)
{
    struct error err;
    bool more;

    if (l->follow == NULL) {
        l->follow = index_follow_open(&l->place, &err);
        must(l->follow != NULL, &err);
    }
    must(index_follow_step(l->follow, l->seq - pick(50), pick(3), &more, &err), &err);
}

static void stop(struct life *l)
{
    index_follow_close(l->follow);
    l->follow = NULL;
}

/* A process of its own indexes and is killed where it happens to be. */
static void kill_while_indexing(struct life *l)
{
    stop(l);
    pid_t child = fork();
    if (child == 0) {
        struct error err;
        bool more = true;
        struct index_follow *f = index_follow_open(&l->place, &err);
        while (f != NULL && index_follow_step(f, l->seq, 1, &more, &err)) {
        }
        _exit(1);
    }
    (void)usleep(pick(20000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_live_index_is_the_one_made_of_the_lines(void **state)
{
    static void (*const steps[])(struct life *) = {write_some, write_some, write_some, index_some, index_some, rotate, stop,
                                                   kill_while_indexing};
    /* A region of lines is completed on the way. */
    struct life l = {.place = place_of(live_path), .seq = INDEX_REGION_LINES - 3000, .file_from = INDEX_REGION_LINES - 2999};
    char log[256];

    (void)state;
    (void)snprintf(log, sizeof(log), "%s/decisions.jsonl", folder);
    l.place.log = log;
    buf_init(&l.text, LINES_MAX);
    buf_init(&l.file, LINES_MAX);
    write_some(&l);
    for (unsigned i = 0; i < 150; i++) {
        steps[pick(COUNT(steps))](&l);
    }
    write_some(&l);
    stop(&l);
    assert_int_equal(bring_up(live_path, UINT64_MAX), l.seq);
    rebuild(fresh_path);
    assert_same_index();
    assert_tables_have_rows();
    buf_deinit(&l.text);
    buf_deinit(&l.file);
}

static void write_lines(const char *name, uint64_t from, uint64_t to, bool begins_file)
{
    struct buf text;

    buf_init(&text, LINES_MAX);
    append_lines(&text, from, to, begins_file);
    append_to(name, buf_span(&text));
    buf_deinit(&text);
}

static void lines_that_are_not_durable_wait(void **state)
{
    (void)state;
    write_lines("decisions.jsonl", 1, 100, true);
    assert_int_equal(bring_up(live_path, 60), 60);
    assert_int_equal(bring_up(live_path, 60), 60);
    assert_int_equal(bring_up(live_path, 61), 61);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 100);
}

static void a_line_without_its_end_waits(void **state)
{
    (void)state;
    write_lines("decisions.jsonl", 1, 10, true);
    append_to("decisions.jsonl", span_str("{\"seq\":11,\"node\":\"n\""));
    assert_int_equal(bring_up(live_path, UINT64_MAX), 10);
    append_to("decisions.jsonl", span_str("}\n"));
    assert_int_equal(bring_up(live_path, UINT64_MAX), 11);
}

/* The tail that a crash left unsynced is gone, and other lines have its numbers. */
static void other_lines_in_place_of_the_last_begin_it_anew(void **state)
{
    struct stat info;

    (void)state;
    write_lines("decisions.jsonl", 1, 100, true);
    assert_int_equal(stat(in_folder("decisions.jsonl"), &info), 0);
    write_lines("decisions.jsonl", 101, 200, false);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 200);
    assert_int_equal(truncate(in_folder("decisions.jsonl"), info.st_size), 0);
    write_lines("decisions.jsonl", 101, 300, false);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 300);
    rebuild(fresh_path);
    assert_same_index();
}

static void another_log_begins_it_anew(void **state)
{
    (void)state;
    write_lines("decisions.jsonl", 1, 100, true);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 100);
    assert_int_equal(unlink(in_folder("decisions.jsonl")), 0);
    append_to("decisions.jsonl", span_str("{\"seq\":1,\"type\":\"log\",\"origin\":\"node/filterd/ffff223344556677\"}\n"));
    assert_int_equal(bring_up(live_path, UINT64_MAX), 1);
}

static void a_file_of_another_version_is_begun_anew(void **state)
{
    sqlite3 *db = NULL;

    (void)state;
    write_lines("decisions.jsonl", 1, 100, true);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 100);
    assert_int_equal(sqlite3_open(live_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM chunk; PRAGMA user_version=99", NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 100);
    rebuild(fresh_path);
    assert_same_index();
}

static void a_file_that_is_no_database_is_begun_anew(void **state)
{
    (void)state;
    write_lines("decisions.jsonl", 1, 100, true);
    write_lines("live/index.db", 1, 100, true);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 100);
}

static void one_process_writes_it(void **state)
{
    struct index_place place = place_of(live_path);
    struct error err;

    (void)state;
    write_lines("decisions.jsonl", 1, 10, true);
    struct index_follow *f = index_follow_open(&place, &err);
    must(f != NULL, &err);
    assert_null(index_follow_open(&place, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    index_follow_close(f);
    assert_int_equal(bring_up(live_path, UINT64_MAX), 10);
}

static void a_gap_stops_it(void **state)
{
    struct index_place place = place_of(live_path);
    struct error err;
    bool more;

    (void)state;
    write_lines("decisions.jsonl", 1, 10, true);
    write_lines("decisions.jsonl", 12, 20, false);
    struct index_follow *f = index_follow_open(&place, &err);
    must(f != NULL, &err);
    assert_false(index_follow_step(f, UINT64_MAX, 1000, &more, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    index_follow_close(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_live_index_is_the_one_made_of_the_lines, setup),
        cmocka_unit_test_setup(lines_that_are_not_durable_wait, setup),
        cmocka_unit_test_setup(a_line_without_its_end_waits, setup),
        cmocka_unit_test_setup(other_lines_in_place_of_the_last_begin_it_anew, setup),
        cmocka_unit_test_setup(another_log_begins_it_anew, setup),
        cmocka_unit_test_setup(a_file_of_another_version_is_begun_anew, setup),
        cmocka_unit_test_setup(a_file_that_is_no_database_is_begun_anew, setup),
        cmocka_unit_test_setup(one_process_writes_it, setup),
        cmocka_unit_test_setup(a_gap_stops_it, setup),
    };

    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    int status = cmocka_run_group_tests(tests, NULL, empty_folder);
    (void)rmdir(folder);
    return status;
}
