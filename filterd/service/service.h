/* service.h - what all requests share: snapshot, workers, record, tokens, counters, limits.
 *
 * Made by the main thread before any request, taken apart after the last. What changes while it
 * runs changes whole: the snapshot and the tokens are swapped under a lock, the rest is atomic. */
#ifndef FILTERD_SERVICE_SERVICE_H
#define FILTERD_SERVICE_SERVICE_H

#include <pthread.h>

#include "budget/budget_store.h"
#include "enforce/agents.h"
#include "decision_log/decision_log.h"
#include "enforce/helper.h"
#include "state/keys.h"
#include "fleet/fleet.h"
#include "judge/review_quota.h"
#include "pipeline/bundled.h"
#include "state/token_keys.h"
#include "mask/conversations.h"
#include "service/admin.h"
#include "record/signer.h"
#include "service/following.h"
#include "service/metrics.h"
#include "service/reviews_seen.h"
#include "service/witnessed.h"
#include "upstream/reactor.h"
#include "http/stream_table.h"
#include "http/tls.h"
#include "http/tokens.h"
#include "upstream/upstream.h"
#include "http/worker_pool.h"
#include "ship/shipment.h"
#include "signin/passkeys.h"
#include "supervisor-llm/supervisor.h"

/* From the configuration. Texts are NULL when not given; numbers are in bytes, seconds or pieces.
 */
struct service_options {
    const char *listen, *operators, *agents, *ext_proc;
    const char *rules, *policy, *upstreams, *supervisors;
    const char *on_expired; /* of a bundle: serve or block */
    const char *bundles, *bundle_keys; /* signed policy bundles, with which rules is the folder of the one taken; NULL: none */
    const char *state_directory, *cache_directory, *log, *tokens;
    const char *keep;       /* how long lines are kept (decision_log/retention.h); filterctl asks for it */
    const char *proof;      /* on or off */
    const char *index;      /* on or off */
    const char *receipts;   /* held, always or off; NULL: held */
    const char *spans;      /* on or off; NULL: off */
    uint64_t trace_rate;    /* of a million requests without a trace */
    const char *new_record; /* why a new log begins at this start */
    const char *hosts, *origins;
    const char *page_identity; /* file */
    uint64_t page_session_limit; /* seconds */
    const char *page_passkeys;   /* required, optional or off; NULL: off */
    const char *page_origin;
    const char *ship_required, *ship_state;
    const char *tls_certificate, *tls_key, *tls_client_ca;
    uint64_t socket_mode, agents_mode;
    uint64_t text_max, body_max, batch_body_max, batch_line_max, inline_max, memory_max;
    uint64_t connections, connections_per_ip, connection_memory, queue, proxy_streams;
    uint64_t idle_timeout, request_timeout, drain_timeout, rate_min;
    uint64_t threads;
    uint64_t streams, stream_timeout, node;
    uint64_t conversations, conversation_timeout, conversation_memory;
    uint64_t budget_memory;
    uint64_t kill_test;
    const char *link, *on_loss; /* unix:/path or none; local or strict */
    uint64_t kill_lease;        /* seconds */
    uint64_t ship_within;
    const char *witnesses, *signer_directory;
    const char *copies;                            /* folder of the copies of a fleet's logs; NULL: none */
    const char *console, *console_key, *consoles;  /* the name and key of this review console; those whose decisions are taken */
    uint64_t witness_interval, witness_timeout, witness_within; /* seconds */
};

enum { SERVICE_SPARES = 8 };

struct history;
struct request;
struct sealer;
struct sessions;
struct verification;
struct page_identity;
struct registration_socket;
struct identities;
struct names;
struct exports;
struct replicas;

/* Requests kept for reuse. */
struct spare_requests {
    _Alignas(64) pthread_mutex_t lock;
    struct request *first;
    unsigned n;
};

