/* route_health.c - GET /healthz: the process answers. GET /readyz: it can judge and record; degraded: without contact to
 * the fleet, or with a policy bundle that has expired; bundle: its version. */
#include <inttypes.h>
#include <stdio.h>

#include "fleet/fleet.h"
#include "server/routes.h"

enum { READY_MAX = 80 };

static enum step answer(struct request *r, const char *json)
{
    struct error err;

    r->reply = (struct reply){.status = 200, .type = "application/json"};
    if (!buf_append_str(&r->answer, json, &err)) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}

enum step route_health_run(struct request *r)
{
    return answer(r, "{\"status\":\"alive\"}\n");
}

enum step route_ready_run(struct request *r)
{
    const char *obstacle = service_obstacle(r->service);
    if (obstacle != NULL) {
        request_problem(r, 503, obstacle, NULL);
        return STEP_ANSWERED;
    }
    struct bundled *b = &r->service->bundled;
    bool is_degraded = fleet_is_lost(r->service->fleet);
    is_degraded = bundled_is_expired(b) || is_degraded;
    const char *status = is_degraded ? "degraded" : "ready";
    char json[READY_MAX];
    (void)snprintf(json, sizeof(json), b->place.bundles == NULL ? "{\"status\":\"%s\"}\n" : "{\"status\":\"%s\",\"bundle\":%" PRIu64 "}\n",
                   status, atomic_load(&b->version));
    return answer(r, json);
}
