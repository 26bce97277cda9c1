/* endpoints.h - the models that filterd may ask, in order of preference (filterd-supervisors(5)).
 *
 * A set is immutable. A key is only in memory, is wiped with its set, and never appears in an error. */
#ifndef FILTERD_SUPERVISOR_LLM_ENDPOINTS_H
#define FILTERD_SUPERVISOR_LLM_ENDPOINTS_H

#include "base/arena.h"
#include "base/yaml.h"
#include "supervisor-llm/prompt.h"

enum { ENDPOINTS_MAX = 16 };

struct endpoint {
    char name[SUPERVISION_NAME_MAX + 1];
    char model[SUPERVISION_MODEL_MAX + 1];
    const char *url; /* of the API, without a slash at the end: http://127.0.0.1:8080/v1 */
    unsigned port;
    const char *key_file, *ca; /* NULL: none; the system's */
    const char *key;           /* the Authorization header's line; NULL: none */
    enum prompt_format format;
    bool is_completion_named;
    uint64_t concurrency, tokens_per_minute, answer_tokens, answer_max;
    uint64_t connect_timeout_ms, attempt_timeout_ms;
};

/* A URL that is notified of late verdicts. */
struct webhook {
    const char *url; /* NULL: none */
    unsigned port;
    const char *key_file, *ca;
    const char *key; /* as above */
};

struct endpoints {
    struct arena memory;
    const char *file;
    struct endpoint *items; /* in the file's order */
    size_t n;
    struct webhook webhook;
    const char *prompts; /* a directory; NULL: the built-in prompts */
    uint64_t text_max, queue, retries, hedge_ms, cache_entries, cache_ttl_s;
};

/* Parses YAML; reads no other file, so keys remain NULL. `file` is for errors: "file:line:column: what
 * was expected". NULL on failure. */
struct endpoints *endpoints_parse(const char *file, struct span yaml, struct error *err);
/* Loads the file and the keys it names. */
struct endpoints *endpoints_load(const char *path, struct error *err);
/* Accepts NULL. */
void endpoints_free(struct endpoints *e);

#endif
