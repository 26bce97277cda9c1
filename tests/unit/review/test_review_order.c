/* An order is what the console has signed, for one line in one state; and nobody can change it. */
#include "testing.h"

#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "review/review_order.h"

static const uint64_t item = 17;
static uint8_t seed[NOTE_SEED] = {3};
static struct note_key key;
static struct arena memory;
static struct buf note;

static struct review_order an_order(void)
{
    struct review_order o = {.id = "00112233445566778899aabbccddeeff", .node = span_str("web-2"), .leaf = {.bytes = {9, 8, 7}}, .version = 3,
                             .tenant = span_str("acme"),
                             .line = {.ts_ns = INT64_C(1763700000000000000), .verb = ITEM_DISPOSE, .items = &item, .n_items = 1, .from = ITEM_STATES,
                                      .to = ITEM_STATES, .disposition = ITEM_BENIGN, .by = span_str("anna"), .role = span_str("reviewer"),
                                      .note = span_str("two\nlines, \"quoted\"")}};

    return o;
}

static int set_up(void **state)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    (void)state;
    arena_init(&memory, 0, 1 << 20);
    buf_init(&note, REVIEW_ORDER_MAX);
    note_public(seed, public);
    return !note_key_make(span_str("desk.example/review"), NOTE_ED25519, public, &key, &err);
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&memory);
    buf_deinit(&note);
    return 0;
}

static void sign(const struct review_order *o)
{
    struct error err;

    if (!review_order_sign(o, &key, seed, &note, &err)) {
        fail_msg("%s", err.text);
    }
}

static struct review_consoles only(const struct note_key *one)
{
    struct review_consoles c = {.n = 1};

    c.keys[0] = *one;
    return c;
}

