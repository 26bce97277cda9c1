#include "protocol/dialects/openai.h"

/* Chat completions, and the legacy completions that differ in where the text is. */

/* Where no unknown value can be left out with what is around it. */
static const char *const chat_frames[] = {"/choices", "/choices/*", "/choices/*/delta", NULL};
static const char *const completions_frames[] = {"/choices", "/choices/*", NULL};

/* What a message says is one text to every client, whether it comes as a string or in parts. */
static bool text_path(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err)
{
    bool is_thought = leaf_is_at(root, leaf, "/choices/*/delta/content/*/thinking/*/text") ||
                      leaf_is_at(root, leaf, "/choices/*/delta/content/*/thinking");
    const struct node *of = leaf;

    for (const struct node *at = leaf; at != root; at = at->parent) {
        of = leaf_is_at(root, at, "/choices/*/delta/content") ? at : of;
    }
    return text_steps(root, of, path, part, err) &&
           (!is_thought || buf_append_str(path, "/thinking", err));
}

/* --- events of our own ----------------------------------------------------------- */

static struct node *add_choice(struct translation *t, struct node *event, size_t choice,
                               struct error *err)
{
    struct node *choices = tree_literal(&t->memory,
                                        t->dialect == &openai_chat
                                            ? "[{\"index\":0,\"delta\":{},\"finish_reason\":null}]"
                                            : "[{\"text\":\"\",\"index\":0,\"logprobs\":null,"
                                              "\"finish_reason\":null}]",
                                        err);

    if (choices == NULL || !node_set_index(&t->memory, node_at(choices, "0/index"), choice, err)) {
        return NULL;
    }
    choices->name = span_str("choices");
    node_append(event, choices);
    return choices->first;
}

/* What the upstream's events say of the answer; clients skip an event without `object`. */
static struct node *head(struct translation *t, struct error *err)
{
    bool is_chat = t->dialect == &openai_chat;

    if (t->up.envelope.len > 0) {
        return envelope(t, err);
    }
    return tree_literal(&t->memory,
                        is_chat ? "{\"id\":\"\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"\"}"
                                : "{\"id\":\"\",\"object\":\"text_completion\",\"created\":0,\"model\":\"\"}",
                        err);
}

struct node *openai_choice_event(struct translation *t, size_t choice, struct node **in,
                                 struct error *err)
{
    struct node *event = head(t, err);

    *in = event == NULL ? NULL : add_choice(t, event, choice, err);
    return *in == NULL ? NULL : event;
}

static bool was_said(const struct translation *t, size_t choice)
{
    return text_was_shown(t, choice, "/content") || text_was_shown(t, choice, "/text");
}

/* A refusal, where the client reads one; the older completions have none. */
static bool emit_notice(struct translation *t, size_t choice, struct error *err)
{
    bool is_behind = was_said(t, choice), is_text = notice_is_text(t, is_behind);
    struct node *in, *event = openai_choice_event(t, choice, &in, err);
    struct span notice;

    if (event == NULL || !notice_make(t, is_behind && is_text, &notice, err)) {
        return false;
    }
    if (!is_text && !block_refuses(t)) {
        return true;
    }
    struct node *delta = node_member(in, "delta");
    const struct part *p = part_find(t, choice);
    /* Who speaks is said once: some clients ask for it, some join what is said twice. */
    if (delta != NULL && (p == NULL || !p->has_role) &&
        !node_put(&t->memory, delta, "role", span_str("assistant"), err)) {
        return false;
    }
    const char *member = delta == NULL ? "text" : is_text ? "content" : "refusal";
    return node_put(&t->memory, delta == NULL ? in : delta, member, notice, err) &&
           emit(t, event, err);
}

static bool emit_finish(struct translation *t, size_t choice, struct span reason, struct error *err)
{
    struct node *in, *event = openai_choice_event(t, choice, &in, err);

    return event != NULL && node_put(&t->memory, in, "finish_reason", reason, err) &&
           emit(t, event, err);
}

/* --- the end of a choice ---------------------------------------------------------- */

static const char *filtered_reason(const struct translation *t)
{
    return block_ends_turn(t) || block_refuses(t) ? "stop" : "content_filter";
}

