/* Retention: what is removed, what stays and why, and that a crash at any step leaves a log that verifies. */
#include "unit/ctl_record/closed_testing.h"

#include "ctl/record/removal.h"
#include "ship/position.h"

#define NOW INT64_C(1800000000000000000)

static const char *const two_old[N_FILES] = {OLD, OLD, RECENT, RECENT};
static unsigned recorded; /* lines of type prune */

/* Behind the lines of the open file, as the service writes it; no checkpoint covers it yet. */
static void add_prune_line(uint64_t first, uint64_t last)
{
    char text[512];
    struct buf open_file;
    unsigned seq = LINES - PER_FILE + 1;

    buf_init(&open_file, 1024 * 1024);
    must(file_read(in_folder("decisions.jsonl"), &open_file, &err), &err);
    for (size_t i = 0; i < open_file.len; i++) {
        seq += open_file.data[i] == '\n';
    }
    int len = snprintf(text, sizeof(text), "{\"seq\":%u,\"v\":2,\"type\":\"prune\",\"ts\":\"" RECENT "\",\"first\":%u,\"last\":%u}\n", seq,
                       (unsigned)first, (unsigned)last);
    int fd = open(in_folder("decisions.jsonl"), O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_int_equal(write(fd, text, (size_t)len), len);
    (void)close(fd);
    buf_deinit(&open_file);
}

/* The line of a file comes before anything of it is gone, into a file that outlives a crash. */
static bool record(const void *context, const struct removal_line *line, struct error *e)
{
    char text[512];

    (void)context;
    (void)e;
    recorded++;
    assert_true(line->files.len > 0 && line->sha256.len >= DIGEST_SHA256_HEX);
    int len = snprintf(text, sizeof(text), SPAN_FMT " " SPAN_FMT " %u %u\n", SPAN_ARG(buf_span(&line->files)),
                       SPAN_ARG(buf_span(&line->sha256)), (unsigned)line->first, (unsigned)line->last);
    add_prune_line(line->first, line->last);
    int fd = open(in_folder(".recorded"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, (size_t)len), len);
    (void)close(fd);
    return true;
}

static struct removal_result remove_with(const char *keep, const char *required)
{
    struct removal_result result = {.n = 99};
    struct retention retention;
    struct closed_log c;
    char originals[PATH_MAX], ship[PATH_MAX];

    (void)snprintf(originals, sizeof(originals), "%s", in_folder("seal"));
    (void)snprintf(ship, sizeof(ship), "%s", in_folder("ship"));
    must(retention_parse(span_str(keep), &retention, &err), &err);
    struct legal_holds *holds = legal_holds_open(in_folder("decisions.jsonl"), &err);
    must(holds != NULL, &err);
    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err), &err);
    const struct removal r = {.keep = &retention, .holds = holds, .ship = {ship, required}, .originals = originals, .now_ns = NOW,
                              .record = record};
    recorded = 0;
    must(removal_run(&c, &r, &result, &err), &err);
    closed_log_close(&c);
    legal_holds_free(holds);
    return result;
}

static void assert_kept(const char *why, const char *required)
{
    struct removal_result result = remove_with("400d", required);

    assert_int_equal(result.n, 0);
    if (strstr(result.kept, why) == NULL) {
        fail_msg("%s: it says '%s'", why, result.kept);
    }
    assert_true(is_there(file_name(0)) && is_there(file_name(1)) && !is_there("record/minimum"));
    assert_int_equal(recorded, 0);
}

static void files_of_due_lines_are_removed(void **state)
{
    const struct log_view view = {.folder = folder, .record = record_folder()};
    struct buf before, after;
    struct tree_hash leaf;

    (void)state;
    make_log(two_old, "");
    buf_init(&before, LOG_VIEW_PROOF_MAX);
    buf_init(&after, LOG_VIEW_PROOF_MAX);
    size_t end = (size_t)((const char *)memchr(log_.text.data, '\n', log_.text.len) - log_.text.data);
    tree_hash_leaf(span_of(log_.text.data, end), &leaf);
    must(log_view_receipt(&view, 1, &leaf, &before, &err), &err);

    struct removal_result result = remove_with("400d", NULL);
    assert_int_equal(result.n, 2);
    assert_int_equal(result.last, 2 * PER_FILE);
    assert_int_equal(recorded, 2);
    assert_true(!is_there(file_name(0)) && !is_there(file_name(1)) && is_there(file_name(2)) && is_there(file_name(3)));
    verify();

    /* A proof of a removed line is the same as before; a line that is left has its own; the removed text is gone. */
    must(log_view_receipt(&view, 1, &leaf, &after, &err), &err);
    assert_true(span_equal(buf_span(&before), buf_span(&after)));
    assert_true(prove(2 * PER_FILE + 1) && prove(LINES));
    assert_false(prove(2 * PER_FILE));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    buf_deinit(&before);
    buf_deinit(&after);
    assert_int_equal(remove_with("400d", NULL).n, 0);
}

