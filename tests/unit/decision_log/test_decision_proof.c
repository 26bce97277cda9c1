#include "unit/decision_log/proven_log_testing.h"

static void a_log_begins_with_a_line_that_names_it(void **state)
{
    struct proven_log p;
    struct note_key key;
    (void)state;
    open_proven(&p);
    add_lines(&p, 3);
    close_proven(&p);
    json_t *first = read_line("decisions.jsonl", 1);
    assert_string_equal(text_at(first, "type"), "log");
    assert_int_equal(json_integer_value(json_object_get(first, "v")), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "seq")), 1);
    must(note_key_parse(span_str(text_at(first, "vkey")), &key, &err));
    assert_string_equal(key.name, text_at(first, "origin"));
    assert_null(json_object_get(first, "after"));
    assert_null(json_object_get(first, "before"));
    json_decref(first);
    expect_sound(4);
}

static void a_log_goes_on_over_starts(void **state)
{
    struct proven_log p;
    uint64_t n = 1;
    (void)state;
    for (unsigned i = 1; i < 700; i = 3 * i + 1) {
        open_proven(&p);
        add_lines(&p, i);
        n += i;
        close_proven(&p);
        expect_sound(n);
    }
    open_proven(&p);
    close_proven(&p);
    expect_sound(n);
}

static void a_checkpoint_is_there_when_asked_for(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    for (unsigned i = 1; i <= 20; i++) {
        add_lines(&p, 1);
        must(decision_log_checkpoint(p.log, &err));
        assert_int_equal(decision_log_signed(p.log), 1 + i);
        expect_sound(1 + i);
    }
    close_proven(&p);
}

static void lines_get_a_checkpoint_soon_without_being_asked(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 5);
    for (int i = 0; i < 2000 && decision_log_signed(p.log) < 6; i++) {
        usleep(5000);
    }
    assert_int_equal(decision_log_signed(p.log), 6);
    assert_int_equal(decision_log_signed_before(p.log), 0); /* whatever was signed since it was opened */
    close_proven(&p);
    open_proven(&p);
    assert_int_equal(decision_log_signed_before(p.log), 6);
    close_proven(&p);
}

static void a_rotated_log_is_one_log(void **state)
{
    static const char *const names[] = {"zz", "b.old", "1"};
    struct proven_log p;
    (void)state;
    open_proven(&p);
    for (size_t i = 0; i < COUNT(names); i++) {
        add_lines(&p, 100);
        assert_int_equal(rename(at("decisions.jsonl"), at(names[i])), 0);
        must(decision_log_reopen(p.log, &err));
        assert_true(decision_log_signed(p.log) >= 1 + 100 * (i + 1) + i); /* the whole old file */
        assert_false(check_log().finding.is_there);
    }
    add_lines(&p, 1);
    json_t *first = read_line("decisions.jsonl", 1);
    assert_string_equal(text_at(first, "type"), "rotation");
    assert_true(strlen(text_at(first, "origin")) > 16);
    json_decref(first);
    close_proven(&p);
    expect_sound(1 + 3 * 100 + 1 + 2 + 1);
}

/* Also when it was moved away while nothing ran, or elsewhere. */
static void a_log_rotated_between_starts_is_one_log(void **state)
{
    char elsewhere[] = "/tmp/filterd-elsewhere-XXXXXX", moved[300];
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 300);
    close_proven(&p);
    assert_int_equal(rename(at("decisions.jsonl"), at("moved")), 0);
    open_proven(&p);
    add_lines(&p, 1);
    close_proven(&p);
    expect_sound(303);

    assert_non_null(mkdtemp(elsewhere));
    (void)snprintf(moved, sizeof(moved), "%s/log", elsewhere);
    assert_int_equal(rename(at("moved"), moved), 0);
    open_proven(&p);
    add_lines(&p, 1);
    close_proven(&p);
    assert_int_equal(check_log().finding.first, 1); /* missing here, and so said */
    assert_int_equal(rename(moved, at("back")), 0);
    expect_sound(304);
    (void)rmdir(elsewhere);
}

