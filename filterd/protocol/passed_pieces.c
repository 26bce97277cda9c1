/* passed_pieces.c - texts that answers of passed routes say once more in pieces: words and segments of a transcript with their times,
 * cues of subtitles, tokens with their log probabilities, chunks of a document.
 *
 * The pieces of one array, each of which was judged by itself, are judged once more as one text (pieces.c). Numbers of tokens and their
 * bytes, which nothing here can read, leave with what was changed. */
#include "base/ascii.h"
#include "base/json.h"
#include "judge/path.h"
#include "protocol/pieces.h"
#include "protocol/translation.h"

/* Arrays of pieces that are open at once: words are in segments. Another one ends the oldest. */
enum { OPEN_MAX = 4 };

/* How pieces are joined. Chunks and segments may be cut in a word or between two: both are tried. */
static const char *const by_space[] = {" ", NULL};
static const char *const by_nothing[] = {"", NULL};
static const char *const by_both[] = {"", " ", NULL};

static const struct piece_name {
    const char *name;
    bool is_array; /* of strings; else the member of objects in an array */
    const char *const *joints;
} names[] = {
    {"word", false, by_space},   {"text", false, by_both},          {"token", false, by_nothing},
    {"tokens", true, by_nothing}, {"token_strings", true, by_nothing},
};

static bool judge_pieces(struct translation *t, struct span path, struct pieces p, const char *const *joints, struct error *err)
{
    for (size_t i = 0; p.n > 1 && joints[i] != NULL; i++) {
        if (!pieces_judge_joined(t, path, p, joints[i], err)) {
            return false;
        }
    }
    return true;
}

/* --- in JSON --------------------------------------------------------------------------- */

struct group {
    const struct piece_name *name;
    struct span array; /* the path of the array */
    size_t n, first, last;
};

struct grouping {
    size_t *next; /* the channel of the next piece of the same array, of each channel */
    struct group *groups; /* the last OPEN_MAX take pieces */
    size_t n_groups;
};

static bool take_step(struct span *path, struct span *step)
{
    size_t at = path->len;

    while (at > 0 && path->ptr[at - 1] != '/') {
        at--;
    }
    if (at == 0) {
        return false;
    }
    *step = span_slice(*path, at, path->len);
    path->len = at - 1;
    return true;
}

static bool is_index(struct span step)
{
    for (size_t i = 0; i < step.len; i++) {
        if (step.ptr[i] < '0' || step.ptr[i] > '9') {
            return false;
        }
    }
    return step.len > 0;
}

/* NULL: the channel is no piece. */
static const struct piece_name *piece_of(const struct channel *c, struct span *array)
{
    struct span last, before, path = c->path;

    if (c->is_member_name || c->is_parts || !take_step(&path, &last)) {
        return NULL;
    }
    *array = path;
    if (!take_step(&path, &before)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        struct span name = names[i].is_array ? before : last;
        if (span_is(name, names[i].name) && is_index(names[i].is_array ? last : before)) {
            *array = names[i].is_array ? *array : path;
            return &names[i];
        }
    }
    return NULL;
}

/* Pieces are joined as they are: codes of characters say nothing then. */
bool pieces_have_array(const struct document *d, size_t i)
{
    const struct channel *c = &d->channels[i];
    struct span array;

    return c->is_parts && c->text.ptr[0] == '"' && i + 1 < d->n && piece_of(c + 1, &array) != NULL && span_equal(array, c->path);
}

bool pieces_have(const struct document *d, size_t i)
{
    struct span array;

    return piece_of(&d->channels[i], &array) != NULL;
}

static void add_piece(struct grouping *g, size_t channel, const struct piece_name *name, struct span array)
{
    for (size_t i = g->n_groups; i > 0 && g->n_groups - i < OPEN_MAX; i--) {
        struct group *group = &g->groups[i - 1];
        if (group->name == name && span_equal(group->array, array)) {
            g->next[group->last] = channel;
            group->last = channel;
            group->n++;
            return;
        }
    }
    g->groups[g->n_groups++] = (struct group){.name = name, .array = array, .n = 1, .first = channel, .last = channel};
}

/* False: no memory. */
static bool group_pieces(struct arena *a, const struct document *d, struct grouping *g, struct error *err)
{
    const struct piece_name *name;
    struct span array;

    for (size_t i = 0; i < d->n; i++) {
        name = piece_of(&d->channels[i], &array);
        if (name == NULL) {
            continue;
        }
        if (g->groups == NULL && ((g->next = arena_array(a, d->n, sizeof(*g->next), err)) == NULL ||
                                  (g->groups = arena_array(a, d->n, sizeof(*g->groups), err)) == NULL)) {
            return false;
        }
        add_piece(g, i, name, array);
    }
    return true;
}

bool pieces_judge(struct translation *t, struct document *d, struct error *err)
{
    struct grouping g = {0};

    if (!group_pieces(&t->memory, d, &g, err)) {
        return false;
    }
    for (size_t i = 0; i < g.n_groups; i++) {
        const struct group *group = &g.groups[i];
        struct pieces pieces = {.items = arena_array(&t->memory, group->n, sizeof(*pieces.items), err), .n = group->n};
        if (pieces.items == NULL) {
            return false;
        }
        for (size_t k = 0, piece = group->first; k < group->n; k++, piece = g.next[piece]) {
            struct channel *c = &d->channels[piece];
            pieces.items[k] = (struct piece){.text = c->text, .out = &c->output};
        }
        if (!judge_pieces(t, group->array, pieces, group->name->joints, err)) {
            return false;
        }
    }
    return true;
}

