#include "scan/caller_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>

#include "base/ascii.h"

enum { HEAP_LIMIT_KIB = 8192, BYTES_A_STEP = 16, DIGITS_MAX = 6 };

struct caller_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    struct caller_budget *budget; /* of the search that runs */
    struct span source;
    uint64_t item_cost; /* of each item, whatever it is */
    size_t position;    /* at the last callback */
    bool is_words;
};

struct caller_budget caller_budget_for(size_t text_len)
{
    const size_t most = (CALLER_PATTERN_STEPS_MAX - CALLER_PATTERN_STEPS_MIN) / CALLER_PATTERN_STEPS_A_BYTE;

    return (struct caller_budget){CALLER_PATTERN_STEPS_MIN + CALLER_PATTERN_STEPS_A_BYTE * (text_len < most ? text_len : most)};
}

/* --- the pattern ---------------------------------------------------------- */

bool caller_pattern_has_flags(unsigned flags)
{
    return (flags & ~(unsigned)(CALLER_PATTERN_CASELESS | CALLER_PATTERN_MULTILINE | CALLER_PATTERN_DOTALL |
                                CALLER_PATTERN_UNICODE | CALLER_PATTERN_VERBOSE)) == 0;
}

static uint32_t options_of(unsigned flags)
{
    return PCRE2_UTF | PCRE2_UCP | PCRE2_ALT_BSUX | PCRE2_DUPNAMES | PCRE2_NEVER_BACKSLASH_C |
           ((flags & CALLER_PATTERN_CASELESS) != 0 ? PCRE2_CASELESS : 0) |
           ((flags & CALLER_PATTERN_MULTILINE) != 0 ? PCRE2_MULTILINE : 0) |
           ((flags & CALLER_PATTERN_DOTALL) != 0 ? PCRE2_DOTALL : 0) |
           ((flags & CALLER_PATTERN_VERBOSE) != 0 ? PCRE2_EXTENDED : 0);
}

/* The largest number behind a brace: how many characters one item can move over without a callback, and fail. */
static size_t largest_repeat(struct span pattern)
{
    size_t largest = 0;

    for (size_t i = 0; i < pattern.len; i++) {
        size_t number = 0, digits = 0;
        while (pattern.ptr[i] == '{' && i + 1 + digits < pattern.len && digits < DIGITS_MAX &&
               ascii_is(pattern.ptr[i + 1 + digits], ASCII_DIGIT)) {
            number = 10 * number + (size_t)(pattern.ptr[i + 1 + digits++] - '0');
        }
        largest = number > largest ? number : largest;
    }
    return largest;
}

/* Bounds how far a look-behind goes back, other than by a repeat. */
static size_t look_behind(struct span pattern)
{
    return memmem(pattern.ptr, pattern.len, "(?<", 3) != NULL ? pattern.len : 0;
}

static pcre2_code *compile(struct span pattern, uint32_t options, struct error *err)
{
    PCRE2_UCHAR message[128] = "";
    PCRE2_SIZE at = 0;
    int code_error = PCRE2_ERROR_NOMEMORY;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_code *code = NULL;

    if (context != NULL) {
        (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
        code = pcre2_compile((PCRE2_SPTR)(pattern.len > 0 ? pattern.ptr : ""), pattern.len, options, &code_error, &at, context);
        pcre2_compile_context_free(context);
    }
    if (code == NULL) {
        (void)pcre2_get_error_message(code_error, message, sizeof(message));
        error_set(err, code_error == PCRE2_ERROR_NOMEMORY ? ERROR_NO_MEMORY : ERROR_INVALID, "%s at position %zu", (const char *)message, at);
    }
    return code;
}

/* Called before each item; a negative answer ends the search. */
static int charge(pcre2_callout_block *block, void *context)
{
    struct caller_pattern *p = context;
    const char *item = p->source.ptr + block->pattern_position;
    size_t left = p->source.len - block->pattern_position, moved = 0;
    uint64_t cost = 1 + p->item_cost;

    moved = block->current_position > p->position ? block->current_position - p->position : 0;
    if ((left > 1 && item[0] == '\\' && (ascii_is(item[1], ASCII_DIGIT) || item[1] == 'g' || item[1] == 'k')) ||
        (left > 2 && item[0] == '(' && item[1] == '?' && item[2] == 'P')) {
        moved = block->subject_length;
    }
    p->position = block->current_position;
    cost += moved / BYTES_A_STEP;
    if (cost > p->budget->steps) {
        p->budget->steps = 0;
        return PCRE2_ERROR_CALLOUT;
    }
    p->budget->steps -= cost;
    return 0;
}

static struct caller_pattern *make(struct span pattern, uint32_t options, struct error *err)
{
    struct caller_pattern *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "no memory");
        return NULL;
    }
    p->source = pattern;
    p->item_cost = (largest_repeat(pattern) + look_behind(pattern)) / BYTES_A_STEP;
    p->code = compile(pattern, options, err);
    if (p->code == NULL) {
        caller_pattern_free(p);
        return NULL;
    }
    p->match = pcre2_match_data_create(1, NULL);
    p->context = pcre2_match_context_create(NULL);
    if (p->match == NULL || p->context == NULL) {
        caller_pattern_free(p);
        error_set(err, ERROR_NO_MEMORY, "no memory");
        return NULL;
    }
    (void)pcre2_set_heap_limit(p->context, HEAP_LIMIT_KIB);
    (void)pcre2_set_match_limit(p->context, UINT32_MAX); /* the budget is smaller */
    (void)pcre2_set_depth_limit(p->context, UINT32_MAX); /* the heap's is smaller */
    (void)pcre2_set_callout(p->context, charge, p);
    return p;
}

