#include "classifiers/tagger_address_parts.h"

#include <string.h>

static bool is_part_label(uint8_t label, enum tagger_part part)
{
    return part == TAGGER_PART_CODE ? label == TAGGER_ADDRESS_POSTCODE
                                    : label == TAGGER_ADDRESS_PLACE || label == TAGGER_ADDRESS_REGION;
}

/* The only row of tokens with labels of the part; empty when there is none, or another. A comma that is beside it is none of it. */
static struct tagger_part_tokens only_row(const struct tagger_token *tokens, const uint8_t *labels, size_t n, enum tagger_part part)
{
    struct tagger_part_tokens row = {0};

    for (size_t i = 0; i < n; i++) {
        bool is_between = i > 0 && i + 1 < n && is_part_label(labels[i - 1], part) && is_part_label(labels[i + 1], part);
        if (!is_part_label(labels[i], part) || (tagger_is_sign(&tokens[i], ',') && !is_between)) {
            continue;
        }
        if (row.to > 0 && row.to < i) {
            return (struct tagger_part_tokens){0};
        }
        row.from = row.to == 0 ? i : row.from;
        row.to = i + 1;
    }
    return row;
}

/* Whether a token of the row is a word for a street, and none in front of it is labelled as one: then the row is the street. Behind a
 * code only its last word counts: `3556 South Dennis`, `59394 Port Toluwanimiton`. */
static bool is_street_itself(const struct tagger_token *tokens, const uint8_t *labels, struct tagger_part_tokens row)
{
    bool has_street = memchr(labels, TAGGER_ADDRESS_STREET, row.from) != NULL;
    bool is_behind_code = row.from > 0 && labels[row.from - 1] == TAGGER_ADDRESS_POSTCODE;

    for (size_t i = is_behind_code ? row.to - 1 : row.from; i < row.to && !has_street; i++) {
        if ((tokens[i].flags & (TAGGER_WORD_STREET | TAGGER_WORD_CITY)) == TAGGER_WORD_STREET) {
            return true;
        }
    }
    return false;
}

/* `Fifth` of Fifth Floor, of which the tagger takes the first word for a town. */
static bool is_floor(const struct tagger_line *line, size_t from, struct tagger_part_tokens row)
{
    static const uint32_t tail = (uint32_t)'l' << 24 | 'o' << 16 | 'o' << 8 | 'r';
    const struct tagger_token *next = &line->tokens[from + row.to];

    return from + row.to < line->n && next->n_chars == sizeof "floor" - 1 && next->tail == tail;
}

/* Whether token i is behind a comma, or one. */
static bool is_behind_comma(const struct tagger_token *tokens, size_t i)
{
    return tagger_is_sign(&tokens[i], ',') || (i > 0 && tagger_is_sign(&tokens[i - 1], ','));
}

static bool is_in(const struct tagger_token *t)
{
    return t->shape == TAGGER_LOWER && t->n_chars == 2 && (t->tail & 0xffff) == ('i' << 8 | 'n');
}

/* Whether the first n tokens are of a sentence, or of a list: one of them is a small word or a sign. */
static bool is_in_midst(const struct tagger_line *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (line->tokens[i].shape == TAGGER_LOWER || line->tokens[i].shape == TAGGER_SYMBOL) {
            return true;
        }
    }
    return false;
}

/* Whether a number from token `from` on is labelled as a post code. Commas take the label of what is beside them, and the number in
 * front of a street is that of the house. */
static bool has_code(const struct tagger_token *tokens, const uint8_t *labels, size_t from, size_t n)
{
    for (size_t i = from; i < n; i++) {
        if (labels[i] == TAGGER_ADDRESS_POSTCODE && tagger_is_number(&tokens[i])) {
            return true;
        }
    }
    return false;
}

static bool is_digit_last(const struct tagger_token *t)
{
    return (t->tail & 0xff) - '0' < 10;
}

/* Whether a code of this form is one that most countries write in front of the town, or with a region behind the town: 4 or 5 digits,
 * 123 45, 12-345, 1234-567, 1234 AB, A1B 2C3. Six digits, 123-4567 and letters at the end are of countries where it follows the town
 * alone. Some with 4 or 5 digits write it so, too: they look like what a program has put together of fields. */
static bool is_code_of_front(const struct tagger_token *tokens, struct tagger_part_tokens row)
{
    enum { GROUP = 3, ALONE = 5, CODE = 6 };
    const struct tagger_token *first = &tokens[row.from];
    const struct tagger_token *last = &tokens[row.to - 1];

    if (first->shape == TAGGER_ALNUM) {
        return is_digit_last(last) && (last->n_chars == GROUP || last->n_chars == CODE);
    }
    bool is_in_groups = row.to - row.from > 1 && first->n_chars == GROUP && last->n_chars >= GROUP;
    return first->shape == TAGGER_NUMBER && first->n_chars <= ALONE && !is_in_groups;
}

/* Whether the town of the row may stand apart: one name, which no region follows. */
static bool is_town_alone(const struct tagger_token *tokens, const uint8_t *labels, struct tagger_part_tokens row)
{
    for (size_t i = row.from + 1; i < row.to; i++) {
        if (tagger_is_sign(&tokens[i], ',') || labels[i] == TAGGER_ADDRESS_REGION) {
            return false;
        }
    }
    return true;
}

/* Whether a syllable ends the town that says what it is (-gu, -ku): its country writes the code behind it. */
static bool is_of_east(const struct tagger_token *tokens, struct tagger_part_tokens row)
{
    return tokens[row.to - 1].shape == TAGGER_LOWER;
}

void tagger_address_parts(const struct tagger_line *line, const uint8_t *labels, size_t from, size_t to,
                          struct tagger_part_tokens parts[TAGGER_PARTS])
{
    const struct tagger_token *tokens = line->tokens + from;
    const size_t n = to - from;
    struct tagger_part_tokens place = only_row(tokens, labels, n, TAGGER_PART_PLACE);
    struct tagger_part_tokens code = only_row(tokens, labels, n, TAGGER_PART_CODE);

    place.from += place.to > place.from + 1 && is_in(&tokens[place.from]);
    if (place.to == 0 || is_floor(line, from, place) || is_street_itself(tokens, labels, place)) {
        return;
    }
    size_t n_covered = place.to - place.from + (code.to - code.from);
    bool is_apart = place.from > 0 && (is_behind_comma(tokens, place.from) || is_in(&tokens[place.from - 1]));
    bool is_last = place.to == n && !has_code(tokens, labels, 1, n) && is_town_alone(tokens, labels, place);
    bool is_box = memchr(labels, TAGGER_ADDRESS_BOX, n) != NULL;
    bool is_before_code = !is_box && place.to == code.from && code.to == n && is_code_of_front(tokens, code) && is_town_alone(tokens, labels, place) &&
                          !is_of_east(tokens, place);
    bool is_inside = is_in_midst(line, from) && to < line->n;
    bool goes_on = to < line->n && line->tokens[to].shape == TAGGER_LOWER;
    if (code.to > 0 && n_covered == n && is_inside) {
        parts[TAGGER_PART_PLACE] = place;
        parts[TAGGER_PART_CODE] = code;
    } else if (is_apart && is_last && (is_inside || goes_on)) {
        parts[TAGGER_PART_PLACE] = place;
    } else if (is_apart && is_before_code) {
        parts[TAGGER_PART_PLACE] = place;
        parts[TAGGER_PART_CODE] = code;
    }
}