/* Some upstreams say it in each event that follows, too: calls leave once. */
static bool finish_choice(struct translation *t, size_t choice, struct node *reason,
                          struct error *err)
{
    struct part *p = part_open(t, choice, err);
    enum stream_ending how = ending_of(reason);

    if (p == NULL || !texts_end(t, choice, how, err) ||
        (!p->is_finished && !openai_release_calls(t, p, how == STREAM_TRUNCATED, err))) {
        return false;
    }
    bool is_again = p->is_finished;
    p->is_finished = true;
    if (!p->is_withheld) {
        return true;
    }
    if (!p->has_call) {
        node_set_text(reason, span_str(filtered_reason(t)));
    }
    return is_again || emit_notice(t, choice, err);
}

/* --- events ----------------------------------------------------------------------- */

static bool index_of_choice(const struct node *choice, size_t *index, struct error *err)
{
    const struct node *at = node_member(choice, "index");

    *index = 0;
    return at == NULL || node_index(at, index) ||
           error_set(err, ERROR_INVALID, "answer: expected a number as index of a choice");
}

typedef bool choice_fn(struct translation *t, size_t index, struct node *choice, struct error *err);

static bool each_choice(struct translation *t, struct node *root, choice_fn *does,
                        struct error *err)
{
    struct node *choices = node_member(root, "choices");

    for (struct node *at = choices == NULL ? NULL : choices->first; at != NULL;) {
        struct node *next = at->next;
        size_t index;
        if (!index_of_choice(at, &index, err) || !does(t, index, at, err)) {
            return false;
        }
        at = next;
    }
    return true;
}

static bool open_choice(struct translation *t, size_t index, struct node *choice, struct error *err)
{
    struct part *p = part_open(t, index, err);
    struct node *delta = node_member(choice, "delta");

    if (p == NULL || !logprobs_hold_choice(t, p, choice, err)) {
        return false;
    }
    p->is_open = true;
    /* Kept for close_choice: an empty delta was made empty here. */
    p->has_text = node_count(delta) > 0 || node_member(choice, "text") != NULL;
    return t->dialect != &openai_chat || openai_hold_calls(t, index, delta, err);
}

static bool end_choice(struct translation *t, size_t index, struct node *choice, struct error *err)
{
    struct node *reason = node_member(choice, "finish_reason");

    return !node_is_truthy(reason) || finish_choice(t, index, reason, err);
}

/* A choice that says nothing any more is left out. */
static bool prune_choice(struct translation *t, size_t index, struct node *choice,
                         struct error *err)
{
    struct part *p = part_find(t, index);
    const struct node *delta = node_member(choice, "delta");
    bool is_empty = delta != NULL ? node_count(delta) == 0 : node_member(choice, "text") == NULL;

    if (p != NULL && p->has_text && is_empty &&
        !node_is_truthy(node_member(choice, "finish_reason"))) {
        node_remove(choice);
        return true;
    }
    if (p != NULL && node_member(delta, "role") != NULL) {
        p->has_role = true;
    }
    return logprobs_put_choice(t, index, choice, err);
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    const struct node *choices = node_member(root, "choices");
    bool had_choices = node_count(choices) > 0;

    if (!each_choice(t, root, open_choice, err) || !leaves_judge(t, root, false, err) ||
        !each_choice(t, root, end_choice, err)) {
        return false;
    }
    if (!leaves_prune(t, root, err) || !each_choice(t, root, prune_choice, err)) {
        return false;
    }
    if (had_choices && node_count(choices) == 0 && !node_is_truthy(node_member(root, "usage"))) {
        return true;
    }
    return emit(t, root, err);
}

/* Of an event with one choice, of which a text is all that a client reads. */
static struct node *only_text(const struct translation *t, const struct node *root)
{
    const struct node *choices = node_member(root, "choices"), *choice = choices == NULL ? NULL : choices->first;
    const struct node *delta = node_member(choice, "delta");
    bool is_alone = choice != NULL && choice->next == NULL && (delta == NULL || node_count(delta) == 1);
    bool says_more = node_is_truthy(node_member(choice, "finish_reason")) || node_is_truthy(node_member(choice, "logprobs")) ||
                     node_is_truthy(node_member(root, "usage"));

    (void)t;
    if (!is_alone || says_more) {
        return NULL;
    }
    return delta != NULL ? delta->first : node_member(choice, "text");
}

