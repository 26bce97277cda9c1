/* translation_phase.c - the table of the legal moves (translation.h), and the handling of illegal ones. */
#include "base/transition.h"
#include "protocol/translation.h"

static const uint32_t moves[TRANSLATION_PHASES] = {
    [TRANSLATION_NEW] = PHASE(TRANSLATION_FLOWING) | PHASE(TRANSLATION_OVER),
    [TRANSLATION_FLOWING] = PHASE(TRANSLATION_AWAITING_COST) | PHASE(TRANSLATION_OVER),
    [TRANSLATION_AWAITING_COST] = PHASE(TRANSLATION_OVER),
    [TRANSLATION_OVER] = PHASE(TRANSLATION_FLOWING),
};

bool translation_phase_may(enum translation_phase from, enum translation_phase to)
{
    return transition_is_legal(moves, from, to);
}

void translation_enter(struct translation *t, enum translation_phase to)
{
    if (transition_check(moves, t->phase, to)) {
        t->phase = to;
    } else {
        stream_block(t->stream, span_str("filterd.unjudged"), "internal error");
        t->phase = TRANSLATION_OVER;
    }
}

void translation_finish(struct translation *t)
{
    if (t->phase != TRANSLATION_OVER) {
        translation_enter(t, TRANSLATION_OVER);
    }
}
