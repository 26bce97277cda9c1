#include "base/cleanup.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/dialects/openai.h"

/* Log probabilities repeat a text, token by token. A token is released once its text was released unchanged;
 * until then it waits, and after a change none is released. Other tokens that were likely are text that was not judged:
 * of a whole answer they are judged, one text for each rank; of a stream they stay here.
 *
 * The APIs write them in three forms: what waits has that of chat completions, {"token", "logprob", "bytes", "top_logprobs"},
 * which is that of responses, too. The older completions have {"tokens": [], "token_logprobs": [], "top_logprobs": [{}],
 * "text_offset": []}, each array as long as the others. */

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

/* A number, or null: the first token of a prompt has none. */
static bool is_logprob(const struct node *n)
{
    return n != NULL && (n->kind == JSON_KIND_NULL || (n->kind == JSON_KIND_NUMBER && n->text.len <= LOGPROB_MAX));
}

/* The older completions write part of a character as "bytes:\xe2\x80". */
static bool read_escapes(struct translation *t, struct span text, struct span *out)
{
    static const char prefix[] = "bytes:";
    struct span rest = span_slice(text, sizeof(prefix) - 1, text.len);
    struct error err;
    unsigned high, low;

    *out = text;
    if (!span_starts_with(text, span_str(prefix)) || rest.len == 0 || rest.len % 4 != 0) {
        return true;
    }
    char *raw = arena_alloc(&t->memory, rest.len / 4, &err);
    for (size_t i = 0; raw != NULL && i < rest.len; i += 4) {
        if (rest.ptr[i] != '\\' || rest.ptr[i + 1] != 'x' || !hex_value(rest.ptr[i + 2], &high) ||
            !hex_value(rest.ptr[i + 3], &low)) {
            return true;
        }
        raw[i / 4] = (char)(unsigned char)(16 * high + low);
    }
    *out = span_of(raw, rest.len / 4);
    return raw != NULL;
}

