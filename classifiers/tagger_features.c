#include "classifiers/tagger_features.h"

/* Four counts side by side in one number; a line has at most TAGGER_TOKENS tokens. */
enum { COUNT_BITS = 16, COUNT_MASK = 0xffff };

#define ONE_SMALL  ((uint64_t)1)
#define ONE_TITLE  ((uint64_t)1 << COUNT_BITS)
#define ONE_CAPS   ((uint64_t)1 << (2 * COUNT_BITS))
#define ONE_NUMBER ((uint64_t)1 << (3 * COUNT_BITS))

static const uint64_t counted_as[TAGGER_SHAPES] = {
    [TAGGER_LOWER] = ONE_SMALL, [TAGGER_TITLE] = ONE_TITLE,      [TAGGER_MIXED] = ONE_TITLE,
    [TAGGER_CAPS] = ONE_CAPS,   [TAGGER_CAPS_SHORT] = ONE_CAPS,  [TAGGER_NUMBER] = ONE_NUMBER,
    [TAGGER_ALNUM] = ONE_NUMBER};

/* Headings and shouting say little by their capitals, and chat without any little by their absence.
 */
void tagger_line_survey(struct tagger_line *line)
{
    uint64_t counts = 0;

    for (size_t i = 0; i < line->n; i++) {
        counts += counted_as[line->tokens[i].shape];
    }
    uint64_t n_small = counts & COUNT_MASK;
    uint64_t n_title = counts >> COUNT_BITS & COUNT_MASK;
    uint64_t n_caps = counts >> (2 * COUNT_BITS) & COUNT_MASK;
    uint64_t n = n_small + n_title + n_caps;
    bool is_caps = n_caps * 3 > n * 2;
    bool is_title = n_title * 3 > n * 2;
    bool is_small = n_title + n_caps == 0;

    line->style = is_caps    ? TAGGER_STYLE_CAPITALS
                  : is_title ? TAGGER_STYLE_TITLE
                  : is_small ? TAGGER_STYLE_SMALL
                             : TAGGER_STYLE_EITHER;
    line->has_number = counts >= ONE_NUMBER;
}

void tagger_line_look_up(struct tagger_line *line, const struct tagger_lexicon *lexicon,
                         size_t from, size_t to)
{
    enum { AHEAD = 8 };
    const struct tagger_words *words = lexicon->words;

    for (size_t i = from; i < to; i++) {
        struct tagger_token *t = &line->tokens[i];
        if (i + AHEAD < to) {
            __builtin_prefetch(&words->table[t[AHEAD].hash & words->mask]);
        }
        if (t->shape == TAGGER_OPAQUE) {
            continue;
        }
        /* A symbol is looked up like a word, for nothing, as it cannot be foretold which tokens are some. */
        const struct tagger_word w = tagger_lexicon_find(lexicon, t->hash);
        const uint8_t all = t->shape == TAGGER_SYMBOL ? 0 : UINT8_MAX;
        t->flags = w.flags & (uint16_t)(all | all << 8);
        t->group = w.group & all;
        t->fame = w.fame & all;
    }
}

/* --- features --------------------------------------------------------------- */

struct sink {
    uint32_t *hashes;
    size_t n;
};

static inline void put(struct sink *s, uint32_t template_id, uint32_t value)
{
    s->hashes[s->n++] = tagger_mix(template_id, value);
}

/* The next word in this direction, over connectors: the surname behind an initial's full stop. */
static const struct tagger_token *beyond_connector(const struct tagger_token *t, int step)
{
    return tagger_is_connector(t + step) ? t + 2 * step : t + step;
}

static void put_words(struct sink *s, const struct tagger_token *t)
{
    put(s, 1, t->hash);
    put(s, 2, tagger_pair(t[-1].hash, t->hash));
    put(s, 3, tagger_pair(t->hash, t[1].hash));
    put(s, 4, t[-1].hash);
    put(s, 5, t[1].hash);
    put(s, 6, t[-2].hash);
    put(s, 7, t[2].hash);
    put(s, 8, tagger_pair(t[-2].hash, t[-1].hash));
    put(s, 9, tagger_pair(t[1].hash, t[2].hash));
    put(s, 10, tagger_pair(t[-1].hash, t->shape));
    put(s, 11, tagger_pair(t[1].hash, t->shape));
}

