#include "protocol/dialects/openai_responses.h"

/* Events of the Responses API. A text is sent as deltas and then again in four copies: these are
 * made of what the deltas released. Items that call tools, and those of unknown kinds, are held to their end. */

enum { TEXT_PATH_MAX = 256 };

const char *const openai_responses_value_keys[] = {"output_index", "content_index", "summary_index", NULL};

/* --- which text --------------------------------------------------------------------- */

const struct item_text *item_kind_of(const struct node *root, const char *ending)
{
    const struct node *type = node_member(root, "type");

    for (size_t i = 0; node_is_string(type) && i < n_item_texts; i++) {
        struct span stem = span_str(item_texts[i].stem);
        if (span_starts_with(type->text, stem) &&
            span_is(span_slice(type->text, stem.len, type->text.len), ending)) {
            return &item_texts[i];
        }
    }
    return NULL;
}

static void index_in_item(const struct node *root, const struct item_text *kind, size_t *index)
{
    *index = 0;
    if (kind->index != NULL) {
        (void)node_index(node_member(root, kind->index), index);
    }
}

bool openai_responses_text_path(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err)
{
    const struct item_text *kind = item_kind_of(root, ".delta");
    size_t index;

    (void)leaf;
    if (kind == NULL || !node_index(node_member(root, "output_index"), part)) {
        return error_set(err, ERROR_INVALID, "answer: expected the index of an item");
    }
    index_in_item(root, kind, &index);
    return item_text_path(kind, *part, index, path, err);
}

static bool stamp(struct translation *t, struct node *root, struct error *err)
{
    struct node *number = node_member(root, "sequence_number");

    if (number == NULL) {
        number = node_add(&t->memory, root, span_str("sequence_number"), err);
    }
    return number != NULL && node_set_index(&t->memory, number, t->down.shown.n_events, err);
}

/* --- items ------------------------------------------------------------------------------ */

/* The part of an event about an item; *shown false: the item is held back. */
static bool find_item(struct translation *t, struct node *root, struct part **p, bool *is_shown,
                      struct error *err)
{
    struct node *at = node_member(root, "output_index");
    size_t index;

    *p = NULL;
    *is_shown = true;
    if (at == NULL) {
        return true;
    }
    if (!node_index(at, &index)) {
        return error_set(err, ERROR_INVALID, "answer: expected the index of an item");
    }
    *p = part_open(t, index, err);
    if (*p == NULL) {
        return false;
    }
    *is_shown = (*p)->is_open && (*p)->kind == ITEM_PLAIN;
    return !*is_shown || node_set_index(&t->memory, at, (*p)->shown, err);
}

static bool start_item(struct translation *t, struct node *root, struct error *err)
{
    struct node *item = node_member(root, "item");
    struct part *p;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    if (item == NULL) {
        return error_set(err, ERROR_INVALID, "answer: expected an item");
    }
    if (p == NULL || p->is_open || p->kind == ITEM_HELD) {
        return error_set(err, ERROR_INVALID, "answer: expected each item to start once");
    }
    if (!item_flows(item)) {
        return item_hold(p, root, err);
    }
    p->shown = t->down.shown.n_parts;
    if (!node_set_index(&t->memory, node_member(root, "output_index"), p->shown, err)) {
        return false;
    }
    if (!item_begin_texts(t, p->shown, item, err) || !leaves_judge(t, root, true, err) || !response_keep_item(t, p, item, err)) {
        return false;
    }
    p->is_open = true;
    t->down.shown.n_parts++;
    return emit(t, root, err);
}

static bool end_call(struct translation *t, struct part *p, struct node *root, struct error *err)
{
    struct node *item = node_member(root, "item");
    bool is_withheld;

    if (p->is_finished) {
        return error_set(err, ERROR_INVALID, "answer: expected each item to end once");
    }
    p->is_finished = true;
    if (!item_drop_start(t, p, root, err) || !item_rebuild(t, 0, item, &is_withheld, err)) {
        return false;
    }
    p->is_withheld = is_withheld;
    if (is_withheld) {
        return true;
    }
    p->shown = t->down.shown.n_parts;
    if (!node_set_index(&t->memory, node_member(root, "output_index"), p->shown, err) ||
        !leaves_judge(t, root, true, err)) {
        return false;
    }
    p->has_call = item_is_call(item);
    p->is_open = true;
    t->down.shown.n_parts++;
    return response_keep_item(t, p, item, err) && response_emit_call(t, item, p->shown, err) && emit(t, root, err);
}

