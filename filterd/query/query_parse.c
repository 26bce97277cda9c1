/* query_parse.c - the text of a query into terms. */
#include <stdio.h>

#include "base/json.h"
#include "query/query_parts.h"
#include "query/timestamp.h"

const struct query_field_type query_fields[QUERY_FIELDS] = {
    [QUERY_TENANT] = {"tenant", QUERY_IS_TEXT, NULL},
    [QUERY_APP] = {"app", QUERY_IS_TEXT, NULL},
    [QUERY_AGENT] = {"agent", QUERY_IS_TEXT, NULL},
    [QUERY_RULE] = {"rule", QUERY_IS_TEXT, NULL},
    [QUERY_CATEGORY] = {"category", QUERY_IS_TEXT, NULL},
    [QUERY_SEVERITY] = {"severity", QUERY_IS_WORD, "low|medium|high|critical"},
    [QUERY_ACTION] = {"action", QUERY_IS_WORD, "allow|redact|block"},
    [QUERY_TYPE] = {"type", QUERY_IS_WORD,
                    "decision|second-look|agent|recovery|rotation|loss|log|review|access|reveal|exception|admin|hold|erasure|rewrap|prune|scan"},
    [QUERY_STATE] = {"state", QUERY_IS_TEXT, NULL},
    [QUERY_DISPOSITION] = {"disposition", QUERY_IS_WORD, "true_positive|false_positive|benign|policy_gap|unsure"},
    [QUERY_WHO] = {"who", QUERY_IS_TEXT, NULL},
    [QUERY_POLICY] = {"policy", QUERY_IS_TEXT, NULL},
    [QUERY_TOKEN] = {"token", QUERY_IS_TEXT, NULL},
    [QUERY_REQ] = {"req", QUERY_IS_TEXT, NULL},
    [QUERY_SESSION] = {"session", QUERY_IS_TEXT, NULL},
    [QUERY_TRACE] = {"trace", QUERY_IS_TEXT, NULL},
    [QUERY_SEQ] = {"seq", QUERY_IS_RANGE, NULL},
    [QUERY_SINCE] = {"since", QUERY_IS_TIME, NULL},
    [QUERY_UNTIL] = {"until", QUERY_IS_TIME, NULL},
};

struct parser {
    struct query *q;
    struct span text;
    size_t at;
    int64_t now_ns;
    struct error *err;
};

static bool refuse(struct parser *p, size_t at, const char *expected)
{
    return error_set(p->err, ERROR_INVALID, "query: column %zu: %s expected", at + 1, expected);
}

static bool refuse_limit(struct parser *p, size_t at, const char *what, size_t max)
{
    return error_set(p->err, ERROR_LIMIT, "query: column %zu: at most %zu %s expected", at + 1, max, what);
}

static int peek(const struct parser *p)
{
    return p->at < p->text.len ? (unsigned char)p->text.ptr[p->at] : -1;
}

/* The reader of JSON knows well-formed characters: it gets the text as a string. */
static bool check_characters(struct parser *p)
{
    char copy[QUERY_TEXT_MAX + 2];
    struct error err;

    if (p->text.len > QUERY_TEXT_MAX) {
        return refuse_limit(p, QUERY_TEXT_MAX, "bytes", QUERY_TEXT_MAX);
    }
    copy[0] = '"';
    for (size_t i = 0; i < p->text.len; i++) {
        char c = p->text.ptr[i];
        copy[i + 1] = c == '"' || c == '\\' ? ' ' : c;
        if (c == 0x7f || (unsigned char)c < ' ') {
            return refuse(p, i, "no control character");
        }
    }
    copy[p->text.len + 1] = '"';
    return json_validate(span_of(copy, p->text.len + 2), &err) || refuse(p, 0, "valid UTF-8");
}

static bool put(struct query *q, char c)
{
    if (q->text_len < sizeof(q->text)) {
        q->text[q->text_len++] = c;
        return true;
    }
    return false;
}

/* From the quote on. */
static bool take_quoted(struct parser *p)
{
    size_t begin = p->at++;

    while (peek(p) != '"') {
        if (peek(p) == '\\') {
            p->at++;
            if (peek(p) != '"' && peek(p) != '\\') {
                return refuse(p, p->at, "\\\" or \\\\");
            }
        }
        if (peek(p) < 0) {
            return refuse(p, begin, "a quote at both ends of the value");
        }
        if (!put(p->q, (char)peek(p))) {
            return refuse_limit(p, begin, "bytes", QUERY_TEXT_MAX);
        }
        p->at++;
    }
    p->at++;
    return true;
}

static bool is_bare(int c)
{
    return c > ' ' && c != ',' && c != '"' && c != '\\' && c != '*';
}

static bool take_bare(struct parser *p)
{
    while (is_bare(peek(p))) {
        if (!put(p->q, (char)peek(p))) {
            return refuse_limit(p, p->at, "bytes", QUERY_TEXT_MAX);
        }
        p->at++;
    }
    return true;
}

/* The text of a value without its quotes, and the asterisk behind it. */
static bool take_text(struct parser *p, struct query_value *v)
{
    size_t from = p->q->text_len;
    bool is_quoted = peek(p) == '"';

    if (!(is_quoted ? take_quoted(p) : take_bare(p))) {
        return false;
    }
    v->text = span_of(p->q->text + from, p->q->text_len - from);
    v->is_prefix = peek(p) == '*';
    p->at += v->is_prefix;
    if (!is_quoted && v->text.len == 0 && !v->is_prefix) {
        return refuse(p, p->at, "a value");
    }
    if (peek(p) >= 0 && peek(p) != ' ' && peek(p) != ',') {
        return refuse(p, p->at, v->is_prefix ? "a comma or a space behind *: an asterisk stands at the end of a value, or in quotes," : "a comma or a space behind the value");
    }
    return true;
}

