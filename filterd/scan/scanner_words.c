/* scanner_words.c - lists of words in place of triggers.
 *
 * While a scanner is built a list is a text, a mark and then each word with GOES_ON or ENDS_WORD behind it, so that equal
 * lists become one trigger as equal expressions do. */
#include <ctype.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "regex/beginnings.h"
#include "regex/pattern.h"
#include "scan/scanner_parts.h"

enum { BEGIN_MARK = '\1', GOES_ON = '\2', ENDS_WORD = '\3', INSIDE_MARK = '\4' };

bool scanner_words_are(const char *expression)
{
    return expression[0] == BEGIN_MARK || expression[0] == INSIDE_MARK;
}

bool scanner_words_are_inside(const char *expression)
{
    return expression[0] == INSIDE_MARK;
}

static bool append_word(struct buf *out, const struct keyword *word, bool is_inside, struct error *err)
{
    return (out->len > 0 || buf_append_char(out, is_inside ? INSIDE_MARK : BEGIN_MARK, err)) &&
           buf_append(out, span_of(word->text, word->len), err) &&
           buf_append_char(out, word->ends_word ? ENDS_WORD : GOES_ON, err);
}

static bool append_expression(struct buf *out, const struct keyword *word, struct error *err)
{
    if (!buf_append_str(out, "(?i)", err)) {
        return false;
    }
    for (size_t i = 0; i < word->len; i++) {
        bool is_quoted = ispunct((unsigned char)word->text[i]) != 0;
        if ((is_quoted && !buf_append_char(out, '\\', err)) || !buf_append_char(out, word->text[i], err)) {
            return false;
        }
    }
    return buf_append_char(out, '\0', err);
}

/* What a word begins with up to a character beyond ASCII, which text is rarely compared with. */
static struct keyword ascii_part(const struct keyword *word)
{
    struct keyword part = *word;

    for (part.len = 0; part.len < word->len && (unsigned char)word->text[part.len] < 0x80; part.len++) {
    }
    part.ends_word = word->ends_word && part.len == word->len;
    return part;
}

/* A short part of a word would be found at every turn. */
static bool is_listed_word(const struct keyword *part, const struct keyword *word)
{
    return beginning_is_keyword(part) && (part->len == word->len || part->len > KEYWORD_MIN);
}

static bool list_words(struct span core, bool is_inside, struct buf *words, struct buf *rest, bool *is_listed,
                       struct error *err)
{
    struct beginnings b CLEANUP(beginnings_deinit) = {0};
    bool is_good = true;

    *is_listed = beginnings_of(core, &b);
    for (size_t i = 0; *is_listed && is_good && i < b.n; i++) {
        const struct keyword part = ascii_part(&b.items[i]);
        is_good = is_listed_word(&part, &b.items[i]) ? append_word(words, &part, is_inside, err)
                                                  : append_expression(rest, &b.items[i], err);
    }
    return is_good;
}

/* The pattern alone, or with the end of a word that must follow: every boundary that wants a free start forbids a letter
 * behind the match. */
static bool append_whole(struct buf *out, const struct scanner_pattern *pattern, struct span core, struct error *err)
{
    return !pattern->starts_free ? buf_append(out, core, err)
                                 : buf_append_str(out, "(?:", err) && buf_append(out, core, err) &&
                                       buf_append_str(out, ")\\b", err);
}

/* Whether all of its alternatives are behind the boundary. */
static bool wants_word_start(struct span trigger)
{
    bool wants = span_starts_with(trigger, span_str("(?i)\\b")) || span_starts_with(trigger, span_str("\\b(?i:"));

    for (size_t at = 0; wants && at < trigger.len;) {
        const struct token t = pattern_token(trigger, at);
        wants = t.kind != TOKEN_BAR;
        at = t.kind == TOKEN_OPEN ? pattern_group_end(trigger, at) : t.to;
    }
    return wants;
}

bool scanner_words_of_pattern(const struct scanner_pattern *pattern, struct span core, struct buf *words, struct buf *rest,
                              bool *is_listed, struct error *err)
{
    struct buf whole CLEANUP(buf_deinit);

    buf_init(&whole, SCANNER_EXPRESSION_MAX);
    return append_whole(&whole, pattern, core, err) && list_words(buf_span(&whole), false, words, rest, is_listed, err);
}

/* A trigger that begins with a mark would be read as a list. */
static bool has_mark(struct span trigger)
{
    for (size_t i = 0; i < trigger.len; i++) {
        if ((unsigned char)trigger.ptr[i] <= INSIDE_MARK) {
            return true;
        }
    }
    return false;
}

bool scanner_words_of_trigger(struct span trigger, struct buf *words, struct buf *rest, bool *is_listed,
                              struct error *err)
{
    struct buf core CLEANUP(buf_deinit);
    struct error problem; /* what Hyperscan says of it is the better text */

    buf_init(&core, SCANNER_EXPRESSION_MAX);
    *is_listed = false;
    if (has_mark(trigger)) {
        return error_set(err, ERROR_INVALID, "pattern: a control character is written \\x and two digits");
    }
    return !wants_word_start(trigger) || !trigger_core(trigger, &core, &problem) ||
           list_words(buf_span(&core), true, words, rest, is_listed, err);
}

static size_t count_words(const char *list)
{
    size_t n = 0;

    for (; *list != '\0'; list++) {
        n += *list == GOES_ON || *list == ENDS_WORD;
    }
    return n;
}

static void read_words(const char *list, uint32_t id, struct keyword *out)
{
    struct keyword word = {.id = id};

    for (const char *at = list + 1; *at != '\0'; at++) {
        if (*at == GOES_ON || *at == ENDS_WORD) {
            word.ends_word = *at == ENDS_WORD;
            *out++ = word;
            word = (struct keyword){.id = id};
        } else {
            word.text[word.len++] = *at;
        }
    }
}

struct keywords *scanner_words_make(const char *const *lists, uint32_t n, struct error *err)
{
    size_t total = 0, at = 0;

    for (uint32_t i = 0; i < n; i++) {
        total += count_words(lists[i]);
    }
    struct keyword *words CLEANUP(cleanup_free) = calloc(total + 1, sizeof(*words));
    if (words == NULL) {
        error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        read_words(lists[i], i, words + at);
        at += count_words(lists[i]);
    }
    return keywords_new(words, total, err);
}
