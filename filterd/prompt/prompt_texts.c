/* prompt_texts.c - walks a body once beside its document, and gives each channel its place in the table and its role.
 *
 * `role` and `type` of a message may follow its texts, so the walk only notes containers and their words; roles are resolved
 * afterwards, from the outside in. */
#include "prompt/prompt_texts.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/json.h"
#include "prompt/prompt_data.h"
#include "prompt/prompt_table.h"

enum { NO_ROW = -1, ID_MAX = 128, STEPS_KEPT = 32 };

/* Where a value is in the table. */
struct place {
    uint64_t open; /* rows that go on below */
    int8_t exact;  /* the row of this value itself, or NO_ROW */
};

struct container {
    uint32_t parent, unit;
    struct place place;
    uint8_t depth; /* steps of its path */
    bool is_object;
    bool has_role, is_contradictory;
    uint8_t said_role, said_type; /* enum text_role */
    uint8_t role;
};

/* Of a channel. */
struct leaf {
    uint32_t container;
    int8_t row;
};

/* A step into the table that was looked up: messages are alike. */
struct kept_step {
    uint64_t open;
    struct span name; /* NULL: none is kept here */
    struct place place;
    uint8_t depth;
    bool is_object;
};

struct walker {
    const struct prompt_table *table;
    struct kept_step steps[STEPS_KEPT];
    struct document *document;
    struct json_known known;
    struct container *containers;
    struct leaf *leaves;
    struct prompt_unit *units;
    size_t n_containers, n_units, n_messages;
    uint32_t in;      /* the open container */
    size_t at;        /* the next channel */
    struct span name; /* of the member at hand */
    size_t n_tokens;
};

/* --- the table ---------------------------------------------------------------- */

/* Step `depth` of a row's path; false behind its end. */
static bool row_step(const char *path, unsigned depth, struct span *step, bool *is_last)
{
    const char *from = path;

    for (unsigned i = 0; i < depth && from != NULL; i++) {
        from = strchr(from + 1, '/');
    }
    if (from == NULL) {
        return false;
    }
    const char *end = strchrnul(from + 1, '/');
    *step = span_of(from + 1, (size_t)(end - from - 1));
    *is_last = *end == '\0';
    return true;
}

/* From a container to the value of that name, or of an element where the container is an array. */
static struct place step_into(const struct prompt_table *table, const struct container *from, struct span name)
{
    struct place to = {.exact = NO_ROW};

    for (size_t i = 0; i < table->n && from->place.open >> i != 0; i++) {
        struct span step;
        bool is_last;
        if ((from->place.open >> i & 1) == 0 || !row_step(table->rows[i].path, from->depth, &step, &is_last) ||
            !(span_is(step, "*") || (from->is_object && prompt_name_is(name, step)))) {
            continue;
        }
        if (is_last) {
            to.exact = (int8_t)i;
        } else {
            to.open |= (uint64_t)1 << i;
        }
    }
    return to;
}

/* The same by what was looked up before; names of one length and beginning displace each other. */
static struct place step_again(struct walker *w, const struct container *from, struct span member)
{
    struct span name = from->is_object ? member : span_of("", 0);
    size_t first = name.len > 0 ? (unsigned char)name.ptr[0] : 0;
    struct kept_step *s = &w->steps[(name.len + 5 * first + 11 * (size_t)from->depth) % STEPS_KEPT];

    if (s->name.ptr == NULL || s->open != from->place.open || s->depth != from->depth || s->is_object != from->is_object ||
        !span_equal(s->name, name)) {
        *s = (struct kept_step){from->place.open, name, step_into(w->table, from, name), from->depth, from->is_object};
    }
    return s->place;
}

static const struct prompt_row *row_of(const struct walker *w, int8_t row)
{
    static const struct prompt_row none = {"", PLACE_TEXT, TEXT_ROLE_OTHER};

    return row == NO_ROW ? &none : &w->table->rows[row];
}

/* --- units -------------------------------------------------------------------- */

/* Or of a prefix of `n` messages. */
static void begin_unit(struct walker *w, const char *from, const struct prompt_row *message, size_t n)
{
    if (w->n_units > 0) {
        w->units[w->n_units - 1].to = w->at;
    }
    w->units[w->n_units++] = (struct prompt_unit){
        .from = w->at,
        .json = span_of(from, 0),
        .place = message != NULL ? message->path : "",
        .is_message = message != NULL,
        .message = w->n_messages,
        .role = message != NULL ? message->role : TEXT_ROLE_OTHER,
    };
    w->n_messages += message != NULL ? n : 0;
}

