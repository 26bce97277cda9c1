#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "jail/egress/canary.h"

static const char text[] = "Ab3dEf6hIj9lMn2pQr5tUv8x";
static struct egress_canary canary;

static int set_up(void **state)
{
    (void)state;
    egress_canary_init(&canary, text);
    return canary.n == 0;
}

static bool is_in(const char *s)
{
    return egress_canary_is_in(&canary, span_str(s));
}

static void it_is_found_in_every_form(void **state)
{
    static const char *const forms[] = {
        "API_KEY=Ab3dEf6hIj9lMn2pQr5tUv8x",
        "ab3def6hij9lmn2pqr5tuv8x.evil.test",
        "AB3DEF6HIJ9LMN2PQR5TUV8X",
        "x8vUt5rQp2nMl9jIh6fEd3bA",
        "hex: 41623364456636" "68496a396c4d6e3270517235745576" "3878 .",
        "4162336445663668496A396C4D6E327051723574557638" "78",
        "%41%62%33%64%45%66%36%68%49%6a%39%6c%4d%6e%32%70%51%72%35%74%55%76%38%78",
        "%41%62%33%64%45%66%36%68%49%6A%39%6C%4D%6E%32%70%51%72%35%74%55%76%38%78",
        "QWIzZEVmNmhJajlsTW4ycFFyNXRVdjh4",             /* base64 of it */
        "a2V5PUFiM2RFZjZoSWo5bE1uMnBRcjV0VXY4eA==",     /* of key=… */
        "eD1BYjNkRWY2aElqOWxNbjJwUXI1dFV2OHg=",         /* of x=… */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        assert_true(is_in(forms[i]));
    }
}

static void what_is_like_it_is_not_it(void **state)
{
    (void)state;
    assert_false(is_in(""));
    assert_false(is_in("A"));
    assert_false(is_in("Ab3dEf6"));
    assert_false(is_in("Ab3dEf6iIj9lMn3pQr5tUw8x"));
    assert_false(is_in("Ab3dEf6 hIj9lMn 2pQr5tU v8x"));
    assert_false(is_in("416233644566366"));
}

/* Sent in parts, one of two is half of it, and one of three a third. */
static void a_part_of_it_is_found(void **state)
{
    char part[sizeof(text)];

    (void)state;
    for (size_t at = 0; at + 11 < sizeof(text); at++) {
        (void)snprintf(part, sizeof(part), "%.11s", text + at);
        assert_true(is_in(part));
    }
    assert_true(is_in("first Ab3dEf6h"));
    assert_true(is_in("Ij9lMn2p second"));
    assert_true(is_in("Qr5tUv8x"));
    assert_true(is_in("x8vUt5rQp2nM"));         /* backwards */
    assert_true(is_in("4d6e3270517235745576")); /* the middle in hexadecimal */
    assert_true(is_in("QWIzZEVmNmhJajls"));     /* half in base64 */
}

static void cut_anywhere_it_is_found(void **state)
{
    static const char whole[] = "before Ab3dEf6hIj9lMn2pQr5tUv8x behind";

    (void)state;
    for (size_t step = 1; step < sizeof(whole); step++) {
        struct egress_canary_scan scan = {.len = 0};
        bool is_found = false;
        for (size_t at = 0; at < sizeof(whole) - 1; at += step) {
            size_t end = at + step < sizeof(whole) - 1 ? at + step : sizeof(whole) - 1;
            is_found |= egress_canary_is_in_next(&canary, &scan, span_of(whole + at, end - at));
        }
        assert_true(is_found);
    }
}

static void between_large_pieces_it_is_found(void **state)
{
    enum { PIECE = 70000 };
    char *pieces = malloc(2 * (size_t)PIECE);

    (void)state;
    assert_non_null(pieces);
    for (size_t shift = 0; shift <= sizeof(text) - 1; shift++) {
        struct egress_canary_scan scan = {.len = 0};
        memset(pieces, 'a', 2 * (size_t)PIECE);
        memcpy(pieces + PIECE - shift, text, sizeof(text) - 1);
        bool is_first = egress_canary_is_in_next(&canary, &scan, span_of(pieces, PIECE));
        assert_int_equal(is_first, shift >= EGRESS_CANARY_PIECE);
        assert_true(egress_canary_is_in_next(&canary, &scan, span_of(pieces + PIECE, PIECE)) || is_first);
    }
    free(pieces);
}

static void what_is_no_canary_is_never_found(void **state)
{
    static const char *const none[] = {"", "short", "with-a-dash-in-the-middle", "0123456789012345678901234567890123456789"};

    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        struct egress_canary c;
        struct egress_canary_scan scan = {.len = 0};
        egress_canary_init(&c, none[i]);
        assert_int_equal(c.n, 0);
        assert_false(egress_canary_is_in(&c, span_str("anything at all, with-a-dash-in-the-middle")));
        assert_false(egress_canary_is_in_next(&c, &scan, span_str("anything")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_found_in_every_form),
        cmocka_unit_test(what_is_like_it_is_not_it),
        cmocka_unit_test(a_part_of_it_is_found),
        cmocka_unit_test(cut_anywhere_it_is_found),
        cmocka_unit_test(between_large_pieces_it_is_found),
        cmocka_unit_test(what_is_no_canary_is_never_found),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
