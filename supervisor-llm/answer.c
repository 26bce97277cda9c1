#include "supervisor-llm/answer.h"

#include <stdlib.h>

#include "base/json.h"
#include "supervisor-llm/quote.h"

enum { NUMBER_MAX = 32 };

/* --- reading ----------------------------------------------------------------- */

/* The member of that name, which must be there once. */
static bool get(struct json_value object, const char *name, struct json_value *out)
{
    struct json_iterator it = json_iterate(object);
    struct json_value item;
    struct span key;
    unsigned n = 0;

    while (object.kind == JSON_KIND_OBJECT && json_next(&it, &key, &item)) {
        if (span_is(key, name)) {
            *out = item;
            n++;
        }
    }
    return n == 1;
}

static bool get_string(struct arena *a, struct json_value object, const char *name, struct span *out)
{
    struct json_value value;
    struct error err;

    return get(object, name, &value) && value.kind == JSON_KIND_STRING && json_unquote(a, value, out, &err);
}

static bool read_number(struct json_value value, double *out)
{
    char text[NUMBER_MAX];

    if (value.kind != JSON_KIND_NUMBER || value.raw.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, value.raw.ptr, value.raw.len);
    text[value.raw.len] = '\0';
    *out = strtod(text, NULL);
    return true;
}

static size_t count_members(struct json_value container)
{
    struct json_iterator it = json_iterate(container);
    struct json_value item;
    struct span key;
    size_t n = 0;

    while (json_next(&it, &key, &item)) {
        n++;
    }
    return n;
}

static struct span trim(struct span s)
{
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[0]) != NULL && s.ptr[0] != '\0') {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[s.len - 1]) != NULL && s.ptr[s.len - 1] != '\0') {
        s.len--;
    }
    return s;
}

/* --- the protocol's part ------------------------------------------------------- */

static void read_usage(struct json_value root, struct supervision *out)
{
    struct json_value usage, value;
    double number;

    if (!get(root, "usage", &usage)) {
        return;
    }
    if (get(usage, "prompt_tokens", &value) && read_number(value, &number) && number >= 0 && number < UINT32_MAX) {
        out->tokens_in = (uint32_t)number;
    }
    if (get(usage, "completion_tokens", &value) && read_number(value, &number) && number >= 0 &&
        number < UINT32_MAX) {
        out->tokens_out = (uint32_t)number;
    }
}

/* What the first choice says; only an answer that came to its own end is one. */
static bool read_content(struct arena *a, struct json_value root, struct span *content)
{
    struct json_value choices, choice, message;
    struct span name, ending;

    if (!get(root, "choices", &choices) || choices.kind != JSON_KIND_ARRAY) {
        return false;
    }
    struct json_iterator it = json_iterate(choices);
    return json_next(&it, &name, &choice) && get_string(a, choice, "finish_reason", &ending) &&
           span_is(ending, "stop") && get(choice, "message", &message) && get_string(a, message, "content", content);
}

/* Hexadecimal in either case. */
static bool has_mark(struct span text, const char *mark)
{
    for (size_t i = 0; i + PROMPT_MARK <= text.len; i++) {
        size_t k = 0;
        while (k < PROMPT_MARK && (text.ptr[i + k] | 0x20) == (mark[k] | 0x20)) {
            k++;
        }
        if (k == PROMPT_MARK) {
            return true;
        }
    }
    return false;
}

/* --- the verdict --------------------------------------------------------------- */

struct verdict {
    struct span verdict, category, reason;
    struct json_value evidence;
    double confidence;
};

static bool read_verdict(struct arena *a, struct json_value object, struct verdict *v)
{
    struct json_value confidence;

    return object.kind == JSON_KIND_OBJECT && count_members(object) == 5 &&
           get_string(a, object, "verdict", &v->verdict) && get_string(a, object, "category", &v->category) &&
           get(object, "confidence", &confidence) && read_number(confidence, &v->confidence) && v->confidence >= 0 &&
           v->confidence <= 1 && get_string(a, object, "reason", &v->reason) &&
           v->reason.len <= ANSWER_REASON_BYTES && get(object, "evidence", &v->evidence) &&
           v->evidence.kind == JSON_KIND_ARRAY;
}

static bool find_category(const struct answer_question *q, struct span name, unsigned *category)
{
    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        if ((q->categories >> i & 1U) != 0 && span_is(name, supervisor_category_name((enum supervisor_category)i))) {
            *category = i;
            return true;
        }
    }
    return false;
}