static void extend_unit(struct walker *w, struct span token)
{
    struct prompt_unit *u = &w->units[w->n_units - 1];

    u->json.len = (size_t)(token.ptr + token.len - u->json.ptr);
}

/* --- the walk ----------------------------------------------------------------- */

/* The channel that begins at the token, if one does. */
static struct channel *take_channel(struct walker *w, const char *token, int8_t row)
{
    const struct document *d = w->document;

    if (w->at == d->n || d->json.ptr + d->tokens[w->at].from != token) {
        return NULL;
    }
    w->leaves[w->at] = (struct leaf){.container = w->in, .row = row};
    return &d->channels[w->at++];
}

/* Two different roles in one object: some readers would take the one, some the other. */
static void note_words(struct container *c, struct span name, struct span text)
{
    if (prompt_name_is(name, span_str("type"))) {
        enum text_role said = prompt_role_of_type(text);
        c->said_type = c->said_type == TEXT_ROLE_TOOL_RESULT ? c->said_type : (uint8_t)said;
    }
    if (prompt_name_is(name, span_str("role"))) {
        enum text_role said = prompt_role_of(text);
        c->is_contradictory |= c->has_role && c->said_role != said;
        c->has_role = true;
        c->said_role = (uint8_t)said;
    }
}

static void read_name(struct walker *w, const struct json_token *token)
{
    if (w->in == 0) {
        begin_unit(w, token->value.raw.ptr, NULL, 1);
        extend_unit(w, token->value.raw);
    }
    const struct channel *c = take_channel(w, token->value.raw.ptr, NO_ROW);
    w->name = c == NULL ? span_of("", 0) : c->text;
}

static struct place place_of_value(struct walker *w, const struct json_token *token)
{
    struct place place = step_again(w, &w->containers[w->in], w->name);
    const struct prompt_row *row = row_of(w, place.exact);
    bool is_unit = row->place == PLACE_MESSAGE &&
                   (token->kind == JSON_TOKEN_OPEN || token->value.kind == JSON_KIND_STRING || token->value.kind == JSON_KIND_OBJECT);

    if (is_unit) {
        begin_unit(w, token->value.raw.ptr, row, token->n);
    }
    return place;
}

static void read_value(struct walker *w, const struct json_token *token)
{
    struct container *in = &w->containers[w->in];
    struct place place = place_of_value(w, token);
    const struct channel *c = take_channel(w, token->value.raw.ptr, place.exact);
    bool is_number = token->value.kind == JSON_KIND_NUMBER;

    if (in->is_object && token->value.kind == JSON_KIND_STRING && c != NULL) {
        note_words(in, w->name, c->text);
    }
    w->n_tokens += is_number && !in->is_object && row_of(w, in->place.exact)->place == PLACE_TOKENS;
    extend_unit(w, token->value.raw);
}

static void read_open(struct walker *w, const struct json_token *token)
{
    uint32_t parent = w->in, id = (uint32_t)w->n_containers++;
    struct container *c = &w->containers[id];
    uint64_t all = w->table->n == 0 ? 0 : UINT64_MAX >> (64 - w->table->n);

    *c = (struct container){.parent = parent, .unit = UINT32_MAX, .place = {.open = all, .exact = NO_ROW}};
    c->is_object = token->value.kind == JSON_KIND_OBJECT;
    if (id > 0) {
        c->place = place_of_value(w, token);
        c->depth = (uint8_t)(w->containers[parent].depth + 1);
        c->unit = (uint32_t)w->n_units - 1;
        (void)take_channel(w, token->value.raw.ptr, c->place.exact); /* an array that is one text */
    }
    w->in = id;
}

static void read_close(struct walker *w, const struct json_token *token)
{
    const struct container *c = &w->containers[w->in];

    if (w->n_units > 0 && c->unit == w->n_units - 1) {
        extend_unit(w, token->value.raw);
    }
    w->in = c->parent;
}

static void walk(struct walker *w)
{
    static void (*const read[])(struct walker *w, const struct json_token *token) = {
        [JSON_TOKEN_OPEN] = read_open,
        [JSON_TOKEN_CLOSE] = read_close,
        [JSON_TOKEN_NAME] = read_name,
        [JSON_TOKEN_VALUE] = read_value,
    };
    struct json_walk at = json_walk_known(w->document->json, w->known);
    struct json_token token;

    while (json_walk_next(&at, &token)) {
        read[token.kind](w, &token);
    }
    if (w->n_units > 0) {
        w->units[w->n_units - 1].to = w->at;
    }
}