static void a_file_with_lines_is_not_gone_on_in(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 3);
    assert_int_equal(rename(at("decisions.jsonl"), at("old")), 0);
    write_text("decisions.jsonl", span_str("{\"seq\":9,\"v\":2,\"type\":\"test\"}\n"));
    assert_false(decision_log_reopen(p.log, &err));
    add_lines(&p, 1);
    close_proven(&p);
    assert_int_equal(rename(at("old"), at("decisions.jsonl")), 0);
    expect_sound(5);
}

static void a_file_without_a_proof_is_closed_as_it_is(void **state)
{
    static const char old[] =
        "{\"seq\":7,\"node\":\"n\",\"boot_id\":\"b\",\"v\":1,\"type\":\"decision\",\"ts\":\"2026-01-02T03:04:05.000000006Z\","
        "\"req_id\":\"01a1fee2-a580-7761-a879-d7f612f9f4cb\",\"phase\":\"open\"}\n"
        "{\"seq\":8,\"node\":\"n\",\"boot_id\":\"b\",\"v\":1,\"type\":\"test\"}\n";
    struct proven_log p;
    struct buf closed;
    (void)state;
    write_text("decisions.jsonl", span_str(old));
    open_proven(&p);
    add_lines(&p, 2);
    close_proven(&p);
    expect_sound(3);

    /* The exchange that was open has its end in the old file. */
    read_text("decisions-00000007.jsonl", &closed);
    assert_true(span_starts_with(buf_span(&closed), span_str(old)));
    json_t *end = read_line("decisions-00000007.jsonl", 3);
    assert_string_equal(text_at(end, "end"), "crash");
    json_decref(end);

    char sha256[2 * crypto_hash_sha256_BYTES + 1];
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, (const unsigned char *)closed.data, closed.len);
    (void)sodium_bin2hex(sha256, sizeof(sha256), digest, sizeof(digest));
    json_t *first = read_line("decisions.jsonl", 1);
    const json_t *before = json_object_get(first, "before");
    assert_string_equal(text_at(before, "sha256"), sha256);
    assert_int_equal(json_integer_value(json_object_get(before, "last_seq")), 10);
    json_decref(first);
    buf_deinit(&closed);
}

/* Each step that a start which closes a file may be interrupted after. */
static void an_interrupted_closing_is_done_again(void **state)
{
    static const char old[] = "{\"seq\":7,\"node\":\"n\",\"boot_id\":\"b\",\"v\":1,\"type\":\"test\"}\n";
    struct proven_log p;
    (void)state;
    for (unsigned step = 0; step < 3; step++) {
        (void)empty_folder(state);
        write_text("decisions.jsonl", span_str(old));
        write_text("decisions.jsonl.new", span_str("{\"seq\":1,\"node\":\"n\""));
        if (step > 0) {
            assert_int_equal(link(at("decisions.jsonl"), at("decisions-00000007.jsonl")), 0);
        }
        if (step > 1) {
            write_text("decisions-00000007.jsonl", span_str("a file of somebody's\n"));
        }
        open_proven(&p);
        close_proven(&p);
        expect_sound(1);
        assert_int_equal(access(at("decisions-00000007.jsonl"), F_OK), 0);
        assert_int_equal(access(at("decisions-00000007-1.jsonl"), F_OK), step > 1 ? 0 : -1);
        assert_int_equal(access(at("decisions.jsonl.new"), F_OK), -1);
    }
}

