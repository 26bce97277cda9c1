#include "contracts/presidio_context.h"

#include <strings.h>

#include "base/ascii.h"

enum { WORDS_BEFORE = 5, LOOK_BACK_MAX = 512, LOOK_AHEAD_MAX = 64 }; /* bytes: a longer word is cut */

/* Articles, pronouns, prepositions, conjunctions, auxiliaries: English words that say nothing of what is near. Sorted. */
static const char *const stop_words[] = {
    "a",     "about", "after", "all",  "also",  "am",    "an",   "and",   "any",   "are",   "as",    "at",    "be",    "been",
    "before", "being", "but",  "by",   "can",   "could", "did",  "do",    "does",  "doing", "done",  "each",  "few",   "for",
    "from",  "had",   "has",   "have", "he",    "her",   "here", "hers",  "him",   "his",   "how",   "i",     "if",    "in",
    "into",  "is",    "it",    "its",  "just",  "me",    "more", "most",  "my",    "no",    "nor",   "not",   "of",    "off",
    "on",    "once",  "only",  "or",   "other", "our",   "ours", "out",   "over",  "own",   "s",     "same",  "she",   "should",
    "so",    "some",  "such",  "than", "that",  "the",   "their", "theirs", "them", "then", "there", "these", "they",  "this",
    "those", "through", "to",  "too",  "under", "until", "up",   "us",    "very",  "was",   "we",    "were",  "what",  "when",
    "where", "which", "while", "who",  "whom",  "why",   "will", "with",  "would", "you",   "your",  "yours",
};

static bool is_word(char c)
{
    return (unsigned char)c >= 0x80 || c == '_' || ascii_is(c, ASCII_LETTER) || ascii_is(c, ASCII_DIGIT);
}

static int compare(struct span word, const char *other)
{
    size_t len = strlen(other);
    int order = strncasecmp(word.ptr, other, word.len < len ? word.len : len);

    return order != 0 ? order : (word.len > len) - (word.len < len);
}

static bool is_stop_word(struct span word)
{
    size_t from = 0, to = COUNT(stop_words);

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare(word, stop_words[middle]);
        if (order == 0) {
            return true;
        }
        *(order < 0 ? &to : &from) = order < 0 ? middle : middle + 1;
    }
    return false;
}

static bool contains(struct span word, struct span part)
{
    for (size_t i = 0; part.len <= word.len && i <= word.len - part.len; i++) {
        if (strncasecmp(word.ptr + i, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}

/* The words near the result, nearest first. */
static size_t collect(struct span text, size_t from, struct span words[WORDS_BEFORE + 1])
{
    size_t at = from, n = 0, first = from > LOOK_BACK_MAX ? from - LOOK_BACK_MAX : 0;

    while (at < text.len && at - from < LOOK_AHEAD_MAX && is_word(text.ptr[at])) {
        at++;
    }
    while (at > first && n < WORDS_BEFORE + 1) {
        size_t end = at;
        while (at > first && is_word(text.ptr[at - 1])) {
            at--;
        }
        struct span word = span_slice(text, at, end);
        if (word.len > 0 && !is_stop_word(word)) {
            words[n++] = word;
        }
        at -= at == end;
    }
    return n;
}

struct span presidio_context_find(struct span text, size_t from, const struct span *given, size_t n_given, const struct span *context,
                                  size_t n_context)
{
    struct span words[WORDS_BEFORE + 1];
    size_t n = collect(text, from, words);

    for (size_t i = 0; i < n_context; i++) {
        for (size_t k = 0; k < n + n_given; k++) {
            if (contains(k < n ? words[k] : given[k - n], context[i])) {
                return context[i];
            }
        }
    }
    return span_of("", 0);
}

double presidio_context_score(double score)
{
    double better = score + 0.35 < 0.4 ? 0.4 : score + 0.35;

    return better > 1 ? 1 : better;
}
