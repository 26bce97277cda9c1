#include "base/cleanup.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/openai.h"

/* Log probabilities say a text once more, token by token. A token leaves when the text that it stands for has left, as it
 * was: until then it waits, and behind a change none leaves. Other tokens that were likely are text that was not judged:
 * of a whole answer they are judged, one text for each rank; of a stream they stay here. */

enum { LOGPROB_MAX = 32, RANKS_MAX = 20 };

/* --- one token ------------------------------------------------------------------------ */

static bool hex_value(char c, unsigned *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = memchr(digits, c | 0x20, sizeof(digits) - 1);

    *value = at == NULL ? 0 : (unsigned)(at - digits);
    return at != NULL;
}

/* A part of a character is written as "\xe2". */
static bool is_escape_of(struct span text, unsigned char byte)
{
    unsigned high, low;

    return text.len >= 4 && text.ptr[0] == '\\' && text.ptr[1] == 'x' && hex_value(text.ptr[2], &high) &&
           hex_value(text.ptr[3], &low) && 16 * high + low == byte;
}

static bool stands_for(struct span token, struct span bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        bool is_same = token.len > 0 && token.ptr[0] == bytes.ptr[i];
        if (!is_same && !is_escape_of(token, (unsigned char)bytes.ptr[i])) {
            return false;
        }
        token = span_slice(token, is_same ? 1 : 4, token.len);
    }
    return token.len == 0;
}

/* What it stands for in the text; false: it says two things, or nothing that can be compared. */
static bool read_bytes(struct translation *t, const struct node *token, struct span *out)
{
    const struct node *text = node_member(token, "token"), *bytes = node_member(token, "bytes");
    const struct node *logprob = node_member(token, "logprob");
    struct error err;

    if (!node_is_string(text) || logprob == NULL || logprob->kind != JSON_KIND_NUMBER ||
        logprob->text.len > LOGPROB_MAX) {
        return false;
    }
    *out = text->text;
    if (bytes == NULL || bytes->kind != JSON_KIND_ARRAY) {
        return true;
    }
    char *raw = arena_alloc(&t->memory, node_count(bytes) + 1, &err);
    size_t n = 0, value;
    for (const struct node *at = bytes->first; raw != NULL && at != NULL; at = at->next) {
        if (!node_index(at, &value) || value > UINT8_MAX) {
            return false;
        }
        raw[n++] = (char)(unsigned char)value;
    }
    *out = span_of(raw, n);
    return raw != NULL && stands_for(text->text, *out);
}

static bool write_bytes(const struct node *bytes, struct buf *out, struct error *err)
{
    return bytes != NULL && bytes->kind == JSON_KIND_ARRAY ? tree_write(bytes, out, err)
                                                           : buf_append_str(out, "null", err);
}

static bool write_pair(const struct node *token, struct buf *out, struct error *err)
{
    return json_around("{\"token\":", node_member(token, "token")->text, ",\"logprob\":", out, err) &&
           buf_append(out, node_member(token, "logprob")->text, err);
}

/* The other tokens of that place, the likeliest first. */
static bool write_others(const struct node *token, struct buf *out, struct error *err)
{
    const struct node *others = node_member(token, "top_logprobs");
    size_t n = 0;

    for (const struct node *at = others == NULL ? NULL : others->first; at != NULL && n < RANKS_MAX; at = at->next) {
        const struct node *logprob = node_member(at, "logprob");
        if (!node_is_string(node_member(at, "token")) || logprob == NULL || logprob->kind != JSON_KIND_NUMBER ||
            logprob->text.len > LOGPROB_MAX) {
            continue;
        }
        if ((n++ > 0 && !buf_append_char(out, ',', err)) || !write_pair(at, out, err) ||
            !buf_append_str(out, ",\"bytes\":null}", err)) {
            return false;
        }
    }
    return true;
}

/* A line of what waits: only members that are known, in the form of the API. */
static bool hold_token(struct translation *t, struct part *p, const struct node *token)
{
    struct span bytes;
    struct error err;

    return read_bytes(t, token, &bytes) && write_pair(token, &p->held, &err) &&
           buf_append_str(&p->held, ",\"bytes\":", &err) &&
           write_bytes(node_member(token, "bytes"), &p->held, &err) &&
           buf_append_str(&p->held, ",\"top_logprobs\":[", &err) &&
           (answer_is_stream(t) || write_others(token, &p->held, &err)) && buf_append_str(&p->held, "]}\n", &err);
}

void logprobs_hold(struct translation *t, struct part *p, const struct node *choice)
{
    const struct node *content = node_at(choice, "logprobs/content");
    const struct node *at = content != NULL && content->kind == JSON_KIND_ARRAY ? content->first : NULL;

    for (; at != NULL && !p->lost_logprobs; at = at->next) {
        p->lost_logprobs = stream_is_supervised(t->stream) || !hold_token(t, p, at);
    }
}

/* --- what may leave -------------------------------------------------------------------- */