/* Each would take the other's record for its own. */
static void a_second_log_in_the_folder_is_refused(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 1);
    const struct decision_proving proving = {.signer = &p.signer};
    assert_null(decision_log_open_proven(at("other.jsonl"), &proving, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    close_proven(&p);
    open_proven(&p);
    close_proven(&p);
    expect_sound(2);
}

/* --- tampering --------------------------------------------------------------------- */

static void make_log(unsigned n)
{
    struct proven_log p;

    (void)empty_folder(NULL);
    open_proven(&p);
    add_lines(&p, n - 1);
    close_proven(&p);
    expect_sound(n);
}

static size_t line_start(const struct buf *text, uint64_t seq)
{
    size_t start = 0;

    for (uint64_t i = 1; i < seq; i++) {
        start = (size_t)((const char *)memchr(text->data + start, '\n', text->len - start) - text->data) + 1;
    }
    return start;
}

static void expect_refused(const char *what)
{
    struct proven_log p;

    assert_false(try_open(&p, NULL));
    assert_int_equal(err.kind, ERROR_INVALID);
    if (strstr(err.text, what) == NULL) {
        fail_msg("'%s' expected in: %s", what, err.text);
    }
}

static void a_changed_line_is_named_at_the_start(void **state)
{
    char wanted[64];
    struct buf text;
    (void)state;
    for (uint64_t seq = 257; seq <= 300; seq += 7) {
        make_log(300);
        read_text("decisions.jsonl", &text);
        text.data[line_start(&text, seq) + 60] ^= 1;
        write_text("decisions.jsonl", buf_span(&text));
        (void)snprintf(wanted, sizeof(wanted), "record: line %llu is not what was signed at 20", (unsigned long long)seq);
        expect_refused(wanted);
        buf_deinit(&text);
    }
}

static void a_cut_tail_is_named_at_the_start(void **state)
{
    struct buf text;
    (void)state;
    make_log(300);
    read_text("decisions.jsonl", &text);
    write_text("decisions.jsonl", span_of(text.data, line_start(&text, 290)));
    expect_refused("record: line 290 is not what was signed at 20");
    write_text("decisions.jsonl", span_of(text.data, line_start(&text, 290) + 5));
    expect_refused("record: line 290 is not what was signed at 20");
    buf_deinit(&text);
}

static void a_forged_checkpoint_is_refused(void **state)
{
    struct buf note;
    (void)state;
    make_log(20);
    read_text("record/checkpoint", &note);
    *(char *)memmem(note.data, note.len, "\n20\n", 4) = '\n';
    memcpy(memmem(note.data, note.len, "\n20\n", 4), "\n19\n", 4);
    write_text("record/checkpoint", buf_span(&note));
    expect_refused("checkpoint");
    buf_deinit(&note);
}

/* Whoever deletes the newest checkpoints, and lines with them, has the signer against them. */
static void a_rolled_back_log_gets_no_signature(void **state)
{
    struct proven_log p;
    struct buf text, note;
    (void)state;
    make_log(20);
    read_text("decisions.jsonl", &text);
    read_text("record/checkpoint", &note);
    open_proven(&p);
    add_lines(&p, 10);
    close_proven(&p);
    write_text("decisions.jsonl", buf_span(&text));
    write_text("record/checkpoint", buf_span(&note));
    write_text("record/checkpoints", buf_span(&note));
    open_proven(&p);
    add_lines(&p, 20);
    assert_false(decision_log_checkpoint(p.log, &err));
    assert_false(decision_log_is_healthy(p.log));
    close_proven(&p);
    buf_deinit(&text);
    buf_deinit(&note);
}

static void missing_or_damaged_tiles_are_made_again(void **state)
{
    static const char *const tiles[] = {"record/tile/0/000", "record/tile/0/002.p/88", "record/tile/1/000.p/2"};
    struct proven_log p;
    struct buf tile;
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(tiles); i++) {
        make_log(600);
        if (i % 2 == 0) {
            assert_int_equal(unlink(at(tiles[i / 2])), 0);
        } else {
            read_text(tiles[i / 2], &tile);
            tile.data[tile.len - 1] ^= 1;
            write_text(tiles[i / 2], buf_span(&tile));
            buf_deinit(&tile);
        }
        open_proven(&p);
        add_lines(&p, 5);
        close_proven(&p);
        struct log_check_result result = check_log();
        /* A full tile that is not of the right edge is not looked at by a start. */
        assert_true(i / 2 == 0 || (!result.finding.is_there && result.missing_tiles == 0));
    }
}

static void a_lost_record_is_made_again_from_the_lines(void **state)
{
    struct proven_log p;
    (void)state;
    make_log(600);
    assert_int_equal(rename(at("record"), at("lost")), 0);
    open_proven(&p);
    close_proven(&p);
    expect_sound(600);
}

