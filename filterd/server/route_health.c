/* route_health.c - GET /healthz: the process answers. GET /readyz: it can judge and record; degraded: without contact to
 * the fleet. */
#include "fleet/fleet.h"
#include "server/routes.h"

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
    if (!service_is_ready(r->service)) {
        request_problem(r, 503, "not ready", NULL);
        return STEP_ANSWERED;
    }
    return answer(r, fleet_is_lost(r->service->fleet) ? "{\"status\":\"degraded\"}\n" : "{\"status\":\"ready\"}\n");
}