static const struct text *find_text(const struct translation *t, const struct part *p)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        const struct text *x = t->texts[i];
        if (x->part == p->key && (text_is_at(x, "/delta/content") || text_is_at(x, "/message/content"))) {
            return x;
        }
    }
    return NULL;
}

/* The lines whose text has left: their length. What differs from the text loses all that is left. */
static size_t take_lines(struct translation *t, struct part *p, struct span released, struct buf *out, struct error *err)
{
    struct span held = buf_span(&p->held), bytes;
    size_t taken = 0;

    while (taken < held.len) {
        struct span line = span_slice(held, taken, held.len);
        line.len = (size_t)((const char *)memchr(line.ptr, '\n', line.len) - line.ptr);
        const struct node *token = tree_read(&t->memory, line, err);
        if (token == NULL || !read_bytes(t, token, &bytes)) {
            p->lost_logprobs = true;
            return taken;
        }
        struct span there = span_slice(released, p->logprobs_sent, released.len);
        size_t n = bytes.len < there.len ? bytes.len : there.len;
        if (n > 0 && memcmp(bytes.ptr, there.ptr, n) != 0) {
            p->lost_logprobs = true;
            return taken;
        }
        if (n < bytes.len) {
            return taken;
        }
        if ((out->len > 0 && !buf_append_char(out, ',', err)) || !buf_append(out, line, err)) {
            p->lost_logprobs = true;
            return taken;
        }
        p->logprobs_sent += n;
        taken += line.len + 1;
    }
    return taken;
}

/* The tokens of one rank are one text. */
static bool judge_others(struct translation *t, struct node *tokens, bool *are_clean, struct error *err)
{
    struct channel channels[RANKS_MAX] = {0};
    struct buf texts[RANKS_MAX];
    size_t n = 0;
    bool is_made = true;

    for (size_t rank = 0; rank < RANKS_MAX; rank++) {
        buf_init(&texts[rank], t->event_max);
    }
    for (const struct node *at = tokens->first; is_made && at != NULL; at = at->next) {
        const struct node *other = node_member(at, "top_logprobs")->first;
        for (size_t rank = 0; is_made && other != NULL; rank++, other = other->next) {
            is_made = buf_append(&texts[rank], node_member(other, "token")->text, err);
            n = rank + 1 > n ? rank + 1 : n;
        }
    }
    for (size_t rank = 0; is_made && rank < n; rank++) {
        channels[rank] = (struct channel){.path = span_str("/choices/logprobs"), .text = buf_span(&texts[rank])};
    }
    bool is_judged = is_made && (n == 0 || aside_judge(t, channels, n, err));
    *are_clean = is_judged && (n == 0 || !t->beside.had_findings);
    for (size_t rank = 0; rank < RANKS_MAX; rank++) {
        buf_deinit(&texts[rank]);
    }
    return is_judged;
}

static bool add_tokens(struct translation *t, struct node *choice, struct span lines, struct error *err)
{
    struct node *logprobs = tree_literal(&t->memory, "{\"content\":[],\"refusal\":null}", err);
    struct buf json CLEANUP(buf_deinit);
    struct span kept;
    bool are_clean = true;

    buf_init(&json, lines.len + 3);
    if (logprobs == NULL || !buf_append_char(&json, '[', err) || !buf_append(&json, lines, err) ||
        !buf_append_char(&json, ']', err) || !arena_copy(&t->memory, buf_span(&json), &kept, err)) {
        return false;
    }
    struct node *tokens = tree_read(&t->memory, kept, err);
    if (tokens == NULL || (!answer_is_stream(t) && !judge_others(t, tokens, &are_clean, err))) {
        return false;
    }
    for (struct node *at = tokens->first; !are_clean && at != NULL; at = at->next) {
        struct node *others = node_member(at, "top_logprobs");
        others->first = others->last = NULL;
    }
    node_remove(node_member(logprobs, "content"));
    tokens->name = span_str("content");
    node_append(logprobs, tokens);
    node_remove(node_member(choice, "logprobs"));
    logprobs->name = span_str("logprobs");
    node_append(choice, logprobs);
    return true;
}

bool logprobs_put(struct translation *t, struct part *p, struct node *choice, struct error *err)
{
    const struct text *x = p->held.len > 0 && !p->lost_logprobs ? find_text(t, p) : NULL;
    struct buf lines CLEANUP(buf_deinit);

    buf_init(&lines, p->held.len);
    if (x == NULL) {
        return true;
    }
    size_t taken = take_lines(t, p, buf_span(&x->released), &lines, err);
    bool is_all = taken == p->held.len && p->logprobs_sent == x->released.len && !p->lost_logprobs;
    if (taken > 0) {
        memmove(p->held.data, p->held.data + taken, p->held.len - taken);
        p->held.len -= taken;
    }
    if (lines.len == 0 || (!answer_is_stream(t) && !is_all)) {
        return true;
    }
    return add_tokens(t, choice, buf_span(&lines), err);
}
