/* proxy_phase.c - the tables of the legal moves, and the handling of illegal ones. */
#include "proxy/proxy_phase.h"

#include "base/log.h"
#include "base/transition.h"
#include "base/clock.h"
#include "proxy/proxy.h"

/* What may follow each phase: the header explains each move. */
static const uint32_t moves[PROXY_PHASES] = {
    [PROXY_NEW] = PHASE(PROXY_FLOWING) | PHASE(PROXY_CLOSED),
    [PROXY_FLOWING] = PHASE(PROXY_ASKING_PART) | PHASE(PROXY_ENDING) | PHASE(PROXY_CLOSING) | PHASE(PROXY_CLOSED),
    [PROXY_ASKING_PART] = PHASE(PROXY_FLOWING) | PHASE(PROXY_ASKING_LAST),
    [PROXY_ENDING] = PHASE(PROXY_ENDED) | PHASE(PROXY_CLOSING),
    [PROXY_ENDED] = PHASE(PROXY_ASKING_TAIL) | PHASE(PROXY_ENDING) | PHASE(PROXY_CLOSING),
    [PROXY_ASKING_TAIL] = PHASE(PROXY_ENDED) | PHASE(PROXY_ASKING_LAST),
    [PROXY_CLOSING] = PHASE(PROXY_ASKING_LAST) | PHASE(PROXY_CLOSED),
    [PROXY_ASKING_LAST] = PHASE(PROXY_CLOSED),
    [PROXY_CLOSED] = PHASE(PROXY_OPENING) | PHASE(PROXY_RECORDING),
    [PROXY_OPENING] = PHASE(PROXY_RECORDING),
    [PROXY_RECORDING] = PHASE(PROXY_RECORDED),
};

static const uint32_t up_moves[UP_PHASES] = {
    [UP_NONE] = PHASE(UP_WAITING),
    [UP_WAITING] = PHASE(UP_HEADED),
    [UP_HEADED] = PHASE(UP_LINGERING),
};

static const uint32_t down_moves[DOWN_PHASES] = {
    [DOWN_NONE] = PHASE(DOWN_PROMISED) | PHASE(DOWN_HEADED) | PHASE(DOWN_LEFT),
    [DOWN_PROMISED] = PHASE(DOWN_HEADED) | PHASE(DOWN_LEFT),
    [DOWN_HEADED] = PHASE(DOWN_FINISHED) | PHASE(DOWN_LEFT),
    [DOWN_FINISHED] = PHASE(DOWN_LEFT),
};

bool proxy_phase_may(enum proxy_phase from, enum proxy_phase to)
{
    return transition_is_legal(moves, from, to);
}

bool proxy_up_may(enum proxy_up_phase from, enum proxy_up_phase to)
{
    return transition_is_legal(up_moves, from, to);
}

bool proxy_down_may(enum proxy_down_phase from, enum proxy_down_phase to)
{
    return transition_is_legal(down_moves, from, to);
}

/* Nothing that is known of the exchange can be relied on, so nothing more of it leaves: the client gets an error, or
 * its connection breaks off, and the record says that the exchange was not judged. */
static void fault(struct proxy *p, unsigned from, unsigned to)
{
    log_error("proxy: an illegal move from phase %u to %u; the exchange ends", from, to);
    stream_block(p->stream, span_str("filterd.unjudged"), "internal error");
    p->down.failure = "an internal error";
    p->down.status = 500;
    p->down.is_cut = true;
    p->down.tail_at = 0;
    buf_clear(&p->down.fresh);
    p->end = END_INTERNAL;
    if (p->phase < PROXY_RECORDING) {
        p->phase = PROXY_RECORDING;
        p->over_ns = clock_monotonic_ns();
        proxy_record_write(p, true);
    }
}

bool proxy_enter(struct proxy *p, enum proxy_phase to)
{
    if (!transition_check(moves, p->phase, to)) {
        fault(p, p->phase, to);
        return false;
    }
    p->phase = to;
    if (to == PROXY_RECORDING) {
        proxy_record_write(p, true);
    }
    return true;
}

void proxy_up_enter(struct proxy *p, enum proxy_up_phase to)
{
    if (transition_check(up_moves, p->up.phase, to)) {
        p->up.phase = to;
    } else {
        fault(p, p->up.phase, to);
    }
}

void proxy_down_enter(struct proxy *p, enum proxy_down_phase to)
{
    if (transition_check(down_moves, p->down.phase, to)) {
        p->down.phase = to;
    } else {
        fault(p, p->down.phase, to);
    }
}
