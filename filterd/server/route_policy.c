/* route_policy.c - what is in force: GET /v1/policy, GET /v1/rules, POST /v1/policy/reload. */
#include "server/routes.h"
#include "http/writer.h"
#include "service/access.h"

static enum step finish(struct request *r, const struct writer *w)
{
    if (!w->is_ok) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}

static struct writer begin(struct request *r, struct error *err)
{
    r->snapshot = service_snapshot(r->service);
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    return (struct writer){.out = &r->answer, .err = err, .is_ok = true};
}

static void write_rule_ids(struct writer *w, const struct rule_set *set, const bool *has_rule)
{
    const char *comma = "";

    put(w, "[");
    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (has_rule[i]) {
            put(w, comma);
            put_string(w, set->rules[i].id);
            comma = ",";
        }
    }
    put(w, "]");
}

static void write_policy(struct writer *w, const struct snapshot *s, const struct policy *p)
{
    put(w, "{\"name\":");
    put_string(w, p->name);
    put(w, ",\"digest\":");
    put_string(w, p->digest);
    put(w, p->is_shadow ? ",\"shadow\":true" : ",\"shadow\":false");
    put(w, ",\"rules\":");
    write_rule_ids(w, s->rules, p->has_rule);
    put(w, "}");
}

enum step route_policy_run(struct request *r)
{
    struct error err;
    struct writer w = begin(r, &err);
    const struct snapshot *s = r->snapshot;

    put(&w, "{\"rules_digest\":");
    put_string(&w, s->rules->digest);
    put(&w, ",\"policies\":[");
    for (size_t i = 0; i < s->n_policies; i++) {
        put(&w, i == 0 ? "" : ",");
        write_policy(&w, s, &s->policies[i]);
    }
    put(&w, "],\"tenants\":{");
    for (size_t i = 0; i < s->n_tenants; i++) {
        put(&w, i == 0 ? "" : ",");
        put_string(&w, s->tenants[i].tenant);
        put(&w, ":");
        put_string(&w, s->tenants[i].policy->name);
    }
    put(&w, "}}\n");
    return finish(r, &w);
}

static void write_member(struct writer *w, const char *name, struct span value)
{
    put(w, name);
    put_string(w, value);
}

static void write_rule(struct writer *w, const struct rule *rule, uint64_t findings)
{
    write_member(w, "{\"id\":", rule->id);
    write_member(w, ",\"title\":", rule->title);
    write_member(w, ",\"pack\":", rule->pack);
    write_member(w, ",\"category\":", span_str(category_name(rule->category)));
    write_member(w, ",\"severity\":", span_str(severity_name(rule->severity)));
    put(w, ",\"confidence\":");
    put_fraction(w, rule->confidence);
    put(w, rule->is_shadow ? ",\"shadow\":true" : ",\"shadow\":false");
    put(w, ",\"tags\":[");
    for (size_t i = 0; i < rule->tags.n; i++) {
        put(w, i == 0 ? "" : ",");
        put_string(w, rule->tags.items[i]);
    }
    put(w, "],\"findings\":");
    put_number(w, findings);
    put(w, "}");
}

enum step route_rules_run(struct request *r)
{
    struct error err;
    struct writer w = begin(r, &err);
    const struct rule_set *set = r->snapshot->rules;

    put(&w, "{\"rules\":[");
    for (uint32_t i = 0; i < set->n_rules; i++) {
        put(&w, i == 0 ? "" : ",");
        write_rule(&w, &set->rules[i], atomic_load(&set->findings[i]));
    }
    put(&w, "]}\n");
    return finish(r, &w);
}

/* A reload compiles: it runs in the pool, not in the thread that moves bytes. */
static void reload(void *context, struct worker *worker)
{
    struct request *r = context;
    char by[ACCESS_NAME];
    struct error err;

    access_name(r, by);
    if (worker == NULL) {
        request_overload(r, "the service is stopping");
    } else if (!service_reload(r->service, by, &err)) {
        request_problem(r, 422, err.text, NULL);
    } else {
        (void)route_policy_run(r);
    }
    request_resume(r);
}

enum step route_reload_run(struct request *r)
{
    r->job = (struct job){.run = reload, .context = r};
    request_suspend(r);
    if (!worker_pool_submit(r->service->pool, &r->job)) {
        request_overload(r, "too many long texts are waiting");
        request_resume(r);
    }
    return STEP_SUSPENDED;
}
