/* Any tampering with a log is found, and the line named. FILTERD_TAMPERINGS sets how many random ones are tried. */
#include "unit/record/proven_testing.h"

static struct proven log_;
static struct error err;

static int tear_down(void **state)
{
    return empty_folder(state);
}

static uint32_t random_below(uint32_t n)
{
    return randombytes_uniform(n);
}

/* Where line `seq` begins in the text; seq of n + 1 is its end. */
static size_t line_start(uint64_t seq)
{
    size_t at = 0;

    for (uint64_t i = 1; i < seq; i++) {
        at = (size_t)((const char *)memchr(log_.text.data + at, '\n', log_.text.len - at) - log_.text.data) + 1;
    }
    return at;
}

static struct span line(uint64_t seq)
{
    return span_slice(buf_span(&log_.text), line_start(seq), line_start(seq + 1));
}

/* A log of `n` lines with checkpoints at random sizes, the last at its end. */
static void make_log(unsigned n)
{
    (void)empty_folder(NULL);
    proven_init(&log_, 7);
    for (unsigned done = 0, step; done < n; done += step) {
        step = 1 + random_below(n - done);
        proven_add(&log_, step);
        proven_checkpoint(&log_);
    }
}

/* In two files, cut before that line, the first one compressed or not; the second begins with a line that is of no rotation
 * in the tree, so the cut is only made between parts of one file. */
static void write_parts(struct span a, struct span b, struct span c)
{
    struct buf all;

    buf_init(&all, 64 * 1024 * 1024);
    must(buf_append(&all, a, &err) && buf_append(&all, b, &err) && buf_append(&all, c, &err), &err);
    write_log("log", (enum log_compression)random_below(3), buf_span(&all));
    buf_deinit(&all);
}

static struct log_check_result check(void)
{
    struct log_check_result result;

    must(proven_check(&log_, &result, &err), &err);
    return result;
}

static void expect_line(const struct log_check_result *result, uint64_t seq, const char *what)
{
    if (!result->finding.is_there || result->finding.first != seq || strstr(result->finding.text, what) == NULL) {
        fail_msg("line %llu %s expected, got %llu: %s", (unsigned long long)seq, what,
                 (unsigned long long)result->finding.first, result->finding.is_there ? result->finding.text : "nothing");
    }
}

/* --- tamperings: of lines ---------------------------------------------------------- */

static void flip_bit(uint64_t seq)
{
    struct buf changed;
    struct span one = line(seq);

    buf_init(&changed, TREE_LEAF_MAX);
    must(buf_append(&changed, one, &err), &err);
    /* Neither the newline itself, nor into one, nor what says whose file it is. */
    size_t at = seq == 1 ? one.len - 5 : random_below((uint32_t)one.len - 1);
    char bit = (char)(1 << random_below(5));
    changed.data[at] = (char)(changed.data[at] ^ bit);
    if (changed.data[at] == '\n') {
        changed.data[at] = (char)(changed.data[at] ^ bit ^ 0x40);
    }
    write_parts(span_slice(buf_span(&log_.text), 0, line_start(seq)), buf_span(&changed),
                span_slice(buf_span(&log_.text), line_start(seq + 1), log_.text.len));
    buf_deinit(&changed);
    struct log_check_result result = check();
    expect_line(&result, seq, "changed");
}

static void remove_line(uint64_t seq)
{
    write_parts(span_slice(buf_span(&log_.text), 0, line_start(seq)), span_str(""),
                span_slice(buf_span(&log_.text), line_start(seq + 1), log_.text.len));
    struct log_check_result result = check();
    expect_line(&result, seq, seq == 1 ? "missing" : seq == log_.n ? "is missing" : "removed");
}

static void swap_lines(uint64_t seq)
{
    uint64_t first = seq == log_.n ? seq - 1 : seq;

    first = first < 2 ? 2 : first;
    if (first >= log_.n) {
        return;
    }
    struct buf both;
    buf_init(&both, 2 * TREE_LEAF_MAX);
    must(buf_append(&both, line(first + 1), &err) && buf_append(&both, line(first), &err), &err);
    write_parts(span_slice(buf_span(&log_.text), 0, line_start(first)), buf_span(&both),
                span_slice(buf_span(&log_.text), line_start(first + 2), log_.text.len));
    buf_deinit(&both);
    struct log_check_result result = check();
    expect_line(&result, first, "swapped");
}

