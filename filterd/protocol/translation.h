/* translation.h - inside a translation: its phases, and its state on both sides. */
#ifndef FILTERD_PROTOCOL_TRANSLATION_H
#define FILTERD_PROTOCOL_TRANSLATION_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "judge/exchange.h"
#include "pipeline/document.h"
#include "protocol/protocol.h"
#include "protocol/wire/framing.h"
#include "protocol/wire/successive.h"
#include "protocol/wire/tree.h"

struct aside;
struct call;
struct channel;
struct checkpoint;
struct clean;
struct dialect;
struct known_id;
struct part;
struct repeated;
struct said;
struct text;
struct unit;

/* The phases of a translation, in order. The legal moves:
 *
 *   NEW             FLOWING         a message was received
 *                   OVER            it ends without one: a block, a limit, an answer to HEAD, an error without a body
 *   FLOWING         AWAITING_COST   the answer is blocked, and read on for its usage
 *                   OVER            its end is written, its own or that of a block
 *   AWAITING_COST   OVER            the usage was received, or will not be
 *   OVER            FLOWING         the end was held for the supervisor and is dropped, to be written as a block's
 *
 * An illegal move aborts a debug build; in release the answer is blocked as unjudged and over. */
enum translation_phase {
    TRANSLATION_NEW, /* no message was received */
    TRANSLATION_FLOWING,
    TRANSLATION_AWAITING_COST,
    TRANSLATION_OVER, /* nothing more is written */
    TRANSLATION_PHASES
};

/* The properties of the requested answer; constant. */
struct answer_asked {
    enum framing framing;
    enum block_style style;
    size_t n_choices;   /* at least 1 */
    bool is_structured; /* the text is a value for a program: it must not contain a notice */
    bool wants_cost;    /* in a stream; a blocked one then ends with its usage, or after a number of bytes */
};

/* How a message is processed. */
enum taking {
    TAKING_ONCE,
    TAKING_COPIES, /* before it waits: its copies of texts are emptied, see openai_responses.h */
    TAKING_AGAIN,  /* after it has waited: the endings of the texts before it are known */
};

/* The body of a passed route. */
enum passed_form { PASSED_JSON, PASSED_FILE, PASSED_UNJUDGED };

/* Texts of a whole answer that its clients join, as the upstream sent them; in the memory of the message. */
struct message_parts {
    struct node **nodes;
    struct span *texts;
    size_t n;
};

/* The upstream's side: input, and input that waits for more. */
struct answer_up {
    unsigned status;
    enum passed_form form;
    char type[80];      /* of a body that is no JSON, for the client */
    bool is_broken;     /* the connection broke */
    bool is_plain_body; /* of an error; not JSON */
    struct framer framer;
    enum taking taking;
    enum stream_ending ending; /* of the text or part that ends now */
    struct buf waiting;        /* JSON, one message per line: they wait for the end of the answer */
    struct buf envelope;       /* JSON: members of the upstream's events that built events repeat */
    struct buf cost;           /* JSON: the counts that a block repeats */
    size_t awaited;            /* bytes received while only the usage was awaited */
    struct buf values;         /* waiting parts of messages with unknown values, one per line: part, JSON */
    size_t *value_parts;       /* the parts of the answer that those lines are of, each once */
    size_t n_value_parts;
    struct unit *units, *last_unit; /* such parts of the current message */
    struct message_parts parts;
    struct buf before; /* the end of a stream's texts that clients join, as they came */
    struct said **said;        /* values at places that have ended, a table of SAID_SLOTS: made with the first */
    size_t n_said;
    struct buf ahead; /* input after the message that the supervisor is asked about */
    struct repeated *repeated; /* made with the first event that may come again */
};

/* The state shown to the client on which the end of the answer depends; a checkpoint restores it. */
struct answer_shown {
    bool has_head, has_tail, has_notice; /* if the protocol has such events */
    size_t n_parts, n_events;
    struct restore_counts restored;
};

