/* filterd.h - libfilterd: texts are judged in a program of yours, without the service. libfilterd(3) is the manual.
 *
 *     char error[FILTERD_ERROR_MAX];
 *     filterd_engine *engine = filterd_open(NULL, error, sizeof(error));      // the built-in rules and policy
 *     filterd_worker *worker = filterd_worker_new(engine);                    // one for each thread
 *     struct filterd_verdict verdict = {.size = sizeof(verdict)};
 *     if (filterd_judge(worker, text, length, 0, &verdict) != FILTERD_BLOCK) {
 *         deliver(verdict.text, verdict.text_length);
 *     }
 *
 * Verdicts are those of the service and of filterctl for the same rules and policy. There is no decision log, no account of
 * agents and no supervisor: a policy's rules for those do not apply here.
 *
 * An error is a block: zeroed memory blocks, and so does a text that could not be judged. The library has no global state,
 * prints nothing, ends no process and changes no signal. An engine is immutable: any number of threads may use it, each with a
 * worker of its own. Neither survives fork: in the child each call fails, and says so.
 *
 * Texts are bytes with a length; they should be UTF-8, and other bytes are judged as they stand. Offsets are bytes. Every
 * struct begins with its size, so that members can be added without breaking programs: set `size` before a call. */
#ifndef FILTERD_LIBRARY_FILTERD_H
#define FILTERD_LIBRARY_FILTERD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FILTERD_ABI 1
#define FILTERD_API __attribute__((visibility("default")))

enum { FILTERD_ERROR_MAX = 512 };          /* bytes that hold every error message, with its NUL */
enum { FILTERD_TEXT_MAX = 64 * 1024 * 1024 }; /* bytes of one text; a longer one is not judged, and so blocked */
#define FILTERD_NO_RULE UINT32_MAX

/* What may happen to a text, or to a finding. The strictest is zero. */
enum filterd_action { FILTERD_BLOCK, FILTERD_REDACT, FILTERD_ALLOW };

enum filterd_flags {
    FILTERD_NO_TEXT = 1 << 0, /* the redacted text is not needed: saves its copy in filterd_judge_arrow */
};

typedef struct filterd_engine filterd_engine;
typedef struct filterd_worker filterd_worker;

/* All members but `size` may be NULL; all are borrowed until filterd_open returns. */
struct filterd_options {
    uint32_t size;
    uint32_t flags;            /* none yet: 0 */
    const char *rules;         /* folder of rules; NULL: those built in */
    const char *policy;        /* policy file; NULL: the one of the rules */
    const char *policy_text;   /* the content of a policy file, instead of `policy` */
    const char *policy_name;   /* which policy of the file; NULL: the tenant's, else "default" */
    const char *cache;         /* folder for compiled rules, which only this user may write; NULL: they are compiled in memory,
                                  which takes seconds */
    const char *tenant, *app, *agent; /* whose texts they are, for policies that name them */
    const uint8_t *hash_key, *encrypt_key; /* 32 bytes each, for the operators hash and encrypt; NULL: random ones, so that
                                              tokens agree with nothing outside this engine */
};

/* NULL with a message in `error`, which is never longer than FILTERD_ERROR_MAX and never contains a text. `options` NULL: the
 * built-in rules and policy. */
FILTERD_API filterd_engine *filterd_open(const struct filterd_options *options, char *error, size_t error_size);
/* After its workers are freed. NULL does nothing. */
FILTERD_API void filterd_close(filterd_engine *engine);

/* "sha256:…" of everything that decides a verdict: rules, policy, engine. Equal digests, equal verdicts. */
FILTERD_API const char *filterd_digest(const filterd_engine *engine);
FILTERD_API const char *filterd_version(void);
FILTERD_API uint32_t filterd_abi(void);

/* NULL: no memory, or after fork. */
FILTERD_API filterd_worker *filterd_worker_new(filterd_engine *engine);
FILTERD_API void filterd_worker_free(filterd_worker *worker);

