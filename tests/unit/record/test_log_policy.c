#include "testing.h"

#include <sodium.h>
#include <stdio.h>

#include "record/log_policy.h"

enum { KEYS = 6, TEXT_MAX = 4096 };
static const char *const names[KEYS] = {"log.example/1", "w1.example", "w2.example", "w3.example", "w4.example", "log.example/2"};
static struct note_key keys[KEYS];

static void seed_of(unsigned i, uint8_t seed[NOTE_SEED])
{
    memset(seed, (int)i + 1, NOTE_SEED);
}

static bool is_log(unsigned i)
{
    return i == 0 || i == KEYS - 1;
}

static int make_keys(void **state)
{
    uint8_t seed[NOTE_SEED], public[NOTE_PUBLIC];
    struct error err;
    (void)state;

    for (unsigned i = 0; i < KEYS; i++) {
        seed_of(i, seed);
        note_public(seed, public);
        if (!note_key_make(span_str(names[i]), is_log(i) ? NOTE_ED25519 : NOTE_COSIGNATURE, public, &keys[i], &err)) {
            return 1;
        }
    }
    return 0;
}

/* $0 to $5 stand for the keys. */
static struct span expand(const char *text)
{
    static char out[TEXT_MAX];
    size_t n = 0;

    for (; *text != '\0'; text++) {
        char vkey[NOTE_VKEY_MAX + 1] = {*text};
        if (*text == '$') {
            note_key_format(&keys[*++text - '0'], vkey);
        }
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", vkey);
    }
    return span_of(out, n);
}

static const char example[] = "# two organisations\n\nlog $0\n witness\tX1 $1 https://x1.example/\nwitness X2 $2\n"
                              "group X 2 X1 X2\nwitness Y1 $3\nwitness Y2 $4\ngroup Y any Y1 Y2\n\ngroup both all X Y\nquorum both\n";

static void a_policy_is_read(void **state)
{
    static struct log_policy p;
    struct error err;
    (void)state;

    assert_true(log_policy_parse(expand(example), &p, &err));
    assert_int_equal(p.n_logs, 1);
    assert_int_equal(p.n_members, 7);
    assert_true(span_is(p.members[0].url, "https://x1.example/"));
    assert_int_equal(p.members[2].threshold, 2);
    assert_int_equal(p.members[5].threshold, 1);
    assert_int_equal(p.members[6].threshold, 2);
    assert_true(p.has_quorum);
    assert_int_equal(p.quorum, 6);
}

static void what_is_no_policy_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "line 1: \"quorum"},
        {"log $0\n", "line 2: \"quorum"},
        {"quorum none\nquorum none\n", "line 2: \"quorum"},
        {"quorum X\n", "line 1: none or a name"},
        {"quorum none", "line 1: a newline"},
        {"quorum none\r\n", "line 1: text without control"},
        {"log $1\nquorum none\n", "line 1: a log's key of type 1"},
        {"witness w $0\nquorum none\n", "line 1: a witness's key of type 4"},
        {"log $0\nlog $0\nquorum none\n", "line 2: each log's key once"},
        {"witness a $1\nwitness b $1\nquorum none\n", "line 2: each witness's key once"},
        {"witness a $1\nwitness a $2\nquorum none\n", "line 2: a name that is not defined yet"},
        {"witness none $1\nquorum none\n", "line 1: a name that is not defined yet"},
        {"group g any a\nwitness a $1\nquorum g\n", "line 1: members that are defined before"},
        {"witness a $1\ngroup g any a a\nquorum g\n", "line 2: members that are defined before"},
        {"witness a $1\ngroup g any a\ngroup h any a\nquorum g\n", "line 3: members that are defined before"},
        {"group g any g\nquorum g\n", "line 1: members that are defined before"},
        {"witness a $1\ngroup g any none\nquorum g\n", "line 2: members that are defined before"},
        {"witness a $1\ngroup g 0 a\nquorum g\n", "line 2: all, any or a number"},
        {"witness a $1\ngroup g 2 a\nquorum g\n", "line 2: all, any or a number"},
        {"witness a $1\ngroup g 01 a\nquorum g\n", "line 2: all, any or a number"},
        {"witness a $1\ngroup g any\nquorum g\n", "line 2: \"group"},
        {"log\nquorum none\n", "line 1: \"log"},
        {"log $0 u v\nquorum none\n", "line 1: \"log"},
        {"logs $0\nquorum none\n", "line 1: log, witness, group or quorum"},
        {"log log.example/1+00000000+AQ==\nquorum none\n", "line 1: key"},
    };
    static struct log_policy p;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (log_policy_parse(expand(rows[i].text), &p, &err)) {
            fail_msg("policy %zu was accepted", i);
        }
        if (strncmp(err.text, rows[i].error, strlen(rows[i].error)) != 0) {
            fail_msg("policy %zu: %s", i, err.text);
        }
    }
}

