#include "testing.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "bundle/statement.h"

#define DIGEST "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define DIGEST_LINE "digest sha256:" DIGEST "\n"
#define SECOND INT64_C(1000000000)

static const char good[] = "example.com/policy\nversion 4711\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\n"
                           "expires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n";

static void a_statement_is_read_and_written_again(void **state)
{
    struct buf again CLEANUP(buf_deinit);
    struct policy_bundle b;
    struct error err;
    (void)state;

    buf_init(&again, 4096);
    assert_true(policy_bundle_parse(span_str(good), &b, &err));
    assert_true(span_is(b.name, "example.com/policy"));
    assert_int_equal(b.version, 4711);
    assert_string_equal(b.sha256, DIGEST);
    assert_int_equal(b.expires_ns - b.created_ns, 30 * 86400 * SECOND);
    assert_true(span_is(b.engine, "0.2"));
    assert_int_equal(b.keys, 3);
    assert_true(policy_bundle_format(&b, &again, &err));
    assert_true(span_is(buf_span(&again), good));
}

static void each_line_is_needed_in_its_place(void **state)
{
    struct policy_bundle b;
    struct error err;
    (void)state;

    for (const char *line = good; *line != '\0'; line = strchr(line, '\n') + 1) {
        char text[sizeof(good)];
        size_t before = (size_t)(line - good);
        memcpy(text, good, before);
        (void)snprintf(text + before, sizeof(text) - before, "%s", strchr(line, '\n') + 1);
        assert_false(policy_bundle_parse(span_str(text), &b, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    for (size_t len = 0; len < sizeof(good) - 1; len++) {
        assert_false(policy_bundle_parse(span_of(good, len), &b, &err));
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        "e\nversion 0\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 01\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 18446744073709551616\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 1\ndigest sha256:9F\ncreated 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-11-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine 0.2\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2.\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2.0.1\nkeys 3\n",
        "e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\nmore\n",
        "e e\nversion 1\n" DIGEST_LINE "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.2\nkeys 3\n",
    };
    struct policy_bundle b;
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(policy_bundle_parse(span_str(bad[i]), &b, &err));
    }
}

static void it_is_valid_for_a_time_and_from_a_version_on(void **state)
{
    struct policy_bundle b;
    struct error err;
    (void)state;

    assert_true(policy_bundle_parse(span_str(good), &b, &err));
    assert_true(policy_bundle_check(&b, b.created_ns, "0.2.0", &err));
    assert_true(policy_bundle_check(&b, b.expires_ns - 1, "0.10", &err));
    assert_false(policy_bundle_check(&b, b.expires_ns, "0.2.0", &err));
    assert_true(policy_bundle_check(&b, b.created_ns - 300 * SECOND, "1.0.0", &err));
    assert_false(policy_bundle_check(&b, b.created_ns - 301 * SECOND, "1.0.0", &err));
    assert_false(policy_bundle_check(&b, b.created_ns, "0.1.9", &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_is_read_and_written_again),
        cmocka_unit_test(each_line_is_needed_in_its_place),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(it_is_valid_for_a_time_and_from_a_version_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
