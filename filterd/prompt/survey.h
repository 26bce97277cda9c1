/* survey.h - the messages of a request, found before anything else is read of its body.
 *
 * A client sends its whole conversation with each request. Messages that were judged before and have no finding are the bytes that
 * were validated, decoded and judged then; with their number of bytes of text, which history.h keeps, they are not read again: neither
 * by json_validate_known nor by prompt_texts_read_known. Those with a finding are read again, but not validated. What is surveyed here
 * need not be JSON: a message that is not where it seems to be makes json_validate_known fail, and then the whole body is read.
 *
 * The first messages, without anything but space and commas between them, are its prefix. A conversation grows at its end, so the prefix of the request
 * before is found by one key, also when its last message is another now, and is one message for what reads the body behind it.
 *
 * A known message is read all the same where it goes on in one that did not stand behind it before, and so are those before it that
 * go on in it, until these say as many bytes as what is joined reaches (pipeline/joined.h). */
#ifndef FILTERD_PROMPT_SURVEY_H
#define FILTERD_PROMPT_SURVEY_H

#include "base/json.h"
#include "prompt/history.h"

enum { SURVEY_MESSAGES_MAX = 1024 }; /* more of a request are read without it */

/* Zeroed: of nothing. */
struct prompt_survey {
    struct prompt_unit *messages; /* objects; `json` and `place` of each; the first may be a known prefix */
    struct history_key *keys;     /* of each */
    uint32_t *text_bytes;         /* of each: 0 when it is not known, else what its texts are (history_texts) */
    size_t n;
    bool is_full;                 /* there may be more messages */
    bool has_last;                /* there may be one elsewhere, which they go on in (prompt_table.h) */
    struct span *known; /* those that need not be read */
    size_t n_known;
    struct span *valid; /* these, and those that need not be validated */
    size_t n_valid;
    size_t prefix;                  /* the messages that the first one is; 0: one */
    size_t n_prefix;                /* the first ones that are all in it; 0: too few */
    struct history_key prefix_keys[2]; /* of these but the last one, and of all of these */
};

/* `route` is the name of a protocol's route; memory is the arena's, and `body` must outlive it. */
MUST_CHECK bool prompt_survey(struct arena *a, struct history *h, const struct history_scope *scope, const char *route, struct span body,
                              struct prompt_survey *out, struct error *err);
/* Whether a model may read a message and the one behind it in the same array as one text: both have the same role, or one of them
 * none. What tools returned, and calls, are texts of their own. Neither need be JSON. */
bool survey_goes_on(struct span before, struct span message);
/* For json_validate_known. */
static inline struct json_known prompt_survey_valid(const struct prompt_survey *s)
{
    return s == NULL ? (struct json_known){0} : (struct json_known){s->valid, s->n_valid, s->prefix};
}
/* For what reads the body behind it. */
static inline struct json_known prompt_survey_known(const struct prompt_survey *s)
{
    return s == NULL ? (struct json_known){0} : (struct json_known){s->known, s->n_known, s->prefix};
}

#endif
