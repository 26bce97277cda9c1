#include "unit/record/log_testing.h"

static struct log_files files;
static struct buf text;
static struct error err;

static int set_up(void **state)
{
    buf_init(&text, 64 * 1024 * 1024);
    return empty_folder(state);
}

static int tear_down(void **state)
{
    log_files_deinit(&files);
    buf_deinit(&text);
    return empty_folder(state);
}

/* Lines first to last - 1. */
static void write_lines(const char *name, enum log_compression how, uint64_t first, uint64_t last)
{
    buf_clear(&text);
    for (uint64_t seq = first; seq < last; seq++) {
        append_line(&text, seq, seq == first, (unsigned)(seq * 7));
    }
    write_log(name, how, buf_span(&text));
}

static void scan(void)
{
    must(log_files_scan(&files, folder, &err), &err);
    log_files_select(&files, span_str(ORIGIN));
}

static struct log_reader *open_reader(void)
{
    struct log_reader *r = log_reader_new(&files, &err);
    must(r != NULL, &err);
    return r;
}

static void expect_lines(struct log_reader *r, uint64_t from, uint64_t to)
{
    struct log_line line;

    for (uint64_t seq = from; seq < to; seq++) {
        must(log_reader_next(r, &line, &err), &err);
        assert_non_null(line.text.ptr);
        assert_int_equal(line.fault, LOG_SOUND);
        assert_int_equal(line.seq, seq);
    }
    must(log_reader_next(r, &line, &err), &err);
    assert_null(line.text.ptr);
}

static void files_are_in_the_order_of_their_lines_whatever_their_names(void **state)
{
    (void)state;
    write_lines("zz-oldest", LOG_PLAIN, 1, 5);
    write_lines("decisions.jsonl", LOG_PLAIN, 300, 310);
    write_lines("a.jsonl.zst", LOG_PLAIN, 5, 6);
    write_lines("old", LOG_ZSTD, 6, 120);
    write_lines("old.2", LOG_GZIP, 120, 300);
    scan();
    assert_int_equal(files.n, 5);
    struct log_reader *r = open_reader();
    expect_lines(r, 1, 310);
    log_reader_free(r);
}

/* As rotation, `record close` and gzip leave it, between the listing and the reading. */
static void a_file_that_moved_since_it_was_listed_is_read(void **state)
{
    (void)state;
    write_lines("decisions.jsonl.2", LOG_PLAIN, 1, 50);
    write_lines("decisions.jsonl.1", LOG_PLAIN, 50, 120);
    write_lines("decisions.jsonl", LOG_PLAIN, 120, 200);
    scan();
    struct log_reader *r = open_reader();
    write_lines("decisions-00000001.jsonl.zst", LOG_ZSTD, 1, 50);
    assert_int_equal(unlink(in_folder("decisions.jsonl.2")), 0);
    assert_int_equal(rename(in_folder("decisions.jsonl.1"), in_folder("decisions.jsonl.2")), 0);
    assert_int_equal(rename(in_folder("decisions.jsonl"), in_folder("decisions.jsonl.1")), 0);
    write_lines("decisions.jsonl", LOG_PLAIN, 200, 201);
    expect_lines(r, 1, 200);
    log_reader_free(r);
    r = open_reader();
    must(log_reader_seek(r, 130, &err), &err);
    expect_lines(r, 130, 200);
    log_reader_free(r);
}

