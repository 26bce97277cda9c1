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

enum { RULE_FILES_MAX = 128 };

/* Rule files in the making. */
struct rule_texts {
    struct rule_file files[RULE_FILES_MAX];
    struct buf texts[RULE_FILES_MAX];
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

static bool is_shared(const char *path)
{
    static const char shared[] = "/shared.yaml";
    size_t len = strlen(path);

    return len >= sizeof(shared) && strcmp(path + len - (sizeof(shared) - 1), shared) == 0;
}

static bool has_rule(struct span text)
{
    static const char rule[] = "\n  - id: ";

    return memmem(text.ptr, text.len, rule, sizeof(rule) - 1) != NULL;
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
    if (is_shared(file->path) || has_rule(buf_span(text))) {
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

/* --- fragments that only rules which are left out use, and would be refused ---------------- */

static bool is_same_folder(const char *a, const char *b)
{
    size_t len = (size_t)(strrchr(a, '/') - a);

    return strncmp(a, b, len + 1) == 0;
}

/* By a pattern of its file, or of its folder when it is shared. */
static bool is_used(const struct rule_texts *t, size_t file, struct span name)
{
    const char *path = t->files[file].path;
    char use[64];
    int len = snprintf(use, sizeof(use), "{" SPAN_FMT "}", SPAN_ARG(name));

    for (size_t i = 0; i < t->n; i++) {
        bool is_seen = i == file || (is_shared(path) && is_same_folder(path, t->files[i].path));
        if (is_seen && memmem(t->texts[i].data, t->texts[i].len, use, (size_t)len) != NULL) {
            return true;
        }
    }
    return false;
}

/* "  name: text", and not the text's further lines, nor a comment. */
static bool is_name_line(struct span line, struct span *name)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    bool is_name = colon != NULL && line.len > 3 && memcmp(line.ptr, "  ", 2) == 0 && line.ptr[2] != ' ' && line.ptr[2] != '#';

    *name = is_name ? span_of(line.ptr + 2, (size_t)(colon - line.ptr) - 2) : (struct span){0};
    return is_name;
}

/* *is_less: something was left out. */
static bool append_used(struct buf *out, const struct rule_texts *t, size_t file, bool *is_less, struct error *err)
{
    static const char heading[] = "fragments:\n";
    struct span text = buf_span(&t->texts[file]), line, name;
    bool is_fragment = false, is_wanted = true, has_heading = false;

    while (take_line(&text, &line)) {
        if (line.ptr[0] != ' ' && line.ptr[0] != '\n') {
            is_fragment = span_is(line, heading);
            is_wanted = !is_fragment; /* the heading comes with the first that is used */
        } else if (is_fragment && is_name_line(line, &name)) {
            is_wanted = is_used(t, file, name);
            *is_less = *is_less || !is_wanted;
            if (is_wanted && !has_heading && !buf_append_str(out, heading, err)) {
                return false;
            }
            has_heading = has_heading || is_wanted;
        }
        if (is_wanted && !buf_append(out, line, err)) {
            return false;
        }
    }
    return true;
}

static bool drop_unused_once(struct rule_texts *t, bool *is_less, struct error *err)
{
    for (size_t i = 0; i < t->n; i++) {
        struct buf kept;
        buf_init(&kept, RULES_TEXT_MAX);
        if (!append_used(&kept, t, i, is_less, err)) {
            buf_deinit(&kept);
            return false;
        }
        buf_deinit(&t->texts[i]);
        t->texts[i] = kept;
        t->files[i].content = buf_span(&t->texts[i]);
    }
    return true;
}

/* A file that is shared may have nothing left to share. */
static bool has_section(struct span text)
{
    struct span line;

    while (take_line(&text, &line)) {
        if (line.ptr[0] != '#' && line.ptr[0] != '\n') {
            return true;
        }
    }
    return false;
}

/* Until the last, as one may use another. */
static bool drop_unused(struct rule_texts *t, struct error *err)
{
    bool is_less = true;

    while (is_less) {
        is_less = false;
        if (!drop_unused_once(t, &is_less, err)) {
            return false;
        }
    }
    return true;
}

static struct snapshot *load(const struct rule_texts *t, struct error *err)
{
    const struct rule_set_options options = {.classifiers = classifiers_shipped};
    struct rule_file files[COUNT(t->files)];
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        files[n] = t->files[i];
        n += !is_shared(files[n].path) || has_section(files[n].content);
    }
    struct rule_set *rules = rule_set_read(files, n, &options, err);
    struct snapshot *snapshot =
        rules != NULL ? snapshot_load(rules, "rules/policy.yaml", buf_span(&t->policy), err) : NULL;

    rule_set_unref(rules);
    if (snapshot != NULL && !rule_set_compile(snapshot->rules, snapshot->policies[0].has_rule, &options, err)) {
        snapshot_unref(snapshot);
        return NULL;
    }
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
    is_ok = is_ok && add_made_up(&texts, n_made_up, &err) && drop_unused(&texts, &err);
    struct snapshot *snapshot = is_ok ? load(&texts, &err) : NULL;
    if (snapshot == NULL) {
        fail(err.text);
    }
    for (size_t i = 0; i < COUNT(texts.texts); i++) {
        buf_deinit(&texts.texts[i]);
    }
    buf_deinit(&texts.policy);
    return snapshot;
}
