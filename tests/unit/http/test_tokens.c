#include "testing.h"

#include "http/tokens.h"

static struct error err;

static struct tokens *parse(const char *text)
{
    err.text[0] = '\0';
    return tokens_parse("tokens", span_str(text), &err);
}

static unsigned role_of(const struct tokens *t, const char *token)
{
    uint8_t hash[TOKEN_HASH];

    token_hash(span_str(token), hash);
    return tokens_role(t, hash);
}

static const char *name_of(const struct tokens *t, const char *token)
{
    uint8_t hash[TOKEN_HASH];

    token_hash(span_str(token), hash);
    return tokens_name(t, hash);
}

static void a_written_line_admits_its_token_and_no_other(void **state)
{
    (void)state;
    struct buf line;

    buf_init(&line, 4096);
    assert_true(token_write_line(span_str("operator"), span_str("ci"),
                                 span_str("a token of some length"), &line, &err));
    assert_null(memmem(line.data, line.len, "a token", 7));
    assert_true(buf_append_str(&line, "# a comment\n\n", &err));
    assert_true(token_write_line(span_str("caller"), span_str("app"),
                                 span_str("another token of some length"), &line, &err));
    struct tokens *t = tokens_parse("tokens", buf_span(&line), &err);
    assert_non_null(t);
    assert_int_equal(tokens_count(t), 2);
    assert_int_equal(role_of(t, "a token of some length"), ROLE_OPERATOR);
    assert_int_equal(role_of(t, "another token of some length"), ROLE_CALLER);
    assert_int_equal(role_of(t, "a token of some lengtH"), 0);
    assert_string_equal(name_of(t, "another token of some length"), "app");
    assert_string_equal(name_of(t, "a token of some lengtH"), "");
    assert_int_equal(strlen(tokens_digest(t)), DIGEST_SHA256_HEX);
    assert_string_equal(tokens_digest(NULL), "");
    assert_int_equal(role_of(t, ""), 0);
    tokens_free(t);
    buf_deinit(&line);
}

#define HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void faults_name_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"king:a:" HASH, "tokens:1: one of caller"},
        {"caller:a:" HASH "\n\ncaller::" HASH, "tokens:3: a name"},
        {"caller:a:" HASH "00", "tokens:1: the SHA-256"},
        {"caller:a:001122", "tokens:1: the SHA-256"},
        {"reviewer:a:" HASH ":", "tokens:1: tenant=NAME"},
        {"reviewer:a:" HASH ":tenant=", "tokens:1: tenant=NAME"},
        {"reviewer:a:" HASH ":tenants=acme", "tokens:1: tenant=NAME"},
        {"reviewer:a:" HASH ":tenant=a\xe2\x80\xae-", "tokens:1: tenant=NAME"},
        {"caller:a:" HASH ":tenant=acme", "tokens:1: tenant: a reviewer"},
        {"admin:a:" HASH ":tenant=acme", "tokens:1: tenant: a reviewer"},
        {"caller:a b:" HASH, "tokens:1: a name"},
        {"caller", "tokens:1: a name"},
        {"x", "tokens:1: one of caller"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(parse(cases[i].text));
        if (strncmp(err.text, cases[i].expected, strlen(cases[i].expected)) != 0) {
            fail_msg("%s: %s", cases[i].text, err.text);
        }
    }
}

static void a_fault_never_quotes_the_line(void **state)
{
    (void)state;
    assert_null(parse("caller:me:this-is-the-token-itself"));
    assert_null(strstr(err.text, "token-itself"));
}

static void an_empty_file_has_no_tokens(void **state)
{
    (void)state;
    struct tokens *t = parse(" \n# nobody\n");

    assert_non_null(t);
    assert_int_equal(tokens_count(t), 0);
    assert_int_equal(tokens_count(NULL), 0);
    tokens_free(t);
}

static void no_line_is_made_for_a_weak_token_or_a_wrong_name(void **state)
{
    (void)state;
    struct buf line;

    buf_init(&line, 4096);
    assert_false(
        token_write_line(span_str("caller"), span_str("a"), span_str("short"), &line, &err));
    assert_false(token_write_line(span_str("king"), span_str("a"),
                                  span_str("a token of some length"), &line, &err));
    assert_false(token_write_line(span_str("caller"), span_str("a:b"),
                                  span_str("a token of some length"), &line, &err));
    assert_int_equal(line.len, 0);
    buf_deinit(&line);
}

static const char *tenant_of(const struct tokens *t, const char *hex)
{
    uint8_t hash[TOKEN_HASH];

    for (size_t i = 0; i < TOKEN_HASH; i++) {
        const char two[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        hash[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return tokens_tenant(t, hash);
}

#define OTHER "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static void a_token_is_limited_to_the_tenant_of_its_line_alone(void **state)
{
    (void)state;
    struct tokens *t = parse("approver:anna:" HASH ":tenant=acme  # a comment\nreviewer:ben:" OTHER "\n");

    assert_non_null(t);
    assert_string_equal(tenant_of(t, HASH), "acme");
    assert_string_equal(tenant_of(t, OTHER), "");
    tokens_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_line_admits_its_token_and_no_other),
        cmocka_unit_test(faults_name_file_and_line),
        cmocka_unit_test(a_fault_never_quotes_the_line),
        cmocka_unit_test(a_token_is_limited_to_the_tenant_of_its_line_alone),
        cmocka_unit_test(an_empty_file_has_no_tokens),
        cmocka_unit_test(no_line_is_made_for_a_weak_token_or_a_wrong_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
