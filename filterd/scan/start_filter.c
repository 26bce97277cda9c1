#include "scan/start_filter.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/first_bytes.h"
#include "regex/look_behind.h"
#include "regex/trigger.h"
#include "scan/scanner_parts.h"

enum {
    CORE_MAX = 64 * 1024, /* of a pattern without its groups and flags; rules are far shorter */
    GAP = 8,              /* starts that are not admitted, which cost PCRE2 as much as another search */
};

_Static_assert((int)START_BYTES <= (int)FIRST_BYTES, "a set for each byte");

static struct byte_set before_of(struct span pattern, bool starts_free)
{
    struct before_bytes rows[BEFORE_MAX];
    struct byte_set before = {{0}};
    size_t n = look_behind_bytes(pattern, rows);

    for (size_t i = 0; i < n; i++) {
        byte_set_add_all(&before, &rows[i].at[0]);
    }
    for (unsigned byte = 0; byte < 128 && starts_free; byte++) {
        if (isalnum((int)byte)) {
            before.bits[byte / 64] &= ~((uint64_t)1 << byte % 64);
        }
    }
    return before;
}

struct start_filter *start_filter_new(struct span pattern, bool starts_free)
{
    struct buf core CLEANUP(buf_deinit);
    struct first_bytes first;
    struct error err;
    struct start_filter *f = malloc(sizeof(*f));

    buf_init(&core, CORE_MAX);
    if (f == NULL || !trigger_core(pattern, &core, &err)) {
        free(f);
        return NULL;
    }
    first_bytes_of(buf_span(&core), &first);
    memcpy(f->at, first.at, sizeof(f->at));
    f->before = before_of(pattern, starts_free);
    return f;
}

void start_filter_free(struct start_filter *f)
{
    free(f);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static inline bool is_admitted(const struct start_filter *f, struct span text, size_t at)
{
    size_t n = text.len - at < START_BYTES ? text.len - at : START_BYTES;

    if (is_continuation(text.ptr[at]) || (at > 0 && !byte_set_has(&f->before, (unsigned char)text.ptr[at - 1]))) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!byte_set_has(&f->at[i], (unsigned char)text.ptr[at + i])) {
            return false;
        }
    }
    return true;
}

bool start_filter_next(const struct start_filter *f, struct span text, size_t from, size_t to, size_t *first, size_t *last)
{
    to = to < text.len ? to : text.len;
    while (from < to && !is_admitted(f, text, from)) {
        from++;
    }
    if (from >= to) {
        return false;
    }
    *first = *last = from;
    for (size_t at = from + 1; at < to && at - *last <= GAP; at++) {
        *last = is_admitted(f, text, at) ? at : *last;
    }
    return true;
}

/* Of two threads that make one, the second keeps that of the first. */
const struct start_filter *scanner_entry_starts(struct scanner_entry *entry)
{
    struct start_filter *known = atomic_load_explicit(&entry->starts, memory_order_acquire);

    if (known != NULL) {
        return known;
    }
    struct start_filter *made = start_filter_new(entry->pattern, entry->starts_free);
    if (made != NULL && !atomic_compare_exchange_strong_explicit(&entry->starts, &known, made, memory_order_acq_rel,
                                                                 memory_order_acquire)) {
        start_filter_free(made);
        return known;
    }
    return made;
}
