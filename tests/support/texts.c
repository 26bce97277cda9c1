#include "support/texts.h"

#include <assert.h>
#include <stdio.h>

#include "support/joins.h"
#include "support/layers.h"
#include "support/tokens.h"

static void append(struct buf *out, struct span text)
{
    struct error err;
    bool is_appended = buf_append(out, text, &err);

    assert(is_appended);
}

static struct span example(struct random *r, const struct rule_set *rules)
{
    const struct rule *rule = &rules->rules[random_below(r, rules->n_rules)];
    const struct span_list *list = random_below(r, 4) > 0 ? &rule->match : &rule->no_match;

    return list->items[random_below(r, list->n)];
}

static size_t boundary_near(struct span text, size_t at)
{
    while (at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at++;
    }
    return at;
}

/* The whole, or a part that begins and ends between characters. */
static struct span part(struct random *r, struct span text)
{
    if (text.len == 0 || random_below(r, 3) > 0) {
        return text;
    }
    size_t a = boundary_near(text, random_below(r, text.len + 1));
    size_t b = boundary_near(text, random_below(r, text.len + 1));
    return a < b ? span_slice(text, a, b) : span_slice(text, b, a);
}

/* As a redaction writes it, or a part of that. */
static void append_label(struct random *r, const struct rule_set *rules, struct buf *out)
{
    char label[128];
    const struct rule *rule = &rules->rules[random_below(r, rules->n_rules)];
    int len = snprintf(label, sizeof(label), random_below(r, 4) > 0 ? "[" SPAN_FMT "]" : "[" SPAN_FMT ":hash:0123456789abcdef]", SPAN_ARG(rule->id));

    append(out, part(r, span_of(label, (size_t)len)));
}

void make_text(struct random *r, const struct rule_set *rules, bool is_damaged, struct buf *out)
{
    static const char *const joints[] = {" ",  "\n", "",  "**", "_", "\"", "'", "-", ".",  ",", ": ", "=",
                                         "你", "é",  "Ж", "/",  "&", "0",  "a", "@", "\t", "\\n", "}", ")",
                                         "\r\n", "\r", "\" + \"", "=\n"};
    size_t n = 1 + random_below(r, 6);

    buf_clear(out);
    for (size_t i = 0; i < n; i++) {
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
        if (random_below(r, 8) == 0) {
            append_label(r, rules, out);
            append(out, span_str(joints[random_below(r, COUNT(joints))]));
        }
        append(out, part(r, example(r, rules)));
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
    }
    for (size_t i = random_below(r, 4); i > 0 && out->len > 0; i--) {
        size_t at = random_below(r, out->len);
        if (is_damaged) {
            out->data[at] = (char)random_below(r, 256);
        } else if ((unsigned char)out->data[at] < 0x80) {
            out->data[at] = (char)(' ' + random_below(r, 95));
        }
    }
}

/* A token in up to three layers. */
static void append_nested(struct random *r, struct span token, struct buf *out)
{
    enum { NESTED_MAX = 500 };
    struct buf texts[2];
    size_t depth = 1 + random_below(r, 3);

    buf_init(&texts[0], out->max);
    buf_init(&texts[1], out->max);
    append(&texts[0], token);
    for (size_t i = 0; i < depth && texts[i % 2].len < NESTED_MAX; i++) {
        struct buf *outer = &texts[(i + 1) % 2];
        buf_clear(outer);
        layers[random_below(r, LAYERS)].put(outer, buf_span(&texts[i % 2]));
    }
    append(out, buf_span(&texts[texts[0].len > texts[1].len ? 0 : 1]));
    buf_deinit(&texts[0]);
    buf_deinit(&texts[1]);
}

/* Whole, or cut off. */
static void append_obfuscated(struct random *r, struct buf *out)
{
    struct token tokens[TOKENS];
    size_t from, to, len = out->len;

    tokens_make(r, tokens);
    struct span token = token_span(&tokens[random_below(r, TOKENS)]);
    switch (random_below(r, 3)) {
    case 0:
        obfuscation_write(&obfuscations[random_below(r, OBFUSCATIONS)], token, out, &from, &to);
        break;
    case 1:
        obfuscation_write(&joins[random_below(r, JOINS)], token, out, &from, &to);
        break;
    default:
        append_nested(r, token, out);
        break;
    }
    if (random_below(r, 4) == 0) {
        out->len = len + random_below(r, out->len - len + 1);
    }
}

/* What a classifier finds, among sentences and paragraphs that it does not. */
static void append_judged(struct random *r, const struct rule_set *rules, struct buf *out)
{
    static const char *const joints[] = {" ", "\n", "\n\n", ". ", ".\n\n", "! So it is. ", "\n\nA paragraph beside it.\n\n"};

    for (size_t n = 1 + random_below(r, 3); n > 0 && rules->n_uses > 0; n--) {
        const struct rule *rule = &rules->rules[rules->uses[random_below(r, rules->n_uses)].rule];
        const struct span_list *list = random_below(r, 3) > 0 ? &rule->match : &rule->no_match;
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
        append(out, part(r, list->items[random_below(r, list->n)]));
        append(out, span_str(joints[random_below(r, COUNT(joints))]));
    }
}

void make_obfuscated_text(struct random *r, const struct rule_set *rules, struct buf *out)
{
    enum { SHORT = 300 };
    struct buf examples;

    buf_clear(out);
    buf_init(&examples, out->max);
    for (size_t n = 1 + random_below(r, 3); n > 0 || out->len == 0; n -= n > 0) {
        make_text(r, rules, random_below(r, 4) == 0, &examples);
        append(out, buf_span(&examples));
        if (random_below(r, 2) == 0) {
            append_obfuscated(r, out);
        }
        if (random_below(r, 3) == 0) {
            append_judged(r, rules, out);
        }
    }
    buf_deinit(&examples);
    /* What goes wrong does so at the end of a text, or within a line of it: a long one costs as much as twenty short ones. */
    if (random_below(r, 10) < 9) {
        size_t len = 1 + random_below(r, SHORT);
        out->len = len < out->len ? len : out->len;
    }
}

void make_policy(struct random *r, const struct rule_set *rules, struct buf *out)
{
    enum { SUBSET_MAX = 40 };
    static const char *const thresholds[] = {"0.1", "0.5", "0.9"};

    buf_clear(out);
    append(out, span_str("policies:\n  default:\n    rules: ["));
    if (random_below(r, 2) == 0) {
        append(out, span_str("secrets, pii, injection, content"));
    } else {
        size_t n = 1 + random_below(r, SUBSET_MAX);
        size_t at = random_below(r, rules->n_rules);
        size_t step = 1 + random_below(r, rules->n_rules / n);
        for (size_t i = 0; i < n; i++, at = (at + step) % rules->n_rules) {
            append(out, i > 0 ? span_str(", ") : (struct span){.ptr = ""});
            append(out, rules->rules[at].id);
        }
    }
    bool has_classifiers = random_below(r, 3) == 0;
    append(out, has_classifiers ? span_str(", classifiers") : (struct span){.ptr = ""});
    append(out, span_str("]\n"));
    if (has_classifiers) {
        static const char *const holds[] = {"sentence", "paragraph", "all"};
        append(out, span_str("    hold: "));
        append(out, span_str(holds[random_below(r, COUNT(holds))]));
        append(out, span_str("\n"));
    }
    append(out, span_str("    actions: [{confidence: '>="));
    append(out, span_str(thresholds[random_below(r, COUNT(thresholds))]));
    append(out, span_str("', action: redact}]\n    notice: withheld\n"));
}
