/* Every line once and in order, however the files are written, moved, compressed and opened again. */
#include "testing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/clock.h"
#include "ship/follow.h"

enum { SETTLE_MS = 50 };

static char folder[] = "/tmp/filterd-follow-XXXXXX";
static char path[PATH_MAX], moved[PATH_MAX];

static void settle(void)
{
    (void)usleep((SETTLE_MS + 20) * 1000);
}

static int start_anew(void **state)
{
    char command[PATH_MAX];

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/decisions.jsonl", folder);
    (void)snprintf(moved, sizeof(moved), "%s/decisions.jsonl.1", folder);
    static const char *const names[] = {"decisions.jsonl", "decisions.jsonl.1", "decisions.jsonl.2.gz", "decisions.jsonl.1.gz",
                                        "decisions-00000001.jsonl.zst", "decisions-00000001.jsonl", "decisions.jsonl.1.tmp"};
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(command, sizeof(command), "%s/%s", folder, names[i]);
        (void)unlink(command);
    }
    return 0;
}

/* The time of a line is a second for each number. */
static void print_line(char *to, size_t room, unsigned seq)
{
    (void)snprintf(to, room, "{\"seq\":%u,\"type\":\"decision\",\"ts\":\"2026-11-23T%02u:%02u:%02u.000000000Z\"}\n", seq,
                   seq / 3600 % 24, seq / 60 % 60, seq % 60);
}

static void append(const char *to, unsigned from, unsigned n)
{
    FILE *file = fopen(to, "a");
    char line[256];

    assert_non_null(file);
    for (unsigned i = 0; i < n; i++) {
        print_line(line, sizeof(line), from + i);
        (void)fputs(line, file);
    }
    (void)fclose(file);
}

static void open_at(struct ship_follow *f, const struct ship_position *p)
{
    struct error err;

    assert_true(ship_follow_init(f, path, p, &err));
    f->settle_ms = SETTLE_MS;
}

/* Reads until there is none; checks that numbers go on from `first`. */
static unsigned read_all(struct ship_follow *f, unsigned first)
{
    struct span line;
    struct error err = {.text = ""};
    char expected[256];
    unsigned n = 0;

    for (;;) {
        enum ship_follow_result result = ship_follow_next(f, &line, &err);
        if (result == SHIP_FOLLOW_NONE) {
            return n;
        }
        if (result == SHIP_FOLLOW_FAILED) {
            fail_msg("%s", err.text);
        }
        print_line(expected, sizeof(expected), first + n++);
        assert_int_equal(line.len + 1, strlen(expected));
        assert_memory_equal(line.ptr, expected, line.len);
    }
}

/* The sample that is due may be one from before what was just written. */
static unsigned read_settled(struct ship_follow *f, unsigned first)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 3; i++) {
        n += read_all(f, first + n);
        settle();
    }
    return n + read_all(f, first + n);
}

static void compress_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "r");
    gzFile out = gzopen(to, "wb");
    char bytes[4096];

    assert_non_null(in);
    for (size_t n; (n = fread(bytes, 1, sizeof(bytes), in)) > 0;) {
        assert_int_equal(gzwrite(out, bytes, (unsigned)n), (int)n);
    }
    (void)fclose(in);
    assert_int_equal(gzclose(out), Z_OK);
    (void)unlink(from);
}

static void compress_zstd(const char *from, const char *to)
{
    char text[8192], packed[16384];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");

    assert_non_null(in);
    assert_non_null(out);
    size_t n = fread(text, 1, sizeof(text), in);
    assert_in_range(n, 1, sizeof(text) - 1);
    size_t len = ZSTD_compress(packed, sizeof(packed), text, n, 3);
    assert_false(ZSTD_isError(len));
    assert_int_equal(fwrite(packed, 1, len, out), len);
    (void)fclose(in);
    (void)fclose(out);
    (void)unlink(from);
}

static const struct ship_position beginning;

static void lines_come_once_they_have_settled(void **state)
{
    struct ship_follow f;

    (void)state;
    append(path, 1, 3);
    open_at(&f, &beginning);
    assert_int_equal(read_all(&f, 1), 0); /* the writer may still cut them off */
    assert_int_equal(f.as_of_ns, 0);
    settle();
    int64_t now = clock_utc_ns();
    assert_int_equal(read_all(&f, 1), 3);
    assert_true(f.as_of_ns > 0 && f.as_of_ns <= now);
    append(path, 4, 2);
    assert_int_equal(read_settled(&f, 4), 2);
    ship_follow_deinit(&f);
}

static void a_line_without_its_end_waits(void **state)
{
    struct ship_follow f;

    (void)state;
    append(path, 1, 2);
    FILE *file = fopen(path, "a");
    (void)fputs("{\"seq\":3,\"type\":\"decision\",\"ts\":", file);
    (void)fclose(file);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 2);
    file = fopen(path, "a");
    (void)fputs("\"2026-11-23T00:00:03.000000000Z\"}\n", file);
    (void)fclose(file);
    assert_int_equal(read_settled(&f, 3), 1);
    ship_follow_deinit(&f);
}

static void a_moved_file_is_read_to_its_end_before_the_next(void **state)
{
    struct ship_follow f;

    (void)state;
    append(path, 1, 2);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 2);
    assert_int_equal(rename(path, moved), 0);
    append(moved, 3, 5); /* before the writer's SIGHUP */
    assert_int_equal(read_settled(&f, 3), 5);
    append(moved, 8, 2);
    append(path, 10, 4);
    assert_int_equal(read_settled(&f, 8), 6);
    assert_int_equal(f.missing, 0);
    ship_follow_deinit(&f);
}

