/* prompt_judge.h - the verdict on a request to a model, and the body that may go to the upstream.
 *
 * Each text of the body is a channel of one exchange, which pipeline_judge judges by the policy's entries for requests
 * (policy/request_policy.h). Messages that are known to have no finding are left out (history.h), as are files that nothing here
 * can read: those count as bytes that were not judged. Like pipeline_judge it returns no error: what could not be judged is
 * blocked by filterd.unjudged, a body that cannot be read in one way only included. */
#ifndef FILTERD_PROMPT_PROMPT_JUDGE_H
#define FILTERD_PROMPT_PROMPT_JUDGE_H

#include "pipeline/worker.h"
#include "prompt/history.h"
#include "prompt/survey.h"

struct prompt_input {
    const char *route; /* the protocol's name for it */
    struct span type;  /* Content-Type of a body that is no JSON (prompt_file.h); empty: it is JSON */
    struct span body;
    bool is_valid;      /* json_validate has accepted the body, with a survey json_validate_known */
    const struct prompt_survey *survey; /* of this body by this history for this caller and policy; NULL: none */
    size_t new_max;     /* with more bytes of new texts it is put off; 0: it never is */
    struct history *history; /* NULL: everything is judged */
};

struct prompt_outcome {
    bool is_put_off; /* nothing was judged, and `x` says nothing: it is to be judged where long texts are */
    bool is_changed; /* the body to forward is in `out`; otherwise it goes as it came */
    bool has_line;   /* the policy wants it on record */
    bool is_unreadable; /* its JSON: no reader could be expected to read it as another does */
    size_t unread;   /* bytes of files, and tokens, that are new and nothing here can read */
    size_t n_withheld, n_labelled; /* tool results */
};

/* What messages are known by, for a survey. */
void prompt_scope(const struct history *h, const struct policy *policy, const struct identity *who, const char *route,
                  struct history_scope *out);

/* `x` as for pipeline_judge, without channels; its policy is the one of which `request` is asked. Begins the worker's next
 * exchange; x is valid until the one after. */
void prompt_judge(struct worker *w, const struct prompt_input *q, struct exchange *x, struct buf *out,
                  struct prompt_outcome *outcome);

#endif
