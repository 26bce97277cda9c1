/* cohere_v1.c - Cohere's chat, version 1: events named by `event_type`, a line each, or one body.
 *
 * The text flows. A plan comes beside the pieces of calls and is a text, too; the pieces themselves are left out, as the event that
 * follows has all calls whole, judged. What else an event says (citations, documents, queries) waits for the end, which repeats the whole
 * answer with the text that was released. As in version 2 there is no reason that says "filtered". */
#include "protocol/dialects/cohere.h"

#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)
/* Of the answer in one body, and of its copy at the end of a stream. */
#define ANSWER(at)                                                                                 \
    ANY(at "/response_id", LEAF_SAFE), ANY(at "/generation_id", LEAF_SAFE), ANY(at "/finish_reason", LEAF_SAFE), \
        ANY(at "/meta", LEAF_SAFE), ANY(at "/is_search_required", LEAF_SAFE), ANY(at "/chat_history/*/role", LEAF_SAFE), \
        ANY(at "/citations/*/start", LEAF_SAFE), ANY(at "/citations/*/end", LEAF_SAFE), ANY(at "/citations/*/type", LEAF_SAFE)

static const struct leaf_row rows[] = {
    LEAF_ROW("/event_type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/is_finished", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/text", LEAF_TEXT, KEPT_NOT, NULL),
    ANSWER(""),
    ANSWER("/response"),
};

static const char text_path_of_answer[] = "/text", text_path_of_plan[] = "/tool_plan";

enum { PART_TEXT, PART_PLAN };

static bool is_event(const struct node *root, const char *type)
{
    return node_is(node_member(root, "event_type"), type);
}

static bool text_path(const struct node *root, const struct node *leaf, struct buf *path, size_t *part, struct error *err)
{
    bool is_plan = is_event(root, "tool-calls-chunk") || is_event(root, "tool-calls-generation");

    (void)leaf;
    *part = is_plan ? PART_PLAN : PART_TEXT;
    return buf_append_str(path, is_plan ? text_path_of_plan : text_path_of_answer, err);
}

/* --- the history of an answer ----------------------------------------------------------- */

/* What the model said stands in the history once more, as its last message: it takes what was released of the text, as a tail that
 * was held back there would stand here. NULL: there is no text, or no such message. */
static struct node *copy_in_history(const struct node *answer)
{
    const struct node *history = node_member(answer, "chat_history");

    if (history == NULL || history->kind != JSON_KIND_ARRAY || history->last == NULL || !node_is_string(node_member(answer, "text"))) {
        return NULL;
    }
    struct node *message = node_member(history->last, "message");
    return node_is_string(message) && node_is(node_member(history->last, "role"), "CHATBOT") ? message : NULL;
}

/* What a copy says and the pieces did not is not delivered. */
static void leave_out(struct translation *t, const struct node *copy)
{
    struct error err;
    struct text *x = text_of(t, span_str(text_path_of_answer), PART_TEXT, &err);

    if (x != NULL && node_is_string(copy)) {
        left_out_copy(t, x, copy->text);
    }
}

static void take_copy(struct node *answer)
{
    struct node *copy = copy_in_history(answer);

    if (copy != NULL) {
        node_set_text(copy, node_member(answer, "text")->text);
        copy->is_judged = true;
    }
}

/* --- events of our own ------------------------------------------------------------------ */

/* The text that was released, and the notice behind it where one is due. */
static bool put_said(struct translation *t, struct node *to, bool has_notice, struct error *err)
{
    struct text *x = text_of(t, span_str(text_path_of_answer), PART_TEXT, err);
    struct span said;

    return x != NULL && arena_copy(&t->memory, buf_span(&x->released), &said, err) && node_put(&t->memory, to, "text", said, err) &&
           (!has_notice || notice_join(t, to, "text", err));
}

static bool emit_notice(struct translation *t, struct error *err)
{
    bool is_behind = text_was_shown(t, SIZE_MAX, text_path_of_answer);
    struct node *event = tree_literal(&t->memory, "{\"is_finished\":false,\"event_type\":\"text-generation\",\"text\":\"\"}", err);
    struct span notice;

    t->down.shown.has_notice = true;
    if (event == NULL || !notice_is_text(t, is_behind)) {
        return event != NULL;
    }
    if (!notice_make(t, is_behind, &notice, err)) {
        return false;
    }
    node_set_text(node_member(event, "text"), notice);
    return emit(t, event, err);
}

static bool emit_end(struct translation *t, const char *reason, bool has_notice, struct error *err)
{
    struct node *event = tree_literal(&t->memory,
                                      "{\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"\","
                                      "\"response\":{\"text\":\"\",\"finish_reason\":\"\"}}",
                                      err);
    struct node *response = node_member(event, "response");

    if (event == NULL || !put_said(t, response, has_notice, err)) {
        return false;
    }
    node_set_text(node_member(event, "finish_reason"), span_str(reason));
    node_set_text(node_member(response, "finish_reason"), span_str(reason));
    return emit(t, event, err);
}

/* --- calls ------------------------------------------------------------------------------ */

static bool judge_calls(struct translation *t, const struct node *in, bool *has_call, struct error *err)
{
    struct node *calls = node_member(in, "tool_calls");

    for (struct node *at = calls == NULL ? NULL : calls->first, *next; at != NULL; at = next) {
        bool is_withheld;
        next = at->next;
        if (!call_judge_value(t, node_member(at, "name"), node_member(at, "parameters"), &is_withheld, err)) {
            return false;
        }
        if (is_withheld) {
            node_remove(at);
        }
    }
    *has_call = node_count(calls) > 0;
    return true;
}

/* --- events ----------------------------------------------------------------------------- */

static bool pass(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, false, err) && emit_released(t, root, leaves_say_nothing(t, root), err);
}