static void a_file_that_was_removed_since_is_said(void **state)
{
    struct log_line line;

    (void)state;
    write_lines("decisions.jsonl.1", LOG_PLAIN, 1, 50);
    write_lines("decisions.jsonl", LOG_PLAIN, 50, 60);
    scan();
    struct log_reader *r = open_reader();
    assert_int_equal(unlink(in_folder("decisions.jsonl.1")), 0);
    assert_false(log_reader_next(r, &line, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_non_null(strstr(err.text, "removed"));
    log_reader_free(r);
}

static void other_files_and_other_logs_are_passed_over(void **state)
{
    static const char other[] = "{\"seq\":1,\"v\":2,\"type\":\"log\",\"origin\":\"node/filterd/ffffffffffffffff\"}\n";
    static const char older[] = "{\"seq\":1,\"v\":1,\"type\":\"decision\",\"after\":{\"origin\":\"" ORIGIN "\"}}\n";
    (void)state;
    write_lines("decisions.jsonl", LOG_PLAIN, 1, 5);
    write_lines("copy.gz", LOG_GZIP, 1, 5);
    write_log("notes", LOG_PLAIN, span_str("a text of somebody's\n"));
    write_log("empty", LOG_PLAIN, span_str(""));
    write_log("torn", LOG_PLAIN, span_str("{\"seq\":5,"));
    write_log("other", LOG_PLAIN, span_str(other));
    write_log("older", LOG_PLAIN, span_str(older));
    scan();
    assert_int_equal(files.n, 1);
    assert_int_equal(files.items[0].compression, LOG_PLAIN);
    assert_true(files.items[0].begins_log);
}

static void a_place_is_that_of_the_line_in_its_file(void **state)
{
    struct log_line line;
    uint64_t offset = 0;
    (void)state;
    write_lines("one", LOG_ZSTD, 1, 40);
    write_lines("two", LOG_PLAIN, 40, 60);
    scan();
    struct log_reader *r = open_reader();
    for (uint64_t seq = 1; seq < 60; seq++) {
        must(log_reader_next(r, &line, &err), &err);
        offset = seq == 40 ? 0 : offset;
        assert_int_equal(line.offset, offset);
        assert_int_equal(line.number, seq < 40 ? seq : seq - 39);
        assert_ptr_equal(line.file, &files.items[seq < 40 ? 0 : 1]);
        offset += line.text.len + 1;
    }
    log_reader_free(r);
}

static void any_line_is_gone_to(void **state)
{
    (void)state;
    write_lines("one", LOG_PLAIN, 1, 700);
    write_lines("two", LOG_GZIP, 700, 800);
    write_lines("three", LOG_ZSTD, 800, 900);
    write_lines("four", LOG_PLAIN, 900, 1000);
    scan();
    struct log_reader *r = open_reader();
    for (uint64_t seq = 1; seq <= 1000; seq += 1 + seq % 3) {
        must(log_reader_seek(r, seq, &err), &err);
        expect_lines(r, seq, 1000);
    }
    log_reader_free(r);
}

/* Lines 1 to 9 with `from` to `to` of them, counted from 0, replaced by `with`. */
static void write_changed(unsigned from, unsigned to, const char *with)
{
    size_t cuts[10] = {0};

    buf_clear(&text);
    for (uint64_t seq = 1; seq < 10; seq++) {
        append_line(&text, seq, seq == 1, 10);
        cuts[seq] = text.len;
    }
    struct buf changed;
    buf_init(&changed, 1024 * 1024);
    must(buf_append(&changed, span_slice(buf_span(&text), 0, cuts[from]), &err) && buf_append_str(&changed, with, &err) &&
             buf_append(&changed, span_slice(buf_span(&text), cuts[to], text.len), &err),
         &err);
    write_log("log", LOG_PLAIN, buf_span(&changed));
    buf_deinit(&changed);
}

static struct log_line first_fault(void)
{
    struct log_line line;

    scan();
    struct log_reader *r = open_reader();
    do {
        must(log_reader_next(r, &line, &err), &err);
    } while (line.text.ptr != NULL && line.fault == LOG_SOUND);
    log_reader_free(r);
    return line;
}

static void what_is_wrong_with_a_line_is_said(void **state)
{
    static char long_line[TREE_LEAF_MAX + 100];
    static const struct {
        unsigned from, to;
        const char *with;
        enum log_fault fault;
        uint64_t expected;
    } cases[] = {
        {4, 5, "", LOG_OUT_OF_ORDER, 5},
        {4, 4, "{\"seq\":5,\"v\":2}\n", LOG_OUT_OF_ORDER, 6},
        {4, 4, "\n", LOG_NO_RECORD, 5},
        {4, 5, "{\"seq\":x}\n", LOG_NO_RECORD, 5},
        {4, 9, "{\"seq\":5,\"v\":2}", LOG_TORN, 5},
        {4, 4, long_line, LOG_TOO_LONG, 5},
    };
    (void)state;
    memset(long_line, ' ', sizeof(long_line) - 2);
    memcpy(long_line, "{\"seq\":5,", 9);
    long_line[sizeof(long_line) - 2] = '\n';
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_changed(cases[i].from, cases[i].to, cases[i].with);
        struct log_line line = first_fault();
        assert_non_null(line.text.ptr);
        assert_int_equal(line.fault, cases[i].fault);
        assert_int_equal(line.expected, cases[i].expected);
        log_files_deinit(&files);
    }
}

static void a_line_without_an_end_takes_no_memory(void **state)
{
    struct log_line line;
    (void)state;
    write_lines("one", LOG_PLAIN, 1, 3);
    for (unsigned i = 0; i < 1024 * 1024; i++) {
        must(buf_append_str(&text, "{\"seq\":3", &err), &err);
    }
    write_log("one", LOG_PLAIN, buf_span(&text));
    line = first_fault();
    assert_int_equal(line.fault, LOG_TOO_LONG);
    assert_int_equal(line.number, 3);
}

static void damaged_compressed_data_is_an_error_that_says_where(void **state)
{
    static const enum log_compression how[] = {LOG_GZIP, LOG_ZSTD};
    struct log_line line;
    (void)state;
    for (size_t i = 0; i < COUNT(how); i++) {
        struct buf packed;
        write_lines("one", how[i], 1, 30000);
        buf_init(&packed, 64 * 1024 * 1024);
        must(file_read(in_folder("one"), &packed, &err), &err);
        must(file_write_atomic(in_folder("one"), span_of(packed.data, packed.len - 9), 0600, &err), &err);
        buf_deinit(&packed);
        scan();
        assert_int_equal(files.n, 1);
        struct log_reader *r = open_reader();
        bool is_read = true;
        do {
            is_read = log_reader_next(r, &line, &err);
        } while (is_read && line.text.ptr != NULL);
        assert_false(is_read);
        assert_int_equal(err.kind, ERROR_MALFORMED);
        assert_non_null(strstr(err.text, "/one"));
        log_reader_free(r);
        log_files_deinit(&files);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_are_in_the_order_of_their_lines_whatever_their_names),
        TEST(a_file_that_moved_since_it_was_listed_is_read),
        TEST(a_file_that_was_removed_since_is_said),
        TEST(other_files_and_other_logs_are_passed_over),
        TEST(a_place_is_that_of_the_line_in_its_file),
        TEST(any_line_is_gone_to),
        TEST(what_is_wrong_with_a_line_is_said),
        TEST(a_line_without_an_end_takes_no_memory),
        TEST(damaged_compressed_data_is_an_error_that_says_where),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
