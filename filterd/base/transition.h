/* transition.h - checks moves between the phases of a state machine; an illegal one is a programmer's mistake.
 *
 * A machine is an enum of at most 32 phases and a table with a row for each phase: the set of phases that may follow
 * it. Zeroed rows allow nothing, so a phase missing from the table is a dead end.
 *
 * A debug build (every MODE but release) aborts on an illegal move. A release build refuses the move; the caller then
 * ends its work as unjudged, because a service must neither stop nor release anything in an unknown state. */
#ifndef FILTERD_BASE_TRANSITION_H
#define FILTERD_BASE_TRANSITION_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PHASE(phase) ((uint32_t)1 << (phase))

static inline bool transition_is_legal(const uint32_t *next_of, unsigned from, unsigned to)
{
    return (next_of[from] & PHASE(to)) != 0;
}

/* The same, to check a move before it is made. */
static inline bool transition_check(const uint32_t *next_of, unsigned from, unsigned to)
{
    bool is_legal = transition_is_legal(next_of, from, to);

#ifdef FILTERD_DEBUG
    assert(is_legal);
#endif
    return is_legal;
}

#endif
