/* routes.h - the table of routes. Each route has its own file, route_NAME.c.
 *
 * A path may have one part in braces, which matches any one non-empty part. With dots before the closing brace it also
 * matches slashes, for names that contain them; paths of one method may then differ only in their last part. */
#ifndef FILTERD_SERVER_ROUTES_H
#define FILTERD_SERVER_ROUTES_H

#include "service/listener.h"
#include "service/request.h"

enum body_kind {                                                      /* bits */
                 BODY_NONE = 0,
                 BODY_JSON = 1,
                 BODY_PLAIN = 2,
                 BODY_NDJSON = 4,
                 BODY_FORM = 16, /* application/x-www-form-urlencoded */
                 BODY_ABSENT = 8, /* no Content-Type: the route checks that the body is empty */
};

struct route {
    const char *name; /* in metrics */
    const char *method, *path;
    unsigned listeners; /* that serve it */
    unsigned roles;     /* any of them may call it; 0: no token is needed */
    unsigned bodies;    /* accepted kinds of body */
    /* Optional: called before more of the body is read. */
    enum step (*receive)(struct request *r);
    /* Called when the request is complete. */
    enum step (*run)(struct request *r);
};

/* True for an ambiguous target: bytes other than visible ASCII; before the query also a '%' without two hexadecimal digits,
 * or an encoded NUL. `target` is the raw target. */
bool route_is_malformed(const char *target);

/* The result of a lookup: the route, or why there is none. `allow` is for 405. */
struct route_match {
    const struct route *route; /* the route for no route when status is not 0 */
    unsigned status;
    const char *allow;
    struct span parameter; /* the part that the braces match; borrowed from the path */
};
/* `path` is decoded, once. */
struct route_match route_find(unsigned listener, const char *method, const char *path);

/* Those of the table, in its order, without the two that no path has; NULL behind the last. */
const struct route *route_at(unsigned i);
unsigned route_index(const struct route *route);
/* One name per index; *n is their number. */
const char *const *route_names(unsigned *n);

/* The route of all requests to upstreams; route_find never finds it. */
const struct route *route_proxy(void);

enum step route_filter_run(struct request *r);
enum step route_batch_receive(struct request *r);
enum step route_batch_run(struct request *r);
enum step route_contract_run(struct request *r);
enum step route_presidio_anonymize_run(struct request *r);
enum step route_presidio_deanonymize_run(struct request *r);
enum step route_heartbeat_run(struct request *r);
enum step route_guards_run(struct request *r);
enum step route_guards_history_run(struct request *r);
enum step route_presidio_entities_run(struct request *r);
enum step route_presidio_recognizers_run(struct request *r);
enum step route_presidio_anonymizers_run(struct request *r);
enum step route_presidio_deanonymizers_run(struct request *r);
enum step route_contract_health_run(struct request *r);
enum step route_evaluate_health_run(struct request *r);
enum step route_sanitize_status_run(struct request *r);
enum step route_litellm_run(struct request *r);
enum step route_stream_open_run(struct request *r);
enum step route_stream_chunk_run(struct request *r);
enum step route_stream_end_run(struct request *r);
enum step route_health_run(struct request *r);
enum step route_ready_run(struct request *r);
enum step route_metrics_run(struct request *r);
enum step route_agents_run(struct request *r);
enum step route_agent_run(struct request *r);
enum step route_agent_kill_run(struct request *r);
enum step route_agent_revive_run(struct request *r);
enum step route_agent_violation_run(struct request *r);
enum step route_fleet_run(struct request *r);
enum step route_policy_run(struct request *r);
enum step route_rules_run(struct request *r);
enum step route_reload_run(struct request *r);
enum step route_record_run(struct request *r);
enum step route_checkpoint_run(struct request *r);
enum step route_make_checkpoint_run(struct request *r);
enum step route_cosigned_run(struct request *r);
enum step route_record_policy_run(struct request *r);
enum step route_tile_run(struct request *r);
enum step route_consistency_run(struct request *r);
enum step route_proof_run(struct request *r);
enum step route_receipt_run(struct request *r);
enum step route_look_run(struct request *r);
enum step route_hold_run(struct request *r);
enum step route_erasure_run(struct request *r);
enum step route_rewrap_run(struct request *r);
enum step route_prune_run(struct request *r);
enum step route_records_run(struct request *r);
enum step route_records_of_run(struct request *r);
enum step route_record_line_run(struct request *r);
enum step route_tally_run(struct request *r);
enum step route_prune_files_run(struct request *r);
enum step route_kek_run(struct request *r);
enum step route_scans_run(struct request *r);
enum step route_items_run(struct request *r);
enum step route_item_run(struct request *r);
enum step route_item_step_run(struct request *r);
enum step route_groups_run(struct request *r);
enum step route_group_run(struct request *r);
enum step route_review_counts_run(struct request *r);
enum step route_page_run(struct request *r);
enum step route_exceptions_run(struct request *r);
enum step route_exception_preview_run(struct request *r);
enum step route_exception_propose_run(struct request *r);
enum step route_exception_approve_run(struct request *r);
enum step route_exception_refuse_run(struct request *r);
enum step route_exception_withdraw_run(struct request *r);
enum step route_reveals_run(struct request *r);
enum step route_reveal_ask_run(struct request *r);
enum step route_reveal_approve_run(struct request *r);
enum step route_reveal_refuse_run(struct request *r);
enum step route_reveal_close_run(struct request *r);
enum step route_reveal_blob_run(struct request *r);
enum step route_quality_run(struct request *r);
enum step route_export_begin_run(struct request *r);
enum step route_export_run(struct request *r);

#endif
