/* judge.h - judges requests and responses by filterd's rules, in this process.
 *
 * The channels of a message are its URL, each header's name and value, and its body: the strings of a JSON
 * document, else the text as a whole. A request cannot be redacted without changing its meaning, so
 * any action but allow refuses it. What could not be judged is blocked. */
#ifndef FILTERD_JAIL_EGRESS_JUDGE_H
#define FILTERD_JAIL_EGRESS_JUDGE_H

#include "base/buf.h"
#include "jail/egress/wire/head.h"
#include "policy/policy.h"

struct egress_judge;

struct egress_judge_options {
    const char *rules, *policy, *cache; /* as those of filterd; NULL: built in, beside the rules, none */
    const char *agent;                  /* whose policy conditions hold; may be NULL */
    unsigned workers;                   /* that judge at once */
};

/* NULL with err. */
struct egress_judge *egress_judge_new(const struct egress_judge_options *options, struct error *err);
void egress_judge_free(struct egress_judge *j);

/* A policy of that name exists; empty: the default one. */
bool egress_judge_has_policy(const struct egress_judge *j, struct span policy);

struct egress_message {
    struct span policy;
    struct span route;              /* "egress/request" or "egress/response", for conditions of the policy */
    struct span url;                /* "host/path?query"; of a response empty */
    const struct egress_head *head; /* its headers */
    struct span body;               /* decoded */
    struct buf *stripped; /* where the body goes without what was found in it; NULL: it is not wanted */
};

struct egress_verdict {
    enum action action;
    char rule[65];      /* filterd's; "filterd.unjudged" when it could not be judged */
    bool is_stripped;   /* the message's `stripped` may go on in place of the body: it was judged, too, and allowed */
    bool is_url_secret; /* something was found in the URL */
};

/* Waits for a free worker. Any thread. The action is that of the message as it came, whatever could be stripped. */
void egress_judge_message(struct egress_judge *j, const struct egress_message *m, struct egress_verdict *out);

#endif
