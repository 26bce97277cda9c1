/* world.h - the shipped rules, a policy made at random over them, and a worker: what the properties of streams share.
 *
 * FILTERD_POLICY names a file with the policy to use in place of random ones, FILTERD_POLICY_NAME the policy in it. */
#ifndef FILTERD_TESTS_SUPPORT_WORLD_H
#define FILTERD_TESTS_SUPPORT_WORLD_H

#include "base/buf.h"
#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "support/random.h"

enum { WORLD_ROOM = 1 << 20 };

struct world {
    struct snapshot *shipped, *snapshot; /* `snapshot` has the policy at hand */
    struct worker *worker;
    struct random random;
    struct buf policy, text, whole, released;
};

/* A number of the environment. */
uint64_t number_from(const char *name, uint64_t otherwise);

/* The texts begin where FILTERD_SEED says. */
void world_open(struct world *w);
void world_close(struct world *w);
void world_next_policy(struct world *w);
const struct policy *world_policy(const struct world *w);

/* What the whole text is delivered as, into w->whole; false when it is blocked. */
bool world_judge(struct world *w, struct span text);

/* All that a failure is understood by. */
void world_show(const struct world *w, struct span text);

void world_append(struct buf *b, struct span text);

#endif
