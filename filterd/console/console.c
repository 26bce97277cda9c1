#include "console/console.h"

#include <sodium.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "replica/replicas.h"
#include "http/fault.h"
#include "record/key_file.h"
#include "service/access.h"
#include "service/review/exceptions.h"
#include "service/review/reveals.h"

enum { MEMORY_MAX = 128 * 1024, SETTLE_MS = 3000, DECIDERS = ROLE_REVIEWER | ROLE_APPROVER | ROLE_ADMIN };

static const int64_t age_max_ns = (int64_t)REVIEW_ORDER_DAYS * 24 * 3600 * 1000000000, ahead_max_ns = INT64_C(600) * 1000000000;

/* --- orders of consoles ------------------------------------------------------------------- */

/* The file is read for each: decisions of people are few, and a console that is taken out of it decides nothing more. */
static bool verify(const struct service *s, const char *note, struct arena *memory, struct review_order *o, const char **console,
                   struct error *err)
{
    struct review_consoles consoles;
    const struct note_key *key;

    if (s->options->consoles == NULL) {
        return error_set(err, ERROR_DENIED, "this node takes no decisions of review consoles (consoles)");
    }
    if (!review_consoles_load(s->options->consoles, &consoles, err) || !review_order_verify(span_str(note), &consoles, memory, o, &key, err)) {
        return false;
    }
    *console = arena_string(memory, span_str(key->name), err);
    return *console != NULL;
}

static bool read_order(void *context, const char *note, struct fleet_review *out)
{
    const struct service *s = context;
    const char *console;
    struct review_order o;
    struct arena memory;
    struct error ignored;

    arena_init(&memory, 0, MEMORY_MAX);
    bool is_read = verify(s, note, &memory, &o, &console, &ignored);
    if (is_read) {
        memcpy(out->id, o.id, sizeof(out->id));
        (void)link_text_set(out->node, sizeof(out->node), o.node);
        (void)link_text_set(out->by, sizeof(out->by), o.line.by);
        out->item = o.line.n_items == 0 ? 0 : o.line.items[0];
        (void)link_text_set(out->request, sizeof(out->request), o.request);
        (void)link_text_set(out->step, sizeof(out->step), o.step);
        memcpy(out->group, o.line.group, sizeof(out->group));
        out->verb = o.line.verb;
        out->disposition = o.line.disposition;
    }
    arena_deinit(&memory);
    return is_read;
}

static bool refuse_order(struct fleet_outcome *out, const char *why)
{
    (void)link_text_set(out->why, sizeof(out->why), span_str(why));
    log_warn("review: the order of a console is refused: %s", out->why);
    return true;
}

static bool fill_caller(const struct review_order *o, const char *console, struct caller *out)
{
    *out = (struct caller){.roles = o->kind == REVIEW_ORDER_STEP ? (unsigned)ROLE_REVIEWER : role_find(o->line.role) & DECIDERS, .how = CALLER_TOKEN, .console = console,
                           .order = o->id};
    return link_text_set(out->name, sizeof(out->name), o->line.by) && link_text_set(out->tenant, sizeof(out->tenant), o->tenant);
}

static bool settle(struct fleet_outcome *out, unsigned status, uint64_t line, const char *detail)
{
    if (status == 503) {
        return false;
    }
    out->line = status == 200 ? line : 0;
    return status == 200 || refuse_order(out, detail);
}

/* False: not now; also below. */
static bool take_request(struct service *s, const struct review_order *o, const struct caller *caller, struct fleet_outcome *out)
{
    if (o->kind == REVIEW_ORDER_EXCEPTION) {
        enum exception_verb verb = (enum exception_verb)exception_verb_of(o->step);
        struct exception_answer answer = {.status = 422, .detail = "a step expected"};
        if (verb != EXCEPTION_NO_VERB && verb != EXCEPTION_PROPOSE) {
            exceptions_change(s, caller, verb, o->request, &answer);
        }
        return settle(out, answer.status, answer.line, answer.detail);
    }
    enum reveal_verb verb = (enum reveal_verb)reveal_verb_of(o->step);
    struct reveal_answer answer = {.status = 422, .detail = "a step expected"};
    if (verb == REVEAL_APPROVE || verb == REVEAL_REFUSE) {
        reveals_change(s, caller, verb, o->request, &answer);
    }
    return settle(out, answer.status, answer.line, answer.detail);
}