/* How a text of that item ended. */
static void set_ending(struct translation *t, const struct part *p)
{
    t->up.ending = p != NULL && p->is_cut ? STREAM_TRUNCATED : t->up.ending;
}

static bool end_item(struct translation *t, struct node *root, struct error *err)
{
    struct node *item = node_member(root, "item");
    struct part *p;
    bool is_shown, is_withheld;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    if (p == NULL || item == NULL) {
        return error_set(err, ERROR_INVALID, "answer: expected an item");
    }
    if (!item_flows(item) && !is_shown) {
        return end_call(t, p, root, err);
    }
    if (!is_shown) {
        return error_set(err, ERROR_INVALID, "answer: expected an item to start first");
    }
    set_ending(t, p);
    if (!item_rebuild(t, p->shown, item, &is_withheld, err)) {
        return false;
    }
    if (is_withheld || !item_flows(item)) {
        return error_set(err, ERROR_INVALID, "answer: expected an item to keep its type");
    }
    if (!values_end(t, p->shown, t->up.ending, err) || !leaves_judge(t, root, true, err)) {
        return false;
    }
    p->is_finished = true;
    return response_keep_item(t, p, item, err) && emit(t, root, err);
}

/* The event says something: with what it says leave the log probabilities of that. */
static bool put_logprobs(struct translation *t, struct node *root, const struct node *tokens, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);
    size_t part;
    struct span json;

    buf_init(&path, TEXT_PATH_MAX);
    if (tokens == NULL || item_kind_of(root, ".delta") == NULL) {
        return true;
    }
    struct text *x = openai_responses_text_path(root, NULL, &path, &part, err) ? text_of(t, buf_span(&path), part, err) : NULL;
    if (x == NULL) {
        return false;
    }
    logprobs_hold(t, &x->logprobs, tokens);
    if (node_member(root, "delta") == NULL || node_member(root, "delta")->is_emptied) {
        return true;
    }
    return logprobs_take(t, &x->logprobs, buf_span(&x->released), &json, err) &&
           (json.len == 0 || logprobs_add(t, root, "logprobs", json, err));
}

static bool take_delta(struct translation *t, struct node *root, struct error *err)
{
    const struct node *delta, *logprobs = node_member(root, "logprobs");
    struct part *p;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    if (!is_shown) {
        item_drop(t, p, root);
        return (p->kind == ITEM_HELD && !p->is_finished) ||
               error_set(err, ERROR_INVALID, "answer: expected a delta inside its item");
    }
    if (!leaves_judge(t, root, false, err) || !put_logprobs(t, root, logprobs, err)) {
        return false;
    }
    delta = node_member(root, "delta");
    return emit_released(t, root, delta != NULL && delta->is_emptied, err);
}

/* Puts what was released into the copy of a text in its own event, or in that of the part. */
static bool put_copies(struct translation *t, struct node *root, const struct part *p, struct error *err)
{
    const struct item_text *kind = item_kind_of(root, ".done");
    struct node *part = node_member(root, "part");
    size_t index;

    for (size_t i = 0; i < n_item_texts; i++) {
        const struct item_text *of = &item_texts[i];
        bool is_its = of == kind;
        if (part != NULL) {
            is_its = of->index != NULL && node_member(root, of->index) != NULL;
        }
        index_in_item(root, of, &index);
        if (is_its && !item_put_text(t, of, p->shown, index,
                                     node_member(part != NULL ? part : root, of->member), err)) {
            return false;
        }
    }
    return true;
}

/* Copies of texts do not wait: they are made again when it is known how the texts ended. */
static bool take_copies(struct translation *t, struct node *root, struct error *err)
{
    struct node *item = node_member(root, "item");
    struct part *p;
    size_t index;

    if (!node_index(node_member(root, "output_index"), &index)) {
        return true;
    }
    p = part_find(t, index);
    if (p == NULL || !p->is_open || p->kind != ITEM_PLAIN) {
        return true;
    }
    p->is_cut = p->is_cut || item_says_cut(item);
    p->said = item != NULL ? texts_sum(t, item) : p->said;
    t->up.taking = TAKING_COPIES;
    bool is_taken =
        item != NULL ? item_put_texts(t, p->shown, item, err) : put_copies(t, root, p, err);
    t->up.taking = TAKING_ONCE;
    return is_taken;
}