/* A checkpoint of the first log with these signatures: a bit for each key. */
static void make_checkpoint(unsigned signers, struct buf *out)
{
    uint8_t seed[NOTE_SEED];
    struct tree_hash root;
    struct error err;
    struct buf text;

    buf_init(&text, NOTE_MAX);
    tree_hash_empty(&root);
    assert_true(checkpoint_format(span_str(names[0]), 0, &root, &text, &err));
    buf_clear(out);
    assert_true(buf_append(out, buf_span(&text), &err) && buf_append_char(out, '\n', &err));
    for (unsigned i = 0; i < KEYS; i++) {
        seed_of(i, seed);
        if ((signers >> i & 1) != 0) {
            assert_true(note_sign(&keys[i], seed, buf_span(&text), 1000 + i, out, &err));
        }
    }
    buf_deinit(&text);
}

static bool is_valid(const struct log_policy *p, unsigned signers, struct log_policy_result *r)
{
    struct checkpoint c;
    struct error err;
    struct buf b;

    buf_init(&b, NOTE_MAX);
    make_checkpoint(signers, &b);
    bool valid = checkpoint_parse(buf_span(&b), &c, &err) && log_policy_verify(p, &c, r, &err);
    buf_deinit(&b);
    return valid;
}

static void a_quorum_is_what_the_groups_say(void **state)
{
    static struct log_policy p;
    struct log_policy_result r;
    struct error err;
    (void)state;

    assert_true(log_policy_parse(expand(example), &p, &err));
    for (unsigned signers = 1; signers < 1U << (KEYS - 1); signers++) {
        bool is_enough = (signers & 7) == 7 && (signers & 0x18) != 0; /* the log, both of X, one of Y */
        assert_int_equal(is_valid(&p, signers, &r), is_enough);
        if (is_enough) {
            assert_ptr_equal(r.log, &p.logs[0]);
            assert_true(r.earliest == 1001);
        }
    }
}

static void without_a_quorum_the_log_must_have_signed(void **state)
{
    static struct log_policy p;
    struct log_policy_result r;
    struct error err;
    (void)state;

    assert_true(log_policy_parse(expand("log $0\nlog $5\nquorum none\n"), &p, &err));
    assert_true(is_valid(&p, 1, &r));
    assert_false(is_valid(&p, 2, &r));
    assert_false(is_valid(&p, 1U << 5, &r)); /* another log's key under this origin */
    assert_true(log_policy_parse(expand("log $5\nquorum none\n"), &p, &err));
    assert_false(is_valid(&p, 1, &r));
    assert_true(log_policy_parse(expand("quorum none\n"), &p, &err));
    assert_false(is_valid(&p, 1, &r));
}

static void a_cosignature_that_does_not_hold_is_no_abstention(void **state)
{
    static struct log_policy p;
    struct log_policy_result r;
    struct checkpoint c;
    struct error err;
    struct buf b;
    (void)state;

    assert_true(log_policy_parse(expand("log $0\nwitness a $1\nwitness b $2\ngroup g any a b\nquorum g\n"), &p, &err));
    buf_init(&b, NOTE_MAX);
    make_checkpoint(7, &b);
    b.data[b.len - 8] = b.data[b.len - 8] == 'A' ? 'B' : 'A'; /* in b's signature */
    assert_true(checkpoint_parse(buf_span(&b), &c, &err));
    assert_false(log_policy_verify(&p, &c, &r, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_read),
        cmocka_unit_test(what_is_no_policy_is_refused_with_its_line),
        cmocka_unit_test(a_quorum_is_what_the_groups_say),
        cmocka_unit_test(without_a_quorum_the_log_must_have_signed),
        cmocka_unit_test(a_cosignature_that_does_not_hold_is_no_abstention),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, make_keys, NULL);
}
