#include "server/routes.h"

#include <ctype.h>

#include "proxy/proxy.h"
#include "service/access.h"
#include "websocket/websocket.h"

enum {
    EVERYWHERE = LISTENER_DELIVERY | LISTENER_OPERATORS,
    CALLERS = ROLE_CALLER,
    WATCHERS = ROLE_REVIEWER | ROLE_APPROVER | ROLE_AUDITOR | ROLE_OPERATOR,
    TENANTS = ACCESS_TENANTS,
    DECIDERS = ROLE_REVIEWER | ROLE_APPROVER | TENANTS,
    SEERS = DECIDERS | ROLE_AUDITOR,
};

static enum step run_proxied(struct request *r)
{
    return r->proxy->use == ROUTE_UPGRADED ? websocket_run(r) : proxy_run(r);
}

/* The first is for requests without a route, the second for those to an upstream. The admin may call everything. */
static const struct route routes[] = {
    {"none", "", "", 0, 0, BODY_NONE, NULL, NULL},
    {"proxy", "", "", 0, ROLE_PROXY, BODY_NONE, NULL, run_proxied},
    {"filter", "POST", "/v1/filter", EVERYWHERE, CALLERS, BODY_JSON | BODY_PLAIN, NULL,
     route_filter_run},
    {"batch", "POST", "/v1/filter/batch", EVERYWHERE, CALLERS, BODY_NDJSON, route_batch_receive,
     route_batch_run},
    {"stream_open", "POST", "/v1/streams", EVERYWHERE, CALLERS, BODY_JSON | BODY_ABSENT, NULL,
     route_stream_open_run},
    {"stream_chunk", "POST", "/v1/streams/{id}/chunks", EVERYWHERE, CALLERS, BODY_JSON | BODY_PLAIN,
     NULL, route_stream_chunk_run},
    {"stream_end", "POST", "/v1/streams/{id}/end", EVERYWHERE, CALLERS, BODY_JSON | BODY_ABSENT,
     NULL, route_stream_end_run},
    {"litellm", "POST", "/beta/litellm_basic_guardrail_api", EVERYWHERE, CALLERS, BODY_JSON, NULL,
     route_litellm_run},
    {"moderations", "POST", "/v1/moderations", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"presidio_analyze", "POST", "/analyze", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"presidio_anonymize", "POST", "/anonymize", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_presidio_anonymize_run},
    {"presidio_deanonymize", "POST", "/deanonymize", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_presidio_deanonymize_run},
    {"presidio_entities", "GET", "/supportedentities", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_presidio_entities_run},
    {"presidio_recognizers", "GET", "/recognizers", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_presidio_recognizers_run},
    {"presidio_anonymizers", "GET", "/anonymizers", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_presidio_anonymizers_run},
    {"presidio_deanonymizers", "GET", "/deanonymizers", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_presidio_deanonymizers_run},
    {"detector_contents", "POST", "/api/v1/text/contents", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"detector_generation", "POST", "/api/v1/text/generation", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"detector_chat", "POST", "/api/v1/text/chat", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"detector_context", "POST", "/api/v1/text/context/doc", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"webhook_request", "POST", "/request", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"webhook_response", "POST", "/response", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"portkey", "POST", "/portkey", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"evaluate", "POST", "/v1/evaluate", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"llm_guard_output", "POST", "/analyze/output", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"llm_guard_scan_output", "POST", "/scan/output", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"llm_guard_prompt", "POST", "/analyze/prompt", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"llm_guard_scan_prompt", "POST", "/scan/prompt", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"apply_guardrail", "POST", "/guardrail/{version...}/apply", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"guardrail_checks", "POST", "/v1/guardrail/checks", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"guards", "GET", "/guards", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_guards_run},
    {"guards_history", "GET", "/guards/{call...}", EVERYWHERE, CALLERS, BODY_NONE, NULL, route_guards_history_run},
    {"guards_validate", "POST", "/guards/{name}/validate", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"hooks_claude_code", "POST", "/v1/hooks/claude-code", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"hooks_codex", "POST", "/v1/hooks/codex", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"sanitize", "POST", "/llm/v1/sanitize", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"sanitize_credentials", "POST", "/llm/v1/sanitize_credentials", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_contract_run},
    {"health", "GET", "/healthz", EVERYWHERE, 0, BODY_NONE, NULL, route_health_run},
    {"contract_health", "GET", "/health", EVERYWHERE, 0, BODY_NONE, NULL, route_contract_health_run},
    {"heartbeat", "POST", "/v1/heartbeat", EVERYWHERE, CALLERS, BODY_JSON, NULL, route_heartbeat_run},
    {"evaluate_health", "GET", "/v1/health", EVERYWHERE, 0, BODY_NONE, NULL, route_evaluate_health_run},
    {"sanitize_status", "GET", "/llm/v1/status", EVERYWHERE, 0, BODY_NONE, NULL, route_sanitize_status_run},
    {"ready", "GET", "/readyz", EVERYWHERE, 0, BODY_NONE, NULL, route_ready_run},
    {"metrics", "GET", "/metrics", EVERYWHERE, WATCHERS, BODY_NONE, NULL, route_metrics_run},
    {"agents", "GET", "/v1/agents", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_agents_run},
    {"agent", "GET", "/v1/agents/{name...}", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_agent_run},
    {"agent_kill", "POST", "/v1/agents/{name...}/kill", LISTENER_OPERATORS, ROLE_OPERATOR | TENANTS, BODY_NONE, NULL,
     route_agent_kill_run},
    {"agent_revive", "POST", "/v1/agents/{name...}/revive", LISTENER_OPERATORS, ROLE_OPERATOR | TENANTS, BODY_NONE, NULL,
     route_agent_revive_run},
    {"agent_violation", "POST", "/v1/agents/{name...}/violations", LISTENER_OPERATORS, ROLE_REPORTER | ROLE_OPERATOR,
     BODY_JSON, NULL, route_agent_violation_run},
    {"fleet", "GET", "/v1/fleet", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_fleet_run},
    {"policy", "GET", "/v1/policy", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL,
     route_policy_run},
    {"rules", "GET", "/v1/rules", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_rules_run},
    {"record", "GET", "/v1/record", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_record_run},
    {"reload", "POST", "/v1/policy/reload", LISTENER_OPERATORS, ROLE_OPERATOR, BODY_NONE, NULL,
     route_reload_run},
    {"record_checkpoint", "GET", "/v1/record/checkpoint", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_checkpoint_run},
    {"record_checkpoint_new", "POST", "/v1/record/checkpoint", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL,
     route_make_checkpoint_run},
    {"record_cosigned", "GET", "/v1/record/cosigned", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_cosigned_run},
    {"record_policy", "GET", "/v1/record/policy", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_record_policy_run},
    {"record_tile", "GET", "/v1/record/tile/{path...}", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_tile_run},
    {"record_consistency", "GET", "/v1/record/consistency", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL,
     route_consistency_run},
    {"record_proof", "GET", "/v1/records/{seq}/proof", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_proof_run},
    {"access", "POST", "/v1/accesses", LISTENER_OPERATORS, WATCHERS, BODY_NONE, NULL, route_look_run},
    {"hold", "POST", "/v1/holds", LISTENER_OPERATORS, ROLE_ADMIN, BODY_NONE, NULL, route_hold_run},
    {"erasure", "POST", "/v1/erasures", LISTENER_OPERATORS, ROLE_ADMIN, BODY_NONE, NULL, route_erasure_run},
    {"rewrap", "POST", "/v1/rewraps", LISTENER_OPERATORS, ROLE_ADMIN, BODY_NONE, NULL, route_rewrap_run},
    {"prune", "POST", "/v1/prunes", LISTENER_OPERATORS, ROLE_ADMIN, BODY_NONE, NULL, route_prune_run},
    {"scans", "POST", "/v1/scans", LISTENER_OPERATORS, ROLE_OPERATOR, BODY_JSON, NULL, route_scans_run},
    {"records", "GET", "/v1/records", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_records_run},
    {"records_of", "GET", "/v1/records/by-request/{req_id}", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL,
     route_records_of_run},
    {"record_line", "GET", "/v1/records/{seq}", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_record_line_run},
    {"tally", "GET", "/v1/tally", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_tally_run},
    {"prune_files", "POST", "/v1/prunes/files", LISTENER_OPERATORS, ROLE_ADMIN, BODY_NONE, NULL, route_prune_files_run},
    {"kek", "POST", "/v1/keks/{id}", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_REVIEWER, BODY_NONE, NULL, route_kek_run},
    {"items", "GET", "/v1/items", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_items_run},
    {"item", "GET", "/v1/items/{seq}", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_item_run},
    {"item_step", "POST", "/v1/items/{step...}", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_REVIEWER | TENANTS, BODY_JSON | BODY_ABSENT, NULL,
     route_item_step_run},
    {"groups", "GET", "/v1/groups", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_groups_run},
    {"group", "GET", "/v1/groups/{id}", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_group_run},
    {"review_counts", "GET", "/v1/review", LISTENER_OPERATORS, WATCHERS | TENANTS, BODY_NONE, NULL, route_review_counts_run},
    {"page_home", "GET", "/review", LISTENER_OPERATORS, ACCESS_PAGE, BODY_NONE, NULL, route_page_run},
    {"page", "GET", "/review/{path...}", LISTENER_OPERATORS, ACCESS_PAGE, BODY_NONE, NULL, route_page_run},
    {"page_change", "POST", "/review/{path...}", LISTENER_OPERATORS, ACCESS_PAGE, BODY_FORM, NULL, route_page_run},
    {"exceptions", "GET", "/v1/exceptions", LISTENER_OPERATORS, SEERS, BODY_NONE, NULL, route_exceptions_run},
    {"exception_preview", "POST", "/v1/exceptions/preview", LISTENER_OPERATORS, DECIDERS, BODY_JSON, NULL, route_exception_preview_run},
    {"exception_propose", "POST", "/v1/exceptions", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_REVIEWER | TENANTS, BODY_JSON, NULL, route_exception_propose_run},
    {"exception_approve", "POST", "/v1/exceptions/{id}/approve", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_APPROVER | TENANTS, BODY_NONE, NULL,
     route_exception_approve_run},
    {"exception_refuse", "POST", "/v1/exceptions/{id}/refuse", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_APPROVER | TENANTS, BODY_NONE, NULL,
     route_exception_refuse_run},
    {"exception_withdraw", "POST", "/v1/exceptions/{id}/withdraw", LISTENER_OPERATORS, ACCESS_PERSON | DECIDERS, BODY_NONE, NULL,
     route_exception_withdraw_run},
    {"reveals", "GET", "/v1/reveals", LISTENER_OPERATORS, SEERS, BODY_NONE, NULL, route_reveals_run},
    {"reveal_ask", "POST", "/v1/reveals", LISTENER_OPERATORS, ACCESS_PERSON | DECIDERS, BODY_JSON, NULL, route_reveal_ask_run},
    {"reveal_approve", "POST", "/v1/reveals/{id}/approve", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_APPROVER | TENANTS, BODY_NONE, NULL, route_reveal_approve_run},
    {"reveal_refuse", "POST", "/v1/reveals/{id}/refuse", LISTENER_OPERATORS, ACCESS_PERSON | ROLE_APPROVER | TENANTS, BODY_NONE, NULL, route_reveal_refuse_run},
    {"reveal_close", "POST", "/v1/reveals/{id}/close", LISTENER_OPERATORS, ACCESS_PERSON | DECIDERS, BODY_NONE, NULL, route_reveal_close_run},
    {"reveal_blob", "GET", "/v1/reveals/{id}/blob", LISTENER_OPERATORS, ACCESS_PERSON | DECIDERS, BODY_NONE, NULL, route_reveal_blob_run},
    {"quality", "GET", "/v1/rules/{id}/quality", LISTENER_OPERATORS, SEERS, BODY_NONE, NULL, route_quality_run},
    {"export_begin", "POST", "/v1/exports", LISTENER_OPERATORS, ROLE_AUDITOR | TENANTS, BODY_JSON, NULL, route_export_begin_run},
    {"export", "GET", "/v1/exports/{id}", LISTENER_OPERATORS, ROLE_AUDITOR | TENANTS, BODY_NONE, NULL, route_export_run},
    {"receipt", "GET", "/v1/receipts/{receipt}", EVERYWHERE, CALLERS | WATCHERS | TENANTS, BODY_NONE, NULL, route_receipt_run},
};