static void a_new_record_names_the_one_before_and_why(void **state)
{
    struct proven_log p;
    struct checkpoint old;
    struct buf text, note;
    char origin[CHECKPOINT_ORIGIN_MAX + 1], aside[64], root[TREE_HASH_TEXT + 1];
    (void)state;
    make_log(30);
    newest(&note, &old);
    (void)snprintf(origin, sizeof(origin), SPAN_FMT, SPAN_ARG(old.origin));
    tree_hash_format(&old.root, root);
    read_text("decisions.jsonl", &text);
    text.data[line_start(&text, 28) + 60] ^= 1;
    write_text("decisions.jsonl", buf_span(&text));
    expect_refused("line 28");

    must(try_open(&p, "a disk was lost"));
    add_lines(&p, 2);
    close_proven(&p);
    expect_sound(3);
    json_t *first = read_line("decisions.jsonl", 1);
    const json_t *after = json_object_get(first, "after");
    assert_string_equal(text_at(first, "reason"), "a disk was lost");
    assert_string_equal(text_at(after, "origin"), origin);
    assert_string_equal(text_at(after, "root"), root);
    assert_int_equal(json_integer_value(json_object_get(after, "size")), 30);
    json_decref(first);
    assert_int_equal(access(at("decisions-00000001.jsonl"), F_OK), 0);
    (void)snprintf(aside, sizeof(aside), "record-%s/checkpoint", strrchr(origin, '/') + 1);
    assert_int_equal(access(at(aside), F_OK), 0);
    buf_deinit(&text);
    buf_deinit(&note);
}

/* The new file is there, and the record of the old log still in its place. */
static void an_interrupted_new_record_is_gone_on_with(void **state)
{
    struct proven_log p;
    char aside[64];
    struct checkpoint old;
    struct buf note;
    (void)state;
    make_log(30);
    newest(&note, &old);
    (void)snprintf(aside, sizeof(aside), "record-%.16s", old.origin.ptr + old.origin.len - 16);
    must(try_open(&p, "a test"));
    close_proven(&p);
    assert_int_equal(rename(at("record"), at("new record")), 0);
    assert_int_equal(rename(at(aside), at("record")), 0);
    open_proven(&p);
    add_lines(&p, 1);
    close_proven(&p);
    expect_sound(2);
    assert_int_equal(access(at(aside), F_OK), 0);
    buf_deinit(&note);
}

static void a_truncated_file_stops_the_proof_and_says_so(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 5);
    must(decision_log_checkpoint(p.log, &err));
    assert_int_equal(truncate(at("decisions.jsonl"), 0), 0);
    char line[] = "{\"v\":2,\"type\":\"test\"}";
    assert_false(decision_log_append_wait(p.log, span_str(line), &err));
    assert_false(decision_log_is_healthy(p.log));
    close_proven(&p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, empty_folder, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_log_begins_with_a_line_that_names_it),
        TEST(a_log_goes_on_over_starts),
        TEST(a_checkpoint_is_there_when_asked_for),
        TEST(lines_get_a_checkpoint_soon_without_being_asked),
        TEST(a_rotated_log_is_one_log),
        TEST(a_log_rotated_between_starts_is_one_log),
        TEST(a_file_with_lines_is_not_gone_on_in),
        TEST(a_file_without_a_proof_is_closed_as_it_is),
        TEST(an_interrupted_closing_is_done_again),
        TEST(a_second_log_in_the_folder_is_refused),
        TEST(a_changed_line_is_named_at_the_start),
        TEST(a_cut_tail_is_named_at_the_start),
        TEST(a_forged_checkpoint_is_refused),
        TEST(a_rolled_back_log_gets_no_signature),
        TEST(missing_or_damaged_tiles_are_made_again),
        TEST(a_lost_record_is_made_again_from_the_lines),
        TEST(a_new_record_names_the_one_before_and_why),
        TEST(an_interrupted_new_record_is_gone_on_with),
        TEST(a_truncated_file_stops_the_proof_and_says_so),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
