#include "prompt/prompt_known.h"

#include "mask/masking.h"
#include "prompt/prompt_table.h"

/* --- what is known of the units ---------------------------------------------------- */

/* What is found in a unit that has a pseudonym depends on the conversation. */
static bool recall(struct prompt_judging *j, size_t unit, struct error *err)
{
    for (size_t i = 0; i < NAMES && !j->is_known[unit]; i++) {
        struct recalled *items;
        if (!history_recall(j->request->history, &j->keys[unit], &j->names[i], j->arena, &j->is_known[unit], &items,
                            &j->recalled[unit].n, err)) {
            return false;
        }
        j->recalled[unit].items = items;
        j->recalled[unit].is_known = j->is_known[unit];
    }
    return true;
}

/* Moves *at on to the unit's place in the survey; both are in the order of the body. False: it is not there. */
static bool find_surveyed(const struct prompt_survey *s, const struct prompt_unit *unit, size_t *at)
{
    while (s != NULL && *at < s->n && s->messages[*at].json.ptr < unit->json.ptr) {
        *at += 1;
    }
    return s != NULL && *at < s->n && s->messages[*at].json.ptr == unit->json.ptr && s->messages[*at].json.len == unit->json.len &&
           s->messages[*at].place == unit->place;
}

/* Those that the survey has are taken from it. A message that was not read must be known, or nothing would have judged it. */
static bool set_keys(struct prompt_judging *j, const struct history_scope *scope, struct error *err)
{
    const struct prompt_survey *s = j->request->survey;
    const struct prompt_unit *units = j->texts.units;
    size_t unread = s == NULL ? 0 : s->n_known;

    for (size_t i = 0, at = 0; i < j->texts.n_units; i++) {
        if (find_surveyed(s, &units[i], &at)) {
            j->keys[i] = s->keys[at];
            j->text_bytes[i] = s->text_bytes[at];
            unread -= s->text_bytes[at] != 0;
        } else {
            history_keys_of(j->request->history, scope, &units[i], 1, NULL, &j->keys[i]);
        }
    }
    return unread == 0 || error_set(err, ERROR_INTERNAL, "request: a known message is none");
}

static bool find_in_history(struct prompt_judging *j, struct error *err)
{
    const struct prompt_texts *t = &j->texts;
    struct history *h = j->request->history;
    struct history_scope scope = {{0}};

    history_scope_of(h, j->x, j->request->route, &scope);
    history_names_of(h, j->x, j->request->route, NULL, &j->names[NAMES_ANY]);
    history_names_of(h, j->x, j->request->route, j->x->masking, &j->names[NAMES_OWN]);
    if (!set_keys(j, &scope, err)) {
        return false;
    }
    history_find(h, j->keys, t->n_units, j->is_known);
    for (size_t i = 0; i < t->n_units; i++) {
        j->is_known[i] |= j->text_bytes[i] != 0; /* it may have been displaced since the survey */
        if (!j->is_known[i] && !recall(j, i, err)) {
            return false;
        }
    }
    return true;
}

bool known_find(struct prompt_judging *j, struct error *err)
{
    size_t n = j->texts.n_units;

    j->keys = arena_array(j->arena, n + 1, sizeof(*j->keys), err);
    j->is_known = j->keys == NULL ? NULL : arena_array(j->arena, n + 1, sizeof(*j->is_known), err);
    j->text_bytes = j->is_known == NULL ? NULL : arena_array(j->arena, n + 1, sizeof(*j->text_bytes), err);
    j->recalled = j->text_bytes == NULL ? NULL : arena_array(j->arena, n + 1, sizeof(*j->recalled), err);
    j->is_joined = j->recalled == NULL ? NULL : arena_array(j->arena, n + 1, sizeof(*j->is_joined), err);
    j->behind = j->is_joined == NULL ? NULL : arena_array(j->arena, n + 1, sizeof(*j->behind), err);
    if (j->behind == NULL) {
        return false;
    }
    memset(j->is_known, 0, n * sizeof(*j->is_known));
    memset(j->text_bytes, 0, n * sizeof(*j->text_bytes));
    memset(j->recalled, 0, n * sizeof(*j->recalled));
    return j->request->history == NULL || find_in_history(j, err);
}