/* Members that contradict each other are no verdict. */
static bool agrees(const struct answer_question *q, const struct verdict *v, struct supervision *out)
{
    size_t n = count_members(v->evidence);

    out->is_violation = span_is(v->verdict, "violation");
    if (!out->is_violation) {
        return span_is(v->verdict, "ok") && span_is(v->category, "none") && n == 0;
    }
    return n > 0 && n <= SUPERVISION_EVIDENCE_MAX && find_category(q, v->category, &out->category);
}

/* In the text itself, too: a model may leave out the space that the quotation has put in. */
static bool find_evidence(struct span text, struct span quoted, struct span piece, struct supervision_range *range)
{
    if (piece.len == 0 || text.len == 0) {
        return false;
    }
    const char *plain = memmem(text.ptr, text.len, piece.ptr, piece.len);
    const char *found = memmem(quoted.ptr, quoted.len, piece.ptr, piece.len);
    if (plain != NULL) {
        *range = (struct supervision_range){(size_t)(plain - text.ptr), (size_t)(plain - text.ptr) + piece.len};
        return true;
    }
    if (found == NULL) {
        return false;
    }
    size_t at = (size_t)(found - quoted.ptr);
    range->from = quote_origin(text, at);
    range->to = quote_origin(text, at + piece.len - 1) + 1;
    range->to = range->to < text.len ? range->to : text.len;
    return range->from < range->to;
}

/* What is shorter than a word occurs anywhere, unless the text is as short. */
static bool is_piece(struct span piece, struct span quoted)
{
    return piece.len <= ANSWER_EVIDENCE_BYTES &&
           (piece.len >= ANSWER_EVIDENCE_MIN || piece.len == trim(quoted).len);
}

static enum supervision_outcome read_evidence(struct arena *a, const struct answer_question *q,
                                              struct json_value list, struct supervision *out)
{
    struct json_iterator it = json_iterate(list);
    struct json_value item;
    struct span name, piece;
    struct buf quoted;
    struct error err;
    enum supervision_outcome outcome = SUPERVISION_ANSWERED;

    buf_init(&quoted, 2 * q->text.len + 1);
    if (!quote_append(&quoted, q->text, &err)) {
        outcome = SUPERVISION_MALFORMED;
    }
    out->n_evidence = 0;
    while (outcome == SUPERVISION_ANSWERED && json_next(&it, &name, &item)) {
        bool is_text = item.kind == JSON_KIND_STRING && json_unquote(a, item, &piece, &err);
        if (!is_text || !is_piece(piece, buf_span(&quoted))) {
            outcome = SUPERVISION_SHAPE;
        } else if (!find_evidence(q->text, buf_span(&quoted), piece, &out->evidence[out->n_evidence++])) {
            outcome = SUPERVISION_EVIDENCE;
        }
    }
    buf_deinit(&quoted);
    return outcome;
}

/* Cut at a character's beginning. */
static void keep_reason(struct span reason, struct supervision *out)
{
    size_t len = reason.len < SUPERVISION_REASON_MAX ? reason.len : SUPERVISION_REASON_MAX;

    while (len > 0 && len < reason.len && ((unsigned char)reason.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    if (len > 0) {
        memcpy(out->reason, reason.ptr, len);
    }
    out->reason[len] = '\0';
}

static enum supervision_outcome read(struct arena *a, struct span body, const struct answer_question *q,
                                     struct supervision *out)
{
    struct verdict v;
    struct span content;
    struct error err;

    if (!json_validate(body, &err)) {
        return SUPERVISION_MALFORMED;
    }
    struct json_value root = json_root(body);
    read_usage(root, out);
    if (!read_content(a, root, &content)) {
        return SUPERVISION_MALFORMED;
    }
    if (has_mark(content, q->marks->canary) || has_mark(content, q->marks->boundary)) {
        return SUPERVISION_ECHO;
    }
    content = trim(content);
    if (!json_validate(content, &err) || !read_verdict(a, json_root(content), &v) || !agrees(q, &v, out)) {
        return SUPERVISION_SHAPE;
    }
    /* Escapes inside the content may hide the marks from a look at its bytes. */
    if (has_mark(v.reason, q->marks->canary) || has_mark(v.reason, q->marks->boundary)) {
        return SUPERVISION_ECHO;
    }
    out->confidence = v.confidence;
    keep_reason(v.reason, out);
    return read_evidence(a, q, v.evidence, out);
}

void answer_read(struct arena *a, struct span body, const struct answer_question *q, struct supervision *out)
{
    out->outcome = read(a, body, q, out);
    if (out->outcome != SUPERVISION_ANSWERED) {
        out->is_violation = false;
        out->n_evidence = 0;
        out->confidence = 0;
        out->category = 0;
        out->reason[0] = '\0';
    }
}
