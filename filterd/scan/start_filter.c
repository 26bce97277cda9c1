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
    TOGETHER_MAX = 4,     /* admitted ones: behind a match all are asked anew */
    WIDE_MIN = 6,        /* starts; fewer are looked at one by one */
    SECONDS_MAX = 64,     /* different sets of bytes that may come second */
    MANY_LEFT_OUT = 8,    /* starts: the automaton would read far at each further one of the text */
};

/* What may be in front of a match. */
struct before {
    struct byte_set alone, last, before_last;
};

static bool is_any(const struct byte_set *set)
{
    return (set->bits[0] & set->bits[1] & set->bits[2] & set->bits[3]) == UINT64_MAX;
}

static struct before before_of(struct span pattern, bool starts_free)
{
    struct before_bytes rows[BEFORE_MAX];
    struct before before = {0};
    size_t n = look_behind_bytes(pattern, rows);

    for (size_t i = 0; i < n; i++) {
        if (is_any(&rows[i].at[1])) {
            byte_set_add_all(&before.alone, &rows[i].at[0]);
            continue;
        }
        byte_set_add_all(&before.last, &rows[i].at[0]);
        byte_set_add_all(&before.before_last, &rows[i].at[1]);
    }
    for (unsigned byte = 0; byte < 128 && starts_free; byte++) {
        if (isalnum((int)byte)) {
            before.alone.bits[byte / 64] &= ~((uint64_t)1 << byte % 64);
            before.last.bits[byte / 64] &= ~((uint64_t)1 << byte % 64);
        }
    }
    return before;
}

static bool is_continuation(unsigned byte)
{
    return (byte & 0xc0) == 0x80;
}

static uint8_t may_be(const struct first_bytes *first, const struct before *before, unsigned char byte)
{
    bool is_first = byte_set_has(&first->at[0], byte) && !is_continuation(byte);
    unsigned bits = (is_first ? START_FIRST : 0U) | (byte_set_has(&first->at[1], byte) ? START_SECOND : 0U) |
                    (byte_set_has(&first->at[2], byte) ? START_THIRD : 0U) | (byte_set_has(&first->at[3], byte) ? START_FOURTH : 0U) |
                    (byte_set_has(&first->at[4], byte) ? START_FIFTH : 0U) |
                    (byte_set_has(&before->alone, byte) ? START_ALONE : 0U) | (byte_set_has(&before->last, byte) ? START_LAST : 0U) |
                    (byte_set_has(&before->before_last, byte) ? START_BEFORE_LAST : 0U);

    return (uint8_t)bits;
}

static struct byte_lookup lookup_of(const struct start_filter *f, unsigned bits)
{
    struct byte_lookup lookup = {{0}, {0}};

    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        if ((f->may_be[byte] & bits) != 0) {
            byte_lookup_add(&lookup, (unsigned char)byte);
        }
    }
    return lookup;
}

/* The bit of the first bytes that these may follow, the same as that of others where there are more sets than bits. */
static unsigned bit_of(const struct byte_set *second, struct byte_set known[SECONDS_MAX], unsigned *n)
{
    unsigned i = 0;

    while (i < *n && !byte_set_equal(second, &known[i])) {
        i++;
    }
    if (i == *n && i < SECONDS_MAX) {
        known[(*n)++] = *second;
    }
    return i % START_PAIRS;
}

static void find_pairs(struct start_filter *f)
{
    struct byte_set known[SECONDS_MAX] = {0};
    unsigned n = 0;

    for (unsigned first = 0; first <= UINT8_MAX; first++) {
        struct byte_set second = {0};
        if ((f->may_be[first] & START_FIRST) == 0) {
            continue;
        }
        lazy_dfa_add_second(f->dfa, (unsigned char)first, &second);
        const unsigned bit = bit_of(&second, known, &n);
        f->pairs[first] |= (uint16_t)(1U << bit);
        for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
            f->pairs[byte] |= (uint16_t)(byte_set_has(&second, (unsigned char)byte) ? 1U << (START_PAIRS + bit) : 0U);
        }
    }
}

/* The cores as alternatives; of one alone, its own. */
static bool join_cores(const struct start_pattern *patterns, size_t n, struct buf *out)
{
    struct error ignored;
    bool is_good = true;

    for (size_t i = 0; is_good && i < n; i++) {
        struct buf core CLEANUP(buf_deinit);
        buf_init(&core, CORE_MAX);
        is_good = trigger_core(patterns[i].pattern, &core, &ignored) && (n == 1 || buf_append_str(out, i == 0 ? "(?:" : "|(?:", &ignored)) &&
                  buf_append(out, buf_span(&core), &ignored) && (n == 1 || buf_append_char(out, ')', &ignored));
    }
    return is_good;
}

