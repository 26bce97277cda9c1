/* index_line.h - what the index keeps of one line: numbers and names, never its text.
 *
 * Pure. Missing or malformed members are left out: every line with a number has a row, so the index lacks no line of the log.
 * Spans are borrowed from the line or the arena. */
#ifndef FILTERD_INDEX_INDEX_LINE_H
#define FILTERD_INDEX_INDEX_LINE_H

#include <stdint.h>

#include "base/arena.h"

enum {
    INDEX_FINDINGS_MAX = 64, /* that a line has at most */
    INDEX_KEYS_MAX = 8,
    INDEX_TOKEN = 16,
    INDEX_NAME_MAX = 256, /* bytes of a name: what is longer is kept, and looked for, cut to that */
    INDEX_LINE_MEMORY = 256 * 1024,
};

enum index_word { INDEX_TENANT, INDEX_APP, INDEX_AGENT, INDEX_RULE, INDEX_POLICY, INDEX_WORDS };

/* Of a line without one: INDEX_NO_ACTION. From INDEX_REDACT on something was held back. */
enum index_action { INDEX_NO_ACTION = -1, INDEX_ALLOW, INDEX_REDACT, INDEX_BLOCK };

struct index_finding {
    struct span rule;
    int action;
    unsigned score; /* in ten-thousandths */
    bool has_token;
    uint8_t token[INDEX_TOKEN];
};

struct index_line {
    uint64_t seq;
    bool has_time, has_req;
    int64_t ts_ms;     /* UTC, rounded down */
    int64_t req;       /* index_req_key */
    unsigned type;     /* index_type_number */
    unsigned severity; /* of its gravest finding: 0 none, 1 low to 4 critical */
    int action;
    struct span words[INDEX_WORDS]; /* ptr NULL: none */
    size_t n_keys;
    uint64_t keys[INDEX_KEYS_MAX]; /* index_filter_key of its session, its trace and its own tokens */
    size_t n_findings;
    struct index_finding findings[INDEX_FINDINGS_MAX];
};

/* False: the line is not a record, or no memory. */
MUST_CHECK bool index_line_read(struct span line, struct arena *memory, struct index_line *out, struct error *err);

/* The number of a word of a closed list; 0, or INDEX_NO_ACTION, for any other. */
unsigned index_type_number(struct span name);
unsigned index_severity_number(struct span name);
int index_action_number(struct span name);
const char *index_action_name(int action); /* "" for none */

/* What a req_id is looked up by; the first half of a UUID, which grows with time. Others may have the same. */
int64_t index_req_key(struct span req_id);
/* What a session or a token of a line is looked up by; others may have the same. */
uint64_t index_filter_key(struct span text);
/* The 16 bytes of "key-id:hex"; false when it is no token. */
bool index_token_bytes(struct span token, uint8_t out[INDEX_TOKEN]);

static inline struct span index_name_cut(struct span name)
{
    return span_of(name.ptr, name.len > INDEX_NAME_MAX ? INDEX_NAME_MAX : name.len);
}

#endif
