#include "unit/record/log_testing.h"

#include <inttypes.h>
#include <sodium.h>
#include <sys/stat.h>

#include "replica/replica.h"
#include "index/index_find.h"
#include "record/checkpoint_store.h"
#include "record/proof.h"
#include "record/tiles.h"
#include "review/review_find.h"

/* --- what a node has, and what filterd-link has written of it ----------------------------- */

struct node {
    uint8_t seed[NOTE_SEED];
    struct note_key key;
    struct buf lines; /* the node's */
    uint64_t n;
};

static struct node node;
static struct replica *copy;

static void init_node(uint8_t fill)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    node.n = 0;
    memset(node.seed, fill, sizeof(node.seed));
    note_public(node.seed, public);
    must(note_key_make(span_str(ORIGIN), NOTE_ED25519, public, &node.key, &err), &err);
    buf_init(&node.lines, 16 * 1024 * 1024);
}

/* Of ten lines one is an item of the queue. */
static void add_lines(unsigned n)
{
    char vkey[NOTE_VKEY_MAX + 1];
    struct error err;

    note_key_format(&node.key, vkey);
    for (unsigned i = 0; i < n; i++) {
        node.n++;
        must(buf_appendf(&node.lines, &err, "{\"seq\":%" PRIu64 ",\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"%s\",\"ts\":\"2026-01-01T00:00:00.000000000Z\"",
                         node.n, node.n == 1 ? "log" : "decision"),
             &err);
        if (node.n == 1) {
            must(buf_appendf(&node.lines, &err, ",\"origin\":\"" ORIGIN "\",\"vkey\":\"%s\"}\n", vkey), &err);
        } else {
            must(buf_appendf(&node.lines, &err, ",\"req_id\":\"%08" PRIx64 "-a580-7761-a879-d7f612f9f4cb\",\"tenant\":\"t\",\"agent\":\"a\",\"action\":\"redact\",\"rule\":\"iban\"%s}\n", node.n,
                             node.n % 10 == 0 ? ",\"review\":{\"why\":\"action\",\"due_s\":60}" : ""),
                 &err);
        }
    }
}

static void root_of(uint64_t size, struct tree_hash *root)
{
    struct tree_edge edge = {.size = 0};
    struct tree_hash leaf;
    const char *at = node.lines.data;

    for (uint64_t i = 0; i < size; i++) {
        const char *newline = memchr(at, '\n', (size_t)(node.lines.data + node.lines.len - at));
        tree_hash_leaf(span_of(at, (size_t)(newline - at)), &leaf);
        tree_edge_add(&edge, &leaf);
        at = newline + 1;
    }
    tree_edge_root(&edge, root);
}

static void write_checkpoint(const struct tree_hash *root, uint64_t size)
{
    struct buf text, note;
    struct error err;

    buf_init(&text, CHECKPOINT_TEXT_MAX);
    buf_init(&note, NOTE_MAX);
    must(checkpoint_format(span_str(ORIGIN), size, root, &text, &err) && buf_append(&note, buf_span(&text), &err) && buf_append_char(&note, '\n', &err) &&
             note_sign(&node.key, node.seed, buf_span(&text), 0, &note, &err) && file_write_atomic(in_folder("web-1/record/checkpoint"), buf_span(&note), 0600, &err),
         &err);
    buf_deinit(&text);
    buf_deinit(&note);
}

static void sign(uint64_t size)
{
    struct tree_hash root;

    root_of(size, &root);
    write_checkpoint(&root, size);
}

/* As filterd-link does: what is there stays, and the rest is added. */
static void gather(struct span text)
{
    FILE *file = fopen(in_folder("web-1/decisions.jsonl"), "ab");

    assert_non_null(file);
    size_t there = (size_t)ftell(file);
    assert_int_equal(fwrite(text.ptr + there, 1, text.len - there, file), text.len - there);
    assert_int_equal(fclose(file), 0);
}

static const struct replica_state *look(void)
{
    bool more = true;

    for (int i = 0; i < 1000 && more; i++) {
        replica_step(copy, 1000, &more);
    }
    assert_false(more);
    return replica_state(copy);
}

static unsigned count_items(enum review_states states)
{
    struct review_reader *r = NULL;
    struct review_counts counts;
    struct error err;

    r = review_reader_open(in_folder("web-1/record/review.db"), &err);
    must(r != NULL && review_counts(r, span_of(NULL, 0), 0, &counts, &err), &err);
    review_reader_close(r);
    return (unsigned)(states == REVIEW_ITEMS_CLOSED ? counts.n[ITEM_CLOSED] : counts.n[ITEM_NEW]);
}