/* --- roles -------------------------------------------------------------------- */

static enum text_role role_of_message(const struct container *c, const struct prompt_row *row)
{
    if (c->said_type == TEXT_ROLE_TOOL_RESULT) {
        return TEXT_ROLE_TOOL_RESULT;
    }
    if (c->has_role) {
        return c->is_contradictory ? TEXT_ROLE_OTHER : c->said_role;
    }
    return c->said_type != TEXT_ROLE_OTHER ? c->said_type : row->role;
}

/* What a tool returned is that, whatever is in it. */
static enum text_role role_in(enum text_role around, enum text_role said)
{
    return said == TEXT_ROLE_OTHER || around == TEXT_ROLE_TOOL_RESULT ? around : said;
}

static enum text_role role_of_part(const struct container *c, enum text_role around)
{
    bool is_other = c->said_type == TEXT_ROLE_TOOL_RESULT || c->said_type == TEXT_ROLE_ATTACHMENT;

    return is_other ? role_in(around, c->said_type) : around;
}

static void set_roles(struct walker *w)
{
    for (size_t i = 0; i < w->n_containers; i++) {
        struct container *c = &w->containers[i];
        const struct prompt_row *row = row_of(w, c->place.exact);
        enum text_role around = i == 0 ? TEXT_ROLE_OTHER : w->containers[c->parent].role;
        if (row->place == PLACE_MESSAGE) {
            c->role = (uint8_t)role_of_message(c, row);
            w->units[c->unit].role = c->role;
        } else if (row->place == PLACE_PART) {
            c->role = (uint8_t)role_of_part(c, around);
        } else {
            c->role = (uint8_t)role_in(around, row->role);
        }
    }
}

/* --- what a channel is ---------------------------------------------------------- */

static bool is_id(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!ascii_is(text.ptr[i], ASCII_ALNUM) && (text.ptr[i] == '\0' || strchr("_.:/@~+-", text.ptr[i]) == NULL)) {
            return false;
        }
    }
    return text.len <= ID_MAX;
}

/* Whether an array of parts begins with a number, also in arrays in it. */
static bool is_of_numbers(struct span array)
{
    size_t at = 0;

    while (at < array.len && (array.ptr[at] == '[' || ascii_is_space(array.ptr[at]))) {
        at++;
    }
    return at < array.len && array.ptr[at] != '"';
}

static enum prompt_use use_of(const struct prompt_row *row, const struct document *d, size_t i)
{
    const struct channel *c = &d->channels[i];
    bool is_value = !c->is_member_name;

    if (row->place == PLACE_ID && is_value && is_id(c->text)) {
        return PROMPT_ID;
    }
    if (row->place == PLACE_TOKENS && c->is_parts && is_of_numbers(span_slice(d->json, d->tokens[i].from, d->tokens[i].to))) {
        return PROMPT_DATA;
    }
    return row->place == PLACE_DATA && is_value && prompt_is_data(c->text) ? PROMPT_DATA : PROMPT_TEXT;
}

static void set_channels(const struct walker *w, enum prompt_use *use)
{
    for (size_t i = 0; i < w->document->n; i++) {
        const struct prompt_row *row = row_of(w, w->leaves[i].row);
        struct channel *c = &w->document->channels[i];
        c->role = role_in(w->containers[w->leaves[i].container].role, row->role);
        use[i] = use_of(row, w->document, i);
    }
}

/* --- what is joined ---------------------------------------------------------------- */

/* "content" of a message, or `message` as Cohere calls it; or a text that is a message. */
static bool is_content(const struct walker *w, size_t channel)
{
    const struct container *in = &w->containers[w->leaves[channel].container];
    const struct channel *c = &w->document->channels[channel];

    if (strcmp(row_of(w, w->leaves[channel].row)->path, PROMPT_LAST_MESSAGE) == 0) {
        return !c->is_member_name && !c->is_parts;
    }
    return row_of(w, in->place.exact)->place == PLACE_MESSAGE && !c->is_member_name && !c->is_parts &&
           (prompt_name_is(c->key, span_str("content")) || prompt_name_is(c->key, span_str("message")));
}