static void an_order_is_read_as_it_was_signed(void **state)
{
    const struct review_consoles consoles = only(&key);
    const struct note_key *console = NULL;
    struct review_order o = an_order(), back;
    struct error err;

    (void)state;
    memset(&back, 0xa5, sizeof(back));
    sign(&o);
    assert_true(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
    assert_true(back.kind == REVIEW_ORDER_STEP && back.request.len == 0 && back.step.len == 0);
    assert_string_equal(console->name, "desk.example/review");
    assert_string_equal(back.id, o.id);
    assert_true(span_is(back.node, "web-2") && span_is(back.tenant, "acme") && back.version == 3 && tree_hash_equal(&back.leaf, &o.leaf));
    assert_true(back.line.verb == ITEM_DISPOSE && back.line.disposition == ITEM_BENIGN && back.line.n_items == 1 && back.line.items[0] == 17);
    assert_true(span_is(back.line.by, "anna") && span_equal(back.line.note, o.line.note) && back.line.ts_ns == o.line.ts_ns);
    o.tenant = span_of("", 0);
    sign(&o);
    assert_true(review_order_read(buf_span(&note), &memory, &back, &err) && back.tenant.len == 0);
}

static void an_order_may_be_for_a_group(void **state)
{
    const struct review_consoles consoles = only(&key);
    const struct note_key *console = NULL;
    struct review_order o = an_order(), back;
    struct error err;

    (void)state;
    o.line.n_items = 0;
    o.line.has_group = true;
    memset(o.line.group, 0xa5, sizeof(o.line.group));
    sign(&o);
    assert_null(memmem(note.data, note.len, "leaf", 4));
    assert_true(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
    assert_true(back.line.has_group && back.line.n_items == 0 && memcmp(back.line.group, o.line.group, sizeof(o.line.group)) == 0);
    assert_true(back.version == 0 && tree_hash_equal(&back.leaf, &(struct tree_hash){.bytes = {0}}));
    note.data[note.len - 1] ^= 1;
    assert_false(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
}

static void an_order_may_be_for_a_request(void **state)
{
    const struct review_consoles consoles = only(&key);
    const struct note_key *console = NULL;
    struct review_order o = an_order(), back;
    struct error err;

    (void)state;
    o.kind = REVIEW_ORDER_REVEAL;
    o.request = span_str("0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");
    o.step = span_str("approved");
    o.line.by = span_str("ben \"the second\"");
    o.line.role = span_str("approver");
    sign(&o);
    assert_true(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
    assert_int_equal(back.kind, REVIEW_ORDER_REVEAL);
    assert_true(span_equal(back.request, o.request) && span_is(back.step, "approved") && span_equal(back.line.by, o.line.by) && span_is(back.line.role, "approver"));
    assert_true(span_is(back.tenant, "acme") && back.line.ts_ns == o.line.ts_ns && back.line.n_items == 0 && !back.line.has_group);
    o.kind = REVIEW_ORDER_EXCEPTION;
    sign(&o);
    assert_true(review_order_read(buf_span(&note), &memory, &back, &err) && back.kind == REVIEW_ORDER_EXCEPTION);
    for (size_t i = 0; i < note.len; i++) {
        note.data[i] ^= 1;
        arena_reset(&memory);
        assert_false(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
        note.data[i] ^= 1;
    }
}

/* Each byte of it. */
static void a_changed_order_is_refused(void **state)
{
    const struct review_consoles consoles = only(&key);
    const struct note_key *console = NULL;
    struct review_order o = an_order(), back;
    struct error err;

    (void)state;
    sign(&o);
    for (size_t i = 0; i < note.len; i++) {
        note.data[i] ^= 1;
        arena_reset(&memory);
        assert_false(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
        note.data[i] ^= 1;
    }
    assert_true(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
}

static void another_key_and_none_are_refused(void **state)
{
    uint8_t other_seed[NOTE_SEED] = {4}, public[NOTE_PUBLIC];
    const struct note_key *console = NULL;
    const struct review_order o = an_order();
    struct review_order back;
    struct note_key other;
    struct error err;

    (void)state;
    note_public(other_seed, public);
    assert_true(note_key_make(span_str("desk.example/review"), NOTE_ED25519, public, &other, &err));
    const struct review_consoles consoles = only(&other);
    sign(&o);
    assert_false(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    const char *end = memmem(note.data, note.len, "\n\n", 2);
    assert_false(review_order_verify(span_of(note.data, (size_t)(end - note.data) + 2), &consoles, &memory, &back, &console, &err));
}

static void what_is_no_order_is_refused(void **state)
{
    static const char *const texts[] = {
        "filterd review order\nnode web-2\n",
        "another\nid 00112233445566778899aabbccddeeff\n",
        "filterd review order\nid 00112233445566778899AABBCCDDEEFF\nnode web-2\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode \nleaf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nversion 1\n{\"step\":\"claim\",\"by\":\"a\",\"item\":1}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\n{\"step\":\"claim\",\"by\":\"a\",\"item\":1}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\n{\"type\":\"exception\",\"id\":\"1\",\"step\":\"approved\",\"by\":\"\",\"role\":\"approver\"}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\n{\"type\":\"admin\",\"id\":\"1\",\"step\":\"approved\",\"by\":\"a\",\"role\":\"approver\"}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nversion 1\n{\"step\":\"snooze\",\"by\":\"a\",\"group\":\"group:00112233445566778899aabbccddeeff\"}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nleaf AAAA\nversion 1\n{\"step\":\"claim\",\"by\":\"a\",\"item\":1}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nleaf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nversion 01\n{\"step\":\"claim\",\"by\":\"a\",\"item\":1}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nleaf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nversion 1\n{\"step\":\"claim\",\"by\":\"a\",\"items\":[1,2]}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nleaf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nversion 1\n{\"step\":\"claim\",\"by\":\"a\",\"group\":\"group:00112233445566778899aabbccddeeff\"}\n",
        "filterd review order\nid 00112233445566778899aabbccddeeff\nnode web-2\nleaf AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nversion 1\n{\"step\":\"claim\",\"by\":\"a\",\"item\":1}\nmore\n",
    };
    const struct review_consoles consoles = only(&key);
    const struct note_key *console = NULL;
    struct review_order back;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        buf_clear(&note);
        assert_true(buf_append_str(&note, texts[i], &err) && buf_append_char(&note, '\n', &err) && note_sign(&key, seed, span_str(texts[i]), 0, &note, &err));
        assert_false(review_order_verify(buf_span(&note), &consoles, &memory, &back, &console, &err));
    }
}

static void what_cannot_be_signed_is_said(void **state)
{
    char long_note[REVIEW_ORDER_MAX];
    struct review_order o = an_order();
    struct error err;

    (void)state;
    memset(long_note, 'x', sizeof(long_note));
    o.line.note = span_of(long_note, sizeof(long_note));
    assert_false(review_order_sign(&o, &key, seed, &note, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    o = an_order();
    o.node = span_str("web\x01");
    assert_false(review_order_sign(&o, &key, seed, &note, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void ids_are_random_and_of_one_form(void **state)
{
    char one[REVIEW_ORDER_ID + 1], two[REVIEW_ORDER_ID + 1];

    (void)state;
    review_order_id(one);
    review_order_id(two);
    assert_string_not_equal(one, two);
    assert_true(review_order_id_is_valid(span_str(one)));
    assert_false(review_order_id_is_valid(span_str("00112233445566778899aabbccddeef")));
    assert_false(review_order_id_is_valid(span_str("00112233445566778899aabbccddeefg")));
    assert_false(review_order_id_is_valid(span_of(NULL, 0)));
}

static void consoles_are_a_file_of_keys(void **state)
{
    static const char path[] = "/tmp/filterd-consoles-test";
    struct review_consoles c = {.n = 0};
    char vkey[NOTE_VKEY_MAX + 1];
    struct error err;
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 16);
    note_key_format(&key, vkey);
    assert_true(buf_appendf(&text, &err, "%s\n\n%s", vkey, vkey) && file_write_atomic(path, buf_span(&text), 0600, &err));
    assert_true(review_consoles_load(path, &c, &err));
    assert_int_equal(c.n, 2);
    assert_true(note_key_same(&c.keys[1], &key));
    for (unsigned i = 0; i < REVIEW_CONSOLES_MAX; i++) {
        assert_true(buf_appendf(&text, &err, "\n%s", vkey));
    }
    assert_true(file_write_atomic(path, buf_span(&text), 0600, &err));
    assert_false(review_consoles_load(path, &c, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(file_write_atomic(path, span_str("\n"), 0600, &err));
    assert_false(review_consoles_load(path, &c, &err));
    assert_true(file_write_atomic(path, span_str("a key\n"), 0600, &err));
    assert_false(review_consoles_load(path, &c, &err));
    (void)unlink(path);
    assert_false(review_consoles_load(path, &c, &err));
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_order_is_read_as_it_was_signed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_may_be_for_a_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_may_be_for_a_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_order_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_key_and_none_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_order_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_signed_is_said, set_up, tear_down),
        cmocka_unit_test(ids_are_random_and_of_one_form),
        cmocka_unit_test_setup_teardown(consoles_are_a_file_of_keys, set_up, tear_down),
    };

    return sodium_init() < 0 || cmocka_run_group_tests(tests, NULL, NULL);
}