_Static_assert(COUNT(routes) <= METRICS_ROUTES_MAX, "one counter per route");

/* The part between the text before the braces and the text after them. */
static bool path_matches(const char *route, const char *path, struct span *parameter)
{
    const char *brace = strchr(route, '{');
    size_t before = brace == NULL ? strlen(route) : (size_t)(brace - route), len = strlen(path);

    if (brace == NULL || strncmp(route, path, before) != 0) {
        return brace == NULL && strcmp(route, path) == 0;
    }
    const char *behind = strchr(brace, '}') + 1;
    size_t after = strlen(behind);
    if (len <= before + after || strcmp(path + len - after, behind) != 0) {
        return false;
    }
    *parameter = span_of(path + before, len - before - after);
    return behind[-2] == '.' || memchr(parameter->ptr, '/', parameter->len) == NULL;
}

bool route_is_malformed(const char *target)
{
    bool is_path = true;

    for (const char *c = target; *c != '\0'; c++) {
        is_path = is_path && *c != '?';
        bool is_whole = *c != '%' || (isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]));
        if (!isgraph((unsigned char)*c) || (is_path && (!is_whole || strncmp(c, "%00", 3) == 0))) {
            return true;
        }
    }
    return false;
}

/* What Allow says of a path with routes of these methods. HEAD is wherever GET is. */
static const char *const allowed[] = {NULL, "GET, HEAD", "POST", "GET, HEAD, POST"};

