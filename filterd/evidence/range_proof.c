#include "evidence/range_proof.h"

#include <inttypes.h>

static const char header[] = "filterd-range-proof@v1\n";

/* The largest power of two that is smaller than n, which is at least 2. */
static uint64_t split_of(uint64_t n)
{
    return UINT64_C(1) << (63 - __builtin_clzll(n - 1));
}

/* --- making ------------------------------------------------------------------- */

/* The root of the leaves [from, to). `to` may be any up to the tree's size, so this may be no subtree that has a node. */
static bool subtree(const struct tree_source *source, uint64_t from, uint64_t to, struct tree_hash *out, struct error *err)
{
    uint64_t n = to - from;
    struct tree_hash left, right;

    if ((n & (n - 1)) == 0 && from % n == 0) {
        return source->node(source->state, (unsigned)__builtin_ctzll(n), from / n, out, err);
    }
    uint64_t middle = from + split_of(n);
    if (!subtree(source, from, middle, &left, err) || !subtree(source, middle, to, &right, err)) {
        return false;
    }
    tree_hash_node(&left, &right, out);
    return true;
}

/* The hashes of what is not in the range, of the leaves [from, to). */
static bool walk(const struct tree_source *source, uint64_t from, uint64_t to, struct range_proof *p, struct error *err)
{
    uint64_t first = p->first - 1, end = p->last;

    if (from >= first && to <= end) {
        return true;
    }
    if (to <= first || from >= end) {
        return (p->n < RANGE_PROOF_HASHES || error_set(err, ERROR_INTERNAL, "range proof: too many hashes")) &&
               subtree(source, from, to, &p->hashes[p->n++], err);
    }
    uint64_t middle = from + split_of(to - from);
    return walk(source, from, middle, p, err) && walk(source, middle, to, p, err);
}

bool range_proof_make(const struct tree_source *source, uint64_t first, uint64_t last, uint64_t size, struct range_proof *out,
                      struct error *err)
{
    *out = (struct range_proof){.first = first, .last = last};
    if (first == 0 || first > last || last > size) {
        return error_set(err, ERROR_INVALID, "a range of lines from 1 to %" PRIu64 " expected", size);
    }
    return walk(source, 0, size, out, err);
}

/* --- text --------------------------------------------------------------------- */

bool range_proof_format(const struct range_proof *p, struct buf *out, struct error *err)
{
    char text[TREE_HASH_TEXT + 1];

    if (!buf_appendf(out, err, "%sfirst %" PRIu64 "\nlast %" PRIu64 "\n", header, p->first, p->last)) {
        return false;
    }
    for (size_t i = 0; i < p->n; i++) {
        tree_hash_format(&p->hashes[i], text);
        if (!buf_appendf(out, err, "%s\n", text)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err) && buf_append(out, p->checkpoint, err);
}

static bool take_line(struct span *rest, struct span *line)
{
    const char *newline = rest->len == 0 ? NULL : memchr(rest->ptr, '\n', rest->len);

    if (newline == NULL) {
        return false;
    }
    *line = span_of(rest->ptr, (size_t)(newline - rest->ptr));
    *rest = span_slice(*rest, line->len + 1, rest->len);
    return true;
}

/* "first 7": no sign, no zero in front. */
static bool take_number(struct span *rest, const char *name, uint64_t *out)
{
    struct span line;
    size_t len = strlen(name);

    *out = 0;
    if (!take_line(rest, &line) || !span_starts_with(line, span_of(name, len)) || line.len == len || line.len > len + 18 ||
        line.ptr[len] == '0') {
        return false;
    }
    for (size_t i = len; i < line.len; i++) {
        if (line.ptr[i] < '0' || line.ptr[i] > '9') {
            return false;
        }
        *out = *out * 10 + (uint64_t)(line.ptr[i] - '0');
    }
    return true;
}

bool range_proof_parse(struct span bytes, struct range_proof *out, struct error *err)
{
    struct span rest = bytes, line = {0};

    *out = (struct range_proof){0};
    if (!span_starts_with(rest, span_str(header))) {
        return error_set(err, ERROR_MALFORMED, "a range proof expected");
    }
    rest = span_slice(rest, sizeof(header) - 1, rest.len);
    if (!take_number(&rest, "first ", &out->first) || !take_number(&rest, "last ", &out->last)) {
        return error_set(err, ERROR_MALFORMED, "lines 'first N' and 'last N' expected");
    }
    while (take_line(&rest, &line) && line.len > 0) {
        if (out->n == RANGE_PROOF_HASHES || !tree_hash_parse(line, &out->hashes[out->n++], err)) {
            return error_set(err, ERROR_MALFORMED, "at most %d hashes in base64 expected", RANGE_PROOF_HASHES);
        }
    }
    out->checkpoint = rest;
    return (line.ptr != NULL && line.len == 0) || error_set(err, ERROR_MALFORMED, "an empty line and a checkpoint expected");
}

/* --- verifying ---------------------------------------------------------------- */

struct rebuild {
    const struct range_proof *p;
    size_t used;
    range_leaf_fn *leaf;
    void *context;
};

/* Depth is that of the tree: at most 64. */
static bool rebuild(struct rebuild *r, uint64_t from, uint64_t to, struct tree_hash *out, struct error *err)
{
    uint64_t first = r->p->first - 1, end = r->p->last;
    struct tree_hash left, right;

    if (to <= first || from >= end) {
        if (r->used == r->p->n) {
            return error_set(err, ERROR_INVALID, "the proof has fewer hashes than its range demands");
        }
        *out = r->p->hashes[r->used++];
        return true;
    }
    if (to - from == 1) {
        return r->leaf(r->context, out, err);
    }
    uint64_t middle = from + split_of(to - from);
    if (!rebuild(r, from, middle, &left, err) || !rebuild(r, middle, to, &right, err)) {
        return false;
    }
    tree_hash_node(&left, &right, out);
    return true;
}

bool range_proof_verify(const struct range_proof *p, uint64_t size, const struct tree_hash *root, range_leaf_fn *leaf, void *context,
                        struct error *err)
{
    struct rebuild r = {p, 0, leaf, context};
    struct tree_hash made;

    if (p->first == 0 || p->first > p->last || p->last > size) {
        return error_set(err, ERROR_INVALID, "a range of lines from 1 to %" PRIu64 " expected", size);
    }
    if (!rebuild(&r, 0, size, &made, err)) {
        return false;
    }
    return (r.used == p->n && tree_hash_equal(&made, root)) ||
           error_set(err, ERROR_INVALID, r.used == p->n ? "the lines are not those of the checkpoint" : "the proof has more hashes than its range demands");
}
