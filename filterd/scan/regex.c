#include "scan/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    MATCH_LIMIT = 1000000,
    DEPTH_LIMIT = 10000,
    HEAP_LIMIT_KIB = 4096,
    GROUPS_MAX = 64,
    JIT_STACK_MIN = 32 * 1024,
    JIT_STACK_MAX = 512 * 1024,
};

struct regex {
    pcre2_code *code;
    pthread_mutex_t making; /* held while the machine code is made */
    atomic_bool is_made;    /* tried, at least: without machine code the interpreter serves */
    bool is_counting;       /* what the interpreter does is counted; no machine code is made */
    bool is_coarse;         /* counted by the match limit it needs, as it has no room for callouts */
    _Atomic(pcre2_code *) partial; /* a copy whose machine code knows partial matches; NULL: not made yet */
};

struct regex_scratch {
    pcre2_match_data *match;
    pcre2_match_context *context;
    pcre2_jit_stack *jit_stack;
    struct regex_work work;
    size_t position; /* of the last step counted */
};

static pcre2_compile_context *compile_context_new(void)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);

    if (context != NULL) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        (void)pcre2_set_bsr(context, PCRE2_BSR_ANYCRLF);
    }
    return context;
}

/* A start has no time to make machine code for hundreds of patterns of which a text needs a few, so the first
 * search makes it. No thread matches with code that is being changed: one that comes meanwhile waits, a fraction of a
 * millisecond. Without JIT memory (a hardened service may be refused it) the interpreter gives the same answers. */
static const pcre2_code *code_to_match(struct regex *re)
{
    if (!atomic_load_explicit(&re->is_made, memory_order_acquire)) {
        (void)pthread_mutex_lock(&re->making);
        if (!atomic_load_explicit(&re->is_made, memory_order_relaxed)) {
            (void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
            atomic_store_explicit(&re->is_made, true, memory_order_release);
        }
        (void)pthread_mutex_unlock(&re->making);
    }
    return re->code;
}

/* Likewise, of a copy: asked only for texts that come in pieces. NULL when there is no memory for it. */
static const pcre2_code *code_to_ask(struct regex *re)
{
    pcre2_code *partial = atomic_load_explicit(&re->partial, memory_order_acquire);

    if (partial == NULL) {
        (void)pthread_mutex_lock(&re->making);
        partial = atomic_load_explicit(&re->partial, memory_order_relaxed);
        if (partial == NULL && (partial = pcre2_code_copy(re->code)) != NULL) {
            (void)pcre2_jit_compile(partial, PCRE2_JIT_PARTIAL_HARD);
            atomic_store_explicit(&re->partial, partial, memory_order_release);
        }
        (void)pthread_mutex_unlock(&re->making);
    }
    return partial;
}

static bool too_many_groups(const pcre2_code *code)
{
    uint32_t n = 0;

    (void)pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &n);
    return n >= GROUPS_MAX;
}

/* Callouts take room, and repeats are copied out with theirs: a pattern may be too large with them. */
static pcre2_code *compile(struct regex *re, struct span pattern, int *code_error, PCRE2_SIZE *at)
{
    const uint32_t options =
        PCRE2_UTF | PCRE2_MULTILINE | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
    const uint32_t counting = re->is_counting ? PCRE2_AUTO_CALLOUT : 0;
    pcre2_compile_context *context = compile_context_new();
    PCRE2_SPTR text = (PCRE2_SPTR)pattern.ptr;

    *code_error = PCRE2_ERROR_NOMEMORY;
    if (context == NULL) {
        return NULL;
    }
    pcre2_code *code = pcre2_compile(text, pattern.len, options | counting, code_error, at, context);
    if (code == NULL && counting != 0 && *code_error == PCRE2_ERROR_PATTERN_TOO_LARGE) {
        re->is_coarse = true;
        code = pcre2_compile(text, pattern.len, options, code_error, at, context);
    }
    pcre2_compile_context_free(context);
    return code;
}

static struct regex *new_regex(struct span pattern, bool is_counting, struct error *err)
{
    int code_error = 0;
    PCRE2_SIZE at = 0;
    PCRE2_UCHAR message[128] = "";
    struct regex *re = calloc(1, sizeof(*re));