static enum replica_proof how_is(uint64_t seq, struct buf *proof)
{
    struct replica_place place;
    enum replica_proof how;
    struct error err;
    struct buf line;

    buf_init(&line, TREE_LEAF_MAX);
    must(replica_place(&place, folder, "web-1", &err) && replica_line(&place, replica_state(copy), seq, &line, &how, proof, &err), &err);
    buf_deinit(&line);
    return how;
}

static int set_up(void **state)
{
    struct error err;

    (void)empty_folder(state);
    init_node(7);
    must(file_make_directory(in_folder("web-1/record"), &err), &err);
    copy = replica_open(folder, "web-1", &err);
    must(copy != NULL, &err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    replica_close(copy);
    buf_deinit(&node.lines);
    return 0;
}

static void reopen(void)
{
    struct error err;

    replica_close(copy);
    copy = replica_open(folder, "web-1", &err);
    must(copy != NULL, &err);
}

/* --- tests ---------------------------------------------------------------------------------- */

static void lines_count_once_the_node_has_signed_them(void **state)
{
    struct buf proof;
    struct proof parsed;
    struct tree_hash leaf;
    struct error err;

    (void)state;
    add_lines(700);
    gather(buf_span(&node.lines));
    assert_int_equal(look()->proven, 0);
    assert_int_equal(how_is(700, NULL), REPLICA_UNSIGNED);
    sign(500);
    assert_int_equal(look()->proven, 500);
    assert_int_equal(look()->folded, 500);
    assert_string_equal(look()->why, "");
    assert_int_equal(count_items(REVIEW_ITEMS_NEW), 50);
    assert_int_equal(how_is(501, NULL), REPLICA_UNSIGNED);
    buf_init(&proof, PROOF_MAX);
    assert_int_equal(how_is(300, &proof), REPLICA_PROVEN);

    struct buf line;
    buf_init(&line, TREE_LEAF_MAX);
    must(proof_parse(buf_span(&proof), &parsed, &err) && proof_extra(&parsed, &line, &err) && checkpoint_verify(&parsed.checkpoint, &node.key, &err), &err);
    tree_hash_leaf(buf_span(&line), &leaf);
    must(proof_verify(&parsed, &leaf, &err), &err);
    assert_int_equal(parsed.index, 299);
    buf_deinit(&line);
    buf_deinit(&proof);
}

static void the_next_process_continues_the_copy(void **state)
{
    (void)state;
    add_lines(300);
    gather(buf_span(&node.lines));
    sign(300);
    (void)look();
    reopen();
    assert_int_equal(look()->proven, 300);
    add_lines(300);
    gather(buf_span(&node.lines));
    sign(600);
    assert_int_equal(look()->proven, 600);
    assert_int_equal(count_items(REVIEW_ITEMS_NEW), 60);
}

/* A line that was changed behind the proven ones, with a forged disposition of an item before. */
static void what_was_changed_is_broken_and_changes_no_item(void **state)
{
    static const char forged[] = "{\"seq\":21,\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"review\",\"ts\":\"2026-01-01T00:00:01.000000000Z\",\"step\":\"dispose\","
                                 "\"item\":10,\"from\":\"new\",\"to\":\"closed\",\"disposition\":\"benign\",\"by\":\"anna\",\"role\":\"reviewer\"}\n";
    struct buf text;
    struct error err;

    (void)state;
    add_lines(20);
    gather(buf_span(&node.lines));
    sign(20);
    assert_int_equal(look()->proven, 20);
    buf_init(&text, 1 << 20);
    must(buf_append(&text, buf_span(&node.lines), &err) && buf_append_str(&text, forged, &err), &err);
    add_lines(5);
    gather(buf_span(&text));
    assert_int_equal(how_is(21, NULL), REPLICA_UNSIGNED);
    sign(21);
    assert_int_equal(look()->broken, 21);
    assert_int_equal(look()->proven, 20);
    assert_string_equal(look()->why, "lines 21 to 21 are not what the node has signed");
    assert_int_equal(how_is(21, NULL), REPLICA_BROKEN);
    assert_int_equal(how_is(20, NULL), REPLICA_PROVEN);
    assert_int_equal(count_items(REVIEW_ITEMS_NEW), 2);
    assert_int_equal(count_items(REVIEW_ITEMS_CLOSED), 0);
    reopen();
    assert_int_equal(look()->broken, 21);

    /* Made anew from a database that is right again. */
    assert_int_equal(unlink(in_folder("web-1/decisions.jsonl")), 0);
    gather(buf_span(&node.lines));
    sign(25);
    (void)look();
    assert_int_equal(look()->proven, 25);
    assert_int_equal(look()->broken, 0);
    assert_int_equal(how_is(21, NULL), REPLICA_PROVEN);
    buf_deinit(&text);
}

static void a_line_that_was_changed_here_later_is_broken(void **state)
{
    (void)state;
    add_lines(20);
    gather(buf_span(&node.lines));
    sign(20);
    (void)look();
    FILE *file = fopen(in_folder("web-1/decisions.jsonl"), "r+b");
    assert_non_null(file);
    const char *action = strstr(strstr(node.lines.data, "\"seq\":10,"), "redact");
    assert_int_equal(fseek(file, action - node.lines.data, SEEK_SET), 0);
    assert_int_equal(fwrite("permit", 1, 6, file), 6);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(how_is(10, NULL), REPLICA_BROKEN);
    assert_int_equal(how_is(11, NULL), REPLICA_PROVEN);
}

static void another_key_is_refused(void **state)
{
    (void)state;
    add_lines(20);
    gather(buf_span(&node.lines));
    sign(20);
    (void)look();
    buf_deinit(&node.lines);
    init_node(8);
    add_lines(30);
    assert_int_equal(unlink(in_folder("web-1/decisions.jsonl")), 0);
    gather(buf_span(&node.lines));
    sign(30);
    assert_int_equal(look()->proven, 0);
    assert_non_null(strstr(look()->why, "another key"));
}

static void a_checkpoint_that_the_key_has_not_signed_proves_nothing(void **state)
{
    struct node real;

    (void)state;
    add_lines(20);
    gather(buf_span(&node.lines));
    sign(10);
    assert_int_equal(look()->proven, 10);
    real = node;
    memset(node.seed, 9, sizeof(node.seed));
    sign(20);
    node = real;
    assert_int_equal(look()->proven, 10);
    assert_int_equal(look()->broken, 0);
    assert_string_not_equal(look()->why, "");
    sign(20);
    assert_int_equal(look()->proven, 20);
    assert_string_equal(look()->why, "");
}

static void lines_that_are_not_there_are_awaited(void **state)
{
    (void)state;
    add_lines(20);
    sign(20);
    gather(span_of(node.lines.data, (size_t)(strstr(node.lines.data, "{\"seq\":15,") - node.lines.data)));
    assert_int_equal(look()->proven, 0);
    assert_string_equal(look()->why, "the node has signed 20 lines; the copy has 14");
    gather(buf_span(&node.lines));
    assert_int_equal(look()->proven, 20);
    sign(10); /* of a database that was restored */
    assert_int_equal(look()->proven, 20);
    assert_string_equal(look()->why, "");
}

static void two_logs_of_one_length_are_distinguished(void **state)
{
    struct tree_hash root = {.bytes = {1}};

    (void)state;
    add_lines(20);
    gather(buf_span(&node.lines));
    sign(20);
    (void)look();
    write_checkpoint(&root, 20);
    assert_int_equal(look()->broken, 20);
    assert_string_equal(look()->why, "the node has signed two logs of 20 lines");
}

static void add_removal(uint64_t last)
{
    struct error err;

    node.n++;
    must(buf_appendf(&node.lines, &err, "{\"seq\":%" PRIu64 ",\"node\":\"n\",\"boot_id\":\"b\",\"v\":2,\"type\":\"prune\",\"ts\":\"2026-01-01T00:00:00.000000000Z\","
                     "\"files\":[\"a\"],\"sha256\":[\"b\"],\"first\":1,\"last\":%" PRIu64 ",\"lines\":%" PRIu64 ",\"by\":\"uid 0\"}\n", node.n, last, last),
         &err);
}

/* A copy that begins behind `last`, as filterd-link writes it: tiles stand for the lines before. Where they begin in the text. */
static size_t begin_behind(uint64_t last)
{
    char vkey[NOTE_VKEY_MAX + 2], number[32];
    const char *at = node.lines.data;
    struct tree_hash leaf;
    struct error err;

    struct tile_writer *tiles = tile_writer_open(in_folder("web-1/record"), 0, &err);
    must(tiles != NULL, &err);
    for (uint64_t i = 0; i < last; i++) {
        const char *newline = strchr(at, '\n');
        tree_hash_leaf(span_of(at, (size_t)(newline - at)), &leaf);
        must(tile_writer_add(tiles, &leaf, &err), &err);
        at = newline + 1;
    }
    must(tile_writer_commit(tiles, &err), &err);
    tile_writer_close(tiles);
    note_key_format(&node.key, vkey);
    (void)snprintf(number, sizeof(number), "%" PRIu64 "\n", last);
    must(file_write_atomic(in_folder("web-1/record/vkey"), span_str(vkey), 0600, &err) &&
             file_write_atomic(in_folder("web-1/record/minimum"), span_str(number), 0600, &err), &err);
    return (size_t)(at - node.lines.data);
}

static void lines_that_were_removed_are_stood_for_by_tiles(void **state)
{
    (void)state;
    add_lines(300);
    size_t begin = begin_behind(200);
    gather(span_slice(buf_span(&node.lines), begin, node.lines.len));
    sign(300);
    assert_int_equal(look()->proven, 0);
    assert_string_equal(look()->why, "lines 1 to 200 are missing, and no line that the node has signed says that they were removed");
    add_removal(199);
    gather(span_slice(buf_span(&node.lines), begin, node.lines.len));
    sign(301);
    assert_int_equal(look()->proven, 0);
    add_removal(200);
    gather(span_slice(buf_span(&node.lines), begin, node.lines.len));
    assert_int_equal(look()->proven, 0);
    sign(302);
    assert_int_equal(look()->proven, 302);
    assert_int_equal(look()->removed, 200);
    assert_string_equal(look()->why, "");
    assert_int_equal(how_is(201, NULL), REPLICA_PROVEN);
    reopen();
    add_lines(10);
    gather(span_slice(buf_span(&node.lines), begin, node.lines.len));
    sign(312);
    assert_int_equal(look()->proven, 312);
}

static void a_forged_hash_of_a_removed_line_is_found(void **state)
{
    struct error err;

    (void)state;
    add_lines(100);
    add_removal(50);
    size_t begin = begin_behind(50);
    struct buf tile;
    buf_init(&tile, 1 << 14);
    must(file_read(in_folder("web-1/record/tile/0/000.p/50"), &tile, &err), &err);
    tile.data[32 * 20] ^= 1;
    must(file_write_atomic(in_folder("web-1/record/tile/0/000.p/50"), buf_span(&tile), 0600, &err), &err);
    buf_deinit(&tile);
    gather(span_slice(buf_span(&node.lines), begin, node.lines.len));
    sign(101);
    assert_int_equal(look()->proven, 0);
    assert_int_equal(look()->broken, 101);
}

struct rest {
    unsigned n, n_broken;
};

static bool take(void *context, uint64_t seq, struct span line, enum replica_proof how, struct error *err)
{
    struct rest *rest = context;

    (void)seq, (void)line, (void)err;
    rest->n++;
    rest->n_broken += how == REPLICA_BROKEN;
    return true;
}

static void lines_behind_the_proven_ones_are_listed(void **state)
{
    struct replica_place place;
    struct rest rest = {0};
    struct error err;

    (void)state;
    add_lines(30);
    gather(buf_span(&node.lines));
    sign(20);
    (void)look();
    must(replica_place(&place, folder, "web-1", &err) && replica_rest(&place, look(), 100, take, &rest, &err), &err);
    assert_int_equal(rest.n, 10);
    assert_int_equal(rest.n_broken, 0);
    rest = (struct rest){0};
    must(replica_rest(&place, look(), 3, take, &rest, &err), &err);
    assert_int_equal(rest.n, 3);
    sign(30);
    (void)look();
    rest = (struct rest){0};
    must(replica_rest(&place, look(), 3, take, &rest, &err), &err);
    assert_int_equal(rest.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_count_once_the_node_has_signed_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_next_process_continues_the_copy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_changed_is_broken_and_changes_no_item, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_that_was_changed_here_later_is_broken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_key_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_the_key_has_not_signed_proves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_that_are_not_there_are_awaited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_logs_of_one_length_are_distinguished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_that_were_removed_are_stood_for_by_tiles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forged_hash_of_a_removed_line_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_behind_the_proven_ones_are_listed, set_up, tear_down),
    };

    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    (void)empty_folder(NULL);
    (void)rmdir(folder);
    return failures;
}