static void insert_line(uint64_t seq)
{
    struct buf made;

    seq = seq < 2 ? 2 : seq;
    buf_init(&made, TREE_LEAF_MAX);
    must(buf_appendf(&made, &err, "{\"seq\":%llu,\"v\":2,\"type\":\"decision\",\"made\":%u}\n", (unsigned long long)seq,
                     random_below(1000000)),
         &err);
    size_t at = line_start(seq);
    write_parts(span_slice(buf_span(&log_.text), 0, at), buf_span(&made), span_slice(buf_span(&log_.text), at, log_.text.len));
    buf_deinit(&made);
    struct log_check_result result = check();
    expect_line(&result, seq, seq == log_.n + 1 ? "number" : "inserted");
}

/* Anywhere behind the first line; within a line, too. */
static void truncate_tail(uint64_t seq)
{
    seq = seq < 2 ? 2 : seq;
    size_t start = line_start(seq), end = line_start(seq + 1);
    size_t to = start + random_below((uint32_t)(end - start));

    write_parts(span_slice(buf_span(&log_.text), 0, to), span_str(""), span_str(""));
    struct log_check_result result = check();
    expect_line(&result, seq, to == start ? "missing" : to == end - 1 ? "newline" : "changed");
}

/* --- of the proof ------------------------------------------------------------------ */

static void write_whole(void)
{
    write_parts(buf_span(&log_.text), span_str(""), span_str(""));
}

static void change_byte(const char *path, size_t at)
{
    struct buf bytes;

    buf_init(&bytes, 1024 * 1024);
    must(file_read(path, &bytes, &err), &err);
    at %= bytes.len;
    bytes.data[at] = (char)(bytes.data[at] ^ (1 << random_below(7)));
    must(file_write_atomic(path, buf_span(&bytes), 0600, &err), &err);
    buf_deinit(&bytes);
}

static void replace_tile(uint64_t seq)
{
    unsigned level = log_.n >= TILE_WIDTH ? random_below(2) : 0;
    uint64_t index = (seq - 1) >> (8 * (level + 1));
    unsigned width = tile_width(log_.n, level, index);
    char relative[TILE_PATH_MAX], path[512];

    if (width == 0) {
        return;
    }
    const struct tile_name name = {.level = level, .index = index, .width = width};
    tile_path_format(&name, relative);
    (void)snprintf(path, sizeof(path), "%s/record/%s", folder, relative);
    write_whole();
    change_byte(path, random_below(width * TREE_HASH));
    struct log_check_result result = check();
    assert_true(result.finding.is_there);
    assert_int_equal(result.finding.first, 0);
    assert_non_null(strstr(result.finding.text, relative));
}

static void forge_checkpoint(uint64_t seq)
{
    struct log_check_result result;
    struct buf note;

    (void)seq;
    write_whole();
    buf_init(&note, NOTE_MAX);
    must(checkpoint_store_newest(in_folder("record"), &note, &err), &err);
    change_byte(in_folder("record/checkpoint"), random_below((uint32_t)note.len));
    buf_deinit(&note);
    assert_false(proven_check(&log_, &result, &err));
    assert_true(err.kind == ERROR_INVALID || err.kind == ERROR_MALFORMED);
}

static void forge_history(uint64_t seq)
{
    struct buf bytes;

    (void)seq;
    write_whole();
    buf_init(&bytes, 1024 * 1024);
    must(file_read(in_folder("record/checkpoints"), &bytes, &err), &err);
    change_byte(in_folder("record/checkpoints"), random_below((uint32_t)bytes.len - 1));
    buf_deinit(&bytes);
    struct log_check_result result = check();
    assert_true(result.finding.is_there);
}

