#include "policy/violation_hooks.h"

#include <fnmatch.h>

enum { WORDS_MAX = 32 };

#define SECOND INT64_C(1000000000)

/* NUL-terminated copies, NULL behind the last. */
static bool read_words(struct arena *a, const struct yaml_node *node, const char *const **out, struct error *err)
{
    const struct span *texts = NULL;
    size_t n = 0;

    if (!yaml_read_texts(a, node, &texts, &n, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    if (n == 0 || n > WORDS_MAX) {
        (void)yaml_error(node, err, "1 to %d words expected", WORDS_MAX);
        return false;
    }
    const char **words = arena_array(a, n + 1, sizeof(*words), err);
    for (size_t i = 0; words != NULL && i < n; i++) {
        words[i] = arena_string(a, texts[i], err);
        words[i + 1] = NULL;
        if (words[i] == NULL) {
            return false;
        }
    }
    *out = words;
    return words != NULL;
}

static bool read_command(struct arena *a, const struct yaml_node *node, const char *const **out, struct error *err)
{
    if (!read_words(a, node, out, err)) {
        return false;
    }
    const char *first = (*out)[0];
    return (first != NULL && first[0] == '/') || yaml_error(node, err, "an absolute path as the first word expected");
}

static bool read_webhook(struct arena *a, const struct yaml_node *node, const char **out, struct error *err)
{
    const char *const *words = NULL;

    if (!yaml_expect(node, YAML_SCALAR, "webhook", err) || !read_words(a, node, &words, err)) {
        return false;
    }
    *out = words == NULL || words[0] == NULL ? "" : words[0];
    return strncmp(*out, "https://", 8) == 0 || strncmp(*out, "http://127.0.0.1", 16) == 0 ||
           yaml_error(node, err, "an https URL, or http to 127.0.0.1, expected");
}

static bool read_hook(struct arena *a, const struct yaml_node *node, struct violation_hook *out, struct error *err)
{
    static const char *const keys[] = {"agents", "command", "webhook", "verify", "timeout", NULL};

    *out = (struct violation_hook){.timeout_ns = 10 * SECOND};
    if (!yaml_expect(node, YAML_MAPPING, "hook", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *agents = yaml_get(node, "agents"), *command = yaml_get(node, "command");
    const struct yaml_node *webhook = yaml_get(node, "webhook"), *verify = yaml_get(node, "verify");
    const struct yaml_node *timeout = yaml_get(node, "timeout");
    if (agents == NULL || (command == NULL) == (webhook == NULL)) {
        return yaml_error(node, err, "'agents' and one of 'command' and 'webhook' expected");
    }
    return read_words(a, agents, &out->agents, err) &&
           (command == NULL || read_command(a, command, &out->command, err)) &&
           (webhook == NULL || read_webhook(a, webhook, &out->webhook, err)) &&
           (verify == NULL || read_command(a, verify, &out->verify, err)) &&
           (timeout == NULL || violations_read_time(timeout, &out->timeout_ns, err)) &&
           (out->timeout_ns <= 300 * SECOND || yaml_error(timeout, err, "at most 5m expected"));
}

bool violation_hooks_read(struct arena *a, const struct yaml_node *node, struct violations *out, struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "hooks", err)) {
        return false;
    }
    if (node->n == 0 || node->n > VIOLATION_HOOKS_MAX) {
        return yaml_error(node, err, "1 to %d hooks expected", VIOLATION_HOOKS_MAX);
    }
    struct violation_hook *hooks = arena_array(a, node->n, sizeof(*hooks), err);
    if (hooks == NULL) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_hook(a, c, &hooks[out->n_hooks++], err)) {
            return false;
        }
    }
    out->hooks = hooks;
    return true;
}

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
