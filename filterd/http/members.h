/* members.h - parses the body of a request, one JSON object, into a struct, by a table of its members.
 *
 * A row without a name ends the table. Unknown members, duplicates and wrong types are faults with a JSON pointer; a
 * fault never quotes the input. Memory is the arena's or borrowed from the body. The same rows parse query parameters.
 * Any thread. */
#ifndef FILTERD_HTTP_MEMBERS_H
#define FILTERD_HTTP_MEMBERS_H

#include "base/json.h"
#include "http/fault.h"

struct member;

struct member_reader {
    struct arena *arena;
    const struct member *members;
    void *out; /* base of the offsets */
    struct filter_fault *fault;
    unsigned kinds;      /* use only rows of one of these; 0: all */
    bool is_open;        /* unknown members are ignored, and null is the same as absent */
    unsigned seen;       /* bit per row */
};

typedef bool member_read_fn(struct member_reader *r, const struct member *m, struct json_value value);
typedef bool member_set_fn(struct member_reader *r, const struct member *m, struct span value);

/* The type of a value. Modules add their own. */
struct member_type {
    member_read_fn *read;
    member_set_fn *set; /* for a query parameter; NULL: not permitted as one */
};

struct member {
    const char *name;
    const struct member_type *type;
    size_t offset;  /* of the member that `type` sets */
    unsigned kinds; /* bits, for a table of several kinds of body */
};

extern const struct member_type member_name, /* struct span: at most FILTER_NAME_MAX bytes including its quotes */
    member_text,                             /* struct span */
    member_flag;                             /* bool; as a parameter true, 1, false or 0 */

/* False: *r->fault says why. An empty body is a fault. */
MUST_CHECK bool members_read(struct member_reader *r, struct span body);
/* Sets one query parameter. */
MUST_CHECK bool members_set(struct member_reader *r, struct span name, struct span value);

/* Whether the member was present. */
bool members_has(const struct member_reader *r, const char *name);

static inline void *member_of(const struct member_reader *r, const struct member *m)
{
    return (char *)r->out + m->offset;
}

/* Sets 422 at the member: "<expected> expected". Returns false. */
bool member_refuse(struct member_reader *r, const struct member *m, const char *expected);

#endif