/* The end of a text: its own event, or that of the part around it. */
static bool take_done(struct translation *t, struct node *root, struct error *err)
{
    struct node *annotations = node_at(root, "part/annotations");
    struct part *p;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    if (!is_shown) {
        item_drop(t, p, root);
        return true;
    }
    set_ending(t, p);
    if (p != NULL && !put_copies(t, root, p, err)) {
        return false;
    }
    if (annotations != NULL && text_was_changed(t)) {
        annotations->first = annotations->last = NULL;
    }
    return leaves_judge(t, root, true, err) && emit(t, root, err);
}

/* Texts that a part starts with are in the deltas again. */
static bool start_part(struct translation *t, struct node *root, struct error *err)
{
    struct node *part = node_member(root, "part");
    struct part *p;
    size_t index;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    for (size_t i = 0; p != NULL && is_shown && i < n_item_texts; i++) {
        const struct item_text *kind = &item_texts[i];
        index_in_item(root, kind, &index);
        if (kind->index != NULL && node_member(root, kind->index) != NULL &&
            !item_begin_text(t, kind, p->shown, index, node_member(part, kind->member), err)) {
            return false;
        }
    }
    for (size_t i = 0; i < n_item_texts; i++) {
        struct node *text = node_member(part, item_texts[i].member);
        if (node_is_string(text)) { /* of a text that has no place */
            left_out_text(t, text->text);
            node_set_text(text, span_of("", 0));
        }
    }
    return !is_shown || (leaves_judge(t, root, true, err) && emit(t, root, err));
}

bool openai_responses_has_places(const struct node *root)
{
    return node_is(node_member(root, "type"), "response.output_text.annotation.added");
}

static bool take_annotation(struct translation *t, struct node *root, struct error *err)
{
    struct part *p;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    return !is_shown || text_was_changed(t) ||
           (leaves_judge(t, root, false, err) && emit(t, root, err));
}

/* Speech: nothing here can judge it. */
static bool drop(struct translation *t, struct node *root, struct error *err)
{
    (void)t;
    (void)root;
    (void)err;
    return true;
}

static bool pass(struct translation *t, struct node *root, struct error *err)
{
    struct part *p;
    bool is_shown;

    if (!find_item(t, root, &p, &is_shown, err)) {
        return false;
    }
    if (!is_shown) {
        item_drop(t, p, root);
        return true;
    }
    return leaves_judge(t, root, false, err) && emit(t, root, err);
}

static bool start_response(struct translation *t, struct node *root, struct error *err)
{
    struct node *response = node_member(root, "response");
    struct node *output = node_member(response, "output");

    if (output != NULL) {
        left_out_texts(t, (struct text_sum){0}, output);
        output->first = output->last = NULL;
        output->kind = JSON_KIND_ARRAY;
    }
    response_strip(response);
    if (!leaves_judge(t, root, true, err)) {
        return false;
    }
    t->down.shown.has_head = true;
    return emit(t, root, err);
}

/* Some upstreams say that it completed where the response says that it did not. */
static enum stream_ending ending_of_response(const struct node *root, const struct node *response)
{
    const struct node *type = node_member(root, "type"), *status = node_member(response, "status");
    bool may_be_complete = node_is(type, "response.completed") || (node_is(type, "response.done") && status != NULL);

    return may_be_complete && (status == NULL || ending_of(status) == STREAM_COMPLETE) ? STREAM_COMPLETE : STREAM_TRUNCATED;
}

/* What is said of a whole answer must not leave out an item that was held and did not end. */
static bool has_all_items(const struct translation *t, enum stream_ending how, struct error *err)
{
    for (size_t i = 0; how == STREAM_COMPLETE && i < t->n_parts; i++) {
        const struct part *p = t->parts[i];
        if (p->kind == ITEM_HELD && !p->is_finished && !p->is_open && !p->is_withheld) {
            return error_set(err, ERROR_INVALID, "answer: expected each item to end");
        }
    }
    return true;
}

static bool end_response(struct translation *t, struct node *root, struct error *err)
{
    struct node *response = node_member(root, "response");
    enum stream_ending how = ending_of_response(root, response);

    if (response == NULL || response->kind != JSON_KIND_OBJECT) {
        return error_set(err, ERROR_INVALID, "answer: expected a response");
    }
    response_strip(response);
    if (!endings_settle(t, how, err) || !texts_end(t, SIZE_MAX, how, err) ||
        !output_rebuild(t, response, how, err) || !has_all_items(t, how, err) || !leaves_judge(t, root, true, err)) {
        return false;
    }
    return (!t->beside.withheld.is_set || response_end_withheld(t, root, response, err)) &&
           emit(t, root, err) && translation_over(t, err);
}

