/* stream_gate.h - what the rules released of one channel, in the units that a supervisor is asked about.
 *
 * Units are cut in the text as it would be delivered (view/segment.h): what the rules release is the same for every cutting
 * into chunks, and so are its units. Nothing of a unit leaves the gate before it has ended. For stream*.c alone. */
#ifndef FILTERD_PIPELINE_STREAM_GATE_H
#define FILTERD_PIPELINE_STREAM_GATE_H

#include "pipeline/stream_channel.h"

enum { STREAM_GATE_CONTEXT = 1024 };

/* Bytes of what the rules released that replace something the policy asks about. */
struct stream_mark {
    size_t from, to;
};

struct stream_gate {
    enum hold_unit unit; /* paragraph or sentence */
    struct buf text;     /* what left last, then what waits */
    size_t waits;        /* where that begins in it */
    size_t from;         /* its place in all that the rules released */
    struct stream_mark *marks;
    size_t n_marks, marks_cap;
    size_t reach; /* offset in the channel's text: something that calls for the supervisor goes on to there */
};

struct stream_gate *stream_gate_new(enum hold_unit unit, size_t max, struct error *err);
/* NULL is fine. */
void stream_gate_free(struct stream_gate *g);
/* Bytes that wait for their unit's end; NULL is fine. */
size_t stream_gate_waiting(const struct stream_gate *g);

/* What the step has released. `base` is where the channel's window began. */
MUST_CHECK bool stream_gate_add(struct stream_gate *g, const struct stream_options *o, const struct stream_step *step,
                                size_t base, struct span output, struct error *err);

struct stream_gate_unit {
    struct span context; /* what comes right before it, at most STREAM_GATE_CONTEXT bytes */
    struct span text;
    size_t from; /* in all that the rules released */
    bool is_grey; /* something in it is what the policy asks about */
};
/* Takes the first unit that has ended; is_whole: nothing follows any more. Valid until the next add. */
bool stream_gate_next(struct stream_gate *g, bool is_whole, struct stream_gate_unit *unit);

/* Whether the policy asks about anything that the step has found. */
bool stream_gate_step_is_grey(const struct stream_options *o, const struct stream_step *step);

#endif
