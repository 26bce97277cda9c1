/* judge.h - judges requests and responses by filterd's rules, in this process.
 *
 * The channels of a message are its URL, each header's name and value, and its body: the strings of a JSON
 * document, or otherwise the whole text. A redaction would change the meaning of a request, so
 * any action but allow refuses it. A message that could not be judged is blocked. */
#ifndef FILTERD_JAIL_EGRESS_JUDGE_H
#define FILTERD_JAIL_EGRESS_JUDGE_H

#include "base/buf.h"
#include "jail/egress/wire/head.h"
#include "policy/policy.h"

struct egress_judge;

struct egress_judge_options {
    const char *rules, *policy, *cache; /* as for filterd; NULL: built in, policy.yaml in the rules directory, none */
    const char *agent;                  /* for conditions of the policy; may be NULL */
    unsigned workers;                   /* concurrent judgements */
};

/* NULL with err. */
struct egress_judge *egress_judge_new(const struct egress_judge_options *options, struct error *err);
void egress_judge_free(struct egress_judge *j);

/* True when a policy of that name exists; empty: the default one. */
bool egress_judge_has_policy(const struct egress_judge *j, struct span policy);

struct egress_message {
    struct span policy;
    struct span route;              /* "egress/request" or "egress/response", for conditions of the policy */
    struct span url;                /* "host/path?query"; of a response empty */
    const struct egress_head *head; /* its headers */
    struct span body;               /* decoded */
    struct buf *stripped; /* out: the body without the findings; NULL: not wanted */
};

struct egress_verdict {
    enum action action;
    char rule[65];      /* filterd's; "filterd.unjudged" when it could not be judged */
    bool is_stripped;   /* `stripped` may replace the body: it was judged and allowed */
    bool is_url_secret; /* the URL has a finding */
};

/* Waits for a free worker. Any thread. The action is that of the original message, before stripping. */
void egress_judge_message(struct egress_judge *j, const struct egress_message *m, struct egress_verdict *out);

#endif
