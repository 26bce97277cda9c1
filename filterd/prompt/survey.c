#include "prompt/survey.h"

#include "prompt/nh.h"
#include "prompt/prompt_table.h"

enum {
    MESSAGE_MIN = 32,           /* bytes of one, about: memory is reserved by it */
    PREFIX_MIN = 8,                /* messages */
    PREFIXES = 6,                   /* that are looked up: a turn has a few new messages */
    REREAD_MIN = 4096,              /* bytes that are said before a joint that are read: what is joined reaches no further */
    PREFIX_BODY_MAX = 8 * 1024 * 1024, /* in a longer body there are none: its sums would take too much memory */
};

/* A place in text that need not be JSON; NULL: nothing more can be said of it. */
struct surveyor {
    const char *at, *end;
    const struct history *history;
    uint64_t *sums; /* of the next message, made while it is in the first cache; NULL: none are */
};

static bool skip_space(struct surveyor *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r')) {
        s->at++;
    }
    return s->at < s->end;
}

static bool skip_string(struct surveyor *s)
{
    const char *inside = s->at + 1;

    for (const char *quote = inside; quote < s->end;) {
        quote = memchr(quote, '"', (size_t)(s->end - quote));
        if (quote == NULL) {
            break;
        }
        const char *run = quote;
        while (run > inside && run[-1] == '\\') {
            run--;
        }
        bool is_escaped = (quote - run) % 2 == 1;
        quote++;
        if (!is_escaped) {
            s->at = quote;
            return true;
        }
        inside = quote;
    }
    return false;
}

/* Containers to their last bracket, whatever is in them; anything else to what may be behind it. */
static bool skip_value(struct surveyor *s)
{
    size_t depth = 0;

    do {
        if (s->at == s->end) {
            return false;
        }
        char c = *s->at;
        if (c == '"') {
            if (!skip_string(s)) {
                return false;
            }
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}')) {
            return true;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        s->at++;
        if (depth == 0 && (c == '}' || c == ']')) {
            return true;
        }
    } while (depth > 0 || (s->at < s->end && *s->at > ' ' && s->at[-1] != '"'));
    return true;
}

static bool take(struct surveyor *s, char c)
{
    bool is_there = skip_space(s) && *s->at == c;

    s->at += is_there;
    return is_there;
}

/* The table's row of messages below a member of the body. */
static const char *place_of(const struct prompt_table *table, struct span name)
{
    const char *place = NULL;

    for (size_t i = 0; i < table->n; i++) {
        const struct prompt_row *row = &table->rows[i];
        const char *star = strchr(row->path + 1, '/');
        bool is_row = row->place == PLACE_MESSAGE && star != NULL && strcmp(star, "/*") == 0;
        if (is_row && prompt_name_is(name, span_of(row->path + 1, (size_t)(star - row->path - 1)))) {
            place = row->path;
        }
    }
    return place;
}

static void add_message(struct surveyor *s, struct prompt_unit message, struct prompt_survey *out)
{
    out->messages[out->n++] = message;
    if (s->sums != NULL) {
        history_sums_of(s->history, message.json, s->sums);
        s->sums += history_n_sums(message.json);
    }
}

static void survey_array(struct surveyor *s, const char *place, size_t most, struct prompt_survey *out)
{
    bool is_row = out->n == 0, has_gap = false;

    s->at++;
    while (skip_space(s) && *s->at != ']') {
        const char *from = s->at;
        if (!skip_value(s)) {
            return;
        }
        is_row = is_row && *from == '{';
        has_gap = has_gap || *from != '{';
        if (*from == '{' && out->n < most) {
            const struct span json = span_of(from, (size_t)(s->at - from));
            add_message(s, (struct prompt_unit){.json = json, .place = place, .has_gap = has_gap}, out);
            out->n_prefix += is_row;
            has_gap = false;
        }
        if (!take(s, ',')) {
            break;
        }
    }
    (void)take(s, ']');
}

/* A name with an escape is in no table. */
static void survey_members(struct surveyor *s, const struct prompt_table *table, size_t most, struct prompt_survey *out)
{
    if (!take(s, '{')) {
        return;
    }
    do {
        if (!skip_space(s) || *s->at != '"') {
            return;
        }
        const char *name = s->at + 1;
        if (!skip_string(s)) {
            return;
        }
        const char *place = place_of(table, span_of(name, (size_t)(s->at - name) - 1));
        if (!take(s, ':') || !skip_space(s)) {
            return;
        }
        if (place != NULL && *s->at == '[') {
            survey_array(s, place, most, out);
        } else if (!skip_value(s)) {
            return;
        }
    } while (take(s, ','));
}

