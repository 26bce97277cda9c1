/* routes.h - which path leads where: one table. A route lives in a file of its own, route_NAME.c.
 *
 * A path may have one part in braces: it stands for any one part that is not empty. Dots before the closing brace let it
 * hold slashes, for names that do; paths of one method may then differ in their last part alone. */
#ifndef FILTERD_SERVER_ROUTES_H
#define FILTERD_SERVER_ROUTES_H

#include "service/listener.h"
#include "service/request.h"

enum body_kind {                                                      /* bits */
                 BODY_NONE = 0,
                 BODY_JSON = 1,
                 BODY_PLAIN = 2,
                 BODY_NDJSON = 4,
                 BODY_ABSENT = 8, /* no Content-Type: the route looks whether the body is empty */
};

struct route {
    const char *name; /* in metrics */
    const char *method, *path;
    unsigned listeners; /* where it is served */
    unsigned roles;     /* any of them may call it; 0: no token is needed */
    unsigned bodies;    /* what it takes */
    /* Optional: more of the body is about to be taken. */
    enum step (*receive)(struct request *r);
    /* The whole request has come. */
    enum step (*run)(struct request *r);
};

/* Anything but visible ASCII; before the query also a '%' that is not followed by two hexadecimal digits, or an encoded
 * NUL: such a target has no exact meaning. `target` is as it was sent. */
bool route_is_malformed(const char *target);

/* What was found: the route, or why there is none. `allow` is for 405. */
struct route_match {
    const struct route *route; /* the route for no route when status is not 0 */
    unsigned status;
    const char *allow;
    struct span parameter; /* what the braces stand for; borrowed from the path */
};
/* `path` is decoded, once. */
struct route_match route_find(unsigned listener, const char *method, const char *path);

unsigned route_index(const struct route *route);
/* One name per index; *n is their number. */
const char *const *route_names(unsigned *n);

/* The route of all requests to upstreams; route_find never finds it. */
const struct route *route_proxy(void);

enum step route_filter_run(struct request *r);
enum step route_batch_receive(struct request *r);
enum step route_batch_run(struct request *r);
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
enum step route_records_run(struct request *r);
enum step route_records_of_run(struct request *r);
enum step route_record_line_run(struct request *r);
enum step route_tally_run(struct request *r);

#endif
