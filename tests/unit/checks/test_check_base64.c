/* What base64 hides: JSON, text, bytes, tokens of three parts. */
#include "check_case.h"

#include "formats/json_shape.h"

#define SENTRY                                                                                     \
    "sntrys_eyJpYXQiOjE3MDAwMDAwMDAuNSwidXJsIjoiaHR0cHM6Ly9zZW50cnkuaW8iLCJyZWdpb25fdXJsIjoiaHR0"  \
    "cHM6Ly91cy5zZW50cnkuaW8iLCJvcmciOiJhY21lIn0="

static void base64_json_decodes_and_has_the_keys(void **state)
{
    const struct span keys[] = {span_str("iat"), span_str("url"), span_str("org")};
    const struct span absent[] = {span_str("iat"), span_str("acme")};
    struct check_case c = case_of("base64_json");

    (void)state;
    case_number(&c, "skip", 7);
    case_texts(&c, "keys", keys, COUNT(keys));
    assert_true(case_passes(&c, SENTRY));
    assert_true(case_passes(&c, SENTRY "_k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5"));
    case_texts(&c, "keys", absent, COUNT(absent));
    assert_false(case_passes(&c, SENTRY)); /* acme is a value, no key */
    assert_fails("base64_json", "bm90IGpzb24=");
    assert_fails("base64_json", "");
    assert_passes("base64_json", "e30");
}

static void base64_text_starts_and_contains(void **state)
{
    struct check_case c = case_of("base64_text");

    (void)state;
    assert_true(case_passes(&c, "QmVkcm9ja0FQSUtleS1hYmM6eHl6")); /* BedrockAPIKey-abc:xyz */
    case_text(&c, "starts", "BedrockAPIKey");
    case_text(&c, "contains", ":");
    assert_true(case_passes(&c, "QmVkcm9ja0FQSUtleS1hYmM6eHl6"));
    case_number(&c, "skip", 4);
    assert_true(case_passes(&c, "ABSKQmVkcm9ja0FQSUtleS1hYmM6eHl6"));
    case_text(&c, "contains", "::");
    assert_false(case_passes(&c, "ABSKQmVkcm9ja0FQSUtleS1hYmM6eHl6"));
    assert_passes("base64_text", "asO8cmdlbjpww6Rzcw=="); /* jürgen:päss */
    assert_fails("base64_text", "AAEC");
    assert_fails("base64_text", "w/8=");
    assert_fails("base64_text", "not base64");
}

static void base64_text_tells_a_stand_in_from_a_password(void **state)
{
    struct check_case c = case_of("base64_text");
    const char *user_and_password = "dXNlcjpwYXNzd29yZA==";

    (void)state;
    case_text(&c, "contains", ":");
    assert_true(case_passes(&c, user_and_password));
    case_number(&c, "genuine", 1);
    assert_false(case_passes(&c, user_and_password));
    assert_true(case_passes(&c, "c3ZjOkhwazE0YmZzdk5zNlUwdko=")); /* svc: and a random password */
    assert_true(case_passes(&c, "azlUMm1YdzdWYjRxOg=="));         /* a key and no password */
    assert_false(case_passes(&c, "QmVkcm9jaw=="));
}

static void base64_bytes_begins_with_hex_and_has_a_length(void **state)
{
    struct check_case c = case_of("base64_bytes");

    (void)state;
    case_text(&c, "hex", "020108");
    case_number(&c, "skip", 5);
    assert_true(case_passes(&c, "pypi-AgEIcHlwaS5vcmcCJJKYcoOMuc_mV44R"));
    assert_false(case_passes(&c, "pypi-BgEIcHlwaS5vcmcCJJKYcoOMuc_mV44R"));
    case_number(&c, "min", 24);
    case_number(&c, "max", 24);
    assert_true(case_passes(&c, "pypi-AgEIcHlwaS5vcmcCJJKYcoOMuc_mV44R"));
    case_number(&c, "max", 23);
    case_number(&c, "min", 1);
    assert_false(case_passes(&c, "pypi-AgEIcHlwaS5vcmcCJJKYcoOMuc_mV44R"));
    assert_true(case_is_accepted(&c));
    case_text(&c, "hex", "020");
    assert_false(case_is_accepted(&c));
    case_text(&c, "hex", "zz");
    assert_false(case_is_accepted(&c));
}

/* RFC 7515, appendix A.1: header {"typ":"JWT", "alg":"HS256"} with a line end inside. */
#define RFC_HEADER "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
#define RFC_PAYLOAD                                                                                \
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl" \
    "fQ"