static bool close_choice(struct translation *t, struct part *p, enum closing why, struct error *err)
{
    if (why == CLOSING_BLOCKED) {
        p->is_finished = true;
        return emit_notice(t, p->key, err) && emit_finish(t, p->key, span_str(filtered_reason(t)), err);
    }
    struct node *reason = tree_literal(&t->memory, "\"length\"", err);
    return reason != NULL && finish_choice(t, p->key, reason, err) && emit_finish(t, p->key, reason->text, err);
}

/* A client that asked for n choices reads n. */
static bool open_asked(struct translation *t, struct error *err)
{
    for (size_t i = 0; i < t->asked.n_choices; i++) {
        if (part_open(t, i, err) == NULL) {
            return false;
        }
    }
    return true;
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    if ((t->n_parts == 0 || why == CLOSING_BLOCKED) && !open_asked(t, err)) {
        return false;
    }
    for (size_t i = 0; i < t->n_parts; i++) {
        if (!t->parts[i]->is_finished && !close_choice(t, t->parts[i], why, err)) {
            return false;
        }
    }
    return why == CLOSING_BLOCKED || texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err);
}

/* --- answers in one body ----------------------------------------------------------- */

static bool judge_call(struct translation *t, struct node *call, bool *is_withheld,
                       struct error *err)
{
    struct node *function = node_member(call, "function");
    struct node *of = function != NULL ? function : call;
    struct node *arguments = node_member(of, "arguments");

    *is_withheld = false;
    /* Free text for a tool of another kind is judged as any unknown member is. */
    return !node_is_string(arguments) ||
           call_judge_value(t, node_member(of, "name"), arguments, is_withheld, err);
}

static bool judge_calls(struct translation *t, struct part *p, struct node *message,
                        struct error *err)
{
    struct node *calls = node_member(message, "tool_calls");
    struct node *legacy = node_member(message, "function_call");
    struct node *at = calls != NULL && calls->kind == JSON_KIND_ARRAY ? calls->first : NULL;
    bool is_withheld;

    while (at != NULL) {
        struct node *next = at->next;
        if (!judge_call(t, at, &is_withheld, err)) {
            return false;
        }
        if (is_withheld) {
            node_remove(at);
            p->is_withheld = true;
        }
        at = next;
    }
    p->has_call = node_count(calls) > 0;
    if (p->is_withheld && !p->has_call) {
        node_remove(calls);
    }
    if (legacy == NULL || legacy->kind != JSON_KIND_OBJECT) {
        return true;
    }
    if (!judge_call(t, legacy, &is_withheld, err)) {
        return false;
    }
    if (is_withheld) {
        node_remove(legacy);
        p->is_withheld = true;
    }
    return true;
}

/* Only the last call can be cut off; it is left out without a block. */
static void drop_cut_call(struct node *message)
{
    struct node *calls = node_member(message, "tool_calls");
    struct node *legacy = node_member(message, "function_call");
    struct node *last = calls == NULL ? NULL : calls->last;

    if (last != NULL && !call_is_whole(node_at(last, "function/arguments"))) {
        node_remove(last);
        if (calls->first == NULL) {
            node_remove(calls);
        }
    }
    if (legacy != NULL && legacy->kind == JSON_KIND_OBJECT &&
        !call_is_whole(node_member(legacy, "arguments"))) {
        node_remove(legacy);
    }
}

static bool judge_choice(struct translation *t, size_t index, struct node *choice,
                         struct error *err)
{
    struct part *p = part_open(t, index, err);

    if (p == NULL || !logprobs_hold_choice(t, p, choice, err)) {
        return false;
    }
    if (t->dialect != &openai_chat) {
        return true;
    }
    if (ending_of(node_member(choice, "finish_reason")) == STREAM_TRUNCATED) {
        drop_cut_call(node_member(choice, "message"));
    }
    return judge_calls(t, p, node_member(choice, "message"), err);
}

static bool end_texts(struct translation *t, size_t index, struct node *choice, struct error *err)
{
    return texts_end(t, index, ending_of(node_member(choice, "finish_reason")), err);
}