/* --- the author of a message ------------------------------------------------- */

struct author {
    bool is_apart; /* a tool, or what is no message */
    bool is_known; /* else it may be anyone */
    enum text_role role;
};

/* The string that begins there, without its quotes; empty: none does. */
static struct span peek_string(const struct surveyor *s)
{
    struct surveyor end = *s;

    return *s->at == '"' && skip_string(&end) ? span_of(s->at + 1, (size_t)(end.at - s->at) - 2) : span_of("", 0);
}

static bool has_escape(struct span string)
{
    return string.len > 0 && memchr(string.ptr, '\\', string.len) != NULL;
}

/* Moves behind the colon of the next member. */
static bool next_name(struct surveyor *s, struct span *name)
{
    *name = skip_space(s) ? peek_string(s) : span_of("", 0);
    return name->len > 0 && skip_string(s) && take(s, ':') && skip_space(s);
}

/* By `role`; where there is none by `type`. What is hidden by an escape may be anything. */
static struct author author_of(struct span json)
{
    static const struct author anyone;
    struct surveyor s = {.at = json.ptr, .end = json.ptr + json.len};
    struct span name, type = span_of("", 0);

    if (!take(&s, '{')) {
        return anyone;
    }
    while (next_name(&s, &name) && !has_escape(name)) {
        struct span word = peek_string(&s);
        if (prompt_name_is(name, span_str("role"))) {
            enum text_role role = prompt_role_of(word);
            return (struct author){.is_apart = role == TEXT_ROLE_TOOL_RESULT, .is_known = role != TEXT_ROLE_OTHER, .role = role};
        }
        type = prompt_name_is(name, span_str("type")) ? word : type;
        if (!skip_value(&s) || !take(&s, ',')) {
            bool is_other = type.len > 0 && !has_escape(type) && !span_is(type, "message");
            return (struct author){.is_apart = is_other && skip_space(&s) && *s.at == '}'};
        }
    }
    return anyone;
}

bool survey_goes_on(struct span before, struct span message)
{
    const struct author a = author_of(before), b = author_of(message);

    return !a.is_apart && !b.is_apart && (!a.is_known || !b.is_known || a.role == b.role);
}

static bool reserve(struct arena *a, struct prompt_survey *s, size_t n, struct error *err)
{
    s->messages = arena_array(a, n, sizeof(*s->messages), err);
    s->keys = s->messages == NULL ? NULL : arena_array(a, n, sizeof(*s->keys), err);
    s->text_bytes = s->keys == NULL ? NULL : arena_array(a, n, sizeof(*s->text_bytes), err);
    s->known = s->text_bytes == NULL ? NULL : arena_array(a, n, sizeof(*s->known), err);
    s->valid = s->known == NULL ? NULL : arena_array(a, n, sizeof(*s->valid), err);
    return s->valid != NULL;
}

/* --- the prefix -------------------------------------------------------------------- */

/* The first `n` messages become one. */
static void join_prefix(struct prompt_survey *s, size_t n, const struct history_key *key, uint32_t text_bytes)
{
    const char *from = s->messages[0].json.ptr;
    const struct span last = s->messages[n - 1].json;

    s->messages += n - 1;
    s->messages[0].json = span_of(from, (size_t)(last.ptr + last.len - from));
    s->keys[0] = *key;
    s->text_bytes[0] = text_bytes;
    s->n -= n - 1;
    s->n_prefix -= n - 1;
    s->prefix = n;
}

/* Whether the n-th message goes on where those before it end. */
static bool goes_on_at(const struct prompt_survey *s, size_t n)
{
    if (n == s->n) {
        return s->is_full || (s->has_last && n > 0 && survey_goes_on(s->messages[n - 1].json, span_str(PROMPT_LAST_AUTHOR)));
    }
    return s->messages[n].has_gap ||
           (s->messages[n].place == s->messages[n - 1].place && survey_goes_on(s->messages[n - 1].json, s->messages[n].json));
}

/* The longest that is known of those that end with the last messages, and from which no message behind it goes on. The sums are of all
 * messages; *sums is moved to those behind it. */