/* --- subtitles -------------------------------------------------------------------------- */

static struct span next_line(struct span *rest)
{
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t n = end == NULL ? rest->len : (size_t)(end - rest->ptr) + 1;
    struct span line = span_slice(*rest, 0, n);

    *rest = span_slice(*rest, n, rest->len);
    while (line.len > 0 && (line.ptr[line.len - 1] == '\n' || line.ptr[line.len - 1] == '\r')) {
        line.len--;
    }
    return line;
}

/* "00:00:02,000 --> 00:00:03,000", with its hours or without, or a text with such a line. */
static bool has_timing(struct span text)
{
    size_t at = ascii_find(text, 0, " --> ");

    return at > 0 && at < text.len && ascii_is(text.ptr[at - 1], ASCII_DIGIT);
}

/* Lines of a cue: not its times, nor what names it, in the line before these. */
static size_t cue_lines(struct span text, struct span *lines)
{
    struct span rest = text;
    size_t n = 0, n_timings = 0;

    while (rest.len > 0) {
        struct span line = next_line(&rest), ahead = rest;
        bool is_name = ahead.len > 0 && has_timing(next_line(&ahead));
        n_timings += has_timing(line);
        if (line.len > 0 && !has_timing(line) && !is_name) {
            lines[n++] = line;
        }
    }
    return n_timings > 0 ? n : 0;
}

static bool put_lines(struct translation *t, struct span *text, const struct span *lines, const struct span *judged, size_t n,
                      struct error *err)
{
    struct buf out CLEANUP(buf_deinit);
    size_t done = 0;

    buf_init(&out, 8 * t->event_max);
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)(lines[i].ptr - text->ptr);
        if (!buf_append(&out, span_slice(*text, done, from), err) || !buf_append(&out, judged[i], err)) {
            return false;
        }
        done = from + lines[i].len;
    }
    return buf_append(&out, span_slice(*text, done, text->len), err) && arena_copy(&t->memory, buf_span(&out), text, err);
}

bool pieces_judge_cues(struct translation *t, struct span *text, struct error *err)
{
    size_t max = 1;

    if (!has_timing(*text)) {
        return true;
    }
    for (size_t i = 0; i < text->len; i++) {
        max += text->ptr[i] == '\n';
    }
    struct span *lines = arena_array(&t->memory, max, sizeof(*lines), err);
    struct span *judged = lines == NULL ? NULL : arena_array(&t->memory, max, sizeof(*judged), err);
    struct piece *pieces = judged == NULL ? NULL : arena_array(&t->memory, max, sizeof(*pieces), err);
    if (pieces == NULL) {
        return false;
    }
    size_t n = cue_lines(*text, lines);
    for (size_t i = 0; i < n; i++) {
        judged[i] = lines[i];
        pieces[i] = (struct piece){.text = lines[i], .out = &judged[i]};
    }
    return judge_pieces(t, span_str(""), (struct pieces){.items = pieces, .n = n}, by_space, err) && put_lines(t, text, lines, judged, n, err);
}

/* --- numbers of tokens ---------------------------------------------------------------- */

static bool is_of_tokens(struct span quoted)
{
    static const char *const of_tokens[] = {"\"bytes\"", "\"tokens\"", "\"token_ids\"", "\"top_logprobs\""};
    bool is_one = false;

    for (size_t i = 0; i < COUNT(of_tokens); i++) {
        is_one = is_one || span_is(quoted, of_tokens[i]);
    }
    return is_one;
}

static const char *end_of_container(struct json_walk *walk)
{
    struct json_token token = {0};

    for (size_t depth = 1; depth > 0 && json_walk_next(walk, &token);) {
        depth += token.kind == JSON_TOKEN_OPEN;
        depth -= token.kind == JSON_TOKEN_CLOSE;
    }
    return token.value.raw.ptr;
}

/* One value of JSON, without what its arrays say of tokens. */
static bool append_without_tokens(struct span json, struct buf *out, struct error *err)
{
    struct json_walk walk = json_walk(json);
    struct json_token token;
    const char *done = json.ptr;
    bool is_named = false;

    while (json_walk_next(&walk, &token)) {
        if (is_named && token.kind == JSON_TOKEN_OPEN && token.value.kind == JSON_KIND_ARRAY) {
            if (!buf_append(out, span_of(done, (size_t)(token.value.raw.ptr + 1 - done)), err)) {
                return false;
            }
            done = end_of_container(&walk);
        }
        is_named = token.kind == JSON_TOKEN_NAME && is_of_tokens(token.value.raw);
    }
    return buf_append(out, span_of(done, (size_t)(json.ptr + json.len - done)), err);
}

static bool is_json(struct span text)
{
    struct error ignored;

    return json_validate(text, &ignored);
}

/* One value, or lines of them, each of which has its line in `before`. */
bool pieces_append_changed(struct span before, struct span after, struct buf *out, struct error *err)
{
    if (is_json(after)) {
        return append_without_tokens(after, out, err);
    }
    while (after.len > 0) {
        struct span old = before.len > 0 ? next_line(&before) : before;
        const char *from = after.ptr;
        struct span line = next_line(&after);
        bool is_changed = !span_equal(old, line) && is_json(line);
        if (!(is_changed ? append_without_tokens(line, out, err) : buf_append(out, line, err)) ||
            !buf_append(out, span_of(line.ptr + line.len, (size_t)(after.ptr - from) - line.len), err)) {
            return false;
        }
    }
    return true;
}