/* --- what is joined ------------------------------------------------------------------ */

/* A known prefix ends where no message goes on (survey.h). */
static bool goes_on(const struct prompt_judging *j, size_t unit)
{
    const struct prompt_survey *s = j->request->survey;
    const struct prompt_unit *u = &j->texts.units[unit], *before = u - 1;

    if (unit == 0 || !u->is_message || !before->is_message || u->place != before->place) {
        return false;
    }
    bool is_prefix = s != NULL && s->prefix > 0 && before->json.ptr == s->messages[0].json.ptr;
    return !is_prefix && survey_goes_on(before->json, u->json);
}

static bool is_last_message(const struct prompt_unit *u)
{
    return u->is_message && strcmp(u->place, PROMPT_LAST_MESSAGE) == 0;
}

/* The last message goes on from the last of the others, wherever it is in the body. The survey has left that one to be read. Their joint is not
 * kept in the history, as what is between them is: it is judged each time. */
static void join_last(struct prompt_judging *j, uint32_t *first)
{
    size_t last = SIZE_MAX, before = SIZE_MAX;

    for (size_t u = 0; u < j->texts.n_units; u++) {
        if (is_last_message(&j->texts.units[u])) {
            last = u;
        } else if (j->texts.units[u].is_message) {
            before = u;
        }
    }
    j->last = SIZE_MAX;
    if (last == SIZE_MAX || before == SIZE_MAX || !survey_goes_on(j->texts.units[before].json, span_str(PROMPT_LAST_AUTHOR))) {
        return;
    }
    j->last = last;
    first[last] = first[before];
    j->is_joined[last] = true;
}

/* Of each unit the first one of its run: those that go on in each other and were read. */
static void find_joined(struct prompt_judging *j, uint32_t *first)
{
    struct history *h = j->request->history;

    for (size_t u = 0; u < j->texts.n_units; u++) {
        bool is_behind = goes_on(j, u), is_known = false;
        first[u] = (uint32_t)u;
        j->is_joined[u] = false;
        if (h != NULL) {
            j->behind[u] = is_behind ? history_key_behind(h, &j->behind[u - 1], &j->keys[u]) : j->keys[u];
        }
        if (!is_behind || j->text_bytes[u] != 0 || j->text_bytes[u - 1] != 0) {
            continue;
        }
        if (h != NULL) {
            history_find(h, &j->behind[u], 1, &is_known);
        }
        first[u] = first[u - 1];
        j->is_joined[u] = !is_known;
    }
    join_last(j, first);
}

/* Of a unit that is known what goes on inside it is, too. *said: how many texts of the message itself it has, which get the number; an empty
 * one says nothing. */
static void number_unit(const struct prompt_judging *j, size_t unit, uint32_t number, uint32_t *said)
{
    const uint32_t first_message = j->texts.first_message;

    *said = 0;
    for (size_t i = j->texts.units[unit].from; i < j->texts.units[unit].to; i++) {
        struct channel *c = &j->texts.document.channels[i];
        c->joint_is_known = j->is_known[unit];
        if (first_message > 0 && c->message >= first_message) {
            c->message = c->text.len > 0 ? number : 0;
            *said += c->text.len > 0;
        }
    }
}

/* The first text of the message itself. */
static struct channel *first_said(const struct prompt_judging *j, size_t unit, uint32_t number)
{
    struct channel *c = &j->texts.document.channels[j->texts.units[unit].from];

    while (c->message != number) {
        c++;
    }
    return c;
}

/* Numbers of messages that say something follow each other, the last message behind all. */
static void number_units(const struct prompt_judging *j, const uint32_t *first, uint32_t *counts)
{
    uint32_t number = j->texts.first_message, said;
    size_t before = SIZE_MAX, n = j->texts.n_units;

    for (size_t i = 0; i < n + (j->last != SIZE_MAX); i++) {
        size_t u = i < n ? i : j->last;
        if (i == j->last) {
            continue;
        }
        number_unit(j, u, number, &said);
        if (said == 0) {
            continue;
        }
        if (before != SIZE_MAX && first[u] == first[before]) {
            struct channel *c = first_said(j, u, number);
            c->goes_on = true;
            c->joint_is_known = !j->is_joined[u];
            counts[number]++;
            counts[number - 1]++;
        }
        before = u;
        number++;
    }
}

