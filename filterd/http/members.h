/* members.h - the body of a request, one JSON object, read into a struct by a table of its members.
 *
 * A table ends with a row that has no name. Unknown members, duplicates and wrong types are faults with a JSON pointer; a
 * fault never quotes the input. Memory is the arena's or borrowed from the body. Query parameters are read by the same rows.
 * Any thread. */
#ifndef FILTERD_HTTP_MEMBERS_H
#define FILTERD_HTTP_MEMBERS_H

#include "base/json.h"
#include "http/fault.h"

struct member;

struct member_reader {
    struct arena *arena;
    const struct member *members;
    void *out; /* what offsets count from */
    struct filter_fault *fault;
    unsigned kinds;      /* only rows of one of these; 0: all */
    bool is_open;        /* members that are not known are passed over, and null is as if it were not there */
    unsigned seen;       /* bit per row */
};

typedef bool member_read_fn(struct member_reader *r, const struct member *m, struct json_value value);
typedef bool member_set_fn(struct member_reader *r, const struct member *m, struct span value);

/* What a value can be. A module adds its own. */
struct member_type {
    member_read_fn *read;
    member_set_fn *set; /* of a query parameter; NULL: it cannot be one */
};

struct member {
    const char *name;
    const struct member_type *type;
    size_t offset;  /* of what `type` fills */
    unsigned kinds; /* bits, for a table of several kinds of body */
};

extern const struct member_type member_name, /* struct span: at most FILTER_NAME_MAX bytes with its quotes */
    member_text,                             /* struct span */
    member_flag;                             /* bool; as a parameter true, 1, false or 0 */

/* False: *r->fault says why. An empty body is no object. */
MUST_CHECK bool members_read(struct member_reader *r, struct span body);
/* One query parameter. */
MUST_CHECK bool members_set(struct member_reader *r, struct span name, struct span value);

/* The row was there. */
bool members_has(const struct member_reader *r, const char *name);

static inline void *member_of(const struct member_reader *r, const struct member *m)
{
    return (char *)r->out + m->offset;
}

/* 422 at the member: "<expected> expected". Returns false. */
bool member_refuse(struct member_reader *r, const struct member *m, const char *expected);

#endif
