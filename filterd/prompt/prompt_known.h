/* prompt_known.h - what prompt_judge.c has at hand of one request, and what is known of it from earlier ones (history.h). */
#ifndef FILTERD_PROMPT_PROMPT_KNOWN_H
#define FILTERD_PROMPT_PROMPT_KNOWN_H

#include "prompt/prompt_judge.h"

/* What was found in a unit earlier. */
struct recalled_unit {
    const struct recalled *items;
    size_t n;
    bool is_known; /* by it alone: in this conversation, or under these names */
};

/* What redaction made of a channel. */
struct known_output {
    struct history_key key;
    bool is_new; /* it was looked through in this exchange */
};

/* For whom findings and redacted texts are known. */
enum names { NAMES_ANY, NAMES_OWN /* in this conversation alone */, NAMES };

/* A channel that is judged, and its place in the document. */
struct selected {
    uint32_t channel, unit;
};

struct prompt_judging {
    const struct prompt_input *request;
    const struct policy_request *policy;
    struct worker *worker;
    struct arena *arena;
    struct exchange *x;
    struct prompt_texts texts;
    struct history_key *keys;       /* of each unit */
    bool *is_known;                 /* likewise */
    uint32_t *text_bytes;           /* likewise: 0 when it was read, else what its texts are (history_texts); after known_add also of new ones */
    struct recalled_unit *recalled; /* likewise */
    bool *is_joined;                /* likewise: what goes on from the unit before into it must be judged */
    struct history_key *behind;     /* likewise: its key behind the units that go on in it */
    size_t last;                    /* the unit that is the last message and goes on from another (prompt_table.h); SIZE_MAX: none */
    struct history_scope names[NAMES];
    struct settled_texts settled;
    struct known_output *outputs; /* of each channel of the exchange */
    struct selected *selected;
    size_t n_selected, n_judged;
    const struct channel **short_texts; /* a table: names and words that every message has */
    size_t n_slots, repeated;           /* bytes of those that were left out */
    bool selects_all;
    struct prompt_outcome *outcome;
};

/* Sets keys, is_known and recalled of the units. */
MUST_CHECK bool known_find(struct prompt_judging *j, struct error *err);
/* Numbers the texts that are joined (channel.message), over units that go on in each other; of a single text the number is 0. */
MUST_CHECK bool known_join(struct prompt_judging *j, struct error *err);
/* For struct settled_texts; the context is the judging. */
bool known_is_settled(void *context, const struct channel *c);
/* Behind the verdict, before anything else changes the outputs: what the redaction made. */
void known_add_outputs(const struct prompt_judging *j);
/* The units that were judged, and what was found in them. */
void known_add(struct prompt_judging *j);

#endif
