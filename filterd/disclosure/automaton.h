/* automaton.h - a suffix automaton: reads a text byte by byte and knows the longest end of it that is in its own texts. */
#ifndef FILTERD_DISCLOSURE_AUTOMATON_H
#define FILTERD_DISCLOSURE_AUTOMATON_H

#include <stdint.h>

#include "base/error.h"

/* Zeroed: without texts. State 0 is the start; no edge leads there, and edge 0 is none. */
struct automaton {
    struct automaton_state {
        uint32_t len, link, first_edge;
    } *states;
    struct automaton_edge {
        uint32_t to, next;
        uint8_t byte;
    } *edges;
    uint32_t start[256]; /* edges of state 0, by byte: it has most of them, and is asked most */
    uint32_t n_states, states_cap, n_edges, edges_cap, last;
};

void automaton_deinit(struct automaton *a);
/* What is added from now on does not go on from what was. */
void automaton_break(struct automaton *a);
MUST_CHECK bool automaton_add(struct automaton *a, uint8_t byte, struct error *err);

/* A place in a text: `len` bytes before it are in the automaton's texts, and no more. Zeroed: at the start. */
struct automaton_place {
    uint32_t state, len;
};

/* Reads a byte; no longer end is kept than place->len + 1. */
void automaton_read(const struct automaton *a, struct automaton_place *place, uint8_t byte);

#endif