    if (re == NULL) {
        error_set(err, ERROR_NO_MEMORY, "pattern: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&re->making, NULL);
    atomic_init(&re->is_made, is_counting);
    atomic_init(&re->partial, NULL);
    re->is_counting = is_counting;
    re->code = compile(re, pattern, &code_error, &at);
    if (re->code == NULL || too_many_groups(re->code)) {
        if (re->code == NULL) {
            (void)pcre2_get_error_message(code_error, message, sizeof(message));
            error_set(err, ERROR_INVALID, "pattern: %s, at character %zu", (const char *)message, at);
        } else {
            error_set(err, ERROR_INVALID, "pattern: fewer than %d groups expected", GROUPS_MAX);
        }
        regex_free(re);
        return NULL;
    }
    return re;
}

bool regex_check(struct span pattern, size_t *at, struct error *err)
{
    struct regex plain = {0}; /* nothing is counted */
    int code_error = 0;
    PCRE2_UCHAR message[128] = "";
    PCRE2_SIZE offset = 0;
    pcre2_code *code = compile(&plain, pattern, &code_error, &offset);

    if (code != NULL) {
        pcre2_code_free(code);
        return true;
    }
    (void)pcre2_get_error_message(code_error, message, sizeof(message));
    *at = offset;
    return error_set(err, ERROR_INVALID, "%s", (const char *)message);
}

struct regex *regex_new(struct span pattern, struct error *err)
{
    return new_regex(pattern, false, err);
}

struct regex *regex_new_counting(struct span pattern, struct error *err)
{
    return new_regex(pattern, true, err);
}

void regex_free(struct regex *re)
{
    if (re != NULL) {
        pcre2_code_free(re->code);
        pcre2_code_free(atomic_load(&re->partial));
        (void)pthread_mutex_destroy(&re->making);
        free(re);
    }
}

/* Called before each item of a counting pattern. */
static int count_step(pcre2_callout_block *block, void *context)
{
    struct regex_scratch *s = context;

    s->work.steps++;
    s->work.bytes += block->current_position > s->position ? block->current_position - s->position : 0;
    s->position = block->current_position;
    return 0;
}

struct regex_work regex_work_of(const struct regex_scratch *s)
{
    return s->work;
}

struct regex_scratch *regex_scratch_new(struct error *err)
{
    struct regex_scratch *s = calloc(1, sizeof(*s));

    if (s != NULL) {
        s->match = pcre2_match_data_create(GROUPS_MAX, NULL);
        s->context = pcre2_match_context_create(NULL);
        s->jit_stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
    }
    if (s == NULL || s->match == NULL || s->context == NULL || s->jit_stack == NULL) {
        regex_scratch_free(s);
        error_set(err, ERROR_NO_MEMORY, "pattern matching: no memory");
        return NULL;
    }
    (void)pcre2_set_match_limit(s->context, MATCH_LIMIT);
    (void)pcre2_set_depth_limit(s->context, DEPTH_LIMIT);
    (void)pcre2_set_heap_limit(s->context, HEAP_LIMIT_KIB);
    pcre2_jit_stack_assign(s->context, NULL, s->jit_stack);
    (void)pcre2_set_callout(s->context, count_step, s);
    return s;
}

void regex_scratch_free(struct regex_scratch *s)
{
    if (s != NULL) {
        pcre2_match_data_free(s->match);
        pcre2_match_context_free(s->context);
        pcre2_jit_stack_free(s->jit_stack);
        free(s);
    }
}

/* pcre2_match does the same, behind checks of its arguments that take as long as a search that fails at once. */
static int match(struct regex *re, struct regex_scratch *s, struct span text, size_t from)
{
    const pcre2_code *code = code_to_match(re);
    PCRE2_SPTR subject = (PCRE2_SPTR)(text.len > 0 ? text.ptr : "");
    int status = pcre2_jit_match(code, subject, text.len, from, PCRE2_NO_UTF_CHECK, s->match, s->context);

    return status != PCRE2_ERROR_JIT_BADOPTION
               ? status
               : pcre2_match(code, subject, text.len, from, PCRE2_NO_UTF_CHECK, s->match, s->context);
}

/* The least match limit that does not end the search: PCRE2's own count of steps, of the start that takes most. */
static uint32_t least_limit(struct regex *re, struct regex_scratch *s, struct span text, size_t from)
{
    uint32_t least = 1, most = MATCH_LIMIT;

    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        (void)pcre2_set_match_limit(s->context, middle);
        if (match(re, s, text, from) == PCRE2_ERROR_MATCHLIMIT) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    (void)pcre2_set_match_limit(s->context, MATCH_LIMIT);
    return least;
}

static void count_search(struct regex *re, struct regex_scratch *s, struct span text, size_t from, size_t last_start)
{
    s->work.searches++;
    s->position = from;
    if (re->is_coarse) {
        s->work.steps += least_limit(re, s, text, from);
        s->work.bytes += last_start - from;
    }
}

enum regex_result regex_search(struct regex *re, struct regex_scratch *s, struct span text, size_t from,
                               size_t last_start)
{
    (void)pcre2_set_offset_limit(s->context, last_start);
    if (re->is_counting) {
        count_search(re, s, text, from, last_start);
    }
    int status = match(re, s, text, from);
    if (status == PCRE2_ERROR_NOMATCH) {
        return REGEX_NO_MATCH;
    }
    /* Every other error means that the result is unknown: a limit of matching, of the stack, or of memory. */
    return status < 0 ? REGEX_OVER_LIMIT : REGEX_MATCH;
}

bool regex_is_live(struct regex *re, struct regex_scratch *s, struct span text, size_t start)
{
    const pcre2_code *code = code_to_ask(re);

    if (code == NULL) {
        return true;
    }
    /* Machine code does not know PCRE2_ANCHORED; a limit says nearly the same, as a partial match may begin a
     * character behind it. */
    (void)pcre2_set_offset_limit(s->context, start);
    int status = pcre2_match(code, (PCRE2_SPTR)(text.len > 0 ? text.ptr : ""), text.len, start,
                             PCRE2_NO_UTF_CHECK | PCRE2_PARTIAL_HARD, s->match, s->context);
    if (status == PCRE2_ERROR_PARTIAL) {
        return pcre2_get_ovector_pointer(s->match)[0] == start;
    }
    return status < 0 && status != PCRE2_ERROR_NOMATCH;
}

void regex_match_range(const struct regex_scratch *s, size_t *from, size_t *to)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(s->match);

    *from = offsets[0];
    *to = offsets[1];
}

static bool group_numbers(const struct regex *re, struct span name, PCRE2_SPTR *first, PCRE2_SPTR *last, int *size)
{
    PCRE2_UCHAR text[33];

    if (name.len >= sizeof(text)) {
        return false;
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    *size = pcre2_substring_nametable_scan(re->code, text, first, last);
    return *size > 0;
}

bool regex_has_group(const struct regex *re, struct span name)
{
    PCRE2_SPTR first, last;
    int size;

    return group_numbers(re, name, &first, &last, &size);
}

bool regex_next_group(const struct regex *re, const struct regex_scratch *s, struct span name, size_t *at, size_t *from,
                      size_t *to)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(s->match);
    PCRE2_SPTR first, last;
    int size;

    if (!group_numbers(re, name, &first, &last, &size)) {
        return false;
    }
    for (PCRE2_SPTR entry = first; entry <= last; entry += size) {
        size_t number = (size_t)entry[0] << 8 | entry[1];
        if (number >= *at && offsets[2 * number] != PCRE2_UNSET) {
            *at = number + 1;
            *from = offsets[2 * number];
            *to = offsets[2 * number + 1];
            return true;
        }
    }
    return false;
}

bool regex_group_range(const struct regex *re, const struct regex_scratch *s, struct span name, size_t *from,
                       size_t *to)
{
    size_t at = 0;

    return regex_next_group(re, s, name, &at, from, to);
}

/* Machine code knows no anchors that are asked for at a match, so it first says whether the pattern matches at the start at all. Only
 * where it matches less than the text the interpreter decides whether it can also match more. */
bool regex_matches_all(struct regex *re, struct regex_scratch *s, struct span text)
{
    size_t from, to;

    (void)pcre2_set_offset_limit(s->context, 0);
    int status = match(re, s, text, 0);
    if (status >= 0) {
        regex_match_range(s, &from, &to);
    }
    if (status == PCRE2_ERROR_NOMATCH || (status >= 0 && to == text.len)) {
        return status >= 0;
    }
    (void)pcre2_set_offset_limit(s->context, PCRE2_UNSET);
    return pcre2_match(code_to_match(re), (PCRE2_SPTR)(text.len > 0 ? text.ptr : ""), text.len, 0,
                       PCRE2_NO_UTF_CHECK | PCRE2_ANCHORED | PCRE2_ENDANCHORED, s->match, s->context) >= 0;
}

bool regex_matches(struct regex *re, struct regex_scratch *s, struct span text)
{
    return regex_search(re, s, text, 0, text.len) == REGEX_MATCH;
}

size_t regex_min_length(const struct regex *re)
{
    uint32_t n = 0, matches_empty = 0;

    (void)pcre2_pattern_info(re->code, PCRE2_INFO_MATCHEMPTY, &matches_empty);
    (void)pcre2_pattern_info(re->code, PCRE2_INFO_MINLENGTH, &n);
    return matches_empty ? 0 : (n > 0 ? n : 1);
}
