/* stream_unit.h - what classifiers judge as a whole is held as a whole. For stream_channel.c alone.
 *
 * The window of a channel begins where a unit does (judge/classify.h), so that judging it finds what judging the whole text
 * finds; and nothing of a unit is released before it has ended. */
#ifndef FILTERD_PIPELINE_STREAM_UNIT_H
#define FILTERD_PIPELINE_STREAM_UNIT_H

#include "judge/hold.h"
#include "pipeline/stream_channel.h"

/* Whether classifiers take part in streams under this policy. */
bool stream_unit_is_used(const struct policy *policy);

/* Lowers hold->to to where the first unit begins that may go on; remembers where. `text` is the window, repaired. */
void stream_unit_hold(struct stream_channel *c, const struct policy *policy, struct span text, struct hold *hold);

/* Whether a window may begin at the frontier. */
bool stream_unit_is_place(const struct stream_channel *c, const struct policy *policy);

#endif