static bool end_with_error(struct translation *t, struct node *root, struct error *err)
{
    return endings_settle(t, STREAM_TRUNCATED, err) &&
           texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err) && leaves_judge(t, root, true, err) &&
           emit(t, root, err) && translation_over(t, err);
}

static bool ends_with(struct span text, const char *end)
{
    size_t n = strlen(end);

    return text.len >= n && memcmp(text.ptr + text.len - n, end, n) == 0;
}

/* The events whose type no table has, by what it ends in. */
static bool take_other(struct translation *t, struct node *root, struct error *err)
{
    struct span type = node_member(root, "type")->text;
    bool is_text = item_kind_of(root, ".delta") != NULL;
    bool is_done = item_kind_of(root, ".done") != NULL;
    bool goes_on = ends_with(type, ".delta") || ends_with(type, ".added");
    struct event_row row = {
        .take = is_text   ? take_delta
                : is_done ? take_done
                          : pass,
        .place = goes_on   ? EVENT_GOES_ON
                 : is_done ? EVENT_ENDS_PART
                           : EVENT_IN_ORDER,
        .before_wait = take_copies,
    };
    return endings_take(t, root, &row, err);
}

bool openai_responses_event(struct translation *t, struct node *root, struct error *err)
{
    static const struct event_row events[] = {
        {"response.created", start_response, EVENT_IN_ORDER, NULL},
        {"response.in_progress", start_response, EVENT_IN_ORDER, NULL},
        {"response.queued", start_response, EVENT_IN_ORDER, NULL},
        {"response.completed", end_response, EVENT_DECIDES, NULL},
        {"response.incomplete", end_response, EVENT_DECIDES, NULL},
        {"response.failed", end_response, EVENT_DECIDES, NULL},
        {"response.cancelled", end_response, EVENT_DECIDES, NULL},
        {"response.done", end_response, EVENT_DECIDES, NULL}, /* the Realtime API's, whatever the status */
        {"response.output_item.added", start_item, EVENT_GOES_ON, NULL},
        {"response.output_item.done", end_item, EVENT_ENDS_PART, take_copies},
        {"response.content_part.added", start_part, EVENT_GOES_ON, NULL},
        {"response.reasoning_summary_part.added", start_part, EVENT_GOES_ON, NULL},
        {"response.content_part.done", take_done, EVENT_ENDS_PART, take_copies},
        {"response.reasoning_summary_part.done", take_done, EVENT_ENDS_PART, take_copies},
        {"response.output_text.annotation.added", take_annotation, EVENT_IN_ORDER, NULL},
        {"response.audio.delta", drop, EVENT_GOES_ON, NULL},
        {"response.audio.done", drop, EVENT_IN_ORDER, NULL},
        {"response.output_audio.delta", drop, EVENT_GOES_ON, NULL},
        {"response.output_audio.done", drop, EVENT_IN_ORDER, NULL},
        {"error", end_with_error, EVENT_DECIDES, NULL},
        {NULL, take_other, EVENT_DECIDES, NULL},
    };
    return endings_take_by_type(t, root, events, err);
}

static bool body(struct translation *t, struct node *root, struct error *err)
{
    response_strip(root);
    if (!output_rebuild(t, root, ending_of(node_member(root, "status")), err) || !leaves_judge(t, root, true, err) ||
        !message_judge_joined(t, root, err)) {
        return false;
    }
    output_drop_annotations(t, root);
    return (!t->beside.withheld.is_set || response_end_withheld(t, NULL, root, err)) && emit(t, root, err);
}

const struct dialect openai_responses = {.name = "openai-responses",
                                         .rows = openai_responses_rows,
                                         .n_rows = OPENAI_RESPONSES_ROWS,
                                         .has_event_names = true, .has_copies = true,
                                         .text_path = openai_responses_text_path,
                                         .joined = {"/output/*/content/*/text", 5, "/output/*/content/*/text"},
                                         .value_keys = openai_responses_value_keys,
                                         .has_places = openai_responses_has_places,
                                         .stamp = stamp, .counts = &response_counts,
                                         .envelope_in = "response",
                                         .event = openai_responses_event, .body = body,
                                         .close = response_close, .blocked_body = response_blocked_body};