static void find_row(struct history *h, const struct history_scope *scope, struct prompt_survey *s, const uint64_t **sums)
{
    struct history_key keys[PREFIXES];
    uint32_t text_bytes[PREFIXES];
    size_t i = PREFIXES;

    history_keys_of_prefixes(h, scope, s->messages, s->n_prefix, *sums, keys, PREFIXES);
    history_find_texts(h, keys, PREFIXES, text_bytes);
    memcpy(s->prefix_keys, keys + PREFIXES - 2, sizeof(s->prefix_keys));
    while (i > 0 && (text_bytes[i - 1] == 0 || goes_on_at(s, s->n_prefix - (PREFIXES - i)))) {
        i--;
    }
    if (i == 0) {
        return;
    }
    size_t n = s->n_prefix - (PREFIXES - i);
    for (size_t k = 0; k < n; k++) {
        *sums += history_n_sums(s->messages[k].json);
    }
    join_prefix(s, n, &keys[i - 1], text_bytes[i - 1]);
}

/* Keys and what is known of each. `sums` are of all messages; NULL: of none. */
static void find_messages(struct history *h, const struct history_scope *scope, const uint64_t *sums, struct prompt_survey *s)
{
    if (s->n_prefix < PREFIX_MIN || sums == NULL) {
        s->n_prefix = 0;
    } else {
        find_row(h, scope, s, &sums);
    }
    size_t known = s->prefix > 0;
    history_keys_of(h, scope, s->messages + known, s->n - known, sums, s->keys + known);
    history_find_texts(h, s->keys + known, s->n - known, s->text_bytes + known);
}

/* --- what goes on ---------------------------------------------------------------------- */

/* Reads it, which may be known. The bytes that it says, if it was. */
static size_t reread(struct prompt_survey *s, size_t at)
{
    uint32_t known = s->text_bytes[at];

    s->text_bytes[at] = known != 0 ? HISTORY_VALID : 0;
    return known != 0 && known != HISTORY_VALID ? history_texts_said(known) : 0;
}

/* The message, and those before it that go on in it, to the last one of which this was done before. */
static void reread_run(struct prompt_survey *s, const bool *goes_on, size_t *last, size_t at)
{
    size_t said = 0, end = *last;

    *last = at;
    (void)reread(s, at);
    while (at > end && goes_on[at] && said < REREAD_MIN) {
        said += reread(s, --at);
    }
}

static bool reread_joined(struct arena *a, struct history *h, struct prompt_survey *s, struct error *err)
{
    bool *goes_on = arena_array(a, s->n + 1, sizeof(*goes_on), err);
    struct history_key key = {{0}};
    size_t last = 0;

    for (size_t i = 0; goes_on != NULL && i < s->n; i++) {
        goes_on[i] = i > (s->prefix > 0) && goes_on_at(s, i);
        key = goes_on[i] ? history_key_behind(h, &key, &s->keys[i]) : s->keys[i];
        bool is_known = !goes_on[i];
        if (goes_on[i] && !s->messages[i].has_gap) {
            history_find(h, &key, 1, &is_known);
        }
        if (!is_known || (i + 1 == s->n && i >= (s->prefix > 0) && goes_on_at(s, s->n))) {
            reread_run(s, goes_on, &last, i);
        }
    }
    return goes_on != NULL;
}

/* Room for the sums of `most` messages; *sums stays NULL for a body that is too long. */
static bool reserve_sums(struct arena *a, struct span body, size_t most, uint64_t **sums, struct error *err)
{
    if (body.len > PREFIX_BODY_MAX) {
        return true;
    }
    *sums = arena_array(a, body.len / NH_BLOCK * NH_SUMS + most * (1 + NH_SUMS), sizeof(**sums), err);
    return *sums != NULL;
}

bool prompt_survey(struct arena *a, struct history *h, const struct history_scope *scope, const char *route, struct span body,
                   struct prompt_survey *out, struct error *err)
{
    const struct prompt_table *table = prompt_table_of(route);
    struct surveyor s = {.at = body.ptr, .end = body.ptr + body.len, .history = h};
    size_t most = body.len / MESSAGE_MIN + 1;
    uint64_t *sums = NULL;

    *out = (struct prompt_survey){0};
    most = most < SURVEY_MESSAGES_MAX ? most : SURVEY_MESSAGES_MAX;
    if (!reserve(a, out, most, err) || !reserve_sums(a, body, most, &sums, err)) {
        return false;
    }
    s.sums = sums;
    survey_members(&s, table, most, out);
    out->is_full = out->n == most;
    out->has_last = prompt_table_has_last(table);
    find_messages(h, scope, sums, out);
    if (!reread_joined(a, h, out, err)) {
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->text_bytes[i] != 0) {
            out->valid[out->n_valid++] = out->messages[i].json;
        }
        if (out->text_bytes[i] == HISTORY_VALID) {
            out->text_bytes[i] = 0;
        } else if (out->text_bytes[i] != 0) {
            out->known[out->n_known++] = out->messages[i].json;
        }
    }
    return true;
}
