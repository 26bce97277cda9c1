/* proxy_phase.h - the phases of a proxied exchange and the legal moves between them.
 *
 * An exchange is in three phases at once: that of the whole (enum proxy_phase), that of the upstream's side (enum
 * proxy_up_phase) and that of the client's side (enum proxy_down_phase). The reactor's thread owns all three. Phases
 * are in the order in which an exchange passes them, so that `phase >= PROXY_CLOSING` is "nothing more is written".
 *
 *   exchange            moves to                              when
 *   NEW                 FLOWING                               the request goes to the upstream
 *                       CLOSED                                the client left before that
 *   FLOWING             ASKING_PART                           the supervisor is asked about a part of the answer
 *                       ENDING                                the upstream's answer has ended, properly or not
 *                       CLOSING                               the answer wrote its own end, or is replaced
 *                       CLOSED                                the client left
 *   ASKING_PART         FLOWING                               the supervisor has answered
 *                       ASKING_LAST                           the client left
 *   ENDING              ENDED                                 the end is written
 *                       CLOSING                               an error of the proxy replaces an answer of no use
 *   ENDED               ASKING_TAIL                           the supervisor is asked about what the end released
 *                       ENDING                                it ends for another reason, as the service stops
 *                       CLOSING                               there is nothing left to be asked about
 *   ASKING_TAIL         ENDED                                 the supervisor has answered
 *                       ASKING_LAST                           the client left
 *   CLOSING             ASKING_LAST                           the supervisor is asked about all of the answer
 *                       CLOSED                                it is not
 *   ASKING_LAST         CLOSED                                the supervisor has answered
 *   CLOSED              OPENING                               the last record waits for the open one
 *                       RECORDING                             the last record goes to the log
 *   OPENING             RECORDING                             the open record is on disk, or cannot be
 *   RECORDING           RECORDED                              the last record is on disk, or cannot be
 *
 *   upstream's side     WAITING, HEADED, LINGERING            in this order, one at a time
 *   client's side       PROMISED, HEADED, FINISHED, LEFT      in this order; any may be left out
 *
 * An illegal move is a programmer's mistake: it aborts a debug build; in release the exchange ends as unjudged. */
#ifndef FILTERD_PROXY_PROXY_PHASE_H
#define FILTERD_PROXY_PROXY_PHASE_H

#include <stdbool.h>

enum proxy_phase {
    PROXY_NEW,         /* nothing was sent to the upstream */
    PROXY_FLOWING,     /* the upstream's bytes are translated as they come */
    PROXY_ASKING_PART, /* as FLOWING, but nothing more of the upstream is taken until the supervisor answers */
    PROXY_ENDING,      /* the end of the answer is to be written */
    PROXY_ENDED,       /* the end is written; the supervisor may still be asked about what it released */
    PROXY_ASKING_TAIL, /* as ENDED, until the supervisor answers */
    PROXY_CLOSING,     /* nothing more is written: the verdict, the record and the delivery are missing */
    PROXY_ASKING_LAST, /* as CLOSING, until the supervisor answers; its answer is on record, too */
    PROXY_CLOSED,      /* the verdict is there */
    PROXY_OPENING,
    PROXY_RECORDING,
    PROXY_RECORDED, /* the rest of the answer may leave */
    PROXY_PHASES
};

/* The upstream's side. That its transfer has ended is no phase: `transfer.easy` is NULL then. */
enum proxy_up_phase {
    UP_NONE,
    UP_WAITING,   /* for the head of the answer */
    UP_HEADED,    /* the head of the answer is there */
    UP_LINGERING, /* the client has left; the transfer of a whole answer may end by itself, to keep its connection */
    UP_PHASES
};

/* The client's side. */
enum proxy_down_phase {
    DOWN_NONE,
    DOWN_PROMISED, /* a heartbeat was written, so the head will be a 200; it waits for the open record */
    DOWN_HEADED,   /* the head is given */
    DOWN_FINISHED, /* all is given, but for what waits in the shared buffer */
    DOWN_LEFT,     /* the request is gone */
    DOWN_PHASES
};

/* Whether a move is legal. The tables of the moves that the exchange itself makes. */
bool proxy_phase_may(enum proxy_phase from, enum proxy_phase to);
bool proxy_up_may(enum proxy_up_phase from, enum proxy_up_phase to);
bool proxy_down_may(enum proxy_down_phase from, enum proxy_down_phase to);

struct proxy;

/* Make a move; entering PROXY_RECORDING writes the last record. False: an illegal move is not made, and the exchange
 * ends as unjudged instead. */
bool proxy_enter(struct proxy *p, enum proxy_phase to);
void proxy_up_enter(struct proxy *p, enum proxy_up_phase to);
void proxy_down_enter(struct proxy *p, enum proxy_down_phase to);

#endif