bool known_join(struct prompt_judging *j, struct error *err)
{
    struct document *d = &j->texts.document;
    size_t n = j->texts.first_message + j->texts.n_units;

    for (size_t i = 0; i < d->n; i++) {
        n = d->channels[i].message > n ? d->channels[i].message : n;
    }
    uint32_t *counts = arena_array(j->arena, n + 1, sizeof(*counts), err);
    uint32_t *first = counts == NULL ? NULL : arena_array(j->arena, j->texts.n_units + 1, sizeof(*first), err);
    if (first == NULL) {
        return false;
    }
    memset(counts, 0, (n + 1) * sizeof(*counts));
    find_joined(j, first);
    number_units(j, first, counts);
    for (size_t i = 0; i < d->n; i++) {
        counts[d->channels[i].message]++;
    }
    for (size_t i = 0; i < d->n; i++) {
        d->channels[i].message = counts[d->channels[i].message] < 2 ? 0 : d->channels[i].message;
    }
    return true;
}

/* --- what redaction made of a text -------------------------------------------------- */

/* Called again by each look at the same channel: the last one counts. */
bool known_is_settled(void *context, const struct channel *c)
{
    const struct prompt_judging *j = context;
    struct known_output *o = &j->outputs[c - j->x->channels];
    bool is_known = false;

    history_key_of_output(j->request->history, c->key, c->output, &o->key);
    for (size_t i = 0; i < NAMES && !is_known; i++) {
        const struct history_key key = history_key_for(&o->key, &j->names[i]);
        history_find(j->request->history, &key, 1, &is_known);
    }
    o->is_new = !is_known;
    return is_known;
}

/* Nothing was found to act on in what a redaction that has settled made. With exceptions in the policy that may end. What was found
 * and not acted on is of this conversation alone. */
void known_add_outputs(const struct prompt_judging *j)
{
    const struct exchange *x = j->x;

    for (size_t i = 0; i < j->n_judged && x->action == ACTION_REDACT && j->request->history != NULL; i++) {
        const struct channel *c = &x->channels[i];
        if (j->outputs[i].is_new && (c->is_clear || x->policy->n_exceptions == 0)) {
            const struct history_key key =
                history_key_for(&j->outputs[i].key, &j->names[c->is_clear ? NAMES_ANY : NAMES_OWN]);
            history_add(j->request->history, &key);
        }
    }
}

/* The findings of a unit from number *at on, as places; false when one cannot be kept. */
static bool gather(const struct prompt_judging *j, size_t unit, size_t *at, struct recalled *items, size_t *n)
{
    const struct exchange *x = j->x;
    bool can_be_kept = true;

    *n = 0;
    for (; *at < x->n_findings && j->selected[x->findings[*at].channel].unit <= unit; *at += 1) {
        const struct finding *f = &x->findings[*at];
        const struct selected *s = &j->selected[f->channel];
        if (s->unit == unit && can_be_kept) {
            uint32_t channel = s->channel - (uint32_t)j->texts.units[unit].from;
            can_be_kept = *n < RECALL_FINDINGS_MAX && recalled_of(x, f, channel, &items[*n]);
            *n += can_be_kept;
        }
    }
    return can_be_kept;
}

static uint32_t texts_of(const struct prompt_judging *j, const struct prompt_unit *u)
{
    size_t bytes = 0, said = 0;

    for (size_t i = u->from; i < u->to; i++) {
        const struct channel *c = &j->texts.document.channels[i];
        bytes += c->text.len;
        said += j->texts.is_said[i] ? c->text.len : 0;
    }
    return history_texts(bytes, said);
}

/* A message of which nothing but what its texts are is wanted, when it comes again. An escape of ASCII could hide a
 * pseudonym from a search in its JSON. */