static bool take_step(struct service *s, const struct review_order *o, const char *console, struct fleet_outcome *out)
{
    const struct review_line *l = &o->line;
    struct review_request q = {.verb = l->verb, .items = l->items, .n_items = l->n_items, .has_group = l->has_group, .version = o->version,
                               .disposition = l->disposition, .assignee = l->assignee, .note = l->note, .snooze = l->snooze, .undo_of = l->undo_of,
                               .console = span_str(console), .order = span_str(o->id), .leaf = l->has_group ? NULL : &o->leaf};
    struct review_answer answer;
    struct caller caller;

    if (!fill_caller(o, console, &caller)) {
        return refuse_order(out, "a shorter name expected");
    }
    if (!s->following.is_on) {
        return refuse_order(out, "this node has no review queue (index)");
    }
    if (o->kind != REVIEW_ORDER_STEP) {
        return take_request(s, o, &caller, out);
    }
    memcpy(q.group, l->group, sizeof(q.group));
    reviews_change(s, &caller, &q, &answer);
    return settle(out, answer.status, answer.line, answer.detail);
}

static bool carry_out(void *context, const char *node, const char *note, struct fleet_outcome *out)
{
    struct service *s = context;
    const char *console = "";
    struct review_order o;
    struct arena memory;
    struct error err;
    bool is_settled;

    arena_init(&memory, 0, MEMORY_MAX);
    if (!verify(s, note, &memory, &o, &console, &err)) {
        is_settled = err.kind != ERROR_SYSTEM && err.kind != ERROR_NO_MEMORY;
        (void)(is_settled && refuse_order(out, err.text));
    } else {
        int64_t age_ns = clock_utc_ns() - o.line.ts_ns;
        is_settled = !span_is(o.node, node) ? refuse_order(out, "the order is for another node")
                     : age_ns > age_max_ns  ? refuse_order(out, "the decision is more than 7 days old")
                     : age_ns < -ahead_max_ns ? refuse_order(out, "the decision is dated ahead of this node's clock")
                                              : take_step(s, &o, console, out);
    }
    arena_deinit(&memory);
    return is_settled;
}

/* --- the console -------------------------------------------------------------------------- */

static bool read_key(const struct service_options *o, uint8_t seed[NOTE_SEED], struct note_key *key, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];

    if (!key_file_read(o->console_key, seed, err)) {
        return false;
    }
    note_public(seed, public);
    return note_key_make(span_str(o->console), NOTE_ED25519, public, key, err);
}

static bool check_key(const struct service_options *o, const struct review_consoles *consoles, struct error *err)
{
    uint8_t seed[NOTE_SEED];
    struct note_key key;

    bool is_read = read_key(o, seed, &key, err);
    sodium_memzero(seed, sizeof(seed));
    for (size_t i = 0; is_read && i < consoles->n; i++) {
        if (note_key_same(&consoles->keys[i], &key) && strcmp(consoles->keys[i].name, key.name) == 0) {
            return true;
        }
    }
    return is_read && error_set(err, ERROR_INVALID, "%s: the vkey of this console, %s, expected among those whose decisions are taken", o->consoles, o->console);
}

bool console_check(const struct service_options *o, struct error *err)
{
    struct review_consoles consoles;

    if ((o->console == NULL) != (o->console_key == NULL) || (o->console != NULL && (o->copies == NULL || o->consoles == NULL))) {
        return error_set(err, ERROR_INVALID, "console: console-key, consoles and copies expected with it");
    }
    return o->consoles == NULL || (review_consoles_load(o->consoles, &consoles, err) && (o->console == NULL || check_key(o, &consoles, err)));
}

bool console_open(struct service *s, struct error *err)
{
    const struct service_options *o = s->options;

    if (!console_check(o, err)) {
        return false;
    }
    s->fleet_reviews = (struct fleet_reviews){.context = s, .read = read_order, .carry_out = carry_out};
    s->replicas = o->copies == NULL ? NULL : replicas_open(o->copies, err);
    return o->copies == NULL || s->replicas != NULL;
}

bool console_start(struct service *s, struct error *err)
{
    return s->replicas == NULL || replicas_start(s->replicas, err);
}

void console_close(struct service *s)
{
    fleet_stop_reviews(s->fleet); /* an order waits for what follows the log */
    replicas_close(s->replicas);
    s->replicas = NULL;
}