struct filterd_finding {
    uint32_t rule;       /* filterd_rule_name */
    uint32_t start, end; /* bytes of the text, half-open */
    float confidence;    /* 0 to 1 */
    uint8_t action;      /* enum filterd_action: what the policy says to this finding */
    uint8_t category;    /* filterd_category_name */
    uint8_t severity;    /* filterd_severity_name */
    uint8_t is_shadow;   /* recorded alone: the policy does not act on it */
    const char *view;    /* how the text was read to find it: "raw", "base64", … */
};

/* Borrowed from the worker, valid until its next call. */
struct filterd_verdict {
    uint32_t size;         /* in: sizeof(struct filterd_verdict) */
    uint8_t action;        /* enum filterd_action */
    uint8_t is_unjudged;   /* blocked because it could not be judged */
    uint16_t finding_size; /* bytes from one finding to the next: use filterd_verdict_finding */
    uint32_t rule;         /* that decided; FILTERD_NO_RULE: none */
    const char *text;      /* what may be delivered, no NUL behind it; NULL when blocked */
    size_t text_length;
    const char *notice;    /* what the policy shows in place of a blocked text; NULL when it is not blocked */
    size_t notice_length;
    const struct filterd_finding *findings;
    size_t n_findings;
    const char *error;     /* why it could not be judged; NULL when it was */
};

static inline const struct filterd_finding *filterd_verdict_finding(const struct filterd_verdict *verdict, size_t i)
{
    return (const struct filterd_finding *)((const char *)verdict->findings + i * verdict->finding_size);
}

/* Judges one text. Returns the action, so that 0 is a block. */
FILTERD_API int filterd_judge(filterd_worker *worker, const char *text, size_t length, uint32_t flags,
                              struct filterd_verdict *verdict);

/* The id of a rule; of filterd_rule_count() it is "filterd.unjudged"; of other numbers NULL. Valid as long as the engine. */
FILTERD_API const char *filterd_rule_name(const filterd_engine *engine, uint32_t rule);
FILTERD_API uint32_t filterd_rule_count(const filterd_engine *engine);
/* NULL: there is none of that number. */
FILTERD_API const char *filterd_action_name(uint8_t action);
FILTERD_API const char *filterd_category_name(uint8_t category);
FILTERD_API const char *filterd_severity_name(uint8_t severity);

/* The Arrow C data interface, https://arrow.apache.org/docs/format/CDataInterface.html; these two are its own definitions. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

/* Judges each text of an array of type utf8, large_utf8 or utf8_view with up to `threads` threads (0: one for each processor).
 * Takes over `in` and releases it, also on failure; `schema` stays the caller's. On success (0) `out` and `out_schema` are the
 * caller's to release:
 *
 *     struct<action: dictionary<int8, utf8>,     allow, redact or block
 *            rule: dictionary<int16, utf8>,      that decided; null: none
 *            text: utf8 or large_utf8,           what may be delivered, of the type of `in` (utf8 for utf8_view); null when
 *                                                blocked; the column is left out with FILTERD_NO_TEXT
 *            findings: list<struct<rule: dictionary<int16, utf8>, start: int32, end: int32, confidence: float, action, category,
 *                                  severity: dictionary<int8, utf8>, view: utf8>>,
 *            error: utf8>                        why it could not be judged; null when it was
 *
 * A null text gives a null row. Rows do not depend on each other: the same text gives the same row in any array, with any number
 * of threads. Offsets that run backward and buffers that are missing are refused; how long a buffer is the interface does not
 * say, so an array from an untrusted producer must be validated by the library that made it. Returns -1 with a message. */
FILTERD_API int filterd_judge_arrow(filterd_engine *engine, struct ArrowArray *in, const struct ArrowSchema *schema,
                                    unsigned threads, uint32_t flags, struct ArrowArray *out, struct ArrowSchema *out_schema,
                                    char *error, size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
