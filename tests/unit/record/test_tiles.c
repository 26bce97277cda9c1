#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "record/tiles.h"

enum { LEAVES = 70000 };

static char folder[64];
static struct tree_hash *leaves;

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/tiles-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char *const arguments[] = {(char[]){"rm"}, (char[]){"-rf"}, folder, NULL};
    pid_t pid = fork();
    (void)state;
    if (pid == 0) {
        (void)execvp(arguments[0], arguments);
        _exit(1);
    }
    return waitpid(pid, NULL, 0) != pid;
}

static int make_leaves(void **state)
{
    (void)state;
    leaves = calloc(LEAVES, sizeof(*leaves));
    for (unsigned i = 0; leaves != NULL && i < LEAVES; i++) {
        tree_hash_leaf(span_of((const char *)&i, sizeof(i)), &leaves[i]);
    }
    return leaves == NULL;
}

static int free_leaves(void **state)
{
    (void)state;
    free(leaves);
    return 0;
}

static struct tile_writer *open_writer(uint64_t size)
{
    struct error err;
    struct tile_writer *w = tile_writer_open(folder, size, &err);

    assert_non_null(w);
    return w;
}

static void add(struct tile_writer *w, unsigned from, unsigned to)
{
    struct error err;

    for (unsigned i = from; i < to; i++) {
        assert_true(tile_writer_add(w, &leaves[i], &err));
    }
}

static void commit(struct tile_writer *w)
{
    struct error err;

    assert_true(tile_writer_commit(w, &err));
}

static bool exists(const char *relative)
{
    char path[256];
    struct stat info;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, relative);
    return stat(path, &info) == 0;
}

static off_t length(const char *relative)
{
    char path[256];
    struct stat info;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, relative);
    return stat(path, &info) == 0 ? info.st_size : -1;
}

static void expected_root(unsigned size, struct tree_hash *out)
{
    struct tree_edge edge = {.size = 0};

    for (unsigned i = 0; i < size; i++) {
        tree_edge_add(&edge, &leaves[i]);
    }
    tree_edge_root(&edge, out);
}

/* --- paths -------------------------------------------------------------------- */

static void paths_are_those_of_the_format(void **state)
{
    static const struct {
        struct tile_name name;
        const char *path;
    } rows[] = {
        {{false, 0, 0, 256}, "tile/0/000"},
        {{false, 0, 999, 256}, "tile/0/999"},
        {{false, 0, 1000, 256}, "tile/0/x001/000"},
        {{false, 0, 1234067, 256}, "tile/0/x001/x234/067"},
        {{false, 2, 1234067, 7}, "tile/2/x001/x234/067.p/7"},
        {{false, 7, 12, 255}, "tile/7/012.p/255"},
        {{true, 0, 5, 256}, "tile/entries/005"},
        {{true, 0, 1005, 1}, "tile/entries/x001/005.p/1"},
        {{false, 63, UINT64_MAX, 1}, "tile/63/x018/x446/x744/x073/x709/x551/615.p/1"},
    };
    char path[TILE_PATH_MAX];
    struct tile_name name;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        tile_path_format(&rows[i].name, path);
        assert_string_equal(path, rows[i].path);
        assert_true(tile_path_parse(span_str(path), &name, &err));
        assert_int_equal(name.is_entries, rows[i].name.is_entries);
        assert_int_equal(name.level, rows[i].name.level);
        assert_true(name.index == rows[i].name.index);
        assert_int_equal(name.width, rows[i].name.width);
    }
}