/* What it stands for in the text; false: it says two things, or nothing that can be compared. */
static bool read_bytes(struct translation *t, const struct node *token, struct span *out)
{
    const struct node *text = node_member(token, "token"), *bytes = node_member(token, "bytes");
    struct error err;

    if (!node_is_string(text) || !is_logprob(node_member(token, "logprob"))) {
        return false;
    }
    if (bytes == NULL || bytes->kind != JSON_KIND_ARRAY) {
        return read_escapes(t, text->text, out);
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
           tree_write(node_member(token, "logprob"), out, err);
}

/* The other tokens of that place, the likeliest first. */
static bool write_others(const struct node *token, struct buf *out, struct error *err)
{
    const struct node *others = node_member(token, "top_logprobs");
    size_t n = 0;

    for (const struct node *at = others == NULL ? NULL : others->first; at != NULL && n < RANKS_MAX; at = at->next) {
        if (!node_is_string(node_member(at, "token")) || !is_logprob(node_member(at, "logprob"))) {
            continue;
        }
        if ((n++ > 0 && !buf_append_char(out, ',', err)) || !write_pair(at, out, err) ||
            !buf_append_str(out, ",\"bytes\":null}", err)) {
            return false;
        }
    }
    return true;
}

/* Where it stands in the text: the older completions alone say so. */
static bool write_offset(const struct translation *t, const struct node *token, struct buf *out, struct error *err)
{
    size_t offset;

    return t->dialect != &openai_completions || !node_index(node_member(token, "offset"), &offset) ||
           buf_appendf(out, err, ",\"offset\":%zu", offset);
}

/* A line of what waits: only members that are known, in the form of chat completions. */
static bool hold_token(struct translation *t, struct buf *held, const struct node *token)
{
    struct span bytes;
    struct error err;

    return read_bytes(t, token, &bytes) && write_pair(token, held, &err) && write_offset(t, token, held, &err) &&
           buf_append_str(held, ",\"bytes\":", &err) && write_bytes(node_member(token, "bytes"), held, &err) &&
           buf_append_str(held, ",\"top_logprobs\":[", &err) &&
           (answer_is_stream(t) || write_others(token, held, &err)) && buf_append_str(held, "]}\n", &err);
}

void logprobs_hold(struct translation *t, struct logprobs *l, const struct node *tokens)
{
    const struct node *at = tokens != NULL && tokens->kind == JSON_KIND_ARRAY ? tokens->first : NULL;

    for (; at != NULL && !l->is_lost; at = at->next) {
        l->is_lost = stream_is_supervised(t->stream) || !hold_token(t, &l->held, at);
    }
}

/* --- what may leave -------------------------------------------------------------------- */

/* The lines whose text has left: their length. What differs from the text loses all that is left. */
static size_t take_lines(struct translation *t, struct logprobs *l, struct span released, struct buf *out, struct error *err)
{
    struct span held = buf_span(&l->held), bytes;
    size_t taken = 0;

    while (taken < held.len) {
        struct span line = span_slice(held, taken, held.len);
        line.len = (size_t)((const char *)memchr(line.ptr, '\n', line.len) - line.ptr);
        const struct node *token = tree_read(&t->memory, line, err);
        if (token == NULL || !read_bytes(t, token, &bytes)) {
            l->is_lost = true;
            return taken;
        }
        struct span there = span_slice(released, l->sent, released.len);
        size_t n = bytes.len < there.len ? bytes.len : there.len;
        if (n > 0 && memcmp(bytes.ptr, there.ptr, n) != 0) {
            l->is_lost = true;
            return taken;
        }
        if (n < bytes.len) {
            return taken;
        }
        if ((out->len > 0 && !buf_append_char(out, ',', err)) || !buf_append(out, line, err)) {
            l->is_lost = true;
            return taken;
        }
        l->sent += n;
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
        channels[rank] = (struct channel){.path = span_str("/logprobs"), .text = buf_span(&texts[rank])};
    }
    bool is_judged = is_made && (n == 0 || aside_judge(t, channels, n, err));
    *are_clean = is_judged && (n == 0 || !t->beside.had_findings);
    for (size_t rank = 0; rank < RANKS_MAX; rank++) {
        buf_deinit(&texts[rank]);
    }
    return is_judged;
}

/* Lines as an array; of a whole answer without other tokens in which something was found. */
static bool write_array(struct translation *t, struct span lines, struct span *json, struct error *err)
{
    struct buf array CLEANUP(buf_deinit);
    bool are_clean = true;

    buf_init(&array, lines.len + 3);
    if (!buf_append_char(&array, '[', err) || !buf_append(&array, lines, err) || !buf_append_char(&array, ']', err) ||
        !arena_copy(&t->memory, buf_span(&array), json, err)) {
        return false;
    }
    if (answer_is_stream(t)) {
        return true;
    }
    struct node *tokens = tree_read(&t->memory, *json, err);
    if (tokens == NULL || !judge_others(t, tokens, &are_clean, err)) {
        return false;
    }
    for (struct node *at = tokens->first; !are_clean && at != NULL; at = at->next) {
        struct node *others = node_member(at, "top_logprobs");
        others->first = others->last = NULL;
    }
    buf_clear(&array);
    return are_clean || (tree_write(tokens, &array, err) && arena_copy(&t->memory, buf_span(&array), json, err));
}

bool logprobs_take(struct translation *t, struct logprobs *l, struct span released, struct span *json, struct error *err)
{
    struct buf lines CLEANUP(buf_deinit);

    buf_init(&lines, l->held.len);
    *json = span_of("", 0);
    if (l->held.len == 0 || l->is_lost) {
        return true;
    }
    size_t taken = take_lines(t, l, released, &lines, err);
    bool is_all = taken == l->held.len && l->sent == released.len && !l->is_lost;
    if (taken > 0) {
        memmove(l->held.data, l->held.data + taken, l->held.len - taken);
        l->held.len -= taken;
    }
    return lines.len == 0 || (!answer_is_stream(t) && !is_all) || write_array(t, buf_span(&lines), json, err);
}

bool logprobs_add(struct translation *t, struct node *to, const char *name, struct span json, struct error *err)
{
    node_remove(node_member(to, name));
    struct node *array = node_add(&t->memory, to, span_str(name), err);
    if (array == NULL) {
        return false;
    }
    array->kind = JSON_KIND_ARRAY;
    array->is_verbatim = array->is_judged = true;
    array->text = json;
    return true;
}

bool logprobs_keep(struct translation *t, struct node *in, struct span released, struct error *err)
{
    struct node *tokens = node_member(in, "logprobs");
    struct logprobs l = {0};
    struct span json;

    if (tokens == NULL || tokens->is_judged) { /* kept already: a text may be of two kinds */
        return true;
    }
    buf_init(&l.held, t->event_max);
    logprobs_hold(t, &l, tokens);
    bool is_taken = logprobs_take(t, &l, released, &json, err);
    bool is_all = l.held.len == 0 && l.sent == released.len && !l.is_lost;
    buf_deinit(&l.held);
    node_remove(tokens);
    return is_taken && (!is_all || json.len == 0 || logprobs_add(t, in, "logprobs", json, err));
}

/* --- of a choice ---------------------------------------------------------------------- */

/* A copy of a number, a string or null as a member; NULL: nothing is there. */
static bool copy_member(struct translation *t, struct node *to, const char *name, const struct node *from, struct error *err)
{
    struct node *copy = from == NULL ? NULL : node_copy(&t->memory, to, from, err);

    if (copy != NULL) {
        copy->name = span_str(name);
    }
    return from == NULL || copy != NULL;
}

/* {"Hi": -3.5} becomes [{"token": "Hi", "logprob": -3.5}]. */
static bool copy_others(struct translation *t, struct node *to, const struct node *others, struct error *err)
{
    struct node *list = node_add(&t->memory, to, span_str("top_logprobs"), err);

    if (list == NULL) {
        return false;
    }
    list->kind = JSON_KIND_ARRAY;
    for (const struct node *at = others == NULL ? NULL : others->first; at != NULL; at = at->next) {
        struct node *pair = tree_literal(&t->memory, "{\"token\":\"\"}", err);
        if (pair == NULL || !copy_member(t, pair, "logprob", at, err)) {
            return false;
        }
        node_set_text(pair->first, at->name);
        node_append(list, pair);
    }
    return true;
}

static const struct node *first_of(const struct node *logprobs, const char *name)
{
    const struct node *array = node_member(logprobs, name);

    return array == NULL ? NULL : array->first;
}

static const struct node *next_of(const struct node *n)
{
    return n == NULL ? NULL : n->next;
}

static struct node *tokens_of_arrays(struct translation *t, const struct node *logprobs, struct error *err)
{
    struct node *tokens = tree_literal(&t->memory, "[]", err);
    const struct node *number = first_of(logprobs, "token_logprobs"), *others = first_of(logprobs, "top_logprobs");
    const struct node *offset = first_of(logprobs, "text_offset");

    for (const struct node *at = first_of(logprobs, "tokens"); tokens != NULL && at != NULL; at = at->next) {
        struct node *token = tree_literal(&t->memory, "{}", err);
        if (token == NULL || !copy_member(t, token, "token", at, err) || !copy_member(t, token, "logprob", number, err) ||
            !copy_member(t, token, "offset", offset, err) || !copy_others(t, token, others, err)) {
            return NULL;
        }
        node_append(tokens, token);
        number = next_of(number);
        others = next_of(others);
        offset = next_of(offset);
    }
    return tokens;
}

/* The value of a member of each token, under the name of an array. */
static bool add_array(struct translation *t, struct node *to, const char *name, const struct node *tokens, const char *member,
                      struct error *err)
{
    struct node *array = node_add(&t->memory, to, span_str(name), err);

    if (array == NULL) {
        return false;
    }
    array->kind = JSON_KIND_ARRAY;
    for (const struct node *at = tokens->first; at != NULL; at = at->next) {
        if (!copy_member(t, array, "", node_member(at, member), err)) {
            return false;
        }
    }
    return true;
}

/* null where no token has any. */
static bool add_others(struct translation *t, struct node *to, const struct node *tokens, struct error *err)
{
    struct node *array = node_add(&t->memory, to, span_str("top_logprobs"), err);

    for (const struct node *at = tokens->first; array != NULL && at != NULL; at = at->next) {
        const struct node *others = node_member(at, "top_logprobs");
        array->kind = others->first != NULL ? JSON_KIND_ARRAY : array->kind;
    }
    for (const struct node *at = tokens->first; array != NULL && array->kind == JSON_KIND_ARRAY && at != NULL; at = at->next) {
        struct node *object = tree_literal(&t->memory, "{}", err);
        if (object == NULL) {
            return false;
        }
        for (const struct node *pair = node_member(at, "top_logprobs")->first; pair != NULL; pair = pair->next) {
            struct node *copy = node_copy(&t->memory, object, node_member(pair, "logprob"), err);
            if (copy == NULL) {
                return false;
            }
            copy->name = node_member(pair, "token")->text;
        }
        node_append(array, object);
    }
    return array != NULL;
}

static bool add_arrays(struct translation *t, struct node *choice, struct span json, struct error *err)
{
    const struct node *tokens = tree_read(&t->memory, json, err);

    node_remove(node_member(choice, "logprobs"));
    struct node *logprobs = tokens == NULL ? NULL : node_add(&t->memory, choice, span_str("logprobs"), err);
    if (logprobs == NULL) {
        return false;
    }
    logprobs->kind = JSON_KIND_OBJECT;
    return add_array(t, logprobs, "tokens", tokens, "token", err) &&
           add_array(t, logprobs, "token_logprobs", tokens, "logprob", err) && add_others(t, logprobs, tokens, err) &&
           add_array(t, logprobs, "text_offset", tokens, "offset", err);
}

bool logprobs_hold_choice(struct translation *t, struct part *p, const struct node *choice, struct error *err)
{
    const struct node *logprobs = node_member(choice, "logprobs"), *tokens = node_member(logprobs, "content");

    if (t->dialect != &openai_chat && logprobs != NULL) {
        tokens = tokens_of_arrays(t, logprobs, err);
        if (tokens == NULL) {
            return false;
        }
    }
    logprobs_hold(t, &p->logprobs, tokens);
    return true;
}

/* The text that log probabilities are of. */
static const struct text *text_of_choice(const struct translation *t, size_t choice)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        const struct text *x = t->texts[i];
        if (x->part == choice &&
            (text_is_at(x, "/delta/content") || text_is_at(x, "/message/content") || text_is_at(x, "/text"))) {
            return x;
        }
    }
    return NULL;
}

bool logprobs_put_choice(struct translation *t, size_t index, struct node *choice, struct error *err)
{
    struct part *p = part_find(t, index);
    const struct text *x = p == NULL ? NULL : text_of_choice(t, index);
    struct span json;

    if (x == NULL) {
        return true;
    }
    if (!logprobs_take(t, &p->logprobs, buf_span(&x->released), &json, err)) {
        return false;
    }
    if (json.len == 0) {
        return true;
    }
    if (t->dialect != &openai_chat) {
        return add_arrays(t, choice, json, err);
    }
    struct node *logprobs = tree_literal(&t->memory, "{\"refusal\":null}", err);
    if (logprobs == NULL || !logprobs_add(t, logprobs, "content", json, err)) {
        return false;
    }
    node_remove(node_member(choice, "logprobs"));
    logprobs->name = span_str("logprobs");
    node_append(choice, logprobs);
    return true;
}