static bool can_be_left(const struct prompt_judging *j, size_t unit)
{
    const struct prompt_unit *u = &j->texts.units[unit];

    return u->is_message && u->json.ptr[0] == '{' && j->texts.n_tokens == 0 && memmem(u->json.ptr, u->json.len, "\\u00", 4) == NULL;
}

/* One that is known was read again for what is joined. */
static void add_without_finding(struct prompt_judging *j, size_t unit)
{
    if (j->text_bytes[unit] == 0 && can_be_left(j, unit)) {
        j->text_bytes[unit] = texts_of(j, &j->texts.units[unit]);
        history_add_texts(j->request->history, &j->keys[unit], j->text_bytes[unit]);
    } else if (!j->is_known[unit]) {
        history_add(j->request->history, &j->keys[unit]);
    }
}

static void add_valid(const struct prompt_judging *j, size_t unit)
{
    const struct prompt_unit *u = &j->texts.units[unit];

    if (u->is_message && u->json.ptr[0] == '{') {
        history_add_valid(j->request->history, &j->keys[unit]);
    }
}

/* The prefix of messages that need not be read again: all of it, and without the last message, which a client may replace. */
static void add_rows(const struct prompt_judging *j)
{
    const struct prompt_survey *s = j->request->survey;
    size_t bytes = 0, n = 0;

    for (size_t u = 0, at = 0; s != NULL && n < s->n_prefix && u < j->texts.n_units; u++) {
        if (find_surveyed(s, &j->texts.units[u], &at)) {
            if (at != n || j->text_bytes[u] == 0) {
                return;
            }
            bytes += history_texts_bytes(j->text_bytes[u]);
            n++;
            bool is_known = n == 1 && s->prefix > 0;
            if (n + 1 >= s->n_prefix && !is_known) {
                history_add_texts(j->request->history, &s->prefix_keys[n + 1 - s->n_prefix], history_texts(bytes, 0));
            }
        }
    }
}

void known_add(struct prompt_judging *j)
{
    const struct exchange *x = j->x;
    struct history *h = j->request->history;
    struct error err;
    size_t at = 0, n;
    bool was_apart = false; /* nothing of the unit before goes on in another one, nor depends on the conversation */

    if (h == NULL || x->action == ACTION_BLOCK) {
        return;
    }
    struct recalled *items = arena_array(j->arena, RECALL_FINDINGS_MAX, sizeof(*items), &err);
    bool *has_pseudonyms = arena_array(j->arena, j->texts.n_units + 1, sizeof(*has_pseudonyms), &err);
    bool *is_cut = arena_array(j->arena, j->texts.n_units + 1, sizeof(*is_cut), &err);
    if (items == NULL || has_pseudonyms == NULL || is_cut == NULL) {
        return;
    }
    memset(has_pseudonyms, 0, j->texts.n_units * sizeof(*has_pseudonyms));
    memset(is_cut, 0, j->texts.n_units * sizeof(*is_cut));
    for (size_t i = 0; i < j->n_judged; i++) {
        has_pseudonyms[j->selected[i].unit] |= x->channels[i].has_pseudonyms;
        is_cut[j->selected[i].unit] |= x->channels[i].is_cut;
    }
    for (size_t u = 0; u < j->texts.n_units; u++) {
        bool can_be_kept = gather(j, u, &at, items, &n) && !is_cut[u], is_apart = can_be_kept && !has_pseudonyms[u];
        if (j->is_joined[u] && u != j->last && is_apart && was_apart) {
            history_add(h, &j->behind[u]);
        }
        was_apart = is_apart;
        if (!can_be_kept) {
            continue;
        }
        if (n == 0 && !has_pseudonyms[u] && !j->recalled[u].is_known) {
            add_without_finding(j, u);
        } else if (!j->is_known[u]) {
            add_valid(j, u);
            history_keep(h, &j->keys[u], &j->names[has_pseudonyms[u] ? NAMES_OWN : NAMES_ANY], items, n);
        }
    }
    add_rows(j);
}
