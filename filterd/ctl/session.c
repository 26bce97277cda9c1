#include "ctl/session.h"

#include <sodium.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/similar.h"
#include "base/yaml.h"
#include "ctl/cache.h"

static struct span span_or_empty(const char *text)
{
    return text != NULL ? span_str(text) : span_of("", 0);
}

static struct session session_for(const struct arguments *args)
{
    return (struct session){
        .who = {.tenant = span_or_empty(args->tenant),
                .app = span_or_empty(args->app),
                .route = span_or_empty(args->route),
                .agent = span_or_empty(args->agent),
                .session = span_of("", 0)},
        .now_ns = clock_utc_ns(),
    };
}

/* Takes `snapshot` over, also on failure. */
static bool choose_policy(struct session *s, const struct arguments *args,
                          struct snapshot *snapshot, struct error *err)
{
    s->snapshot = snapshot;
    s->policy = snapshot_policy(snapshot, span_or_empty(args->policy_name), s->who.tenant);
    if (s->policy == NULL) {
        session_close(s);
        return error_set(err, ERROR_NOT_FOUND,
                         "--policy-name: the name of a policy expected, there is no '%s'",
                         args->policy_name != NULL ? args->policy_name : "default");
    }
    return true;
}

static bool open_with(struct session *s, const struct arguments *args, const char *policy_path,
                      bool only_used, struct error *err)
{
    char cache[PATH_MAX];
    const struct rule_set_options options = {.cache_directory = cache_directory(args, cache),
                                             .only_used = only_used};

    *s = session_for(args);
    if (!keys_read(args->keys, &s->keys, err)) {
        return error_wrap(err, "--keys");
    }
    struct snapshot *snapshot = snapshot_open(args->rules, policy_path, &options, err);
    return snapshot != NULL && choose_policy(s, args, snapshot, err);
}

bool session_open_policy(struct session *s, const struct arguments *args, const char *policy_path,
                         struct error *err)
{
    return open_with(s, args, policy_path, false, err);
}

bool session_open(struct session *s, const struct arguments *args, struct error *err)
{
    return open_with(s, args, args->policy, false, err);
}

bool session_open_judge(struct session *s, const struct arguments *args, struct error *err)
{
    return open_with(s, args, args->policy, true, err);
}

bool session_open_beside(struct session *s, const struct session *like,
                         const struct arguments *args, const char *policy_path, struct error *err)
{
    struct buf yaml CLEANUP(buf_deinit);

    *s = session_for(args);
    s->keys = like->keys;
    buf_init(&yaml, YAML_TEXT_MAX);
    if (!file_read(policy_path, &yaml, err)) {
        return false;
    }
    struct snapshot *snapshot =
        snapshot_load(like->snapshot->rules, policy_path, buf_span(&yaml), err);
    return snapshot != NULL && choose_policy(s, args, snapshot, err);
}

void session_close(struct session *s)
{
    snapshot_unref(s->snapshot);
    sodium_memzero(&s->keys, sizeof(s->keys));
    *s = (struct session){0};
}

const struct rule *session_find_rule(const struct session *s, const char *id, struct error *err)
{
    const struct rule_set *set = s->snapshot->rules;
    const struct rule *rule = rule_set_find(set, span_str(id));
    char hint[SIMILAR_HINT_MAX];
    struct similar similar;

    if (rule == NULL) {
        similar_init(&similar, span_str(id));
        for (uint32_t i = 0; i < set->n_rules; i++) {
            similar_offer(&similar, set->rules[i].id);
        }
        error_set(err, ERROR_NOT_FOUND, "the id of a rule expected, there is no '%s'%s", id,
                  similar_hint(&similar, "", hint));
    }
    return rule;
}