static struct before before_all(const struct start_pattern *patterns, size_t n)
{
    struct before all = {0};

    for (size_t i = 0; i < n; i++) {
        const struct before before = before_of(patterns[i].pattern, patterns[i].starts_free);
        byte_set_add_all(&all.alone, &before.alone);
        byte_set_add_all(&all.last, &before.last);
        byte_set_add_all(&all.before_last, &before.before_last);
    }
    return all;
}

struct start_filter *start_filter_of_all(const struct start_pattern *patterns, size_t n)
{
    struct buf core CLEANUP(buf_deinit);
    struct first_bytes first;
    struct start_filter *f = malloc(sizeof(*f));

    buf_init(&core, n * CORE_MAX);
    if (f == NULL || !join_cores(patterns, n, &core)) {
        free(f);
        return NULL;
    }
    first_bytes_some(buf_span(&core), 5, &first);
    const struct before before = before_all(patterns, n);
    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        f->may_be[byte] = may_be(&first, &before, (unsigned char)byte);
    }
    f->before = lookup_of(f, START_ALONE | START_LAST);
    f->first = lookup_of(f, START_FIRST);
    f->second = lookup_of(f, START_SECOND);
    f->n_ahead = n == 1 ? look_ahead_bytes(patterns[0].pattern, f->ahead) : 0;
    f->dfa = lazy_dfa_new(buf_span(&core));
    memset(f->pairs, f->dfa == NULL ? 0xff : 0, sizeof(f->pairs));
    if (f->dfa != NULL) {
        find_pairs(f);
    }
    return f;
}

struct start_filter *start_filter_new(struct span pattern, bool starts_free)
{
    return start_filter_of_all(&(const struct start_pattern){pattern, starts_free}, 1);
}

void start_filter_free(struct start_filter *f)
{
    if (f != NULL) {
        lazy_dfa_free(f->dfa);
        free(f);
    }
}

static inline unsigned bits_at(const struct start_filter *f, struct span text, size_t at)
{
    return f->may_be[(unsigned char)text.ptr[at]];
}

/* Whether the byte in front, which is not a START_ALONE, and the one before it may be there. */
static inline bool is_behind_two(const struct start_filter *f, struct span text, size_t at)
{
    return (bits_at(f, text, at - 1) & START_LAST) != 0 && (at == 1 || (bits_at(f, text, at - 2) & START_BEFORE_LAST) != 0);
}

/* Whether the second byte may follow the first one. */
static inline bool is_pair(const struct start_filter *f, struct span text, size_t at)
{
    return text.len - at < 2 ||
           (f->pairs[(unsigned char)text.ptr[at]] & f->pairs[(unsigned char)text.ptr[at + 1]] >> START_PAIRS) != 0;
}

/* Whether the third to fifth byte may be there; behind the text's end all may. */
static inline bool may_go_on(const struct start_filter *f, struct span text, size_t at)
{
    if (text.len - at < 5) {
        return true;
    }
    const unsigned bits = (bits_at(f, text, at + 2) | ~(unsigned)START_THIRD) & (bits_at(f, text, at + 3) | ~(unsigned)START_FOURTH) &
                          (bits_at(f, text, at + 4) | ~(unsigned)START_FIFTH);
    return bits == ~0U;
}

/* Where the first byte that is wanted stands, or what is behind the last place where it may. Starts come in the order of the text as a
 * rule, so each byte is looked at once. */
static size_t first_wanted(const struct start_filter *f, struct start_seen *seen, struct span text, size_t i, size_t at)
{
    const struct ahead *a = &f->ahead[i];
    const size_t end = text.len - at <= a->within ? text.len : at + a->within + 1;
    size_t to = seen->ahead[i].to;

    to = at >= seen->ahead[i].from && at <= to ? to : at;
    while (to < end && !byte_set_has(&a->wanted, (unsigned char)text.ptr[to])) {
        to++;
    }
    seen->ahead[i].from = at;
    seen->ahead[i].to = to;
    return to < end ? to : text.len;
}