static void a_position_holds_over_moving_and_compressing(void **state)
{
    struct ship_follow f;
    struct ship_position p = {.seq = 0};
    char gz[PATH_MAX];

    (void)state;
    (void)snprintf(gz, sizeof(gz), "%s/decisions.jsonl.2.gz", folder);
    append(path, 1, 5);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 5);
    ship_follow_position(&f, &p);
    ship_follow_deinit(&f);
    append(path, 6, 1000);
    compress_file(path, gz);
    append(moved, 1006, 10);
    append(path, 1016, 3);
    open_at(&f, &p);
    assert_int_equal(read_settled(&f, 6), 1013);
    assert_int_equal(f.missing, 0);
    ship_follow_deinit(&f);
}

static void all_files_are_read_oldest_first_without_a_position(void **state)
{
    struct ship_follow f;
    char gz[PATH_MAX], closed[PATH_MAX], zst[PATH_MAX];

    (void)state;
    (void)snprintf(zst, sizeof(zst), "%s/decisions-00000001.jsonl.zst", folder);
    (void)snprintf(gz, sizeof(gz), "%s/decisions.jsonl.1.gz", folder);
    (void)snprintf(closed, sizeof(closed), "%s/decisions-00000001.jsonl", folder);
    append(closed, 1, 10);
    compress_zstd(closed, zst);
    append(moved, 11, 10);
    compress_file(moved, gz);
    append(path, 21, 10);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 30);
    ship_follow_deinit(&f);
}

static void lines_that_were_cut_off_come_again(void **state)
{
    struct ship_follow f;
    struct stat info;

    (void)state;
    append(path, 1, 3);
    assert_int_equal(stat(path, &info), 0);
    append(path, 4, 2);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 5);
    assert_int_equal(truncate(path, info.st_size), 0);
    assert_int_equal(read_all(&f, 6), 0);
    append(path, 4, 6);
    assert_int_equal(read_settled(&f, 4), 6);
    assert_int_equal(f.missing, 0);
    ship_follow_deinit(&f);
}

static void numbers_that_are_gone_are_counted(void **state)
{
    struct ship_follow f;
    struct ship_position p = {.seq = 0};
    struct span line;
    struct error err;

    (void)state;
    append(path, 1, 4);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 1), 4);
    ship_follow_position(&f, &p);
    ship_follow_deinit(&f);
    (void)unlink(path);
    append(path, 11, 2); /* 5 to 10 were in files that are gone */
    open_at(&f, &p);
    (void)read_all(&f, 11);
    settle();
    assert_int_equal(ship_follow_next(&f, &line, &err), SHIP_FOLLOW_LINE);
    assert_int_equal(f.missing, 6);
    ship_follow_deinit(&f);
}

static void a_damaged_file_is_not_passed_over(void **state)
{
    struct ship_follow f;
    struct span line;
    struct error err = {.text = ""};
    struct stat info;
    char gz[PATH_MAX];
    enum ship_follow_result result;

    (void)state;
    (void)snprintf(gz, sizeof(gz), "%s/decisions.jsonl.1.gz", folder);
    append(path, 1, 20000);
    compress_file(path, gz);
    assert_int_equal(stat(gz, &info), 0);
    assert_int_equal(truncate(gz, info.st_size / 2), 0);
    append(path, 20001, 2);
    open_at(&f, &beginning);
    do {
        result = ship_follow_next(&f, &line, &err);
    } while (result == SHIP_FOLLOW_LINE);
    assert_int_equal(result, SHIP_FOLLOW_FAILED);
    assert_non_null(strstr(err.text, "decisions.jsonl.1.gz"));
    assert_in_range(f.seq, 1, 19999);
    assert_int_equal(ship_follow_next(&f, &line, &err), SHIP_FOLLOW_FAILED);
    ship_follow_deinit(&f);
}

static void a_log_that_begins_anew_follows(void **state)
{
    struct ship_follow f;
    struct span line;
    struct error err;

    (void)state;
    append(path, 5, 2);
    open_at(&f, &beginning);
    assert_int_equal(read_settled(&f, 5), 2);
    assert_int_equal(rename(path, moved), 0);
    FILE *file = fopen(path, "a");
    (void)fputs("{\"seq\":1,\"type\":\"log\",\"ts\":\"2026-11-23T09:00:00.000000000Z\"}\n", file);
    (void)fclose(file);
    (void)ship_follow_next(&f, &line, &err);
    settle();
    assert_int_equal(ship_follow_next(&f, &line, &err), SHIP_FOLLOW_LINE);
    assert_int_equal(f.seq, 1);
    assert_int_equal(f.missing, 0);
    ship_follow_deinit(&f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start_anew)
    const struct CMUnitTest tests[] = {
        TEST(lines_come_once_they_have_settled),
        TEST(a_line_without_its_end_waits),
        TEST(a_moved_file_is_read_to_its_end_before_the_next),
        TEST(a_position_holds_over_moving_and_compressing),
        TEST(all_files_are_read_oldest_first_without_a_position),
        TEST(lines_that_were_cut_off_come_again),
        TEST(numbers_that_are_gone_are_counted),
        TEST(a_damaged_file_is_not_passed_over),
        TEST(a_log_that_begins_anew_follows),
    };

    assert(mkdtemp(folder) != NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)start_anew(NULL);
    (void)rmdir(folder);
    return failed;
}