struct service {
    const struct service_options *options;
    struct keys keys;
    struct token_keys *token_keys; /* of the record's values */
    struct metrics metrics;
    struct worker_pool *pool;
    struct identities *identities;
    struct names *names; /* of rules in other systems (policy/names.h) */
    struct bundled bundled; /* set before service_init */
    struct signer signer; /* of the record, set before service_open; socket -1: none, and the record has no proof */
    struct decision_log *log;
    struct sealer *sealer; /* NULL: no policy has sealed yet */
    atomic_bool is_sealing; /* texts are in locked memory, and wiped */
    struct admin admin; /* under `reloading` once the service runs */
    struct shipments shipments; /* sinks of filterd-ship that readiness depends on */
    atomic_bool is_late;        /* one of them is, and the log says so */
    struct witnessed witnessed;
    struct following following;
    struct {
        pthread_mutex_t lock; /* one change of the review at a time */
        bool is_current;      /* guarded by lock: review.db has all lines that were on disk */
        struct reviews_seen seen;
    } reviews;
    struct agents agents;
    struct fleet *fleet; /* NULL: this node is alone */
    struct fleet_reviews fleet_reviews; /* carries out decisions of consoles; set before service_open */
    struct replicas *replicas; /* of the logs of its nodes, for a review console; NULL: none */
    struct budgets *budgets;           /* what was disclosed (budget/budgets.h) */
    struct budget_store *_Atomic budget_store; /* NULL: no state directory, or no policy had budgets yet */
    struct registration_socket *registrations;
    struct helper helper; /* set before service_open; channel -1: none */
    struct supervisor *supervisor; /* NULL: none is set up */
    struct stream_table *streams;
    struct history *history;             /* of requests to upstreams: messages that were judged without a finding */
    struct conversations *conversations; /* of callers, with the values that they had masked */
    struct sessions *sessions; /* of the review page */
    struct passkeys *passkeys;       /* of the people who sign in there; NULL: off */
    struct passkey_site passkey_site; /* likewise */
    bool requires_passkeys;          /* of everybody, not only of those who have one */
    struct review_quota quota; /* of samples of rules; snapshots borrow it */
    struct page_identity *page_identity; /* NULL: no reverse proxy says who is signed in there */
    struct verification *verification; /* asked for there */
    struct exports *exports;           /* likewise; NULL: there can be none */
    struct tls *tls;      /* NULL: plain HTTP */
    pthread_mutex_t lock; /* guards snapshot, upstreams and tokens */
    struct snapshot *snapshot;
    struct upstreams *upstreams; /* NULL: no proxy */
    struct tokens *tokens;
    struct spare_requests spare[SERVICE_SPARES]; /* a thread keeps to one */
    struct reactor **reactors;                   /* of the proxy, one per processor */
    unsigned n_reactors;
    atomic_uint next_reactor;
    bool locks_ports;          /* an upstream on a port of its own needs a new start */
    pthread_mutex_t reloading; /* one reload at a time */
    _Atomic uint64_t held;     /* bytes that requests hold */
    atomic_bool is_draining;   /* no new connections */
    atomic_bool is_stopping;   /* no new requests */
    atomic_bool is_cutting;    /* streams end where they are */
    int statm;                 /* /proc/self/statm, opened before the sandbox */
};

/* Loads rules, policy, tokens and certificate; takes upstreams and endpoints over, either of which may be NULL. On
 * failure what was made is released by service_deinit, which accepts a service in any state. */
MUST_CHECK bool service_init(struct service *s, const struct service_options *options,
                             struct upstreams *upstreams, struct endpoints *endpoints, struct error *err);
/* Opens the record and its writer. Apart from service_init, so that --check writes nothing. */
MUST_CHECK bool service_open(struct service *s, struct error *err);
/* Starts the threads that judge and fetch. */
MUST_CHECK bool service_start(struct service *s, struct error *err);
void service_deinit(struct service *s);

/* Reads rules, policy, upstreams, tokens and certificate again and reopens the record's file. All
 * or nothing but for the file; on failure the old state stays. What changes is on record before, with
 * `by`: who asked. Any thread but the record's writer. */
MUST_CHECK bool service_reload(struct service *s, const char *by, struct error *err);

/* The snapshot of the moment, to be given back by snapshot_unref. */
struct snapshot *service_snapshot(struct service *s);
/* The same, with the upstreams that belong to it; both are the caller's to give back. */
void service_state(struct service *s, struct snapshot **snapshot, struct upstreams **upstreams);
size_t service_token_count(struct service *s);
/* The roles of a token; 0 when no entry has it. */
unsigned service_role(struct service *s, struct span token);
/* Copies the name of a token; false, and `name` as it was, when no entry has it. */
bool service_token_name(struct service *s, struct span token, char *name, size_t size);

/* Takes or gives back room for `n` bytes of a request; false when there is none. */
MUST_CHECK bool service_hold(struct service *s, uint64_t n);
void service_release(struct service *s, uint64_t n);

/* Everything that an answer depends on works. */
bool service_is_ready(struct service *s);
/* Why it is not, for those who ask: a text of this program, without a path or a name. NULL: it is ready. */
const char *service_obstacle(struct service *s);

#endif