static void put_spelling(struct sink *s, const struct tagger_token *t)
{
    put(s, 12, t->tail & 0xffff);
    put(s, 13, t->tail & 0xffffff);
    put(s, 14, t->tail);
    put(s, 15, t->head >> 16);
    put(s, 16, t->head >> 8);
    put(s, 17, (uint32_t)t->shape << 8 | (t->n_chars > 12 ? 12 : t->n_chars));
}

static void put_shapes(struct sink *s, const struct tagger_token *t, uint8_t style)
{
    uint32_t before = (uint32_t)t[-2].shape << 8 | t[-1].shape;
    uint32_t after = (uint32_t)t[1].shape << 8 | t[2].shape;
    uint32_t glue = (uint32_t)t->is_glued << 1 | t[1].is_glued;

    put(s, 18, (uint32_t)style << 8 | t->shape);
    put(s, 19, (uint32_t)t[-1].shape << 8 | t->shape);
    put(s, 20, (uint32_t)t->shape << 8 | t[1].shape);
    put(s, 21, before << 8 | t->shape);
    put(s, 22, after << 8 | t->shape);
    put(s, 23, (before << 16 | after) ^ (uint32_t)t->shape << 5);
    put(s, 24, glue << 16 | (uint32_t)t[-1].shape << 8 | t[1].shape);
    put(s, 25,
        glue << 16 | (t->is_glued ? t[-1].tail & 0xff : 0) << 8 |
            (t[1].is_glued ? t[1].tail & 0xff : 0));
}

static void put_lists(struct sink *s, const struct tagger_token *t)
{
    uint32_t here = t->flags;
    const struct tagger_token *before = beyond_connector(t, -1);
    const struct tagger_token *after = beyond_connector(t, 1);

    put(s, 26, here);
    put(s, 27, here << 8 | t->shape);
    put(s, 28, (uint32_t)before->flags << 16 | here);
    put(s, 29, here << 16 | after->flags);
    put(s, 30,
        tagger_pair((uint32_t)before->flags << 8 | before->shape,
                    (uint32_t)after->flags << 8 | after->shape));
    put(s, 31, tagger_pair(t[-1].hash, here));
    put(s, 32, tagger_pair(t[1].hash, here));
    put(s, 33, (uint32_t)before->flags << 8 | before->shape);
    put(s, 34, (uint32_t)after->flags << 8 | after->shape);
    for (uint32_t bit = 0; bit < 10; bit++) {
        if (here >> bit & 1) {
            put(s, 50 + bit, t->shape);
        }
    }
    put(s, 60, here & (TAGGER_WORD_CASE | TAGGER_WORD_OFTEN));
}

static void put_groups(struct sink *s, const struct tagger_token *t)
{
    put(s, 35, t->group);
    put(s, 36, t[-1].group);
    put(s, 37, t[1].group);
    put(s, 38, t[-2].group);
    put(s, 39, t[2].group);
    put(s, 40, (uint32_t)t[-1].group << 16 | t->group);
    put(s, 41, (uint32_t)t->group << 16 | t[1].group);
    put(s, 42, (uint32_t)t[-1].group << 16 | t[1].group);
    put(s, 43, tagger_pair((uint32_t)t[-1].group << 16 | t[1].group, t->shape));
    put(s, 44, tagger_pair((uint32_t)t[-2].group << 16 | t[-1].group, t->shape));
    put(s, 45, tagger_pair((uint32_t)t[1].group << 16 | t[2].group, t->shape));
    put(s, 46, tagger_pair(t[-1].group, (uint32_t)t->flags << 8 | t->shape));
    put(s, 47, tagger_pair(t[1].group, (uint32_t)t->flags << 8 | t->shape));
}

size_t tagger_common_features(const struct tagger_line *line, size_t i, uint32_t *hashes)
{
    struct sink s = {.hashes = hashes};
    const struct tagger_token *t = &line->tokens[i];

    put_words(&s, t);
    put_spelling(&s, t);
    put_shapes(&s, t, line->style);
    put_lists(&s, t);
    put_groups(&s, t);
    return s.n;
}

/* What the word was elsewhere. */
static void put_fame(struct sink *s, const struct tagger_token *t, uint8_t style)
{
    const struct tagger_token *before = beyond_connector(t, -1);
    const struct tagger_token *after = beyond_connector(t, 1);

    put(s, 61, (uint32_t)t->fame << 8 | t->shape);
    put(s, 62, tagger_pair((uint32_t)t->fame << 8 | t->shape, t->flags));
    put(s, 63, (uint32_t)before->fame << 16 | (uint32_t)t->fame << 8 | after->fame);
    put(s, 64, (uint32_t)t->fame << 8 | style);
}

