/* yaml_read.c - typed reads of yaml.h's nodes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/yaml.h"

enum { NUMBER_TEXT_MAX = 40 };

bool yaml_read_text(const struct yaml_node *node, struct span *out, struct error *err)
{
    if (node->kind != YAML_SCALAR) {
        return yaml_expected(node, err, "a text");
    }
    *out = node->text;
    return true;
}

bool yaml_read_flag(const struct yaml_node *node, bool *out, struct error *err)
{
    bool is_true = node->kind == YAML_SCALAR && node->is_plain && span_is(node->text, "true");
    bool is_false = node->kind == YAML_SCALAR && node->is_plain && span_is(node->text, "false");

    if (!is_true && !is_false) {
        return yaml_expected(node, err, "true or false");
    }
    *out = is_true;
    return true;
}

/* strtod reads more than YAML's numbers (hex, inf, nan); those are refused before. */
static bool is_number_text(struct span text)
{
    if (text.len == 0 || text.len >= NUMBER_TEXT_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("0123456789+-.eE", text.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

bool yaml_read_number(const struct yaml_node *node, double min, double max, double *out, struct error *err)
{
    char text[NUMBER_TEXT_MAX] = "";
    char *end = text;
    double value = NAN;

    if (node->kind == YAML_SCALAR && node->is_plain && is_number_text(node->text)) {
        memcpy(text, node->text.ptr, node->text.len);
        value = strtod(text, &end);
    }
    if (end == text || *end != '\0' || !(value >= min && value <= max)) {
        return yaml_expected(node, err, "a number from %g to %g", min, max);
    }
    *out = value;
    return true;
}

bool yaml_read_integer(const struct yaml_node *node, int64_t min, int64_t max, int64_t *out, struct error *err)
{
    char text[NUMBER_TEXT_MAX] = "";
    char *end = text;
    long long value = 0;

    errno = 0;
    if (node->kind == YAML_SCALAR && node->is_plain && is_number_text(node->text)) {
        memcpy(text, node->text.ptr, node->text.len);
        value = strtoll(text, &end, 10);
    }
    if (end == text || *end != '\0' || errno != 0 || value < min || value > max) {
        return yaml_expected(node, err, "a whole number from %lld to %lld", (long long)min, (long long)max);
    }
    *out = value;
    return true;
}

bool yaml_read_choice(const struct yaml_node *node, const char *const *names, unsigned *out, struct error *err)
{
    char known[200] = "";
    size_t len = 0;

    for (unsigned i = 0; node->kind == YAML_SCALAR && names[i] != NULL; i++) {
        if (span_is(node->text, names[i])) {
            *out = i;
            return true;
        }
    }
    for (unsigned i = 0; names[i] != NULL; i++) {
        int n = snprintf(known + len, sizeof(known) - len, "%s%s", i > 0 ? ", " : "", names[i]);
        len += n > 0 && (size_t)n < sizeof(known) - len ? (size_t)n : 0;
    }
    return yaml_expected(node, err, "one of %s", known);
}

bool yaml_read_texts(struct arena *a, const struct yaml_node *node, const struct span **out, size_t *n,
                     struct error *err)
{
    size_t count = node->kind == YAML_SEQUENCE ? node->n : 1;
    struct span *texts = arena_array(a, count, sizeof(*texts), err);
    if (texts == NULL) {
        return false;
    }
    if (node->kind != YAML_SEQUENCE) {
        if (!yaml_read_text(node, &texts[0], err)) {
            return false;
        }
    } else {
        size_t i = 0;
        for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
            if (!yaml_read_text(c, &texts[i++], err)) {
                return false;
            }
        }
    }
    *out = texts;
    *n = count;
    return true;
}

static bool has_nul(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && node->text.len > 0 && memchr(node->text.ptr, '\0', node->text.len) != NULL;
}

bool yaml_expect_no_nul(const struct yaml_node *node, struct error *err)
{
    const struct yaml_node *at = node;

    if (node->kind == YAML_SEQUENCE) {
        for (at = node->first; at != NULL && !has_nul(at); at = at->next) {
        }
    }
    return at == NULL || !has_nul(at) || yaml_expected(at, err, "text without a NUL byte");
}
