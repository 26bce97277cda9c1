#include "protocol/dialects/openai.h"

/* Tool calls of chat completions: put together from their pieces, let go whole. */

/* --- calls ---------------------------------------------------------------------- */

/* The one call of the time before tool_calls, kept like the others. */
enum { LEGACY_CALL = TREE_INDEX_MAX + 1 };

static bool take_arguments(struct call *c, const struct node *piece, struct error *err)
{
    return !node_is_string(piece) || buf_append(&c->arguments, piece->text, err);
}

static bool hold_call(struct translation *t, size_t choice, const struct node *piece,
                      struct error *err)
{
    const struct node *function = node_member(piece, "function");
    const struct node *custom = node_member(piece, "custom");
    static const char *const taken[] = {"index", "id", "type", "function/", "custom/", "name", "arguments", "input", NULL};
    size_t index = 0;

    left_out_event(t, piece, taken);

    (void)node_index(node_member(piece, "index"), &index);
    struct call *c = call_open(t, choice, index, err);
    if (c == NULL) {
        return false;
    }
    c->is_text = c->is_text || custom != NULL;
    const struct node *of = custom != NULL ? custom : function;
    return call_take(c, node_member(piece, "id"), node_member(piece, "type"),
                     node_member(of, "name"), err) &&
           take_arguments(c, node_member(of, custom != NULL ? "input" : "arguments"), err);
}

static bool hold_legacy_call(struct translation *t, size_t choice, const struct node *piece,
                             struct error *err)
{
    static const char *const taken[] = {"name", "arguments", NULL};
    struct call *c = call_open(t, choice, LEGACY_CALL, err);

    left_out_event(t, piece, taken);
    return c != NULL && call_take(c, NULL, NULL, node_member(piece, "name"), err) &&
           take_arguments(c, node_member(piece, "arguments"), err);
}

/* Takes the pieces of calls out of a choice's delta. */
bool openai_hold_calls(struct translation *t, size_t choice, struct node *delta, struct error *err)
{
    struct node *calls = node_member(delta, "tool_calls");
    struct node *legacy = node_member(delta, "function_call");
    const struct part *p = part_find(t, choice);
    bool has_pieces = node_count(calls) > 0 || node_count(legacy) > 0;

    if (has_pieces && p != NULL && p->is_finished) {
        return error_set(err, ERROR_INVALID, "answer: expected no call after the end of its choice");
    }
    if (calls != NULL && calls->kind == JSON_KIND_ARRAY) {
        for (const struct node *at = calls->first; at != NULL; at = at->next) {
            if (!hold_call(t, choice, at, err)) {
                return false;
            }
        }
        node_remove(calls);
    }
    if (legacy != NULL && legacy->kind == JSON_KIND_OBJECT) {
        if (!hold_legacy_call(t, choice, legacy, err)) {
            return false;
        }
        node_remove(legacy);
    }
    return true;
}

static bool add_call(struct translation *t, struct node *delta, const struct call *c, size_t shown,
                     struct span arguments, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *call;

    if (c->index == LEGACY_CALL) {
        call = tree_literal(a, "{\"name\":\"\",\"arguments\":\"\"}", err);
        if (call == NULL) {
            return false;
        }
        call->name = span_str("function_call");
        node_append(delta, call);
        return node_put(a, call, "name", buf_span(&c->name), err) &&
               node_put(a, call, "arguments", arguments, err);
    }
    call = tree_literal(a, "{\"index\":0,\"id\":\"\",\"type\":\"function\"}", err);
    struct node *of =
        call == NULL ? NULL : node_add(a, call, span_str(c->is_text ? "custom" : "function"), err);
    struct node *calls = node_member(delta, "tool_calls");
    if (of != NULL && calls == NULL) {
        calls = node_add(a, delta, span_str("tool_calls"), err);
    }
    if (of == NULL || calls == NULL) {
        return false;
    }
    of->kind = JSON_KIND_OBJECT;
    calls->kind = JSON_KIND_ARRAY;
    node_append(calls, call);
    return node_set_index(a, node_member(call, "index"), shown, err) &&
           node_put(a, call, "id", buf_span(&c->id), err) &&
           node_put(a, call, "type", span_str(c->is_text ? "custom" : "function"), err) &&
           node_put(a, of, "name", buf_span(&c->name), err) &&
           node_put(a, of, c->is_text ? "input" : "arguments", arguments, err);
}

/* Calls of a choice in the order of their index. */
static size_t sort_calls(const struct translation *t, size_t choice,
                         const struct call *sorted[CALLS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_calls; i++) {
        const struct call *c = t->calls[i];
        if (c->part != choice) {
            continue;
        }
        size_t at = n++;
        for (; at > 0 && sorted[at - 1]->index > c->index; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = c;
    }
    return n;
}

/* Writes the calls that may leave, in one event. */
bool openai_release_calls(struct translation *t, struct part *p, bool is_cut, struct error *err)
{
    const struct call *calls[CALLS_MAX];
    size_t n = sort_calls(t, p->key, calls), n_shown = 0;
    struct node *in, *event;

    if (n == 0) {
        return true;
    }
    event = openai_choice_event(t, p->key, &in, err);
    struct node *delta = event == NULL ? NULL : node_member(in, "delta");
    if (delta == NULL) {
        return event != NULL && error_set(err, ERROR_INTERNAL, "answer: no place for a call");
    }
    for (size_t i = 0; i < n; i++) {
        struct call_verdict verdict;
        bool was_withheld = t->beside.withheld.is_set;
        t->beside.withheld.is_set = false;
        bool is_last = i + 1 == n; /* no other can be cut off */
        if (!call_judge(t, calls[i], is_cut && is_last, &verdict, err)) {
            return false;
        }
        p->is_withheld = p->is_withheld || t->beside.withheld.is_set;
        t->beside.withheld.is_set = t->beside.withheld.is_set || was_withheld;
        if (!verdict.is_withheld &&
            !add_call(t, delta, calls[i], n_shown++, verdict.arguments, err)) {
            return false;
        }
    }
    p->has_call = n_shown > 0;
    return n_shown == 0 || emit(t, event, err);
}
