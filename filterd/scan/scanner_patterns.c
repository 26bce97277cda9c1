/* scanner_patterns.c - the patterns of a scanner in PCRE2. */
#include "base/buf.h"
#include "scan/scanner_parts.h"

enum { PATTERNS_FOR_A_THREAD = 64 };

/* The pattern between the look-arounds of its boundary. */
static struct regex *compile_pattern(const struct scanner_pattern *pattern, struct error *err)
{
    struct regex *regex = NULL;
    struct buf full;

    buf_init(&full, SCANNER_EXPRESSION_MAX);
    if (buf_append(&full, pattern->before, err) && buf_append_str(&full, "(?:", err) &&
        buf_append(&full, pattern->pattern, err) && buf_append_str(&full, ")", err) &&
        buf_append(&full, pattern->after, err)) {
        regex = pattern->is_counting ? regex_new_counting(buf_span(&full), err) : regex_new(buf_span(&full), err);
    }
    buf_deinit(&full);
    return regex;
}

static bool compile_entry(const struct scanner_pattern *pattern, struct scanner_entry *entry, struct error *err)
{
    entry->regex = pattern->is_bare ? NULL : compile_pattern(pattern, err);
    if (entry->regex == NULL) {
        return pattern->is_bare;
    }
    entry->has_secret = regex_has_group(entry->regex, scanner_secret_group);
    return regex_min_length(entry->regex) > 0 || error_set(err, ERROR_INVALID, SCANNER_EMPTY_MATCH);
}

static void *compile_patterns(void *context)
{
    struct scanner_compilation *c = context;

    while (c->bad < c->n && compile_entry(&c->patterns[c->bad], &c->entries[c->bad], &c->err)) {
        c->bad++;
    }
    return NULL;
}

bool scanner_patterns_start(struct scanner_compilation *c)
{
    c->has_thread = c->n >= PATTERNS_FOR_A_THREAD && pthread_create(&c->thread, NULL, compile_patterns, c) == 0;
    if (!c->has_thread) {
        (void)compile_patterns(c);
    }
    return c->has_thread || c->bad == c->n;
}

bool scanner_patterns_end(struct scanner_compilation *c, uint32_t *bad, struct error *err)
{
    if (c->has_thread) {
        (void)pthread_join(c->thread, NULL);
    }
    if (c->bad < c->n) {
        *bad = c->bad;
        *err = c->err;
    }
    return c->bad == c->n;
}