static bool is_one_of(const char *words, struct span word)
{
    for (const char *at = words; word.len > 0; at += strcspn(at, "|") + 1) {
        if (strcspn(at, "|") == word.len && memcmp(at, word.ptr, word.len) == 0) {
            return true;
        }
        if (strchr(at, '|') == NULL) {
            return false;
        }
    }
    return false;
}

static bool take_digits(struct span *text, uint64_t *number)
{
    size_t n = 0;

    *number = 0;
    for (; n < text->len && text->ptr[n] >= '0' && text->ptr[n] <= '9'; n++) {
        *number = *number * 10 + (uint64_t)(text->ptr[n] - '0');
    }
    *text = span_slice(*text, n, text->len);
    return n > 0 && n <= 18;
}

/* "7", "7..9", "7..", "..9". */
static bool read_range(struct query_value *v)
{
    struct span rest = v->text;
    bool has_from = take_digits(&rest, &v->from);
    bool is_range = span_starts_with(rest, span_of("..", 2));

    if (!is_range) {
        v->to = v->from;
        return has_from && rest.len == 0;
    }
    rest = span_slice(rest, 2, rest.len);
    bool has_to = rest.len > 0;
    v->to = UINT64_MAX;
    v->from = has_from ? v->from : 0;
    return (has_from || v->text.ptr[0] == '.') && (has_from || has_to) &&
           (!has_to || (take_digits(&rest, &v->to) && rest.len == 0 && v->from <= v->to));
}

static bool read_value(struct parser *p, enum query_field field, size_t at, struct query_value *v)
{
    const struct query_field_type *type = &query_fields[field];
    char expected[256];

    if (type->kind != QUERY_IS_TEXT && v->is_prefix) {
        return refuse(p, at, "a value without *");
    }
    if (type->kind == QUERY_IS_WORD && !is_one_of(type->words, v->text)) {
        (void)snprintf(expected, sizeof(expected), "one of %s", type->words);
        return refuse(p, at, expected);
    }
    if (type->kind == QUERY_IS_RANGE && !read_range(v)) {
        return refuse(p, at, "a number or a range, as 7, 7..9, 7.. or ..9,");
    }
    if (type->kind == QUERY_IS_TIME && !timestamp_parse(v->text, p->now_ns, &v->time_ns)) {
        return refuse(p, at, "a time such as 2026-11-21T08:00:00Z or 6h");
    }
    return true;
}

static bool take_values(struct parser *p, struct query_term *t)
{
    t->first = p->q->n_values;
    do {
        size_t at = p->at += t->n > 0 ? 1 : 0;
        if (p->q->n_values == QUERY_VALUES_MAX) {
            return refuse_limit(p, at, "values", QUERY_VALUES_MAX);
        }
        struct query_value *v = &p->q->values[p->q->n_values];
        if (!take_text(p, v) || !read_value(p, t->field, at, v)) {
            return false;
        }
        if (query_fields[t->field].kind == QUERY_IS_TIME && peek(p) == ',') {
            return refuse(p, p->at, "one time");
        }
        p->q->n_values++;
        t->n++;
    } while (peek(p) == ',');
    return true;
}

static bool take_field(struct parser *p, struct query_term *t)
{
    size_t begin = p->at;

    while (peek(p) >= 'a' && peek(p) <= 'z') {
        p->at++;
    }
    struct span name = span_slice(p->text, begin, p->at);
    for (size_t i = 0; i < QUERY_FIELDS; i++) {
        if (span_is(name, query_fields[i].name)) {
            t->field = (enum query_field)i;
            if (peek(p) != ':') {
                return refuse(p, p->at, "a colon and a value behind the field");
            }
            p->at++;
            return true;
        }
    }
    return refuse(p, begin, "a field (tenant, app, agent, rule, category, severity, action, type, state, disposition, who, "
                            "policy, token, req, session, since, until, seq) and a colon");
}

static bool take_term(struct parser *p)
{
    size_t begin = p->at;

    if (p->q->n_terms == QUERY_TERMS_MAX) {
        return refuse_limit(p, begin, "terms", QUERY_TERMS_MAX);
    }
    struct query_term *t = &p->q->terms[p->q->n_terms];
    t->is_negated = peek(p) == '-';
    p->at += t->is_negated;
    if (!take_field(p, t) || !take_values(p, t)) {
        return false;
    }
    if (t->is_negated && query_fields[t->field].kind == QUERY_IS_TIME) {
        return refuse(p, begin, "no - in front of since and until: the one is the other's opposite");
    }
    p->q->n_terms++;
    return true;
}

bool query_parse(struct query *q, struct span text, int64_t now_ns, struct error *err)
{
    struct parser p = {.q = q, .text = text, .now_ns = now_ns, .err = err};

    if (!check_characters(&p)) {
        return false;
    }
    for (;;) {
        while (peek(&p) == ' ') {
            p.at++;
        }
        if (peek(&p) < 0) {
            return true;
        }
        if (!take_term(&p)) {
            return false;
        }
    }
}
