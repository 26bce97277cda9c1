#include "policy/violation_hooks.h"

#include <fnmatch.h>

enum { WORDS_MAX = 32 };

/* NUL-terminated copies in a NULL-terminated list. */
static bool read_words(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    const struct span *texts = NULL;
    size_t n = 0;

    if (!yaml_read_texts(r->arena, node, &texts, &n, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    if (n == 0 || (double)n > f->max) {
        return yaml_expected(node, err, "1 to %g words", f->max);
    }
    const char **words = arena_array(r->arena, n + 1, sizeof(*words), err);
    for (size_t i = 0; words != NULL && i < n; i++) {
        words[i] = arena_string(r->arena, texts[i], err);
        words[i + 1] = NULL;
        if (words[i] == NULL) {
            return false;
        }
    }
    *(const char *const **)out = words;
    return words != NULL;
}

static bool read_command(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    const char *const *words = NULL;

    if (!read_words(r, f, node, &words, err)) {
        return false;
    }
    *(const char *const **)out = words;
    return (words[0] != NULL && words[0][0] == '/') || yaml_expected(node, err, "an absolute path as the first word");
}

static bool read_webhook(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    const char *url = "";

    if (!field_string.read(r, f, node, &url, err)) {
        return false;
    }
    *(const char **)out = url;
    return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://127.0.0.1", 16) == 0 ||
           yaml_expected(node, err, "an https URL, or http to 127.0.0.1,");
}

bool violation_hook_check(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    const struct violation_hook *h = out;

    (void)r;
    return (h->command == NULL) != (h->webhook == NULL) || yaml_error(mapping, err, "one of 'command' and 'webhook' expected");
}

static const struct field_type words_type = {"text list", read_words, NULL, 0}, command_type = {"text list", read_command, NULL, 0},
                               webhook_type = {"text", read_webhook, NULL, 0};

#define AT(member) FIELD_AT(struct violation_hook, member)
const struct field violation_hook_fields[] = {
    {"agents", &words_type, AT(agents), .max = WORDS_MAX, .is_required = true},
    {"command", &command_type, AT(command), .max = WORDS_MAX},
    {"webhook", &webhook_type, AT(webhook), .initial = NULL},
    {"verify", &command_type, AT(verify), .max = WORDS_MAX},
    {"timeout", &field_ns, AT(timeout_ns), 1, 300e3, .initial = "10s"},
    {0},
};

bool violation_hook_matches(const struct violation_hook *h, const char *agent)
{
    for (const char *const *pattern = h->agents; *pattern != NULL; pattern++) {
        if (fnmatch(*pattern, agent, 0) == 0) {
            return true;
        }
    }
    return false;
}

static bool words_equal(const char *const *a, const char *const *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    for (; *a != NULL && *b != NULL && strcmp(*a, *b) == 0; a++, b++) {
    }
    return *a == NULL && *b == NULL;
}

static bool hook_equal(const struct violation_hook *a, const struct violation_hook *b)
{
    bool same_url = a->webhook == NULL || b->webhook == NULL ? a->webhook == b->webhook : strcmp(a->webhook, b->webhook) == 0;

    return same_url && a->timeout_ns == b->timeout_ns && words_equal(a->agents, b->agents) &&
           words_equal(a->command, b->command) && words_equal(a->verify, b->verify);
}

bool violation_hooks_equal(const struct violations *a, const struct violations *b)
{
    for (size_t i = 0; a->n_hooks == b->n_hooks && i < a->n_hooks; i++) {
        if (!hook_equal(&a->hooks[i], &b->hooks[i])) {
            return false;
        }
    }
    return a->n_hooks == b->n_hooks;
}