/* A model reads what a message says as one text, and as one with that of its neighbours; what a tool returned in it is a text of its own. */
static void number_messages(const struct walker *w, bool *is_said, struct prompt_texts *out)
{
    struct document *d = w->document;

    for (size_t i = 0; i < d->n; i++) {
        out->first_message = d->channels[i].message > out->first_message ? d->channels[i].message : out->first_message;
    }
    out->first_message++;
    for (size_t u = 0; u < w->n_units; u++) {
        for (size_t i = w->units[u].from; w->units[u].is_message && i < w->units[u].to; i++) {
            struct channel *c = &d->channels[i];
            if (c->role == w->units[u].role && (c->message > 0 || is_content(w, i))) {
                c->message = out->first_message + (uint32_t)u;
                is_said[i] = true;
            }
        }
    }
}

/* --- what may be read in two ways ------------------------------------------------ */

static int compare_paths(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    size_t len = x->len < y->len ? x->len : y->len;
    int order = len > 0 ? memcmp(x->ptr, y->ptr, len) : 0;

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* Two members of one object have one path when they have one name. */
static bool check_names(struct arena *a, const struct document *d, struct error *err)
{
    struct span *paths = arena_array(a, d->n + 1, sizeof(*paths), err);
    size_t n = 0;

    if (paths == NULL) {
        return false;
    }
    for (size_t i = 0; i < d->n; i++) {
        if (d->channels[i].is_member_name) {
            paths[n++] = d->channels[i].path;
        }
    }
    qsort(paths, n, sizeof(*paths), compare_paths);
    for (size_t i = 1; i < n; i++) {
        if (span_equal(paths[i - 1], paths[i])) {
            return error_set(err, ERROR_INVALID, "request: an object with each name once expected");
        }
    }
    return true;
}

/* --- all of it ---------------------------------------------------------------- */

bool prompt_texts_read(struct arena *a, const char *route, struct span json, struct prompt_texts *out, struct error *err)
{
    return json_validate(json, err) && prompt_texts_read_valid(a, route, json, out, err);
}

bool prompt_texts_read_valid(struct arena *a, const char *route, struct span json, struct prompt_texts *out, struct error *err)
{
    return prompt_texts_read_known(a, route, json, (struct json_known){0}, out, err);
}

/* NOLINTNEXTLINE(readability-function-size): a known message is one more parameter */
bool prompt_texts_read_known(struct arena *a, const char *route, struct span json, struct json_known known, struct prompt_texts *out,
                             struct error *err)
{
    struct prompt_texts texts = {0};
    struct walker w = {.table = prompt_table_of(route), .document = &texts.document, .known = known};

    if (json_root(json).kind != JSON_KIND_OBJECT) {
        return error_set(err, ERROR_INVALID, "request: an object expected");
    }
    if (!document_read_known(a, json, known, &texts.document, err) || !check_names(a, &texts.document, err)) {
        return false;
    }
    size_t n = texts.document.n_containers + known.n;
    if (n > PROMPT_CONTAINERS_MAX) {
        return error_set(err, ERROR_LIMIT, "request: more than %d objects and arrays", PROMPT_CONTAINERS_MAX);
    }
    w.containers = arena_array(a, n, sizeof(*w.containers), err);
    w.leaves = w.containers == NULL ? NULL : arena_array(a, texts.document.n + 1, sizeof(*w.leaves), err);
    w.units = w.leaves == NULL ? NULL : arena_array(a, texts.document.n + n, sizeof(*w.units), err);
    enum prompt_use *use = w.units == NULL ? NULL : arena_array(a, texts.document.n + 1, sizeof(*use), err);
    bool *is_said = use == NULL ? NULL : arena_array(a, texts.document.n + 1, sizeof(*is_said), err);
    if (is_said == NULL) {
        return false;
    }
    memset(is_said, 0, texts.document.n * sizeof(*is_said));
    walk(&w);
    if (w.at != texts.document.n) {
        return error_set(err, ERROR_INTERNAL, "request: a text without a place");
    }
    set_roles(&w);
    set_channels(&w, use);
    number_messages(&w, is_said, &texts);
    texts.use = use;
    texts.is_said = is_said;
    texts.units = w.units;
    texts.n_units = w.n_units;
    texts.n_messages = w.n_messages;
    texts.n_tokens = w.n_tokens;
    *out = texts;
    return true;
}
