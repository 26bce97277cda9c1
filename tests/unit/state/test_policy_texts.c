#include "testing.h"

#include <unistd.h>

#include "state/policy_texts.h"

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static struct error err;

static void a_text_is_read_by_its_digest_and_stays(void **state)
{
    (void)state;
    char folder[] = "/tmp/policy-texts.XXXXXX", path[256];
    struct buf text;

    assert_non_null(mkdtemp(folder));
    buf_init(&text, POLICY_TEXT_MAX);
    assert_false(policy_text_read(folder, span_str(HEX), &text, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_true(policy_text_keep(folder, span_str("sha256:" HEX), span_str("policies: one\n"), &err));
    assert_true(policy_text_keep(folder, span_str("sha256:" HEX), span_str("policies: two\n"), &err));
    assert_true(policy_text_read(folder, span_str("sha256:" HEX), &text, &err));
    assert_true(policy_text_read(folder, span_str(HEX), &text, &err));
    assert_true(span_is(buf_span(&text), "policies: one\npolicies: one\n"));
    (void)snprintf(path, sizeof(path), "%s/policies/" HEX ".yaml", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s/policies", folder);
    (void)rmdir(path);
    (void)rmdir(folder);
    buf_deinit(&text);
}

static void only_a_digest_names_a_file(void **state)
{
    (void)state;
    static const char *const names[] = {"", "..", "../keys/log.key", "sha256:", "sha256:../../" HEX,
                                        HEX "0", "0011223344556677/../aabbccddeeff00112233445566778899aabbccddeeff"};
    struct buf text;

    buf_init(&text, POLICY_TEXT_MAX);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(policy_text_read("/tmp", span_str(names[i]), &text, &err));
        assert_int_equal(err.kind, ERROR_NOT_FOUND);
        assert_false(policy_text_keep("/tmp", span_str(names[i]), span_str("x"), &err));
    }
    assert_false(policy_text_keep(NULL, span_str(HEX), span_str("x"), &err));
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_read_by_its_digest_and_stays),
        cmocka_unit_test(only_a_digest_names_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