/* The lists have names that are words of other languages. */
static void put_language(struct sink *s, const struct tagger_token *t, uint8_t language)
{
    put(s, 65, (uint32_t)language << 8 | t->shape);
    put(s, 66, tagger_pair(language, t->flags));
    put(s, 67, (uint32_t)language << 16 | (uint32_t)t->fame << 8 | t->shape);
}

/* How a word begins and ends says more where it is of no list and seldom in ordinary text. */
static void put_unknown(struct sink *s, const struct tagger_token *t)
{
    uint32_t is_name = (t->flags & TAGGER_WORD_NAME) != 0;
    uint32_t known = is_name << 2 | (t->flags & TAGGER_WORD_OFTEN) >> TAGGER_WORD_OFTEN_SHIFT;

    put(s, 68, tagger_pair(t->tail & 0xffffff, known));
    put(s, 69, tagger_pair(t->head >> 8, known));
    put(s, 73, tagger_pair(t->tail & 0xff, known));
    put(s, 74, tagger_pair(t->tail & 0xffff, known));
    put(s, 75, tagger_pair(t->tail, known));
    put(s, 76, tagger_pair(t->tail >> 8, known));
    put(s, 77, tagger_pair(t->head >> 24, known));
    put(s, 78, tagger_pair(t->head >> 16, known));
    put(s, 79, tagger_pair(t->head, known));
    put(s, 80, tagger_pair(t->head & 0xffffff, known));
    put(s, 81, tagger_pair(t->tail & 0xffff, t->head >> 16 | known << 16));
}

/* Where a name begins and ends is told by what three words in a row are. */
static uint32_t kind_of(const struct tagger_token *t)
{
    uint32_t written = (t->flags & TAGGER_WORD_CASE) >> TAGGER_WORD_CASE_SHIFT;

    return (t->flags & TAGGER_WORD_NAME) | written << 4 | (uint32_t)t->shape << 6;
}

/* How many capitalised words are before and behind it, up to four: a place in a heading. */
static void put_row(struct sink *s, const struct tagger_line *line, size_t i)
{
    enum { FAR = 4 };
    const struct tagger_token *t = &line->tokens[i];
    uint32_t before = 0;
    uint32_t after = 0;

    while (before < FAR && i > before && tagger_is_capital(t - before - 1)) {
        before++;
    }
    while (after < FAR && i + after + 1 < line->n && tagger_is_capital(t + after + 1)) {
        after++;
    }
    uint32_t row = before << 16 | after << 8 | t->shape;
    put(s, 70, row);
    put(s, 71, tagger_pair(row, t->flags & TAGGER_WORD_NAME));
    put(s, 72,
        tagger_pair(tagger_pair(kind_of(beyond_connector(t, -1)), kind_of(t)),
                    kind_of(beyond_connector(t, 1))));
}

static bool is_in_row(const struct tagger_token *t)
{
    return tagger_is_capital(t) || tagger_is_connector(t);
}

/* What is before and behind the whole row of capitals that the token is in, initials and all:
 * to each of a name's words the same. */
static void put_around_row(struct sink *s, const struct tagger_line *line, size_t i)
{
    enum { FAR = 6 };
    const struct tagger_token *t = &line->tokens[i];
    uint32_t n_before = 0;
    uint32_t n_after = 0;

    while (n_before < FAR && i > n_before && is_in_row(t - n_before - 1)) {
        n_before++;
    }
    while (n_after < FAR && i + n_after + 1 < line->n && is_in_row(t + n_after + 1)) {
        n_after++;
    }
    const struct tagger_token *before = t - n_before - 1;
    const struct tagger_token *after = t + n_after + 1;
    uint32_t row = n_before << 16 | n_after << 8 | t->shape;
    put(s, 82, (uint32_t)before->group << 16 | after->group);
    put(s, 83,
        tagger_pair((uint32_t)before->group << 8 | before->shape,
                    (uint32_t)after->group << 8 | after->shape));
    put(s, 84, tagger_pair(before->group, row));
    put(s, 85, tagger_pair(after->group, row));
}

size_t tagger_name_features(const struct tagger_line *line, size_t i, uint32_t *hashes)
{
    struct sink s = {.hashes = hashes};
    const struct tagger_token *t = &line->tokens[i];

    put_fame(&s, t, line->style);
    put_language(&s, t, line->language);
    put_unknown(&s, t);
    put_row(&s, line, i);
    put_around_row(&s, line, i);
    return s.n;
}
