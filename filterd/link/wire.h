/* wire.h - the protocol between filterd and filterd-link: sums of violations, orders, policy bundles and decisions of reviewers.
 *
 * A Unix socket of SOCK_SEQPACKET that filterd listens on; each datagram is one struct link_message up to the end of its note. filterd-link sends
 * HELLO when it has the database, and closes when it has lost it: the connection is the node's contact with the fleet. filterd
 * answers with HELLO. Then filterd-link sends CONTACT for each heartbeat that the database has taken, at least once a second, and filterd
 * BEAT, or the node is no longer counted as alive. Both sides run on one machine and from one build: fields have the machine's
 * byte order, and `version` must be equal. What filterd-link says came from a database that others write to: link_message_receive
 * checks its form, and filterd what it means. */
#ifndef FILTERD_LINK_WIRE_H
#define FILTERD_LINK_WIRE_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { LINK_WIRE_VERSION = 3, LINK_WIRE_NAME = 257, LINK_WIRE_NODE = 33, LINK_WIRE_TEXT = 200, LINK_WIRE_NOTE = 4097 };

enum link_message_kind {
    LINK_HELLO = 1, /* of filterd: order it has carried out, lease_ns; of filterd-link: node */
    /* to filterd-link */
    LINK_BEAT,      /* filterd works; lines: of its log, text: its version */
    LINK_GOODBYE,   /* it stops: nothing of it is left to end */
    LINK_PART,      /* tenant, agent, score at at_ns, half_life_ns, order: this node's part. Answered by OTHERS */
    LINK_LOOK,      /* tenant, agent: OTHERS is wanted alone */
    LINK_CLAIM,     /* tenant, agent, what, by, text, at_ns, order, id; of what does not last also score, its threshold, and until_ns.
                       Answered by GRANT */
    LINK_ACK,       /* order, survivors, took_us */
    LINK_SYNC,      /* answered by STANDING for each that stands, then by SYNCED */
    LINK_POLICY,    /* of the policy bundle in force: order: its version, id: the highest ever taken, until_ns: it expires; answers, blocked,
                       unjudged since at_ns, note: how many took how long; refused: the version that was not taken, and text: why */
    LINK_REVIEW_PLACE,   /* note: a signed order of this console (review/review_order.h) for another node. Answered by REVIEW_STATE */
    LINK_REVIEW_SETTLED, /* id; order: the line that was recorded, or 0 and text: why it was refused */
    /* to filterd */
    LINK_CONTACT,   /* at_ns: when the heartbeat began, monotonic; nodes: alive */
    LINK_OTHERS,    /* tenant, agent, score at at_ns: of all other nodes */
    LINK_GRANT,     /* id, is_done: it is this node's to record; order: 0 for what does not last */
    LINK_STANDING,  /* as ORDER, of at_ns; is_done: this node has acknowledged it before */
    LINK_SYNCED,    /* order: the newest there is */
    LINK_ORDER,     /* order, tenant, agent, what, by, text, node */
    LINK_RESULT,    /* of a kill of this node: order, tenant, agent; nodes that must say so, missing: that have not, presumed: whose
                       lease is over, survivors; text: names of the missing; is_done: none is missing */
    LINK_FETCHED,   /* order: version of a policy bundle that is in the folder of bundles */
    LINK_WITHDRAW,  /* order: version of a policy bundle to return from; text: why */
    LINK_REVIEW_TAKE,  /* id, note: an order for this node. Answered by REVIEW_SETTLED, also when it came before */
    LINK_REVIEW_STATE, /* note: an order of a console, at_ns: when it was placed; is_done: settled, with order and text as of REVIEW_SETTLED */
    LINK_NODE,         /* id: which, from 0, is_done: it is the last. node, by: alive, lost or left, note: its version; at_ns: last heartbeat,
                          lease_ns; lines, copied, covered by a checkpoint that was copied; order: policy bundle, until_ns: it expires, refused, text: why */
    LINK_BUNDLE,       /* id, is_done as of NODE. order: version, by: staged, done or stopped, nodes: stage, missing: of how many, text: why */
    LINK_KINDS
};

/* What is done: a bit of enum reaction (policy/violations.h), or one of these. */
enum { LINK_RESUME = 1 << 16, LINK_REVIVE = 1 << 17 };
/* "kill"; NULL: there is no such thing. 0 for a name that is none. */
const char *link_what_name(unsigned what);
unsigned link_what_find(struct span name);
/* It lasts until an operator revives or resumes the agent: other nodes carry it out. */
bool link_what_lasts(unsigned what);

#define LINK_SCORE_MAX 1e12

struct link_message {
    uint32_t version, kind, what, is_done;
    uint64_t order, id;
    int64_t at_ns, until_ns, half_life_ns, lease_ns, took_us, survivors; /* at_ns: UTC but in CONTACT */
    uint64_t refused, answers, blocked, unjudged; /* a version; exchanges */
    uint64_t lines, copied, covered;              /* of a decision log */
    double score;
    uint32_t nodes, missing, presumed;
    char tenant[LINK_WIRE_NAME], agent[LINK_WIRE_NAME]; /* NUL-terminated, as all texts; valid UTF-8 */
    char node[LINK_WIRE_NODE], by[LINK_WIRE_NODE], text[LINK_WIRE_TEXT];
    char note[LINK_WIRE_NOTE]; /* last: what is behind its end is not sent */
};

void link_message_init(struct link_message *m, enum link_message_kind kind);
/* Copies as much of it as fits and is valid UTF-8. False when something is left out. */
bool link_text_set(char *to, size_t size, struct span text);

enum link_sent { LINK_SENT, LINK_FULL, LINK_BROKEN };
/* Does not block. FULL: later. */
enum link_sent link_message_send(int fd, const struct link_message *m);
enum link_received { LINK_RECEIVED, LINK_NOTHING, LINK_CLOSED };
/* Does not block. CLOSED: also for what is no message. */
enum link_received link_message_receive(int fd, struct link_message *m);
/* Whether all fields are within their bounds and all texts valid, for messages of either side. */
bool link_message_is_valid(const struct link_message *m);

/* A connection to filterd's socket. -1 with err. */
int link_wire_connect(const char *path, struct error *err);

#endif
