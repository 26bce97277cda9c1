/* route_presidio.c - what clients of Presidio, FMS, OpenGuardrails, Guardrails AI and Kong ask beside their judging routes: operators on
 * results, lists of names, health. Nothing of it is judged, and nothing recorded. */
#include "base/cleanup.h"
#include "contracts/presidio.h"
#include "policy/rule_set.h"
#include "server/routes.h"

enum { LANGUAGE_MAX = 8 };

static enum step answered(struct request *r, bool is_ok, unsigned status)
{
    if (!is_ok) {
        request_overload(r, "out of memory");
        return STEP_ANSWERED;
    }
    r->reply = (struct reply){.status = status, .type = "application/json"};
    return STEP_ANSWERED;
}

static enum step answer_text(struct request *r, const char *json)
{
    struct error err;

    return answered(r, buf_append_str(&r->answer, json, &err), 200);
}

/* --- operators ------------------------------------------------------------ */

static struct span no_header(const void *context, const char *name)
{
    (void)context;
    (void)name;
    return span_of("", 0);
}

static enum step anonymize(struct request *r, unsigned (*operate)(const struct contract_call *call, struct writer *w))
{
    struct arena memory CLEANUP(arena_deinit);
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};
    const struct contract_call call = {.arena = &memory,
                                       .body = buf_span(&r->body),
                                       .text_max = r->service->options->text_max,
                                       .header = no_header};

    arena_init(&memory, 0, worker_limits_default().memory_max);
    request_limit_answer(r);
    unsigned status = operate(&call, &w);
    if (!w.is_ok && err.kind == ERROR_LIMIT) {
        buf_clear(&r->answer);
        return answered(r, buf_append_str(&r->answer, "{\"error\":\"fewer results or shorter operators expected: the answer would be too long\"}", &err), 413);
    }
    return answered(r, w.is_ok, status);
}

enum step route_presidio_anonymize_run(struct request *r)
{
    return anonymize(r, presidio_anonymize);
}

enum step route_presidio_deanonymize_run(struct request *r)
{
    return anonymize(r, presidio_deanonymize);
}

/* --- lists ---------------------------------------------------------------- */

/* Without the parameter: English, as Presidio. */
static bool has_language(const struct request *r)
{
    const char *language = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "language");

    return language == NULL || (strlen(language) <= LANGUAGE_MAX && presidio_has_language(span_str(language)));
}

static enum step list(struct request *r, bool are_entities)
{
    struct arena memory CLEANUP(arena_deinit);
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};
    bool is_ok = true;

    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (!has_language(r)) {
        put(&w, "{\"error\":\"No matching recognizers were found to serve the request.\"}");
        return answered(r, w.is_ok, 500);
    }
    r->snapshot = service_snapshot(r->service);
    if (are_entities) {
        is_ok = presidio_write_entities(r->service->names, r->snapshot->rules, &memory, &w);
    } else {
        presidio_write_recognizers(r->snapshot->rules, &w);
    }
    return answered(r, is_ok && w.is_ok, 200);
}

enum step route_presidio_entities_run(struct request *r)
{
    return list(r, true);
}

enum step route_presidio_recognizers_run(struct request *r)
{
    return list(r, false);
}

enum step route_presidio_anonymizers_run(struct request *r)
{
    return answer_text(r, "[\"custom\",\"encrypt\",\"hash\",\"keep\",\"mask\",\"redact\",\"replace\"]");
}

enum step route_presidio_deanonymizers_run(struct request *r)
{
    return answer_text(r, "[\"decrypt\",\"deanonymize_keep\"]");
}

/* --- guards --------------------------------------------------------------- */

/* Guardrails AI's Guard.load: a guard by its name, which is that of a policy. None is listed without its name. */
enum step route_guards_run(struct request *r)
{
    const char *name = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "name");
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};

    r->snapshot = service_snapshot(r->service);
    if (name == NULL || name[0] == '\0' || strlen(name) > (size_t)FILTER_NAME_MAX ||
        snapshot_policy(r->snapshot, span_str(name), span_of("", 0)) == NULL) {
        return answer_text(r, "[]");
    }
    put(&w, "[{\"id\":");
    put_string(&w, span_str(name));
    put(&w, ",\"name\":");
    put_string(&w, span_str(name));
    put(&w, ",\"description\":\"A policy of filterd\",\"validators\":[],\"output_schema\":{\"type\":\"string\"}}]");
    return answered(r, w.is_ok, 200);
}

/* GET /guards/{name}/history/{id}: its client asks after each answer. The record is no caller's to read. */
enum step route_guards_history_run(struct request *r)
{
    const char *words = strstr(r->parameter, "/history/");

    if (words == NULL || words == r->parameter || words[strlen("/history/")] == '\0') {
        request_problem(r, 404, "not found", NULL);
        return STEP_ANSWERED;
    }
    return answer_text(r, "[]");
}

/* --- health --------------------------------------------------------------- */

/* 503 when filterd cannot judge or record: products that ask this before they route to it leave it out. */
static enum step health(struct request *r, const char *json)
{
    if (!service_is_ready(r->service)) {
        request_problem(r, 503, "not ready", NULL);
        return STEP_ANSWERED;
    }
    return answer_text(r, json);
}

enum step route_contract_health_run(struct request *r)
{
    return health(r, "\"filterd is up\"");
}

enum step route_evaluate_health_run(struct request *r)
{
    return health(r, "{\"status\":\"ok\",\"version\":\"" FILTERD_VERSION "\"}");
}

/* OpenGuardrails' integrations say that they live; nothing is kept of it. */
enum step route_heartbeat_run(struct request *r)
{
    return health(r, "{\"ok\":true}");
}

enum step route_sanitize_status_run(struct request *r)
{
    return health(r, "{\"status\":\"ok\"}");
}
