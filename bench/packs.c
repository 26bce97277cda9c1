#include "bench/packs.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bench/first_rules.h"
#include "classifiers/shipped.h"
#include "policy/embedded.h"

enum { RULES_TEXT_MAX = 16 * 1024 * 1024 };

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench/packs: %s\n", what);
    exit(1);
}

/* Whether the rule is among the first n; with n = 0 every rule is. */
static bool is_first_rule(struct span id, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_is(id, first_rules[i])) {
            return true;
        }
    }
    return n == 0;
}

static bool take_line(struct span *text, struct span *line)
{
    const char *end = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = end != NULL ? (size_t)(end - text->ptr) + 1 : text->len;

    *line = span_slice(*text, 0, len);
    *text = span_slice(*text, len, text->len);
    return len > 0;
}

/* The rules of a shipped file that are wanted, as text. */
static bool append_chosen(struct buf *out, struct span file, size_t n_first, struct error *err)
{
    static const char start[] = "  - id: ";
    const size_t start_len = sizeof(start) - 1;
    struct span line;
    bool is_wanted = true; /* what stands before the first rule is */

    while (take_line(&file, &line)) {
        if (line.len > start_len && memcmp(line.ptr, start, start_len) == 0) {
            is_wanted = is_first_rule(span_slice(line, start_len, line.len - 1), n_first);
        }
        if (is_wanted && !buf_append(out, line, err)) {
            return false;
        }
    }
    return true;
}

/* The shipped policy; the first rules are of two packs alone. */
static bool append_policy(struct buf *out, struct span file, size_t n_first, struct error *err)
{
    static const char packs[] = "    rules: ";
    struct span line;

    while (take_line(&file, &line)) {
        bool is_packs = line.len > sizeof(packs) && memcmp(line.ptr, packs, sizeof(packs) - 1) == 0;
        line = is_packs && n_first > 0 ? span_str("    rules: [secrets, pii]\n") : line;
        if (!buf_append(out, line, err)) {
            return false;
        }
    }
    return true;
}

/* Tokens of the usual shape. */
static bool append_made_up(struct buf *out, unsigned n, struct error *err)
{
    if (!buf_append_str(out, "rules:\n", err)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        char prefix[8], body[64];
        unsigned len = 24 + i % 40;
        (void)snprintf(prefix, sizeof(prefix), "%c%c%c%c_", 'a' + (int)(i % 26), 'a' + (int)(i / 26 % 26),
                       'k' + (int)(i / 676 % 10), 'a' + (int)(i * 7 % 26));
        memset(body, 'A', len);
        body[len] = '\0';
        if (!buf_appendf(out, err,
                         "  - id: made-up-%u\n    title: Made-up token\n    category: secret\n    severity: high\n"
                         "    pattern: '%s[A-Za-z0-9]{%u}'\n    confidence: 0.9\n"
                         "    match: ['%s%s', 'a %s%s', 'b %s%s']\n    no_match: ['%s', 'a %s', 'b %s']\n",
                         i, prefix, len, prefix, body, prefix, body, prefix, body, prefix, prefix, prefix)) {
            return false;
        }
    }
    return true;
}

/* Rule files in the making. */
struct rule_texts {
    struct rule_file files[64];
    struct buf texts[64];
    size_t n;
    struct buf policy;
};

/* An empty text for the next file. */
static struct buf *next_text(struct rule_texts *t)
{
    if (t->n == COUNT(t->files)) {
        fail("more rule files than expected");
    }
    buf_deinit(&t->texts[t->n]);
    buf_init(&t->texts[t->n], RULES_TEXT_MAX);
    return &t->texts[t->n];
}

static bool add_shipped(struct rule_texts *t, const struct embedded_file *file, size_t n_first, struct error *err)
{
    const struct span content = span_of(file->content, file->len);

    if (strcmp(file->path, "rules/policy.yaml") == 0) {
        return append_policy(&t->policy, content, n_first, err);
    }
    struct buf *text = next_text(t);
    if (!append_chosen(text, content, n_first, err)) {
        return false;
    }
    if (memmem(text->data, text->len, "\n  - id: ", 9) != NULL) {
        t->files[t->n++] = (struct rule_file){.path = file->path, .content = buf_span(text)};
    }
    return true;
}

static bool add_made_up(struct rule_texts *t, unsigned n, struct error *err)
{
    struct buf *text = next_text(t);

    if (n > 0 && append_made_up(text, n, err)) {
        t->files[t->n++] = (struct rule_file){.path = "rules/secrets/made-up.yaml", .content = buf_span(text)};
        return true;
    }
    return n == 0;
}

static struct snapshot *load(const struct rule_texts *t, struct error *err)
{
    const struct rule_set_options options = {.classifiers = classifiers_shipped};
    struct rule_set *rules = rule_set_load(t->files, t->n, &options, err);
    struct snapshot *snapshot =
        rules != NULL ? snapshot_load(rules, "rules/policy.yaml", buf_span(&t->policy), err) : NULL;

    rule_set_unref(rules);
    return snapshot;
}

struct snapshot *packs_load(size_t n_first, unsigned n_made_up)
{
    struct rule_texts texts = {0};
    struct error err;
    bool is_ok = true;

    buf_init(&texts.policy, RULES_TEXT_MAX);
    for (unsigned i = 0; i < embedded_file_count && is_ok; i++) {
        is_ok = add_shipped(&texts, &embedded_files[i], n_first, &err);
    }
    struct snapshot *snapshot = is_ok && add_made_up(&texts, n_made_up, &err) ? load(&texts, &err) : NULL;
    if (snapshot == NULL) {
        fail(err.text);
    }
    for (size_t i = 0; i < COUNT(texts.texts); i++) {
        buf_deinit(&texts.texts[i]);
    }
    buf_deinit(&texts.policy);
    return snapshot;
}