static void terms_of_types_keep_their_files(void **state)
{
    (void)state;
    make_log(two_old, "");
    assert_int_equal(remove_with("400d,rotation=200y", NULL).n, 1); /* the first one begins with `log` */
    assert_int_equal(remove_with("400d,log=200y,rotation=1d", NULL).n, 1);
    make_log(two_old, "");
    assert_int_equal(remove_with("400d,log=200y", NULL).n, 0);
    assert_int_equal(remove_with("200y", NULL).n, 0);
    assert_true(!is_there("record/minimum") && is_there(file_name(0)));
}

static void the_newest_file_is_never_removed(void **state)
{
    static const char *const all_old[N_FILES] = {OLD, OLD, OLD, OLD};

    (void)state;
    make_log(all_old, "");
    assert_int_equal(remove_with("1d", NULL).n, N_FILES - 1);
    assert_true(is_there(file_name(N_FILES - 1)));
    verify();
}

static void a_file_with_one_line_that_is_not_due_stays(void **state)
{
    static const char *const second[N_FILES] = {RECENT, OLD, OLD, RECENT};

    (void)state;
    make_log(second, "");
    assert_int_equal(remove_with("400d", NULL).n, 0); /* nor any behind it */
    assert_true(is_there(file_name(1)));
}

static void holds_originals_and_sinks_keep_a_file(void **state)
{
    struct ship_position p = {.file_ns = 1, .as_of_ns = 1};
    char path[PATH_MAX];

    (void)state;
    make_log(two_old, ",\"agent\":\"anna\"");
    write_log("other", LOG_PLAIN, span_str("{\"seq\":1,\"v\":2,\"type\":\"hold\",\"ts\":\"" OLD "\",\"id\":\"case-7\",\"step\":\"set\","
                                           "\"filter\":\"agent:anna\"}\n"));
    assert_kept("hold case-7 is over line 2", NULL);

    make_log(two_old, "");
    write_log("other", LOG_PLAIN, span_str("{\"seq\":1,\"v\":2,\"type\":\"hold\",\"ts\":\"" OLD "\",\"id\":\"case-7\",\"step\":\"set\","
                                           "\"filter\":\"agent:ben\"}\n"));
    assert_int_equal(remove_with("400d", NULL).n, 2);

    make_log(two_old, ",\"sealed\":{\"blob\":\"ab000000000000000000000000000001\"}");
    must(file_make_directory(in_folder("seal/ab"), &err) &&
             file_write_atomic(in_folder("seal/ab/ab000000000000000000000000000001.age"), span_str("x"), 0600, &err), &err);
    assert_kept("the original of line 2", NULL);

    make_log(two_old, "");
    must(file_make_directory(in_folder("ship"), &err), &err);
    assert_kept("the position of sink siem cannot be read", "siem");
    must(ship_position_path(in_folder("ship"), span_str("near"), path, &err) && ship_position_write(path, &p, &err), &err);
    assert_kept("sink near does not have it", NULL);
}

static void a_sink_has_a_file_up_to_its_last_line(void **state)
{
    struct ship_position p = {.seq = PER_FILE - 1, .as_of_ns = 1, .file_ns = INT64_C(1577836800000000001)};
    char path[PATH_MAX];

    (void)state;
    make_log(two_old, "");
    must(file_make_directory(in_folder("ship"), &err), &err);
    must(ship_position_path(in_folder("ship"), span_str("near"), path, &err), &err);
    size_t end = (size_t)((const char *)memchr(log_.text.data, '\n', log_.text.len) - log_.text.data);
    must(digest_sha256(span_of(log_.text.data, end), p.file, &err) && ship_position_write(path, &p, &err), &err);
    assert_kept("sink near does not have it", NULL);

    p.seq = PER_FILE;
    must(ship_position_write(path, &p, &err), &err);
    assert_int_equal(remove_with("400d", "near").n, 1);
    /* In a file that began later: all before it. */
    memset(p.file, '0', DIGEST_SHA256_HEX);
    p.file_ns = INT64_C(1577836800000000002);
    must(ship_position_write(path, &p, &err), &err);
    assert_int_equal(remove_with("400d", "near").n, 1);
}