bool console_can_decide(const struct service *s)
{
    return s->replicas != NULL && s->options->console != NULL && s->fleet != NULL;
}

static void answer(struct console_answer *out, unsigned status, const char *detail)
{
    out->status = status;
    (void)snprintf(out->detail, sizeof(out->detail), "%s", detail);
}

static bool sign(const struct service *s, const struct review_order *o, struct buf *note, struct error *err)
{
    uint8_t seed[NOTE_SEED];
    struct note_key key;

    bool is_signed = read_key(s->options, seed, &key, err) && review_order_sign(o, &key, seed, note, err) && buf_append_char(note, '\0', err);
    sodium_memzero(seed, sizeof(seed));
    return is_signed;
}

static void place(struct service *s, const struct review_order *o, bool waits, struct console_answer *out)
{
    struct error err;
    struct buf note;

    buf_init(&note, REVIEW_ORDER_MAX + 1);
    if (!sign(s, o, &note, &err)) {
        bool is_long = err.kind == ERROR_LIMIT || err.kind == ERROR_INVALID;
        log_warn("review: a decision could not be signed: %s", err.text);
        answer(out, is_long ? 422 : 503, is_long ? "a shorter note expected" : "the decision could not be signed");
        buf_deinit(&note);
        return;
    }
    enum fleet_placed placed = fleet_place_review(s->fleet, note.data, waits ? SETTLE_MS : 0, &out->order);
    buf_deinit(&note);
    if (placed == FLEET_SETTLED && out->order.line != 0) {
        answer(out, 200, "recorded");
    } else if (placed == FLEET_SETTLED) {
        answer(out, 409, out->order.why);
    } else if (placed == FLEET_PLACED) {
        answer(out, 202, "the node has not answered yet");
    } else {
        answer(out, 503, placed == FLEET_NOT_PLACED ? "not placed: there is no contact with the fleet" : "it is not known whether it was placed");
    }
}

void console_decide_request(struct service *s, const struct caller *caller, const struct console_request *request, struct console_answer *out)
{
    struct review_order o = {.node = request->node, .tenant = span_str(caller->tenant), .kind = request->kind, .request = request->id, .step = request->step};

    *out = (struct console_answer){.status = 503};
    if (!console_can_decide(s) || !caller_has(caller, ROLE_REVIEWER | ROLE_APPROVER)) {
        answer(out, 403, !console_can_decide(s) ? "a console with a key expected" : "the role approver expected");
        return;
    }
    review_order_id(o.id);
    o.line = (struct review_line){.ts_ns = clock_utc_ns(), .by = span_str(caller->name), .role = span_str(caller_role(caller, ROLE_ADMIN | ROLE_APPROVER))};
    place(s, &o, true, out);
}

void console_decide(struct service *s, const struct caller *caller, const struct console_item *item, const struct review_request *q,
                    bool waits, struct console_answer *out)
{
    struct review_order o = {.node = item->node, .leaf = item->leaf, .version = item->version, .tenant = span_str(caller->tenant)};
    struct filter_fault fault;
    struct arena memory;

    *out = (struct console_answer){.status = 503};
    if (!console_can_decide(s) || !caller_has(caller, ROLE_REVIEWER)) {
        answer(out, 403, !console_can_decide(s) ? "a console with a key expected" : "the role reviewer expected");
        return;
    }
    review_order_id(o.id);
    o.line = (struct review_line){.ts_ns = clock_utc_ns(), .verb = q->verb, .items = &item->seq, .n_items = 1, .from = ITEM_STATES,
                                  .to = ITEM_STATES, .disposition = q->disposition, .by = span_str(caller->name),
                                  .role = span_str(role_name(ROLE_REVIEWER)), .assignee = q->assignee, .note = q->note, .snooze = q->snooze,
                                  .undo_of = q->undo_of};
    if (item->group != NULL) {
        o.line.n_items = 0;
        o.line.has_group = true;
        memcpy(o.line.group, item->group, sizeof(o.line.group));
    }
    arena_init(&memory, 0, MEMORY_MAX);
    /* Before it leaves this machine. */
    if (reviews_show_text(s, &memory, &o.line.note, &fault) && reviews_show_text(s, &memory, &o.line.assignee, &fault)) {
        place(s, &o, waits, out);
    } else {
        answer(out, fault.status, fault.detail);
    }
    arena_deinit(&memory);
}