static bool take_chunk(struct translation *t, struct node *root, struct error *err)
{
    static const char *const taken[] = {"event_type", "text", "tool_call_delta", "index", "name", "parameters", NULL};

    left_out_event(t, root, taken);
    node_remove(node_member(root, "tool_call_delta"));
    return node_member(root, "text") == NULL || pass(t, root, err);
}

static bool take_calls(struct translation *t, struct node *root, struct error *err)
{
    bool has_call;
    struct text *plan = text_of(t, span_str(text_path_of_plan), PART_PLAN, err);

    if (plan == NULL || !text_finish(t, plan, STREAM_COMPLETE, err) || !judge_calls(t, root, &has_call, err)) {
        return false;
    }
    struct node *copy = node_member(root, "text");
    if (plan->was_fed && copy != NULL) {
        struct span said;
        if (!arena_copy(&t->memory, buf_span(&plan->released), &said, err)) {
            return false;
        }
        left_out_copy(t, plan, copy->text);
        node_set_text(copy, said);
        copy->is_judged = true;
    }
    return !has_call || pass(t, root, err);
}

/* Its copy of the text is what was released; all else in it is said once. */
static bool take_end(struct translation *t, struct node *root, struct error *err)
{
    struct node *response = node_member(root, "response");
    enum stream_ending how = ending_of(node_member(root, "finish_reason"));
    bool has_call;

    if (!texts_end(t, SIZE_MAX, how, err) || !judge_calls(t, response, &has_call, err)) {
        return false;
    }
    bool is_withheld = t->beside.withheld.is_set && !t->down.shown.has_notice;
    if (is_withheld && !emit_notice(t, err)) {
        return false;
    }
    leave_out(t, node_member(response, "text"));
    leave_out(t, copy_in_history(response));
    if (node_member(response, "text") != NULL) {
        if (!put_said(t, response, is_withheld, err)) {
            return false;
        }
        node_member(response, "text")->is_judged = true;
    }
    take_copy(response);
    if (text_was_changed(t)) {
        node_remove(node_member(response, "citations")); /* their places are in a text that was changed */
    }
    const char *reason = cohere_filtered_reason(t);
    if (is_withheld && !has_call &&
        (!node_put(&t->memory, root, "finish_reason", span_str(reason), err) ||
         (response != NULL && !node_put(&t->memory, response, "finish_reason", span_str(reason), err)))) {
        return false;
    }
    /* Not before it is judged: a block in it writes an end of its own. */
    t->down.shown.has_tail = leaves_judge(t, root, true, err) && emit(t, root, err);
    return t->down.shown.has_tail && translation_over(t, err);
}

static bool take_citations(struct translation *t, struct node *root, struct error *err)
{
    return text_was_changed(t) || pass(t, root, err);
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    static const struct {
        const char *type;
        bool (*take)(struct translation *t, struct node *root, struct error *err);
    } events[] = {
        {"tool-calls-chunk", take_chunk},
        {"tool-calls-generation", take_calls},
        {"citation-generation", take_citations},
        {"stream-end", take_end},
    };

    for (size_t i = 0; i < COUNT(events); i++) {
        if (is_event(root, events[i].type)) {
            return events[i].take(t, root, err);
        }
    }
    return pass(t, root, err);
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;

    if (t->down.shown.has_tail || (!is_blocked && !texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err))) {
        return t->down.shown.has_tail;
    }
    bool is_filtered = (is_blocked || t->beside.withheld.is_set) && !t->down.shown.has_notice;
    return (!is_filtered || emit_notice(t, err)) &&
           emit_end(t, is_filtered ? cohere_filtered_reason(t) : "ERROR", is_filtered, err);
}

/* --- one body --------------------------------------------------------------------------- */

static bool body(struct translation *t, struct node *root, struct error *err)
{
    struct node *copy = copy_in_history(root);
    bool has_call;

    if (copy != NULL) {
        copy->is_judged = true; /* it is written over below */
    }
    t->up.ending = ending_of(node_member(root, "finish_reason"));
    if (!judge_calls(t, root, &has_call, err) || !leaves_judge(t, root, false, err) || !texts_end(t, SIZE_MAX, t->up.ending, err)) {
        return false;
    }
    if (text_was_changed(t)) {
        node_remove(node_member(root, "citations"));
    }
    leave_out(t, copy);
    if (t->beside.withheld.is_set &&
        (!notice_join(t, root, "text", err) ||
         (!has_call && !node_put(&t->memory, root, "finish_reason", span_str(cohere_filtered_reason(t)), err)))) {
        return false;
    }
    take_copy(root);
    return emit(t, root, err);
}

static bool blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);

    return root != NULL && node_put(&t->memory, root, "text", span_of("", 0), err) && notice_join(t, root, "text", err) &&
           node_put(&t->memory, root, "finish_reason", span_str(cohere_filtered_reason(t)), err) && emit(t, root, err);
}

bool cohere_v1_heartbeat(struct translation *t, struct error *err)
{
    struct node *event = tree_literal(&t->memory, "{\"is_finished\":false,\"event_type\":\"text-generation\",\"text\":\"\"}", err);

    return event != NULL && emit(t, event, err);
}

const struct dialect cohere_v1_chat = {.name = "cohere-chat-v1",
                                       .has_copies = true,
                                       .rows = rows,
                                       .n_rows = COUNT(rows),
                                       .text_path = text_path,
                                       .lines_type = "application/stream+json",
                                       .event = event,
                                       .body = body,
                                       .close = close_answer,
                                       .blocked_body = blocked_body};