static void a_hold_in_force_is_not_lost_with_its_line(void **state)
{
    struct tree_hash leaf;

    (void)state;
    (void)empty_folder(NULL);
    proven_deinit(&log_);
    proven_init(&log_, 7);
    add_line(OLD, true, "");
    must(buf_append_str(&log_.text, "{\"seq\":2,\"v\":2,\"type\":\"hold\",\"ts\":\"" OLD "\",\"id\":\"case-8\",\"step\":\"set\","
                                    "\"filter\":\"agent:nobody\"}\n", &err), &err);
    log_.n++;
    size_t first = (size_t)((const char *)memchr(log_.text.data, '\n', log_.text.len) - log_.text.data) + 1;
    tree_hash_leaf(span_of(log_.text.data + first, log_.text.len - first - 1), &leaf);
    must(tile_writer_add(log_.tiles, &leaf, &err), &err);
    write_log(file_name(0), LOG_PLAIN, buf_span(&log_.text));
    size_t at = log_.text.len;
    add_line(RECENT, true, "");
    write_log("decisions.jsonl", LOG_PLAIN, span_slice(buf_span(&log_.text), at, log_.text.len));
    proven_checkpoint(&log_);
    struct removal_result result = remove_with("400d", NULL);
    assert_int_equal(result.n, 0);
    assert_non_null(strstr(result.kept, "line 2 is a hold in force"));
}

static void a_log_that_was_changed_is_left_alone(void **state)
{
    struct retention retention = {.all_ns = 1};
    struct removal_result result;
    struct closed_log c;

    (void)state;
    make_log(two_old, "");
    char *last = memrchr(log_.text.data, '2', log_.text.len);
    *last = '3';
    size_t at = (size_t)((char *)memmem(log_.text.data, log_.text.len, "{\"seq\":901,", 11) - log_.text.data);
    write_log("decisions.jsonl", LOG_PLAIN, span_slice(buf_span(&log_.text), at, log_.text.len));
    struct legal_holds *holds = legal_holds_open(in_folder("decisions.jsonl"), &err);
    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err), &err);
    const struct removal r = {.keep = &retention, .holds = holds, .originals = "none", .now_ns = NOW, .record = record};
    assert_false(removal_run(&c, &r, &result, &err));
    assert_non_null(strstr(err.text, "was changed"));
    assert_true(is_there(file_name(0)));
    closed_log_close(&c);
    legal_holds_free(holds);
}

/* A file that somebody took away is missing, whatever record/minimum says. */
static void a_minimum_without_a_line_hides_nothing(void **state)
{
    struct closed_log c;

    (void)state;
    make_log(two_old, "");
    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err) && proven_log_keep(&c.log, &c.keys.list[0].key, PER_FILE, &err), &err);
    closed_log_close(&c);
    verify();
    assert_int_equal(unlink(in_folder(file_name(0))), 0);
    must(closed_log_open(&c, in_folder("decisions.jsonl"), &err), &err);
    assert_false(closed_log_check(&c, &err));
    assert_non_null(strstr(err.text, "lines 1 to 300 are missing"));
    closed_log_close(&c);
    add_prune_line(1, PER_FILE);
    verify();
}

static void run_removal(void)
{
    (void)remove_with("400d", NULL);
}

static bool is_recorded(const char *name)
{
    struct buf text;

    buf_init(&text, 64 * 1024);
    bool is_found = file_read(in_folder(".recorded"), &text, &err) && memmem(text.data, text.len, name, strlen(name)) != NULL;
    buf_deinit(&text);
    return is_found;
}

/* A file is gone only when a line names it and the minimum covers it; whatever is left verifies, and the next run ends it. */
static void a_crash_at_any_step_is_recovered_from(void **state)
{
    unsigned at = 1;

    (void)state;
    for (make_log(two_old, ""); crash(run_removal, at); make_log(two_old, "")) {
        for (unsigned i = 0; i < 2; i++) {
            assert_true(is_there(file_name(i)) || (is_recorded(file_name(i)) && is_there("record/minimum")));
        }
        verify();
        (void)remove_with("400d", NULL);
        assert_true(!is_there(file_name(0)) && !is_there(file_name(1)) && is_there(file_name(2)));
        verify();
        assert_true(prove(2 * PER_FILE + 1));
        assert_true(++at < CRASHES_MAX);
    }
    assert_true(at > 10); /* two files: vkey, minimum, two folders, one removal each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_due_lines_are_removed),
        cmocka_unit_test(terms_of_types_keep_their_files),
        cmocka_unit_test(the_newest_file_is_never_removed),
        cmocka_unit_test(a_file_with_one_line_that_is_not_due_stays),
        cmocka_unit_test(holds_originals_and_sinks_keep_a_file),
        cmocka_unit_test(a_sink_has_a_file_up_to_its_last_line),
        cmocka_unit_test(a_hold_in_force_is_not_lost_with_its_line),
        cmocka_unit_test(a_log_that_was_changed_is_left_alone),
        cmocka_unit_test(a_minimum_without_a_line_hides_nothing),
        cmocka_unit_test(a_crash_at_any_step_is_recovered_from),
    };

    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)empty_folder(NULL);
    (void)rmdir(folder);
    return failed;
}
