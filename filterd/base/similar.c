#include "base/similar.h"

#include <stdbool.h>
#include <stdio.h>

enum { SLIPS_MAX = 3, LETTERS_PER_SLIP = 3, RANK_OF_PREFIX = 1, RANK_OF_PARTS = SLIPS_MAX + 1, RANK_NONE = 1000 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes and swaps of neighbours that make one word of the other. */
static unsigned edit_distance(struct span a, struct span b)
{
    unsigned rows[3][SIMILAR_WORD_MAX + 1];

    for (unsigned j = 0; j <= b.len; j++) {
        rows[0][j] = j;
    }
    for (unsigned i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]));
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1]) {
                row[j] = least(row[j], second[j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

static struct span next_part(struct span *rest)
{
    const char *dash = rest->len > 0 ? memchr(rest->ptr, '-', rest->len) : NULL;
    size_t len = dash == NULL ? rest->len : (size_t)(dash - rest->ptr);
    struct span part = span_slice(*rest, 0, len);

    *rest = span_slice(*rest, dash == NULL ? len : len + 1, rest->len);
    return part;
}

/* How many parts of `known` the word leaves out; RANK_NONE when it has one that is not there, in this order. */
static unsigned parts_left_out(struct span word, struct span known)
{
    unsigned n = 0;
    struct span wanted = next_part(&word);

    while (known.len > 0) {
        struct span part = next_part(&known);
        if (wanted.len > 0 && span_equal(part, wanted)) {
            wanted = next_part(&word);
        } else {
            n++;
        }
    }
    return wanted.len == 0 && word.len == 0 ? n : RANK_NONE;
}

static unsigned rank_of(struct span word, struct span known)
{
    unsigned slips = edit_distance(word, known);
    unsigned left_out = parts_left_out(word, known);
    bool is_beginning = known.len > word.len && memcmp(known.ptr, word.ptr, word.len) == 0;
    unsigned rank = slips <= least(SLIPS_MAX, 1 + (unsigned)word.len / (2 * LETTERS_PER_SLIP)) ? slips : RANK_NONE;

    rank = is_beginning ? least(rank, RANK_OF_PREFIX) : rank;
    return left_out < RANK_NONE ? least(rank, RANK_OF_PARTS + left_out) : rank;
}

void similar_init(struct similar *s, struct span word)
{
    *s = (struct similar){.word = word};
}

void similar_offer(struct similar *s, struct span known)
{
    unsigned at = s->n;

    if (s->word.len == 0 || s->word.len > SIMILAR_WORD_MAX || known.len > SIMILAR_WORD_MAX) {
        return;
    }
    struct similar_word new = {.word = known, .rank = rank_of(s->word, known)};
    while (at > 0 && s->best[at - 1].rank > new.rank) {
        at--;
    }
    if (new.rank == RANK_NONE || at == SIMILAR_MAX) {
        return;
    }
    s->n += s->n < SIMILAR_MAX;
    memmove(&s->best[at + 1], &s->best[at], (s->n - 1 - at) * sizeof(new));
    s->best[at] = new;
}

const char *similar_hint(const struct similar *s, const char *prefix, char text[SIMILAR_HINT_MAX])
{
    size_t len = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < s->n && len < SIMILAR_HINT_MAX; i++) {
        const char *before = i == 0 ? " (did you mean " : i + 1 == s->n ? " or " : ", ";
        len += (size_t)snprintf(text + len, SIMILAR_HINT_MAX - len, "%s%s" SPAN_FMT "%s", before, prefix,
                                SPAN_ARG(s->best[i].word), i + 1 == s->n ? "?)" : "");
    }
    return text;
}