static bool has_ahead(const struct start_filter *f, struct start_seen *seen, struct span text, size_t at)
{
    for (size_t i = 0; i < f->n_ahead; i++) {
        size_t wanted = first_wanted(f, seen, text, i, at);
        if (wanted == text.len && f->ahead[i].or_end && text.len - at <= f->ahead[i].within) {
            continue;
        }
        for (size_t k = at; k < wanted && wanted < text.len; k++) {
            if (!byte_set_has(&f->ahead[i].between, (unsigned char)text.ptr[k])) {
                return false;
            }
        }
        if (wanted == text.len) {
            return false;
        }
    }
    return true;
}

/* The same, counted. */
static bool has_ahead_once(const struct start_filter *f, struct start_seen *seen, struct span text, size_t at)
{
    bool has_all = has_ahead(f, seen, text, at);

    seen->n_left_out += !has_all;
    return has_all;
}

/* What is left to ask of a start whose first byte may be there, behind a byte with the bits `before`. */
static inline bool is_admitted(const struct start_filter *f, struct start_seen *seen, struct span text, size_t at, unsigned before)
{
    return ((before & START_ALONE) != 0 || is_behind_two(f, text, at)) && is_pair(f, text, at) && may_go_on(f, text, at) &&
           (f->n_ahead == 0 || seen->n_left_out < MANY_LEFT_OUT || has_ahead(f, seen, text, at)) &&
           (f->dfa == NULL || lazy_dfa_may_begin(f->dfa, text, at)) &&
           (f->n_ahead == 0 || seen->n_left_out >= MANY_LEFT_OUT || has_ahead_once(f, seen, text, at));
}

/* The first start in [from, to) that is admitted, or `to`. */
static inline size_t next_by_bytes(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to)
{
    unsigned before = from == 0 || from >= to ? START_ALONE : bits_at(f, text, from - 1);

    while (from < to) {
        unsigned here = bits_at(f, text, from);
        bool may_begin = (here & START_FIRST) != 0 && (before & (START_ALONE | START_LAST)) != 0;
        if (may_begin && is_admitted(f, seen, text, from, before)) {
            return from;
        }
        before = here;
        from++;
    }
    return to;
}

#ifdef __x86_64__
/* Bit i: the start from + i may be admitted by the byte before and the first two. The text has a byte before `from`, and
 * BYTE_LOOKUP_STEP + 1 from there on. */
BYTE_LOOKUP_WIDE static inline uint64_t candidates_at(const struct start_filter *f, struct span text, size_t from)
{
    const char *at = text.ptr + from;

    return byte_lookup_bits(&f->first, at) & byte_lookup_bits(&f->before, at - 1) & byte_lookup_bits(&f->second, at + 1);
}

/* The same as next_by_bytes, by 64 starts at once. */
BYTE_LOOKUP_WIDE static size_t next_by_steps(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to)
{
    while (to - from >= WIDE_MIN && text.len - from > BYTE_LOOKUP_STEP) {
        size_t n = to - from < BYTE_LOOKUP_STEP ? to - from : BYTE_LOOKUP_STEP;
        uint64_t found = candidates_at(f, text, from) & UINT64_MAX >> (BYTE_LOOKUP_STEP - n);
        for (; found != 0; found &= found - 1) {
            size_t at = from + (size_t)__builtin_ctzll(found);
            if (is_admitted(f, seen, text, at, bits_at(f, text, at - 1))) {
                return at;
            }
        }
        from += n;
    }
    return next_by_bytes(f, seen, text, from, to);
}
#endif

static inline size_t next_admitted(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to)
{
#ifdef __x86_64__
    if (from > 0 && from < to && to - from >= WIDE_MIN && byte_lookup_is_possible()) {
        return next_by_steps(f, seen, text, from, to);
    }
#endif
    return next_by_bytes(f, seen, text, from, to);
}

/* NOLINTNEXTLINE(readability-function-size): the starts belong together */
bool start_filter_next(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to,
                       struct start_range *out)
{
    to = to < text.len ? to : text.len;
    from = next_admitted(f, seen, text, from, to);
    if (from >= to) {
        return false;
    }
    *out = (struct start_range){from, from};
    for (unsigned n = 1; n < TOGETHER_MAX; n++) {
        size_t end = to - out->last > GAP ? out->last + GAP + 1 : to;
        from = next_admitted(f, seen, text, out->last + 1, end);
        if (from >= end) {
            break;
        }
        out->last = from;
    }
    return true;
}