static void other_spellings_of_a_path_are_refused(void **state)
{
    static const char *const paths[] = {
        "", "tile", "tile/", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/00/000", "tile/64/000",
        "tile/0/x000/001", "tile/0/x001", "tile/0/x001/", "tile/0/001/002", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0",
        "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/1/", "tile/0/000/", "tile/-1/000", "tile/0/../000", "/tile/0/000",
        "tile/entries", "tile/entries/0/000", "tile/0/X001/000", "tile/0/x1/000", "tile/0/000.p/+1", "tile/0/ 01",
        "tile/0/x018/x446/x744/x073/x709/x551/616", "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
    };
    struct tile_name name;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(paths); i++) {
        if (tile_path_parse(span_str(paths[i]), &name, &err)) {
            fail_msg("%s was accepted", paths[i]);
        }
        assert_int_equal(err.kind, ERROR_INVALID);
    }
}

static void widths_are_those_of_the_tree(void **state)
{
    (void)state;
    assert_int_equal(tile_width(70000, 0, 272), 256);
    assert_int_equal(tile_width(70000, 0, 273), 112);
    assert_int_equal(tile_width(70000, 0, 274), 0);
    assert_int_equal(tile_width(70000, 1, 0), 256);
    assert_int_equal(tile_width(70000, 1, 1), 17);
    assert_int_equal(tile_width(70000, 2, 0), 1);
    assert_int_equal(tile_width(70000, 3, 0), 0);
    assert_int_equal(tile_width(256, 0, 0), 256);
    assert_int_equal(tile_width(256, 0, 1), 0);
    assert_int_equal(tile_width(256, 1, 0), 1);
    assert_int_equal(tile_width(UINT64_MAX, 8, 0), 0);
    assert_int_equal(tile_width(UINT64_MAX, 0, UINT64_MAX), 0);
}

/* --- files -------------------------------------------------------------------- */

static void the_files_are_those_of_the_tree(void **state)
{
    struct tile_writer *w = open_writer(0);
    (void)state;

    add(w, 0, 70000);
    commit(w);
    assert_int_equal(length("tile/0/000"), 8192);
    assert_int_equal(length("tile/0/272"), 8192);
    assert_int_equal(length("tile/0/273.p/112"), 112 * 32);
    assert_int_equal(length("tile/1/000"), 8192);
    assert_int_equal(length("tile/1/001.p/17"), 17 * 32);
    assert_int_equal(length("tile/2/000.p/1"), 32);
    assert_false(exists("tile/3"));
    assert_false(exists("tile/0/273"));
    tile_writer_close(w);
}

static void nothing_partial_is_written_before_a_commit(void **state)
{
    struct tile_writer *w = open_writer(0);
    (void)state;

    add(w, 0, 300);
    assert_true(exists("tile/0/000"));
    assert_false(exists("tile/0/001.p"));
    commit(w);
    assert_true(exists("tile/0/001.p/44"));
    tile_writer_close(w);
}

static void the_partial_tiles_of_two_commits_stay(void **state)
{
    struct tile_writer *w = open_writer(0);
    (void)state;

    add(w, 0, 10);
    commit(w);
    add(w, 10, 20);
    commit(w);
    assert_true(exists("tile/0/000.p/10"));
    add(w, 20, 30);
    commit(w);
    assert_false(exists("tile/0/000.p/10"));
    assert_true(exists("tile/0/000.p/20"));
    assert_true(exists("tile/0/000.p/30"));
    commit(w);
    assert_true(exists("tile/0/000.p/20"));
    add(w, 30, 256);
    assert_true(exists("tile/0/000"));
    assert_false(exists("tile/0/000.p"));
    tile_writer_close(w);
}

static void a_writer_goes_on_from_any_commit(void **state)
{
    static const unsigned sizes[] = {1, 2, 255, 256, 257, 511, 513, 1000, 65535, 65536, 65537, 65793, 70000};
    struct tree_hash root, expected;
    unsigned from = 0;
    (void)state;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct tile_writer *w = open_writer(from);
        assert_true(tile_writer_size(w) == from);
        add(w, from, sizes[i]);
        commit(w);
        tile_writer_root(w, &root);
        expected_root(sizes[i], &expected);
        assert_true(tree_hash_equal(&root, &expected));
        tile_writer_close(w);
        from = sizes[i];
    }
}