static unsigned bit_of(const char *method)
{
    return strcmp(method, "GET") == 0 ? 1 : 2;
}

struct route_match route_find(unsigned listener, const char *method, const char *path)
{
    struct route_match match = {.route = &routes[0], .status = 404};
    const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
    unsigned methods = 0;

    for (size_t i = 1; i < COUNT(routes); i++) {
        const struct route *r = &routes[i];
        struct span parameter = {0};
        if ((r->listeners & listener) == 0 || !path_matches(r->path, path, &parameter)) {
            continue;
        }
        if (strcmp(r->method, wanted) == 0) {
            return (struct route_match){.route = r, .parameter = parameter};
        }
        match.status = 405;
        methods |= bit_of(r->method);
    }
    match.allow = allowed[methods];
    return match;
}

const struct route *route_proxy(void)
{
    return &routes[1];
}

const struct route *route_at(unsigned i)
{
    enum { WITHOUT_PATH = 2 };

    return i < COUNT(routes) - WITHOUT_PATH ? &routes[i + WITHOUT_PATH] : NULL;
}

unsigned route_index(const struct route *route)
{
    return (unsigned)(route - routes);
}

const char *const *route_names(unsigned *n)
{
    static const char *names[COUNT(routes)];

    for (size_t i = 0; i < COUNT(routes); i++) {
        names[i] = routes[i].name; /* always the same: any thread may write it */
    }
    *n = COUNT(routes);
    return names;
}
