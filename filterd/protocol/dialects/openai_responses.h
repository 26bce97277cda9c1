/* openai_responses.h - output items of the Responses API, shared by its events and its one body. */
#ifndef FILTERD_PROTOCOL_DIALECTS_OPENAI_RESPONSES_H
#define FILTERD_PROTOCOL_DIALECTS_OPENAI_RESPONSES_H

#include "protocol/dialects/openai.h"

/* A text of an item: the stem of its events' types, and its place in items. */
struct item_text {
    const char *stem;
    const char *group, *index; /* "content", "content_index"; NULL: in the item itself */
    const char *member;        /* of the item, and of the "done" event */
};
extern const struct item_text item_texts[];
extern const size_t n_item_texts;

/* Parts of the dialect that the Realtime API shares. */
extern const char *const openai_responses_value_keys[];
MUST_CHECK bool openai_responses_text_path(const struct node *root, const struct node *leaf, struct buf *path, size_t *part,
                                           struct error *err);
bool openai_responses_has_places(const struct node *root);
MUST_CHECK bool openai_responses_event(struct translation *t, struct node *root, struct error *err);

/* Events of a held item are dropped, as its end has all that they say; what only they say counts as left out. */
void item_drop(struct translation *t, struct part *p, const struct node *root);
/* Holds the event with which an item starts that is not shown before its end; what only that says counts, too. */
MUST_CHECK bool item_hold(struct part *p, const struct node *root, struct error *err);
MUST_CHECK bool item_drop_start(struct translation *t, struct part *p, const struct node *root, struct error *err);
/* Empties a text that an item or its part begins with: its pieces say it again. What the copies do not say of it counts. */
MUST_CHECK bool item_begin_text(struct translation *t, const struct item_text *kind, size_t item, size_t index, struct node *copy,
                                struct error *err);
MUST_CHECK bool item_begin_texts(struct translation *t, size_t shown, struct node *item, struct error *err);

enum item_kind { ITEM_PLAIN, ITEM_HELD };

/* The kind of text of an event whose type is a stem plus `ending`; NULL for other events. */
const struct item_text *item_kind_of(const struct node *root, const char *ending);
bool item_is_call(const struct node *item);
/* Whether its parts may be released as they arrive: only for kinds that are merely shown. All others are held until their
 * end, like calls: code and commands must not be released in pieces. */
bool item_flows(const struct node *item);
MUST_CHECK bool item_text_path(const struct item_text *kind, size_t item, size_t index,
                               struct buf *path, struct error *err);
/* Whether the upstream marked only this item as truncated. */
bool item_says_cut(const struct node *item);
/* Replaces an upstream's copy of a text by its released part; t->up.ending has its ending. With
 * t->up.taking == TAKING_COPIES it does not end yet, and the copy becomes empty, because its text is already known. */
MUST_CHECK bool item_put_text(struct translation *t, const struct item_text *kind, size_t item,
                              size_t index, struct node *copy, struct error *err);
/* The same for all texts of an item. */
MUST_CHECK bool item_put_texts(struct translation *t, size_t shown, struct node *item,
                               struct error *err);
/* The same, and judges a call in place. */
MUST_CHECK bool item_rebuild(struct translation *t, size_t shown, struct node *item,
                             bool *is_withheld, struct error *err);
/* Rebuilds the output of a response with that ending from the released parts of its items. */
MUST_CHECK bool output_rebuild(struct translation *t, struct node *response, enum stream_ending how,
                               struct error *err);
/* Drops the annotations of all items once a text was changed: for changes after output_rebuild. */
void output_drop_annotations(struct translation *t, struct node *response);
/* Drops the members of a response that repeat the request. */
void response_strip(struct node *response);
/* A completed message with the notice; and its only part, a text or a refusal. */
struct node *notice_item(struct translation *t, struct span text, struct error *err);
struct node *notice_part(struct translation *t, struct span text, struct error *err);
/* Marks a response as filtered or truncated. */
MUST_CHECK bool response_put_reason(struct translation *t, struct node *response, bool is_filtered,
                                    struct error *err);

/* Writes the events of a judged call as if it arrived now, without its end. */
MUST_CHECK bool response_emit_call(struct translation *t, const struct node *item, size_t shown,
                                   struct error *err);
/* Stores the released form of an item. */
MUST_CHECK bool response_keep_item(struct translation *t, struct part *p, struct node *item, struct error *err);
/* Adds the notice to a response that ends without its calls; root NULL: in one body. */
MUST_CHECK bool response_end_withheld(struct translation *t, struct node *root,
                                      struct node *response, struct error *err);
MUST_CHECK bool response_close(struct translation *t, enum closing why, struct error *err);
/* The usage that a blocked answer without streaming repeats. */
extern const struct counts response_counts;
MUST_CHECK bool response_blocked_body(struct translation *t, struct error *err);

#endif