static void a_writer_that_went_back_writes_the_same_files(void **state)
{
    struct tile_writer *w = open_writer(0);
    struct tree_hash root, expected;
    (void)state;

    add(w, 0, 300);
    commit(w);
    add(w, 300, 600); /* then a crash before the next commit */
    tile_writer_close(w);
    w = open_writer(300);
    add(w, 300, 700);
    commit(w);
    tile_writer_root(w, &root);
    expected_root(700, &expected);
    assert_true(tree_hash_equal(&root, &expected));
    tile_writer_close(w);
}

static void truncate_file(const char *relative, off_t len)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, relative);
    assert_int_equal(truncate(path, len), 0);
}

static void a_writer_does_not_go_on_from_what_is_not_there(void **state)
{
    struct tile_writer *w = open_writer(0);
    struct error err;
    (void)state;

    add(w, 0, 300);
    commit(w);
    tile_writer_close(w);
    assert_null(tile_writer_open(folder, 301, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    truncate_file("tile/0/001.p/44", 44 * 32 - 1);
    assert_null(tile_writer_open(folder, 300, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    truncate_file("tile/1/000.p/1", 0);
    assert_null(tile_writer_open(folder, 256, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
}

/* A folder that is taken away fails a write; once it is back, nothing is lost. */
static void a_tile_that_could_not_be_written_is_written_later(void **state)
{
    struct tile_writer *w = open_writer(0);
    struct tree_hash root, expected;
    char away[80];
    struct error err;
    (void)state;

    (void)snprintf(away, sizeof(away), "%s.away", folder);
    add(w, 0, 255);
    assert_int_equal(rename(folder, away), 0);
    FILE *f = fopen(folder, "w"); /* a file where the folder was */
    assert_non_null(f);
    (void)fclose(f);
    assert_false(tile_writer_add(w, &leaves[255], &err));
    assert_false(tile_writer_add(w, &leaves[256], &err)); /* not added: there is no room */
    assert_true(tile_writer_size(w) == 256);
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(rename(away, folder), 0);
    add(w, 256, 300);
    commit(w);
    tile_writer_root(w, &root);
    expected_root(300, &expected);
    assert_true(tree_hash_equal(&root, &expected));
    assert_int_equal(length("tile/0/000"), 8192);
    tile_writer_close(w);
}

/* --- reading ------------------------------------------------------------------ */

static void proofs_from_tiles_hold(void **state)
{
    static const unsigned sizes[] = {1, 2, 255, 256, 257, 300, 600, 65536, 65537, 69999, 70000};
    struct tile_writer *w = open_writer(0);
    struct tree_hash roots[COUNT(sizes)];
    struct tree_proof p;
    struct error err;
    (void)state;

    add(w, 0, LEAVES);
    commit(w);
    tile_writer_close(w);
    struct tile_reader *r = tile_reader_open(folder, LEAVES, &err);
    assert_non_null(r);
    struct tree_source source = tile_reader_source(r);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        expected_root(sizes[i], &roots[i]);
        for (unsigned index = 0; index < sizes[i]; index += 1 + sizes[i] / 5) {
            assert_true(tree_prove_inclusion(&source, index, sizes[i], &p, &err));
            assert_true(tree_verify_inclusion(&leaves[index], index, sizes[i], &roots[i], &p, &err));
        }
        for (size_t j = 0; j <= i; j++) {
            assert_true(tree_prove_consistency(&source, sizes[j], sizes[i], &p, &err));
            assert_true(tree_verify_consistency(sizes[j], &roots[j], sizes[i], &roots[i], &p, &err));
        }
    }
    assert_false(tree_prove_inclusion(&source, 1, LEAVES + 1, &p, &err));
    tile_reader_close(r);
}

static void a_narrow_tile_is_read_from_a_wider_one(void **state)
{
    struct tile_writer *w = open_writer(0);
    struct tile_name name = {.width = 5};
    struct buf bytes;
    struct error err;
    (void)state;

    buf_init(&bytes, 8192);
    assert_false(tile_read(folder, &name, &bytes, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    add(w, 0, 9);
    commit(w);
    assert_true(tile_read(folder, &name, &bytes, &err));
    assert_int_equal(bytes.len, 5 * 32);
    assert_memory_equal(bytes.data, leaves, bytes.len);
    name.width = 10;
    assert_false(tile_read(folder, &name, &bytes, &err));
    add(w, 9, 256);
    name.width = 200;
    buf_clear(&bytes);
    assert_true(tile_read(folder, &name, &bytes, &err));
    assert_int_equal(bytes.len, 200 * 32);
    tile_writer_close(w);
    buf_deinit(&bytes);
}

/* As on a full disk: a folder stands where the file of the tile is to be made. */
static void set_in_the_way(const char *tile, bool is_there)
{
    char path[128];
    struct error err;

    (void)snprintf(path, sizeof(path), "%s/%s.new", folder, tile);
    assert_true(!is_there || file_make_directory(path, &err));
    assert_true(is_there || rmdir(path) == 0);
}

/* Adds until the number is reached, trying twice each time that it fails; true: it failed at least once. */
static bool add_past_failures(struct tile_writer *w, unsigned to, unsigned tries)
{
    bool has_failed = false;
    struct error err;

    while (tile_writer_size(w) < to && tries > 0) {
        bool is_added = tile_writer_add(w, &leaves[tile_writer_size(w)], &err);
        tries -= !is_added;
        has_failed = has_failed || !is_added;
    }
    return has_failed;
}

static void check_root(uint64_t size)
{
    struct tile_writer *w = open_writer(size);
    struct tree_edge edge = {.size = 0};
    struct tree_hash expected, root;

    for (uint64_t i = 0; i < size; i++) {
        tree_edge_add(&edge, &leaves[i]);
    }
    tree_edge_root(&edge, &expected);
    tile_writer_root(w, &root);
    assert_memory_equal(&root, &expected, sizeof(root));
    tile_writer_close(w);
}

static void a_tile_that_cannot_be_written_for_a_while_is_written_then(void **state)
{
    static const struct {
        const char *tile;
        unsigned size; /* with this many leaves it is full */
    } cases[] = {{"tile/0/000", 256}, {"tile/1/000", 65536}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tile_writer *w = open_writer(0);
        add(w, 0, cases[i].size - 1);
        set_in_the_way(cases[i].tile, true);
        assert_true(add_past_failures(w, cases[i].size + 300, 5));
        set_in_the_way(cases[i].tile, false);
        assert_false(add_past_failures(w, cases[i].size + 600, 5));
        commit(w);
        tile_writer_close(w);
        check_root(cases[i].size + 600);
        (void)remove_folder(NULL);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
}

int main(void)
{
#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_those_of_the_format),
        cmocka_unit_test(other_spellings_of_a_path_are_refused),
        cmocka_unit_test(widths_are_those_of_the_tree),
        IN_FOLDER(a_tile_that_cannot_be_written_for_a_while_is_written_then),
        IN_FOLDER(the_files_are_those_of_the_tree),
        IN_FOLDER(nothing_partial_is_written_before_a_commit),
        IN_FOLDER(the_partial_tiles_of_two_commits_stay),
        IN_FOLDER(a_writer_goes_on_from_any_commit),
        IN_FOLDER(a_writer_that_went_back_writes_the_same_files),
        IN_FOLDER(a_writer_does_not_go_on_from_what_is_not_there),
        IN_FOLDER(a_tile_that_could_not_be_written_is_written_later),
        IN_FOLDER(proofs_from_tiles_hold),
        IN_FOLDER(a_narrow_tile_is_read_from_a_wider_one),
    };
    return cmocka_run_group_tests(tests, make_leaves, free_leaves);
}