#define RFC_SIGNATURE "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

static void jwt_holds_for_the_example_of_rfc_7515(void **state)
{
    (void)state;
    assert_passes("jwt", RFC_HEADER "." RFC_PAYLOAD "." RFC_SIGNATURE);
    assert_fails("jwt", RFC_HEADER "." RFC_PAYLOAD);
    assert_fails("jwt", RFC_HEADER "." RFC_PAYLOAD ".");
    assert_fails("jwt", RFC_HEADER "." RFC_PAYLOAD "." RFC_SIGNATURE "A");
    assert_fails("jwt", RFC_HEADER "." RFC_PAYLOAD ".short");
    assert_fails("jwt", RFC_PAYLOAD "." RFC_PAYLOAD "." RFC_SIGNATURE); /* no alg */
    assert_fails("jwt", "eyJhbGciOiJIUzI1NiJ9.bm90anNvbg." RFC_SIGNATURE);
    assert_fails("jwt", "..");
    assert_fails("jwt", "a.b.c.d.e.f");
}

static void jwt_may_be_unsigned_encrypted_or_of_an_unknown_algorithm(void **state)
{
    (void)state;
    /* {"alg":"none"} with {} */
    assert_passes("jwt", "eyJhbGciOiJub25lIn0.e30.");
    /* {"alg":"dir","enc":"A256GCM"}: no key, 12 bytes, text, 16 bytes */
    assert_passes("jwt", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..MDAwMDAwMDAwMDAw.Y2lwaGVydGV4dA."
                         "MDAwMDAwMDAwMDAwMDAwMA");
    assert_fails("jwt", "eyJhbGciOiJkaXIifQ..MDAwMDAwMDAwMDAw.Y2lwaGVydGV4dA.MDAwMDAwMDAwMDAwMDAw");
    /* {"alg":"ML-DSA-44"} */
    assert_passes("jwt", "eyJhbGciOiJNTC1EU0EtNDQifQ.e30." RFC_SIGNATURE);
    assert_fails("jwt", "eyJhbGciOiJNTC1EU0EtNDQifQ.e30.abcd");
}

static void json_shape_tells_objects_from_what_looks_like_them(void **state)
{
    static const char *const objects[] = {
        "{}",         " {\"a\":1} ", "{\"a\":[1,2,{\"b\":null}],\"c\":\"\\\"}\"}", "{\"a\":-1.5e3}",
        "{\"a\":[]}", "{\"a\":{}}",
    };
    static const char *const others[] = {
        "",
        "[]",
        "{",
        "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1}{",
        "{\"a\":[}",
        "{\"a\":yes}",
        "{\"a\" 1}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":\"\n\"}",
        "\"{}\"",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(objects); i++) {
        assert_true(json_is_object(span_str(objects[i])));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(json_is_object(span_str(others[i])));
    }
}

static void json_member_finds_keys_at_the_top_only(void **state)
{
    struct span object = span_str("{\"x\":{\"alg\":\"no\"}, \"alg\" : \"HS256\", \"n\":[1,2]}");
    struct span value;

    (void)state;
    assert_true(json_member(object, span_str("alg"), &value));
    assert_true(span_is(value, "HS256"));
    assert_true(json_member(object, span_str("n"), &value));
    assert_true(span_is(value, "[1,2]"));
    assert_false(json_member(object, span_str("no"), &value));
    assert_false(json_member(object, span_str("HS256"), &value));
}

static void json_nested_too_deep_is_no_object(void **state)
{
    char text[2 * JSON_DEPTH_MAX + 16] = "{\"a\":";
    size_t n = strlen(text);

    (void)state;
    for (size_t i = 0; i < JSON_DEPTH_MAX; i++) {
        text[n++] = '[';
    }
    assert_false(json_is_object(span_of(text, n)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_json_decodes_and_has_the_keys),
        cmocka_unit_test(base64_text_starts_and_contains),
        cmocka_unit_test(base64_text_tells_a_stand_in_from_a_password),
        cmocka_unit_test(base64_bytes_begins_with_hex_and_has_a_length),
        cmocka_unit_test(jwt_holds_for_the_example_of_rfc_7515),
        cmocka_unit_test(jwt_may_be_unsigned_encrypted_or_of_an_unknown_algorithm),
        cmocka_unit_test(json_shape_tells_objects_from_what_looks_like_them),
        cmocka_unit_test(json_member_finds_keys_at_the_top_only),
        cmocka_unit_test(json_nested_too_deep_is_no_object),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