/* The client's side: output. */
struct answer_down {
    struct answer_shown shown;
    struct checkpoint *checkpoint; /* of a stream about which the supervisor may be asked */
    struct buf kept;               /* output since the checkpoint */
    struct buf *out;               /* during feed, end and resume */
};

/* Why something was omitted or changed. */
struct beside_rule {
    bool is_set;
    char rule[128];
    const char *reason;
};

/* Findings outside the stream, for the record; and caches of judged texts. */
struct beside {
    size_t unread; /* bytes that passed and that nothing here can judge */
    size_t left_out; /* bytes that do not go to the client though nothing was found in them */
    struct aside *aside; /* ASIDE_MAX, made with the first */
    size_t n_aside;
    bool has_findings_in_names;  /* also for findings beyond ASIDE_MAX */
    size_t n_others; /* how often something else than a text or an id that is known was met: it was judged, or may wait */
    bool had_findings;           /* in the last judgement outside the stream */
    bool has_changed_texts;      /* something was redacted over a joint: places in texts are others */
    struct beside_rule withheld; /* a tool call was omitted; blocks when the answer ends */
    struct beside_rule redacted;
    struct clean *clean; /* made with the first */
    size_t n_clean;      /* total number stored */
    struct known_id *known_ids;     /* a ring of KNOWN_IDS_MAX once that many were stored; grows with them until then */
    size_t n_known_ids, next_id;    /* total number stored; where the next lookup begins */
    struct places places;           /* what left at each: successive.c */
    bool goes_on;                   /* it goes on from other answers */
    struct channel *shown_channels; /* of translation_exchange */
    struct finding *shown_findings;
};

struct translation {
    const struct protocol *protocol;
    const struct protocol_route *route;
    const struct dialect *dialect;
    struct stream *stream;
    struct exchange frame; /* snapshot, policy, identity, time: for judgements outside the stream */
    size_t event_max;
    bool restores; /* the conversation has pseudonyms */
    struct answer_asked asked;
    bool is_unjudged; /* a good answer passes as it is */

    enum translation_phase phase;
    bool is_broken_off; /* it is over, but its block could not be written, or not any more */
    struct arena memory; /* of the current message */
    struct buf scratch;
    struct worker *worker; /* during feed, end and resume */
    struct text **texts;   /* these lists grow, as most answers have few items */
    size_t n_texts;
    struct part **parts;
    size_t n_parts;
    struct call **calls;
    size_t n_calls;

    struct answer_up up;
    struct answer_down down;
    struct beside beside;
};

/* Whether the answer is a stream, by the upstream's head; before the head, by the request. */
static inline bool answer_is_stream(const struct translation *t)
{
    return t->up.framer.kind != FRAMING_BODY;
}

static inline bool answer_is_error(const struct translation *t)
{
    return t->up.status < 200 || t->up.status >= 300;
}

/* Whether its route carries no text of a model, and its answer is no stream of events. */
static inline bool answer_is_passed(const struct translation *t)
{
    return t->dialect == NULL;
}

/* Whether a blocked answer ends like any other. */
static inline bool block_ends_turn(const struct translation *t)
{
    return t->asked.style == BLOCK_END_TURN;
}

/* Whether its notice is a refusal. */
static inline bool block_refuses(const struct translation *t)
{
    return t->asked.style == BLOCK_REFUSAL;
}

bool translation_phase_may(enum translation_phase from, enum translation_phase to);
void translation_enter(struct translation *t, enum translation_phase to);
/* Enters OVER, unless it is over already. */
void translation_finish(struct translation *t);

/* Functions of a translation return false to stop: with err, or because the answer is blocked. translation_stopped says so in err, and the
 * engine ends the answer. */
bool translation_stopped(const struct translation *t, struct error *err);
bool translation_blocked(const struct translation *t);
/* Handles the end of the answer after its last event. */
MUST_CHECK bool translation_over(struct translation *t, struct error *err);

#endif