static void sign_with_another_key(uint64_t seq)
{
    struct log_check_result result;
    struct tree_hash root;
    struct proven other = log_;
    struct buf note;

    (void)seq;
    write_whole();
    memset(other.seed, 9, sizeof(other.seed));
    note_public(other.seed, other.key.public);
    must(note_key_make(span_str(ORIGIN), NOTE_ED25519, other.key.public, &other.key, &err), &err);
    tile_writer_root(log_.tiles, &root);
    sign_checkpoint(&other, log_.n, &root, &note);
    must(checkpoint_store_add(in_folder("record"), buf_span(&note), &err), &err);
    buf_deinit(&note);
    assert_false(proven_check(&log_, &result, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static const struct {
    const char *name;
    void (*tamper)(uint64_t seq);
} kinds[] = {
    {"flipped bit", flip_bit},         {"removed line", remove_line},
    {"swapped lines", swap_lines},     {"inserted line", insert_line},
    {"truncated tail", truncate_tail}, {"replaced tile", replace_tile},
    {"forged checkpoint", forge_checkpoint}, {"forged history", forge_history},
    {"wrong key", sign_with_another_key},
};

/* --- tests ------------------------------------------------------------------------- */

static void each_random_tampering_is_found_and_named(void **state)
{
    const char *wanted = getenv("FILTERD_TAMPERINGS");
    unsigned rounds = wanted == NULL ? 81 : (unsigned)strtoul(wanted, NULL, 10);
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        make_log(3 + random_below(random_below(2) == 0 ? 40 : 900));
        uint64_t seq = 1 + random_below((uint32_t)log_.n);
        print_message("%s at %llu of %llu\n", kinds[i % COUNT(kinds)].name, (unsigned long long)seq,
                      (unsigned long long)log_.n);
        kinds[i % COUNT(kinds)].tamper(seq);
        proven_deinit(&log_);
    }
}

static void a_log_as_it_was_written_is_sound(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 1200; n = n * 3 + 1) {
        make_log(n);
        proven_add(&log_, 3); /* behind the last checkpoint */
        write_whole();
        struct log_check_result result = check();
        if (result.finding.is_there) {
            fail_msg("%u: %s", n, result.finding.text);
        }
        assert_int_equal(result.lines, log_.n);
        assert_int_equal(result.missing_tiles, 0);
        assert_true(result.checkpoints > 0);
        proven_deinit(&log_);
    }
}

/* Whoever has the files and not the key can make tiles again, too: the checkpoints bound the place. */
static void lines_and_tiles_changed_together_are_found(void **state)
{
    struct tree_hash leaf;
    (void)state;
    (void)empty_folder(NULL);
    proven_init(&log_, 7);
    for (unsigned i = 0; i < 10; i++) {
        proven_add(&log_, 100);
        proven_checkpoint(&log_);
    }
    log_.text.data[line_start(542) + 60] ^= 1;
    write_whole();
    tile_writer_close(log_.tiles);
    log_.tiles = tile_writer_open(in_folder("record"), 0, &err);
    for (uint64_t seq = 1; seq <= log_.n; seq++) {
        struct span one = line(seq);
        tree_hash_leaf(span_slice(one, 0, one.len - 1), &leaf);
        must(tile_writer_add(log_.tiles, &leaf, &err), &err);
    }
    must(tile_writer_commit(log_.tiles, &err), &err);
    struct log_check_result result = check();
    assert_true(result.finding.is_there);
    assert_int_equal(result.finding.first, 501);
    assert_int_equal(result.finding.last, 600);
    proven_deinit(&log_);
}

static void missing_tiles_are_counted_and_no_finding(void **state)
{
    (void)state;
    make_log(600);
    write_whole();
    assert_int_equal(unlink(in_folder("record/tile/0/001")), 0);
    struct log_check_result result = check();
    assert_false(result.finding.is_there);
    assert_int_equal(result.missing_tiles, 1);
    proven_deinit(&log_);
}

static void a_tail_that_a_crash_tore_is_no_finding(void **state)
{
    (void)state;
    make_log(300);
    uint64_t size = log_.n;
    proven_add(&log_, 1);
    struct span last = line(log_.n);
    for (size_t len = 1; len < last.len; len += 5) {
        write_parts(span_slice(buf_span(&log_.text), 0, line_start(log_.n) + len), span_str(""), span_str(""));
        struct log_check_result result = check();
        if (result.finding.is_there) {
            fail_msg("%s", result.finding.text);
        }
    }
    assert_int_equal(log_.n, size + 1);
    proven_deinit(&log_);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_log_as_it_was_written_is_sound),
        TEST(each_random_tampering_is_found_and_named),
        TEST(lines_and_tiles_changed_together_are_found),
        TEST(missing_tiles_are_counted_and_no_finding),
        TEST(a_tail_that_a_crash_tore_is_no_finding),
    };
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
