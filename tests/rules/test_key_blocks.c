/* A private key in PEM is one finding of its rule, whole or cut off, as it stands, indented as in YAML, or quoted. */
#include "testing.h"

#include "base/cleanup.h"
#include "pipeline/pipeline.h"
#include "support/shipped.h"

enum { TEXT_BYTES = 64 * 1024, KEYS_AT_LEAST = 20 };

static bool is_key_block(const struct rule *rule)
{
    for (size_t i = 0; i < rule->tags.n; i++) {
        if (span_is(rule->tags.items[i], "pem") || span_is(rule->tags.items[i], "pgp")) {
            return true;
        }
    }
    return false;
}

/* How many findings of the rule stand in the text as it was sent. */
static size_t count_findings(const struct rule *rule, struct span text)
{
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = shipped,
                         .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                         .channels = &channel,
                         .n_channels = 1};
    size_t n = 0;

    (void)worker_begin(shipped_worker);
    pipeline_judge(shipped_worker, &x);
    for (size_t i = 0; i < x.n_findings; i++) {
        n += x.findings[i].rule == rule && x.findings[i].view == VIEW_RAW;
    }
    return n;
}

/* Each line with this in front of it. */
static bool prefix_lines(struct span text, const char *prefix, struct buf *out)
{
    struct error err;

    buf_clear(out);
    for (size_t i = 0; i < text.len; i++) {
        bool begins = i == 0 || text.ptr[i - 1] == '\n';
        if ((begins && !buf_append_str(out, prefix, &err)) || !buf_append_char(out, text.ptr[i], &err)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', &err);
}

static void a_key_is_one_finding(void **state)
{
    static const char *const prefixes[] = {"", "    ", "\t", "> ", "  | "};
    struct buf text CLEANUP(buf_deinit);
    size_t keys = 0;

    (void)state;
    buf_init(&text, TEXT_BYTES);
    for (uint32_t i = 0; i < shipped->rules->n_rules; i++) {
        const struct rule *rule = &shipped->rules->rules[i];
        for (size_t k = 0; is_key_block(rule) && k < rule->match.n; k++) {
            size_t expected = count_findings(rule, rule->match.items[k]);
            assert_in_range(expected, 0, 1); /* none: the key is in base64 */
            for (size_t p = 0; expected == 1 && p < COUNT(prefixes); p++) {
                assert_true(prefix_lines(rule->match.items[k], prefixes[p], &text));
                assert_in_range(count_findings(rule, buf_span(&text)), 0, 1);
            }
            keys += expected;
        }
    }
    assert_in_range(keys, KEYS_AT_LEAST, SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_one_finding),
    };

    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