struct caller_pattern *caller_pattern_new(struct span pattern, unsigned flags, struct error *err)
{
    if (pattern.len > CALLER_PATTERN_MAX) {
        error_set(err, ERROR_LIMIT, "at most %d bytes expected", CALLER_PATTERN_MAX);
        return NULL;
    }
    return make(pattern, options_of(flags) | PCRE2_AUTO_CALLOUT, err);
}

/* --- lists of words ------------------------------------------------------- */

/* What Python's re.escape puts a backslash before. */
static bool is_escaped(char c)
{
    return (unsigned char)c < 0x80 && c != '_' && !ascii_is(c, ASCII_LETTER) && !ascii_is(c, ASCII_DIGIT);
}

static bool write_words(const struct span *words, size_t n, struct arena *a, struct span *source, struct error *err)
{
    static const char before[] = "(?:^|(?<=\\W))(", after[] = ")(?:(?=\\W)|$)";
    size_t len = sizeof(before) + sizeof(after) + n;

    for (size_t i = 0; i < n; i++) {
        len += 2 * words[i].len;
    }
    if (len > CALLER_PATTERN_WORDS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d bytes of words expected", CALLER_PATTERN_WORDS_MAX);
    }
    char *text = arena_alloc(a, len, err), *at = text;
    if (text == NULL) {
        return false;
    }
    at = mempcpy(at, before, sizeof(before) - 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < words[i].len; k++) {
            if (is_escaped(words[i].ptr[k])) {
                *at++ = '\\';
            }
            *at++ = words[i].ptr[k];
        }
        if (i + 1 < n) {
            *at++ = '|';
        }
    }
    at = mempcpy(at, after, sizeof(after) - 1);
    *source = span_of(text, (size_t)(at - text));
    return true;
}

struct caller_pattern *caller_pattern_new_words(const struct span *words, size_t n, unsigned flags, struct arena *a, struct span *source, struct error *err)
{
    if (!write_words(words, n, a, source, err)) {
        return NULL;
    }
    /* No callbacks: each start of a word costs at most one look at each word, which is charged before the search. */
    struct caller_pattern *p = make(*source, options_of(flags & ~(unsigned)CALLER_PATTERN_VERBOSE), err);
    if (p != NULL) {
        p->is_words = true;
        p->item_cost = 1 + source->len / BYTES_A_STEP;
    }
    return p;
}

void caller_pattern_free(struct caller_pattern *p)
{
    if (p != NULL) {
        pcre2_code_free(p->code);
        pcre2_match_data_free(p->match);
        pcre2_match_context_free(p->context);
        free(p);
    }
}

/* --- searching ------------------------------------------------------------ */

static bool is_word(char c)
{
    return (unsigned char)c >= 0x80 || c == '_' || ascii_is(c, ASCII_LETTER) || ascii_is(c, ASCII_DIGIT);
}

/* The starts at which a list of words is tried, before the search. */
static bool charge_words(struct caller_pattern *p, struct span text, size_t at)
{
    uint64_t starts = 1 + (text.len - at) / BYTES_A_STEP;

    for (size_t i = at; i < text.len; i++) {
        starts += i == 0 || !is_word(text.ptr[i - 1]) || (unsigned char)text.ptr[i - 1] >= 0x80;
    }
    uint64_t cost = starts * p->item_cost;
    p->budget->steps = cost > p->budget->steps ? 0 : p->budget->steps - cost;
    return p->budget->steps > 0;
}

enum regex_result caller_pattern_search(struct caller_pattern *p, struct caller_budget *budget, struct span text, size_t at,
                                        size_t *from, size_t *to)
{
    p->budget = budget;
    p->position = at;
    if (budget->steps == 0 || (p->is_words && at == 0 && !charge_words(p, text, at))) {
        return REGEX_OVER_LIMIT;
    }
    int status = pcre2_match(p->code, (PCRE2_SPTR)(text.len > 0 ? text.ptr : ""), text.len, at,
                             PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY, p->match, p->context);
    if (status == PCRE2_ERROR_NOMATCH) {
        return REGEX_NO_MATCH;
    }
    if (status < 0) {
        budget->steps = 0;
        return REGEX_OVER_LIMIT;
    }
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(p->match);
    *from = offsets[0];
    *to = offsets[1];
    return *from < *to ? REGEX_MATCH : REGEX_NO_MATCH;
}
