/* route_fleet.c - GET /v1/fleet, for operators: what the database last said of all nodes and of policy bundles; without a fleet there are none. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/fleet.h"
#include "http/writer.h"
#include "review/review_line.h"
#include "server/routes.h"

static void put_text(struct writer *w, const char *name, const char *text)
{
    put(w, name);
    put_string(w, span_str(text));
}

static void put_count(struct writer *w, const char *name, uint64_t n)
{
    put(w, name);
    put_number(w, n);
}

static void put_time(struct writer *w, const char *name, int64_t utc_ns)
{
    if (utc_ns != 0) {
        put(w, name);
        w->is_ok = w->is_ok && review_append_time(w->out, utc_ns, w->err);
    }
}

static void put_node(struct writer *w, const struct fleet_node *n)
{
    static const char *const states[] = {[FLEET_NODE_LOST] = "lost", [FLEET_NODE_LEFT] = "left", [FLEET_NODE_ALIVE] = "alive"};

    put_text(w, "{\"node\":", n->name);
    put_text(w, ",\"state\":", states[n->state]);
    if (n->version[0] != '\0') {
        put_text(w, ",\"version\":", n->version);
    }
    put_time(w, ",\"heartbeat\":", n->at_ns);
    put_count(w, ",\"lines\":", n->lines);
    put_count(w, ",\"copied\":", n->copied);
    put_count(w, ",\"lag\":", n->lines > n->copied ? n->lines - n->copied : 0);
    put_count(w, ",\"signed\":", n->covered);
    if (n->lease_ns != 0) {
        put_count(w, ",\"lease_ms\":", (uint64_t)n->lease_ns / 1000000);
    }
    if (n->bundle != 0) {
        put_count(w, ",\"bundle\":", n->bundle);
    }
    put_time(w, ",\"bundle_expires\":", n->expires_ns);
    if (n->refused != 0) {
        put_count(w, ",\"bundle_refused\":", n->refused);
        put_text(w, ",\"why\":", n->why);
    }
    put(w, "}");
}

static void put_bundle(struct writer *w, const struct fleet_bundle *b)
{
    static const char *const states[] = {[FLEET_BUNDLE_STOPPED] = "stopped", [FLEET_BUNDLE_STAGED] = "staged", [FLEET_BUNDLE_DONE] = "done"};

    put_count(w, "{\"version\":", b->version);
    put_text(w, ",\"state\":", states[b->state]);
    if (b->state == FLEET_BUNDLE_STAGED) {
        put_count(w, ",\"stage\":", b->stage);
        put_count(w, ",\"stages\":", b->stages);
    }
    if (b->why[0] != '\0') {
        put_text(w, ",\"why\":", b->why);
    }
    put(w, "}");
}

static void put_status(struct writer *w, const struct fleet_status *s, enum fleet_contact contact)
{
    static const char *const contacts[] = {[FLEET_BLOCKS] = "blocks", [FLEET_LOST] = "lost", [FLEET_FINE] = "fine"};

    put_text(w, "{\"node\":", s->name);
    put_text(w, ",\"contact\":", contacts[contact]);
    put_time(w, ",\"as_of\":", s->heard_ns);
    put(w, ",\"nodes\":[");
    for (size_t i = 0; i < s->n_nodes; i++) {
        put(w, i == 0 ? "" : ",");
        put_node(w, &s->nodes[i]);
    }
    put(w, "],\"bundles\":[");
    for (size_t i = 0; i < s->n_bundles; i++) {
        put(w, i == 0 ? "" : ",");
        put_bundle(w, &s->bundles[i]);
    }
    put(w, "]}");
}

enum step route_fleet_run(struct request *r)
{
    struct fleet_status *status CLEANUP(cleanup_free) = malloc(sizeof(*status));
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = status != NULL};

    if (w.is_ok && r->service->fleet != NULL) {
        fleet_look_at_status(r->service->fleet, status);
        put_status(&w, status, fleet_contact(r->service->fleet));
    } else if (w.is_ok) {
        put(&w, "{\"node\":\"\",\"contact\":\"none\",\"nodes\":[],\"bundles\":[]}");
    }
    r->reply = (struct reply){.status = 200, .type = "application/json", .cache = "no-store"};
    if (!w.is_ok) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}
