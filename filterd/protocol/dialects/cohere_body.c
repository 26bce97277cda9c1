#include "protocol/dialects/cohere.h"

static void drop_cut_call(const struct translation *t, const struct node *message)
{
    const struct node *calls = node_member(message, "tool_calls");
    struct node *last = calls == NULL ? NULL : calls->last;

    if (last != NULL && t->up.ending == STREAM_TRUNCATED &&
        !call_is_whole(node_at(last, "function/arguments"))) {
        node_remove(last);
    }
}

static bool judge_calls(struct translation *t, struct node *message, bool *has_call,
                        struct error *err)
{
    struct node *calls = node_member(message, "tool_calls");
    struct node *at = calls == NULL ? NULL : calls->first;

    while (at != NULL) {
        struct node *next = at->next, *function = node_member(at, "function");
        bool is_withheld;
        if (!call_judge_value(t, node_member(function, "name"), node_member(function, "arguments"),
                              &is_withheld, err)) {
            return false;
        }
        if (is_withheld) {
            node_remove(at);
        }
        at = next;
    }
    *has_call = node_count(calls) > 0;
    if (!*has_call) {
        node_remove(calls);
    }
    return true;
}

/* Only what comes last can be cut off: a call, else the last block, else the plan. */
static bool end_texts(struct translation *t, const struct node *message, bool is_call_last,
                      struct error *err)
{
    const struct node *content = node_member(message, "content");
    bool is_block_last = !is_call_last && node_count(content) > 0;

    /* First, as other blocks may claim its index. */
    if (is_block_last && !texts_end(t, text_index(content->last), t->up.ending, err)) {
        return false;
    }
    for (const struct node *at = content == NULL ? NULL : content->first; at != NULL;
         at = at->next) {
        if (!texts_end(t, text_index(at), STREAM_COMPLETE, err)) {
            return false;
        }
    }
    return texts_end(t, COHERE_PLAN, is_call_last || is_block_last ? STREAM_COMPLETE : t->up.ending, err) &&
           texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err);
}

static bool append_notice(struct translation *t, struct node *message, bool is_behind, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *content = node_member(message, "content");
    struct node *block = tree_literal(a, "{\"type\":\"text\",\"text\":\"\"}", err);
    struct span notice;

    if (!notice_is_text(t, is_behind)) {
        return true;
    }
    if (content == NULL) {
        content = node_add(a, message, span_str("content"), err);
    }
    if (content == NULL || block == NULL || !notice_make(t, is_behind, &notice, err)) {
        return false;
    }
    content->kind = JSON_KIND_ARRAY;
    node_append(content, block);
    return node_put(a, block, "text", notice, err);
}

bool cohere_body(struct translation *t, struct node *root, struct error *err)
{
    struct node *message = node_member(root, "message");
    bool is_call_last = node_count(node_member(message, "tool_calls")) > 0, has_call;

    t->up.ending = ending_of(node_member(root, "finish_reason"));
    drop_cut_call(t, message);
    if (!judge_calls(t, message, &has_call, err) || !leaves_judge(t, root, false, err) ||
        !end_texts(t, message, is_call_last, err) || !message_judge_joined(t, root, err)) {
        return false;
    }
    if (text_was_changed(t)) {
        node_remove(node_member(message, "citations"));
    }
    if (t->beside.withheld.is_set &&
        (!append_notice(t, message, text_was_shown(t, SIZE_MAX, "/text"), err) ||
         (!has_call &&
          !node_put(&t->memory, root, "finish_reason", span_str(cohere_filtered_reason(t)), err)))) {
        return false;
    }
    return emit(t, root, err);
}

bool cohere_blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);
    struct node *message =
        root == NULL ? NULL
                     : tree_literal(&t->memory, "{\"role\":\"assistant\",\"content\":[]}", err);

    if (message == NULL ||
        !node_put(&t->memory, root, "finish_reason", span_str(cohere_filtered_reason(t)), err)) {
        return false;
    }
    message->name = span_str("message");
    node_append(root, message);
    return append_notice(t, message, false, err) && emit(t, root, err);
}
