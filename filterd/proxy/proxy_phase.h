/* proxy_phase.h - the phases of a proxied exchange and the legal moves between them.
 *
 * An exchange has three phases: that of the whole (enum proxy_phase), that of the upstream's side (enum
 * proxy_up_phase) and that of the client's side (enum proxy_down_phase). The reactor's thread owns all three. Phases
 * are in the order in which an exchange passes them, so that `phase >= PROXY_CLOSING` means "nothing more is written".
 *
 *   exchange            moves to                              when
 *   NEW                 FLOWING                               the request goes to the upstream
 *                       CLOSED                                the client left before that
 *   FLOWING             ASKING_PART                           a question about a part of the answer is sent
 *                       ENDING                                the upstream's answer has ended, properly or not
 *                       CLOSING                               the answer wrote its own end, or is replaced
 *                       CLOSED                                the client left
 *   ASKING_PART         FLOWING                               the supervisor has answered
 *                       ASKING_LAST                           the client left
 *   ENDING              ENDED                                 the end is written
 *                       CLOSING                               an error of the proxy replaces an unusable answer
 *   ENDED               ASKING_TAIL                           a question about what the end released is sent
 *                       ENDING                                it ends for another reason, as the service stops
 *                       CLOSING                               no question is left
 *   ASKING_TAIL         ENDED                                 the supervisor has answered
 *                       ASKING_LAST                           the client left
 *   CLOSING             ASKING_LAST                           a question about the whole answer is sent
 *                       CLOSED                                there is no such question
 *   ASKING_LAST         CLOSED                                the supervisor has answered
 *   CLOSED              OPENING                               the last record waits for the open one
 *                       RECORDING                             the last record is sent to the log
 *   OPENING             RECORDING                             the open record is on disk, or failed
 *   RECORDING           RECORDED                              the last record is on disk, or failed
 *
 *   upstream's side     WAITING, HEADED, LINGERING            in this order, one at a time
 *   client's side       PROMISED, HEADED, FINISHED, LEFT      in this order; any may be skipped
 *
 * An illegal move is a programmer's mistake: it aborts a debug build; in release the exchange ends as unjudged. */
#ifndef FILTERD_PROXY_PROXY_PHASE_H
#define FILTERD_PROXY_PROXY_PHASE_H

#include <stdbool.h>

enum proxy_phase {
    PROXY_NEW,         /* nothing was sent to the upstream */
    PROXY_FLOWING,     /* the upstream's bytes are translated as they arrive */
    PROXY_ASKING_PART, /* like FLOWING, but nothing more is read from the upstream until the supervisor answers */
    PROXY_ENDING,      /* the end of the answer must be written */
    PROXY_ENDED,       /* the end is written; a question about what it released may follow */
    PROXY_ASKING_TAIL, /* like ENDED, until the supervisor answers */
    PROXY_CLOSING,     /* nothing more is written: the verdict, the record and the delivery are missing */
    PROXY_ASKING_LAST, /* like CLOSING, until the supervisor answers; its answer is recorded, too */
    PROXY_CLOSED,      /* the verdict is known */
    PROXY_OPENING,
    PROXY_RECORDING,
    PROXY_RECORDED, /* the rest of the answer may leave */
    PROXY_PHASES
};

/* The upstream's side. The end of its transfer is not a phase: `transfer.easy` is then NULL. */
enum proxy_up_phase {
    UP_NONE,
    UP_WAITING,   /* for the head of the answer */
    UP_HEADED,    /* the head of the answer was received */
    UP_LINGERING, /* the client has left; the transfer of a whole answer may finish, so that its connection can be reused */
    UP_PHASES
};

/* The client's side. */
enum proxy_down_phase {
    DOWN_NONE,
    DOWN_PROMISED, /* a heartbeat was written, so the head will be a 200; it waits for the open record */
    DOWN_HEADED,   /* the head was given */
    DOWN_FINISHED, /* everything was given, except bytes in the shared buffer */
    DOWN_LEFT,     /* the request has ended */
    DOWN_PHASES
};

/* Whether a move is legal, by the tables above. */
bool proxy_phase_may(enum proxy_phase from, enum proxy_phase to);
bool proxy_up_may(enum proxy_up_phase from, enum proxy_up_phase to);
bool proxy_down_may(enum proxy_down_phase from, enum proxy_down_phase to);

struct proxy;

/* Make a move; entering PROXY_RECORDING writes the last record. False: the move is illegal and was not made, and the exchange
 * ends as unjudged. */
bool proxy_enter(struct proxy *p, enum proxy_phase to);
void proxy_up_enter(struct proxy *p, enum proxy_up_phase to);
void proxy_down_enter(struct proxy *p, enum proxy_down_phase to);

#endif
