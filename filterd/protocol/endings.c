#include "protocol/endings.h"

#include <strings.h>

#include "protocol/dialect.h"

/* An answer that reached its length may be cut off within a secret, and most protocols say so only
 * behind the end of the text. What ends a part therefore waits for what comes next: if the answer
 * goes on, the part was complete. */

enum stream_ending ending_of(const struct node *reason)
{
    /* Upstreams have many words for "cut off", and new ones; for "done" they have these. */
    static const char *const complete[] = {
        "stop",      "end_turn", "eos",           "eos_token", "stop_sequence", "tool_calls",
        "tool_call", "tool_use", "function_call", "complete",  "completed",     "pause_turn",
    };

    for (size_t i = 0; node_is_string(reason) && i < COUNT(complete); i++) {
        if (reason->text.len == strlen(complete[i]) &&
            strncasecmp(reason->text.ptr, complete[i], reason->text.len) == 0) {
            return STREAM_COMPLETE;
        }
    }
    return STREAM_TRUNCATED;
}

static bool keep(struct translation *t, const struct node *root, struct error *err)
{
    return tree_write(root, &t->up.waiting, err) && buf_append_char(&t->up.waiting, '\n', err);
}

/* Takes the first of the lines; false: there is none. */
static bool next_line(struct span *lines, struct span *line)
{
    if (lines->len == 0) {
        return false;
    }
    size_t n = (size_t)((const char *)memchr(lines->ptr, '\n', lines->len) - lines->ptr);
    *line = span_slice(*lines, 0, n);
    *lines = span_slice(*lines, n + 1, lines->len);
    return true;
}

bool endings_settle(struct translation *t, enum stream_ending how, struct error *err)
{
    struct span messages, line;
    bool is_taken = true;

    t->up.ending = how;
    if (t->up.waiting.len == 0) {
        return true;
    }
    if (!arena_copy(&t->memory, buf_span(&t->up.waiting), &messages, err)) {
        return false;
    }
    buf_clear(&t->up.waiting);
    t->up.taking = TAKING_AGAIN;
    while (is_taken && next_line(&messages, &line)) {
        t->up.ending = how;
        texts_forget_leaves(t);
        struct node *root = said_tree(t, line, err);
        is_taken = root != NULL && ids_judge(t, root, err) && t->dialect->event(t, root, err);
    }
    t->up.taking = TAKING_ONCE;
    return is_taken;
}

bool endings_take(struct translation *t, struct node *root, const struct event_row *row,
                  struct error *err)
{
    bool is_behind = row->place == EVENT_IN_ORDER && t->up.waiting.len > 0;

    if (t->up.taking != TAKING_AGAIN && (row->place == EVENT_ENDS_PART || is_behind)) {
        return (row->before_wait == NULL || row->before_wait(t, root, err)) && keep(t, root, err);
    }
    if (t->up.taking != TAKING_AGAIN && row->place == EVENT_GOES_ON &&
        !endings_settle(t, STREAM_COMPLETE, err)) {
        return false;
    }
    return row->take(t, root, err);
}

bool endings_take_by_type(struct translation *t, struct node *root, const struct event_row *rows,
                          struct error *err)
{
    const struct node *type = node_member(root, "type");

    if (!node_is_string(type) || !leaf_is_id(type->text)) {
        return error_set(err, ERROR_INVALID, "answer: expected an event with a type");
    }
    while (rows->type != NULL && !node_is(type, rows->type)) {
        rows++;
    }
    return endings_take(t, root, rows, err);
}
