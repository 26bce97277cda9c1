#include "disclosure/automaton.h"

#include <stdlib.h>

void automaton_deinit(struct automaton *a)
{
    free(a->states);
    free(a->edges);
    *a = (struct automaton){0};
}

/* Room for one more state; the first call makes the start. */
static bool reserve_state(struct automaton *a, struct error *err)
{
    uint32_t cap = a->states_cap == 0 ? 256 : a->states_cap * 2;

    if (a->n_states + 2 > a->states_cap) {
        struct automaton_state *states = reallocarray(a->states, cap, sizeof(*states));
        if (states == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "system prompt: no memory");
        }
        a->states = states;
        a->states_cap = cap;
    }
    if (a->n_states == 0) {
        a->states[a->n_states++] = (struct automaton_state){0};
    }
    return true;
}

static bool add_edge(struct automaton *a, uint32_t from, uint8_t byte, uint32_t to, struct error *err)
{
    uint32_t cap = a->edges_cap == 0 ? 512 : a->edges_cap * 2;

    if (a->n_edges + 2 > a->edges_cap) {
        struct automaton_edge *edges = reallocarray(a->edges, cap, sizeof(*edges));
        if (edges == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "system prompt: no memory");
        }
        a->edges = edges;
        a->edges_cap = cap;
    }
    a->n_edges += a->n_edges == 0; /* edge 0 is none */
    a->edges[a->n_edges] = (struct automaton_edge){.to = to, .next = a->states[from].first_edge, .byte = byte};
    a->start[byte] = from == 0 ? a->n_edges : a->start[byte];
    a->states[from].first_edge = a->n_edges++;
    return true;
}

static struct automaton_edge *find_edge(const struct automaton *a, uint32_t state, uint8_t byte)
{
    uint32_t edge = state == 0 ? a->start[byte] : a->states[state].first_edge;

    while (edge != 0 && a->edges[edge].byte != byte) {
        edge = a->edges[edge].next;
    }
    return edge == 0 ? NULL : &a->edges[edge];
}

void automaton_break(struct automaton *a)
{
    a->last = 0;
}

/* Edges are added in front, so a copy has them the other way round, which means the same. */
static bool copy_edges(struct automaton *a, uint32_t from, uint32_t to, struct error *err)
{
    for (uint32_t edge = a->states[from].first_edge; edge != 0; edge = a->edges[edge].next) {
        if (!add_edge(a, to, a->edges[edge].byte, a->edges[edge].to, err)) {
            return false;
        }
    }
    return true;
}

/* The state that the byte leads to from `state`, as one of exactly one byte more: that itself, or a copy of it which takes the
 * edges of the shorter ones. */
static bool split(struct automaton *a, uint32_t state, uint8_t byte, uint32_t *out, struct error *err)
{
    uint32_t whole = find_edge(a, state, byte)->to;

    *out = whole;
    if (a->states[whole].len == a->states[state].len + 1) {
        return true;
    }
    if (!reserve_state(a, err)) {
        return false;
    }
    uint32_t copy = a->n_states++;
    a->states[copy] = (struct automaton_state){.len = a->states[state].len + 1, .link = a->states[whole].link};
    if (!copy_edges(a, whole, copy, err)) {
        return false;
    }
    a->states[whole].link = copy;
    for (uint32_t at = state;; at = a->states[at].link) {
        struct automaton_edge *edge = find_edge(a, at, byte);
        if (edge == NULL || edge->to != whole) {
            break;
        }
        edge->to = copy;
        if (at == 0) {
            break;
        }
    }
    *out = copy;
    return true;
}

bool automaton_add(struct automaton *a, uint8_t byte, struct error *err)
{
    if (!reserve_state(a, err)) {
        return false;
    }
    if (find_edge(a, a->last, byte) != NULL) { /* another text has it already */
        return split(a, a->last, byte, &a->last, err);
    }
    uint32_t made = a->n_states++, at = a->last;
    bool is_start = false;
    a->states[made] = (struct automaton_state){.len = a->states[at].len + 1};
    while (!is_start && find_edge(a, at, byte) == NULL) {
        if (!add_edge(a, at, byte, made, err)) {
            return false;
        }
        is_start = at == 0;
        at = a->states[at].link;
    }
    a->last = made;
    uint32_t link = 0;
    if (!is_start && !split(a, at, byte, &link, err)) {
        return false;
    }
    a->states[made].link = link;
    return true;
}

void automaton_read(const struct automaton *a, struct automaton_place *place, uint8_t byte)
{
    const struct automaton_edge *edge = NULL;

    if (a->n_states == 0) {
        return;
    }
    while ((edge = find_edge(a, place->state, byte)) == NULL && place->state != 0) {
        place->state = a->states[place->state].link;
        place->len = a->states[place->state].len;
    }
    place->state = edge == NULL ? 0 : edge->to;
    place->len = edge == NULL ? 0 : place->len + 1;
}
