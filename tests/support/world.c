#include "support/world.h"

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "support/shipped.h"
#include "support/texts.h"

uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

void world_open(struct world *w)
{
    const struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    *w = (struct world){.random = {.state = number_from("FILTERD_SEED", 20261121)}};
    w->shipped = snapshot_open(NULL, NULL, &options, &err);
    w->worker = worker_new(&limits, NULL, &err);
    assert_non_null(w->shipped);
    assert_non_null(w->worker);
    buf_init(&w->policy, WORLD_ROOM);
    buf_init(&w->text, WORLD_ROOM);
    buf_init(&w->whole, WORLD_ROOM);
    buf_init(&w->released, 2 * WORLD_ROOM);
}

void world_close(struct world *w)
{
    struct buf *const all[] = {&w->policy, &w->text, &w->whole, &w->released};

    for (size_t i = 0; i < COUNT(all); i++) {
        buf_deinit(all[i]);
    }
    worker_free(w->worker);
    snapshot_unref(w->snapshot);
    snapshot_unref(w->shipped);
}

static struct span from_environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? span_str(value) : (struct span){0};
}

/* The file's, or one made at random. */
static void write_policy(struct world *w)
{
    const char *file = getenv("FILTERD_POLICY");
    struct error err;

    buf_clear(&w->policy);
    if (file == NULL) {
        make_policy(&w->random, w->shipped->rules, &w->policy);
    } else if (!file_read(file, &w->policy, &err)) {
        fail_msg("%s", err.text);
    }
}

void world_next_policy(struct world *w)
{
    struct error err;

    snapshot_unref(w->snapshot);
    write_policy(w);
    w->snapshot = snapshot_load(w->shipped->rules, "policy.yaml", buf_span(&w->policy), &err);
    if (w->snapshot == NULL) {
        fail_msg("%s", err.text);
    }
    assert_non_null(world_policy(w));
}

const struct policy *world_policy(const struct world *w)
{
    return snapshot_policy(w->snapshot, from_environment("FILTERD_POLICY_NAME"), (struct span){0});
}

bool world_judge(struct world *w, struct span text)
{
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = w->snapshot, .policy = world_policy(w), .channels = &channel, .n_channels = 1};

    (void)worker_begin(w->worker);
    pipeline_judge(w->worker, &x);
    buf_clear(&w->whole);
    world_append(&w->whole, channel.output);
    return x.action != ACTION_BLOCK;
}

static void show(const char *name, struct span text)
{
    (void)printf("%s (%zu): ", name, text.len);
    (void)fwrite(text.ptr, 1, text.len, stdout);
    (void)printf("\n");
}

void world_show(const struct world *w, struct span text)
{
    show("policy", buf_span(&w->policy));
    show("text", text);
    show("whole", buf_span(&w->whole));
    show("released", buf_span(&w->released));
    (void)fflush(stdout);
}

void world_append(struct buf *b, struct span text)
{
    struct error err;

    assert_true(buf_append(b, text, &err));
}
