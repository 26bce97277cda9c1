#include "classifiers/tagger_eponyms.h"

#include <string.h>
#include <strings.h>

/* Words behind a name that people do not own: behind 's, too. */
static const char *const theorems[] = {"algorithm", "algorithms", "theorem", "theorems", "lemma",   "equation", "equations", "constant",  "inequality",
                                       "conjecture", "paradox",   "syndrome", "disease", "law",    "laws",     "criterion", "identity", NULL};

static const char *const methods[] = {
    "approximation", "bracket", "cipher", "code", "codes", "coefficient", "coefficients", "correlation", "curve", "curves", "decomposition", "diagram",
    "diagrams", "distribution", "distributions", "effect", "encoding", "estimator", "expansion", "factorization", "filter", "filters",
    "formula", "function", "functions", "integral", "integrals", "interpolation", "inversion", "kernel", "machine", "machines", "matrices", "matrix", "method",
    "methods", "norm", "operator", "operators", "polynomial", "polynomials", "problem", "process", "projection", "quadrature", "regression",
    "scale", "sequence", "series", "space", "spaces", "spline", "splines", "statistic", "statistics", "surface", "telescope", "test", "tests",
    "transform", "transformation", "transforms", "trigger", "window", NULL};

static const char *const houses[] = {"Museum",     "Foundation", "University", "Institute", "Prize", "Award",    "Medal",   "Observatory",
                                     "College",    "Gallery",    "Orchestra",  "Telescope", "Press", "Airport",  "Theatre", "Stadium", NULL};

static const char *const books[] = {"john",  "mark",     "luke",   "matthew", "samuel", "ruth",   "ezra",  "esther", "job",     "daniel", "joel", "amos",
                                    "micah", "titus",    "james",  "peter",   "jude",   "timothy", "isaiah", "jonah", "nehemiah", "joshua", "hosea", NULL};

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_one_of(struct span word, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (span_is(word, *list)) {
            return true;
        }
    }
    return false;
}

/* The word behind one space; empty when there is none, or more than letters. */
static struct span word_behind(struct span line, size_t at)
{
    size_t from = at + 1, to = from;

    if (at >= line.len || line.ptr[at] != ' ') {
        return span_of(line.ptr, 0);
    }
    while (to < line.len && is_letter(line.ptr[to])) {
        to++;
    }
    return span_slice(line, from, to);
}

/* Where the name ends: behind 's, with a straight or a curved apostrophe. */
static size_t behind_genitive(struct span line, size_t to)
{
    static const char *const genitives[] = {"'s", "\xe2\x80\x99s", "&#8217;s", "&rsquo;s"};
    struct span rest = span_slice(line, to, line.len);

    for (size_t i = 0; i < sizeof genitives / sizeof *genitives; i++) {
        if (span_starts_with(rest, span_str(genitives[i]))) {
            return to + strlen(genitives[i]);
        }
    }
    return to;
}

/* Two digits at most, a colon, and digits: 3:16. A book has more chapters than there are hours, but a time of the day has two digits. */
static bool is_verse(struct span line, size_t at)
{
    size_t colon = at;

    while (colon < line.len && colon < at + 3 && is_digit(line.ptr[colon])) {
        colon++;
    }
    return colon > at && colon + 1 < line.len && line.ptr[colon] == ':' && is_digit(line.ptr[colon + 1]);
}

static bool is_book(struct span line, size_t from, size_t to)
{
    for (const char *const *book = books; *book != NULL; book++) {
        if (strlen(*book) == to - from && strncasecmp(*book, line.ptr + from, to - from) == 0) {
            return to < line.len && line.ptr[to] == ' ' && is_verse(line, to + 1);
        }
    }
    return false;
}

bool tagger_is_eponym(struct span line, size_t from, size_t to)
{
    size_t end = behind_genitive(line, to);
    struct span next = word_behind(line, end);
    bool is_surname = memchr(line.ptr + from, ' ', to - from) == NULL;

    if (is_surname && (is_one_of(next, theorems) || (end == to && is_one_of(next, methods)))) {
        return true;
    }
    return (end == to && is_one_of(next, houses)) || is_book(line, from, to);
}