static bool put_refusal(struct translation *t, struct node *message, struct error *err)
{
    struct span notice;

    return notice_make(t, false, &notice, err) && node_put(&t->memory, message, "refusal", notice, err);
}

/* The notice follows the message's text, or is in a separate member. */
static bool finish_message(struct translation *t, size_t index, struct node *choice,
                           struct error *err)
{
    const struct part *p = part_find(t, index);
    struct node *message = node_member(choice, "message");

    if (p == NULL || !p->is_withheld || message == NULL) {
        return true;
    }
    return (block_refuses(t) ? put_refusal(t, message, err) : notice_join(t, message, "content", err)) &&
           (p->has_call ||
            node_put(&t->memory, choice, "finish_reason", span_str(filtered_reason(t)), err));
}

static bool body(struct translation *t, struct node *root, struct error *err)
{
    return each_choice(t, root, judge_choice, err) && leaves_judge(t, root, false, err) &&
           each_choice(t, root, end_texts, err) && texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err) &&
           each_choice(t, root, logprobs_put_choice, err) && message_judge_joined(t, root, err) &&
           each_choice(t, root, finish_message, err) && emit(t, root, err);
}

static bool add_blocked(struct translation *t, struct node *choices, size_t index, struct error *err)
{
    struct arena *a = &t->memory;
    bool is_chat = t->dialect == &openai_chat;
    struct node *choice =
        tree_literal(a,
                     is_chat ? "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
                               "\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"\"}"
                             : "{\"text\":\"\",\"index\":0,\"logprobs\":null,\"finish_reason\":\"\"}",
                     err);

    if (choice == NULL || !node_set_index(a, node_member(choice, "index"), index, err) ||
        !node_put(a, choice, "finish_reason", span_str(filtered_reason(t)), err)) {
        return false;
    }
    node_append(choices, choice);
    struct node *message = node_member(choice, "message");
    return block_refuses(t) ? put_refusal(t, message, err)
                      : notice_join(t, is_chat ? message : choice, is_chat ? "content" : "text", err);
}

static bool blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);
    struct node *choices = root == NULL ? NULL : node_add(&t->memory, root, span_str("choices"), err);
    size_t n = t->n_parts > t->asked.n_choices ? t->n_parts : t->asked.n_choices;

    if (choices == NULL) {
        return false;
    }
    choices->kind = JSON_KIND_ARRAY;
    for (size_t i = 0; i < n; i++) {
        if (!add_blocked(t, choices, i, err)) {
            return false;
        }
    }
    return emit(t, root, err);
}

static const struct count_row count_rows[] = {
    {NULL, "prompt_tokens", false},
    {NULL, "completion_tokens", false},
    {NULL, "total_tokens", false},
    {"prompt_tokens_details", "cached_tokens", false},
    {"prompt_tokens_details", "audio_tokens", false},
    {"completion_tokens_details", "reasoning_tokens", false},
    {"completion_tokens_details", "audio_tokens", false},
    {"completion_tokens_details", "accepted_prediction_tokens", false},
    {"completion_tokens_details", "rejected_prediction_tokens", false},
};
static const struct counts counts = {.in = "usage", .rows = count_rows, .n_rows = COUNT(count_rows), .n_required = 3};

const struct dialect openai_chat = {.name = "openai-chat",
                                    .rows = openai_chat_rows,
                                    .n_rows = OPENAI_CHAT_ROWS,
                                    .text_path = text_path,
                                    .list = "choices",
                                    .required = "{\"choices\":[]}",
                                    .frames = chat_frames,
                                    .joined = {"/choices/*/message/content/*/text", 3, NULL},
                                    .done = "[DONE]",
                                    .counts = &counts,
                                    .only_text = only_text,
                                    .event = event,
                                    .body = body,
                                    .close = close_answer,
                                    .blocked_body = blocked_body};

const struct dialect openai_completions = {.name = "openai-completions",
                                           .rows = openai_completions_rows,
                                           .n_rows = OPENAI_COMPLETIONS_ROWS,
                                           .list = "choices",
                                           .required = "{\"choices\":[]}",
                                           .frames = completions_frames,
                                           .done = "[DONE]",
                                           .counts = &counts,
                                           .only_text = only_text,
                                           .event = event,
                                           .body = body,
                                           .close = close_answer,
                                           .blocked_body = blocked_body};
