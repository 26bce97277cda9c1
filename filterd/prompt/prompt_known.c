#include "prompt/prompt_known.h"

#include "mask/masking.h"

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
    if (j->recalled == NULL) {
        return false;
    }
    memset(j->is_known, 0, n * sizeof(*j->is_known));
    memset(j->text_bytes, 0, n * sizeof(*j->text_bytes));
    memset(j->recalled, 0, n * sizeof(*j->recalled));
    return j->request->history == NULL || find_in_history(j, err);
}

/* --- what redaction made of a text -------------------------------------------------- */

/* Called again by each look at the same channel: the last one counts. */
bool known_is_settled(void *context, const struct channel *c)
{
    const struct prompt_judging *j = context;
    struct known_output *o = &j->outputs[c - j->x->channels];
    struct history_key keys[NAMES];
    bool is_known[NAMES];

    history_key_of_output(j->request->history, c->key, c->output, &o->key);
    for (size_t i = 0; i < NAMES; i++) {
        keys[i] = history_key_for(&o->key, &j->names[i]);
    }
    history_find(j->request->history, keys, NAMES, is_known);
    o->is_new = !is_known[NAMES_ANY] && !is_known[NAMES_OWN];
    return !o->is_new;
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

/* A message of which nothing but the number of its bytes of text is wanted, when it comes again. An escape of ASCII could hide a
 * pseudonym from a search in its JSON. */
static void add_without_finding(struct prompt_judging *j, size_t unit)
{
    const struct prompt_unit *u = &j->texts.units[unit];
    bool can_be_left = u->is_message && u->json.ptr[0] == '{' && j->texts.n_tokens == 0 && memmem(u->json.ptr, u->json.len, "\\u00", 4) == NULL;
    size_t bytes = 0;

    for (size_t i = u->from; i < u->to; i++) {
        bytes += j->texts.document.channels[i].text.len;
    }
    if (can_be_left && bytes < HISTORY_VALID - 1) {
        j->text_bytes[unit] = (uint32_t)bytes + 1;
        history_add_texts(j->request->history, &j->keys[unit], bytes);
    } else {
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
            bytes += j->text_bytes[u] - 1;
            n++;
            bool is_known = n == 1 && s->prefix > 0;
            if (n + 1 >= s->n_prefix && !is_known) {
                history_add_texts(j->request->history, &s->prefix_keys[n + 1 - s->n_prefix], bytes);
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

    if (h == NULL || x->action == ACTION_BLOCK) {
        return;
    }
    struct recalled *items = arena_array(j->arena, RECALL_FINDINGS_MAX, sizeof(*items), &err);
    bool *has_pseudonyms = arena_array(j->arena, j->texts.n_units + 1, sizeof(*has_pseudonyms), &err);
    if (items == NULL || has_pseudonyms == NULL) {
        return;
    }
    memset(has_pseudonyms, 0, j->texts.n_units * sizeof(*has_pseudonyms));
    for (size_t i = 0; i < j->n_judged; i++) {
        has_pseudonyms[j->selected[i].unit] |= x->channels[i].has_pseudonyms;
    }
    for (size_t u = 0; u < j->texts.n_units; u++) {
        bool can_be_kept = gather(j, u, &at, items, &n);
        if (j->is_known[u] || !can_be_kept) {
            continue;
        }
        if (n == 0 && !has_pseudonyms[u]) {
            add_without_finding(j, u);
        } else {
            add_valid(j, u);
            history_keep(h, &j->keys[u], &j->names[has_pseudonyms[u] ? NAMES_OWN : NAMES_ANY], items, n);
        }
    }
    add_rows(j);
}
