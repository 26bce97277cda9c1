/* tagger_addresses.c - candidate tokens of postal addresses, and their features. */
#include <string.h>

#include "classifiers/tagger_address_parts.h"

/* An address is around a number: of a house, a box or a post code. Tokens further from one than
 * that are none. */
enum { REACH = 14, NEAR = 8, SEEN = REACH + TAGGER_CONTEXT };

enum {
    COMMON = TAGGER_WORD_CASE | TAGGER_WORD_OFTEN,
    KNOWN = TAGGER_WORD_STREET | TAGGER_WORD_UNIT | TAGGER_WORD_CITY | TAGGER_WORD_COUNTRY |
            TAGGER_WORD_REGION
};

/* How much a token near a number says that it is the number of an address: street words, cities and
 * post boxes more when they are written large, as all of them are words of other meanings, too. */
static unsigned weight_of(const struct tagger_token *t, size_t distance)
{
    bool is_large = t->shape != TAGGER_LOWER;

    if (t->shape == TAGGER_NUMBER) {
        return t->n_chars >= 4 && t->n_chars <= 6 ? 2 : 0;
    }
    if (!is_large && (t->flags & COMMON) == COMMON) {
        return 0; /* "back", "place", "the": seen hundreds of times, and small */
    }
    if ((t->flags & KNOWN) != 0) {
        return 1u + is_large + (is_large && distance <= 3);
    }
    return t->shape == TAGGER_ALNUM || (t->shape == TAGGER_TITLE && t->n_chars > 7);
}

static bool may_be_of_address(const struct tagger_line *line, size_t number)
{
    size_t from = number > NEAR ? number - NEAR : 0;
    size_t to = line->n - number > NEAR ? number + NEAR + 1 : line->n;
    unsigned weight = 0;

    for (size_t i = from; i < to; i++) {
        if (i != number) {
            weight += weight_of(&line->tokens[i], i < number ? number - i : i - number);
        }
    }
    return weight >= 3;
}

static void find_candidates(struct tagger_line *line, const struct tagger_lexicon *lexicon)
{
    size_t marked = 0; /* tokens before that are decided */
    size_t known = 0;  /* tokens before that are looked up, or not near a number */

    for (size_t i = 0; i < line->n; i++) {
        if (!tagger_is_number(&line->tokens[i])) {
            continue;
        }
        size_t first = i > SEEN ? i - SEEN : 0;
        size_t last = line->n - i > SEEN ? i + SEEN + 1 : line->n;
        tagger_line_look_up(line, lexicon, first > known ? first : known, last);
        known = last;
        if (!may_be_of_address(line, i)) {
            continue;
        }
        size_t from = i > REACH ? i - REACH : 0;
        size_t to = line->n - i > REACH ? i + REACH + 1 : line->n;
        for (size_t k = from > marked ? from : marked; k < to; k++) {
            line->tokens[k].is_candidate = line->tokens[k].shape != TAGGER_OPAQUE;
        }
        marked = to;
    }
}

static uint32_t kind_of(const struct tagger_token *t)
{
    return (uint32_t)t->shape << 4 | (t->n_chars > 9 ? 9u : t->n_chars);
}

static size_t features(const struct tagger_line *line, size_t i, uint32_t *hashes)
{
    const struct tagger_token *t = &line->tokens[i];
    size_t n = tagger_common_features(line, i, hashes);

    hashes[n++] = tagger_mix(70, kind_of(&t[-1]) << 16 | kind_of(t) << 8 | kind_of(&t[1]));
    hashes[n++] = tagger_mix(71, tagger_pair(kind_of(&t[-1]) << 8 | kind_of(&t[-2]), kind_of(t)));
    hashes[n++] = tagger_mix(72, tagger_pair(kind_of(&t[1]) << 8 | kind_of(&t[2]), kind_of(t)));
    hashes[n++] = tagger_mix(73, t->flags & (TAGGER_WORD_STREET | TAGGER_WORD_UNIT |
                                             TAGGER_WORD_REGION | TAGGER_WORD_CITY));
    hashes[n++] = tagger_mix(74, tagger_pair(kind_of(&t[-1]), t->flags));
    hashes[n++] = tagger_mix(75, tagger_pair(kind_of(&t[1]), t->flags));
    hashes[n++] = tagger_mix(76, tagger_pair(t[-1].tail & 0xffffff, kind_of(t)));
    hashes[n++] = tagger_mix(77, tagger_pair(t[1].tail & 0xffffff, kind_of(t)));
    return n;
}

/* Most words of a sentence are small and of no list; of an address they are not, unless it is all
 * in small letters. */
static bool is_prose(const struct tagger_token *tokens, size_t n)
{
    enum { ADDRESS_MAX = 4, FEW = 2 };
    size_t n_small = 0;
    size_t n_known = 0;
    size_t n_capital = 0;

    for (size_t i = 0; i < n; i++) {
        uint8_t shape = tokens[i].shape;
        n_small += (shape == TAGGER_LOWER || shape == TAGGER_CASELESS) &&
                   (tokens[i].flags & (KNOWN | TAGGER_WORD_PARTICLE)) == 0;
        n_known += (tokens[i].flags & KNOWN) != 0;
        n_capital += shape >= TAGGER_TITLE && shape <= TAGGER_MIXED;
    }
    bool is_long = n_small > ADDRESS_MAX || n_small > n_known;
    return n_small > FEW && n_small > n_capital && (n_capital > 0 || is_long);
}

/* Of formulas and programs. A symbol whose lowest byte is that of a letter or digit is none of ASCII: signs like "about". */
static bool is_of_formula(const struct tagger_token *t)
{
    enum { TIMES = 0xd7 };
    unsigned c = t->tail & 0xff;
    bool is_listed = c != 0 && c < 0x80 && strchr("=<>{}[]*%+|~^", (int)c) != NULL;
    bool is_alphanumeric = c - '0' < 10 || (c | 0x20) - 'a' < 26;

    return t->shape == TAGGER_SYMBOL && (is_listed || is_alphanumeric || c == TIMES);
}

/* Decimals, versions, times: 3.5, 4.2.7, 7,5, 58,074, 12:01. A house and its post code, 5,50674, is none of these. */
static bool is_decimal(const struct tagger_token *tokens, size_t i, size_t n)
{
    if (i + 2 >= n || !tokens[i + 1].is_glued || !tokens[i + 2].is_glued || tokens[i].shape != TAGGER_NUMBER) {
        return false;
    }
    bool is_number = tokens[i + 2].shape == TAGGER_NUMBER || tokens[i + 2].shape == TAGGER_ALNUM;
    bool is_short = tokens[i + 2].n_chars <= 3;
    return is_number && (tagger_is_sign(&tokens[i + 1], '.') || tagger_is_sign(&tokens[i + 1], ':') || (tagger_is_sign(&tokens[i + 1], ',') && is_short));
}

/* 750ML, 45 kJ; not 1012KM, which is a post code, and not KM in large letters. */
static bool is_quantity(const struct tagger_token *tokens, size_t i)
{
    static const char units[][3] = {"ml", "cl", "mm", "cm", "km", "kg", "mg", "hz", "kw", "kj", "px"};
    const struct tagger_token *t = &tokens[i];
    enum { GLUED_MAX = 5 };
    bool is_glued = t->shape == TAGGER_ALNUM && t->n_chars > 2 && t->n_chars <= GLUED_MAX;
    bool is_apart = i > 0 && tokens[i - 1].shape == TAGGER_NUMBER && t->n_chars == 2 &&
                    (t->shape == TAGGER_LOWER || t->shape == TAGGER_CAMEL);

    for (size_t k = 0; k < COUNT(units) && (is_glued || is_apart); k++) {
        if ((t->tail & 0xffff) == ((uint32_t)(unsigned char)units[k][0] << 8 | (unsigned char)units[k][1])) {
            return true;
        }
    }
    return false;
}

/* Two characters after two characters: bytes in hexadecimal. */
static bool is_byte(const struct tagger_token *t)
{
    return t->n_chars == 2 && t->shape != TAGGER_SYMBOL && t->shape != TAGGER_LOWER;
}

/* Numbers of other things than houses, and nothing with a name. */
static bool is_technical(const struct tagger_token *tokens, size_t n)
{
    enum { BYTES = 5, NAMED = 3 };
    size_t n_bytes = 0;
    bool is_named = false;

    for (size_t i = 0; i < n; i++) {
        const struct tagger_token *t = &tokens[i];
        n_bytes = is_byte(t) ? n_bytes + 1 : 0;
        if (is_of_formula(t) || is_decimal(tokens, i, n) || is_quantity(tokens, i) || n_bytes >= BYTES) {
            return true;
        }
        bool is_word = t->shape <= TAGGER_CASELESS && t->n_chars >= NAMED;
        is_named = is_named || (is_word && (t->shape != TAGGER_LOWER || (t->flags & KNOWN) != 0));
    }
    return !is_named;
}

static bool is_word(const struct tagger_token *t, const char *word)
{
    uint32_t tail = 0;
    size_t len = strlen(word); /* at most 4 */

    for (size_t i = 0; i < len; i++) {
        tail = tail << 8 | (unsigned char)word[i];
    }
    return t->n_chars == len && (t->tail & (UINT32_MAX >> (32 - 8 * len))) == tail;
}

/* `Call 519-346-8761`: a word in front of what is dialled, and nothing else behind it. */
static bool is_call(const struct tagger_token *tokens, size_t n)
{
    static const char words[][5] = {"call", "ring", "dial", "text"};
    bool is_verb = false;

    for (size_t k = 0; n > 1 && k < COUNT(words); k++) {
        is_verb = is_verb || is_word(&tokens[0], words[k]);
    }
    for (size_t i = 1; i < n && is_verb; i++) {
        is_verb = tokens[i].shape == TAGGER_SYMBOL || tokens[i].shape == TAGGER_NUMBER || tokens[i].shape == TAGGER_ALNUM;
    }
    return is_verb;
}

/* Whether a token is a number, also one in a word, `One Harbor Way`, or of a script that has its own. */
static bool has_number(const struct tagger_token *tokens, size_t n)
{
    bool is_found = tokens[0].shape == TAGGER_TITLE && tokens[0].n_chars == 3 && (tokens[0].tail & 0xffffff) == ('o' << 16 | 'n' << 8 | 'e');

    for (size_t i = 0; i < n && !is_found; i++) {
        is_found = tagger_is_number(&tokens[i]) || tokens[i].shape == TAGGER_CASELESS;
    }
    return is_found;
}

/* One or two words written large, and what joins them to others: Zielona Góra, Montemor-o-Novo. */
static bool is_town(const struct tagger_token *tokens, size_t n)
{
    enum { WORDS = 2 };
    size_t n_words = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_joint = tagger_is_sign(&tokens[i], '-') || tagger_is_sign(&tokens[i], '/') || (tokens[i].shape == TAGGER_LOWER && tokens[i].n_chars == 1);
        n_words += tokens[i].shape == TAGGER_TITLE;
        if (tokens[i].shape != TAGGER_TITLE && !is_joint) {
            return false;
        }
    }
    return n_words > 0 && n_words <= WORDS;
}

/* The first token of the code whose last number is token `last`: 303 12, 51-452, 42267. */
static size_t code_start(const struct tagger_token *tokens, size_t last)
{
    size_t first = last > 1 && tagger_is_sign(&tokens[last - 1], '-') ? last - 2 : last - (last > 0);

    return tokens[first].shape == TAGGER_NUMBER ? first : last;
}

/* A town that no list has beside its code, behind it or, behind a comma, in front: 42267 Ingrambury; Ermou 52, Athina, 24875;
 * 8854 JM, Puiflijk. */
static bool has_code_and_town(const struct tagger_token *tokens, size_t n)
{
    enum { CODE = 4 };
    size_t last = n - 1;

    while (last > 0 && tokens[last].shape != TAGGER_NUMBER) {
        last--;
    }
    size_t first = code_start(tokens, last);
    if (tokens[last].shape != TAGGER_NUMBER || (first == last && tokens[last].n_chars < CODE)) {
        return false;
    }
    if (last + 1 == n) {
        return first > 2 && tagger_is_sign(&tokens[first - 1], ',') && tokens[first - 2].shape == TAGGER_TITLE && has_number(tokens, first);
    }
    size_t town = last + 1;
    town += tokens[town].shape == TAGGER_CAPS_SHORT && town + 1 < n && !tagger_is_sign(&tokens[town + 1], '-');
    town += town > last + 1 && tagger_is_sign(&tokens[town], ',') && town + 1 < n;
    return is_town(tokens + town, n - town);
}

/* Whether a word is one of streets, units or places. Two or three capital letters are a region only before a ZIP code. */
static bool has_known_word(const struct tagger_token *tokens, size_t n)
{
    enum { ZIP = 5 };

    for (size_t i = 0; i < n; i++) {
        bool is_short = tokens[i].shape == TAGGER_CAPS_SHORT || tokens[i].shape == TAGGER_INITIAL;
        bool is_before_zip = i + 1 < n && tokens[i + 1].shape == TAGGER_NUMBER && tokens[i + 1].n_chars >= ZIP;
        if ((tokens[i].flags & KNOWN) != 0 && (!is_short || is_before_zip)) {
            return true;
        }
    }
    return has_code_and_town(tokens, n);
}

/* A street without a number or a city alone is no address; a number and a street with something
 * that says that it is one, a box, or a city with its post code are. */
static bool is_whole(const struct tagger_token *tokens, const uint8_t *labels, size_t n)
{
    unsigned seen = 0;
    bool names_street = false;

    for (size_t i = 0; i < n; i++) {
        seen |= 1u << labels[i];
        names_street =
            names_street || (labels[i] == TAGGER_ADDRESS_STREET && n > 2 &&
                             (tokens[i].flags & (TAGGER_WORD_STREET | TAGGER_WORD_REGION)) != 0);
    }
    bool has_place = (seen >> TAGGER_ADDRESS_PLACE & 1) != 0;
    bool has_code = (seen >> TAGGER_ADDRESS_POSTCODE & 1) != 0;
    bool has_street =
        (seen >> TAGGER_ADDRESS_STREET & 1) != 0 && (seen >> TAGGER_ADDRESS_NUMBER & 1) != 0;
    bool has_box = (seen >> TAGGER_ADDRESS_BOX & 1) != 0;
    bool says_so = names_street || has_place || has_code;

    return n > 1 && ((has_street && says_so) || (has_box && n > 2) || (has_place && has_code)) &&
           !is_prose(tokens, n) && !is_technical(tokens, n) && !is_call(tokens, n) && has_number(tokens, n) &&
           has_known_word(tokens, n);
}

/* Whether an address may go on with the token behind a full stop. Labels of places say little there: any large word gets one. */
static bool may_go_on(const struct tagger_token *t, uint8_t label)
{
    enum { PLACES = TAGGER_WORD_CITY | TAGGER_WORD_REGION | TAGGER_WORD_COUNTRY };
    bool is_common = (t->flags & COMMON) == COMMON && t->shape == TAGGER_TITLE; /* "Call": a verb at the beginning of a sentence */
    bool is_known = (t->flags & PLACES) != 0 && t->shape != TAGGER_CAPS_SHORT && !is_common;

    return label == TAGGER_ADDRESS_UNIT || is_known;
}

static bool is_end(uint8_t label)
{
    return label == TAGGER_ADDRESS_PLACE || label == TAGGER_ADDRESS_POSTCODE || label == TAGGER_ADDRESS_REGION;
}

/* Whether token i is the full stop of a sentence: behind a number or a long word that is none of streets and units, which are
 * shortened, and before a word that is written large and is no place; behind a place of four letters or more, which is not shortened, in
 * an address with a code; between a word for a street, which is not shortened, and a call; or behind the place or the code, before a number. */
static bool ends_sentence(const struct tagger_token *tokens, const uint8_t *labels, size_t i, size_t n)
{
    enum { SHORTENED = 5, PLACE = 4 };
    const struct tagger_token *last = &tokens[i - 1];
    const struct tagger_token *next = &tokens[i + 1];

    if (i + 1 >= n || !tagger_is_sign(&tokens[i], '.') || next->is_glued || may_go_on(next, labels[i + 1])) {
        return false;
    }
    if (!tagger_is_capital(next)) {
        bool is_number_next = tagger_is_number(next) || tagger_is_sign(next, '(') || tagger_is_sign(next, '+');
        return is_number_next && is_end(labels[i - 1]) && labels[i + 1] != TAGGER_ADDRESS_POSTCODE;
    }
    bool is_long = last->shape <= TAGGER_CASELESS && last->n_chars > SHORTENED;
    bool is_short_form = (last->flags & (TAGGER_WORD_STREET | TAGGER_WORD_UNIT)) != 0;
    bool is_behind_place = labels[i - 1] == TAGGER_ADDRESS_PLACE && last->shape <= TAGGER_CASELESS && last->n_chars >= PLACE;
    bool has_code = memchr(labels, TAGGER_ADDRESS_POSTCODE, i) != NULL;
    bool is_before_call = (last->flags & TAGGER_WORD_STREET) != 0 && last->n_chars >= SHORTENED && is_call(next, n - i - 1);
    return tagger_is_number(last) || (is_long && !is_short_form) || (((is_behind_place && has_code) || is_before_call) && is_whole(tokens, labels, i));
}

/* Behind the last small word that is none of addresses, but of a sentence; 0: none is. */
static size_t behind_small_words(const struct tagger_token *tokens, size_t n)
{
    while (n > 0 && (tokens[n - 1].shape != TAGGER_LOWER || (tokens[n - 1].flags & (KNOWN | TAGGER_WORD_PARTICLE)) != 0)) {
        n--;
    }
    return n;
}

static bool is_small_word(const struct tagger_token *t)
{
    return t->shape == TAGGER_LOWER && t->n_chars > 1 && (t->flags & (KNOWN | TAGGER_WORD_PARTICLE)) == 0;
}

static bool is_of_telephone(const struct tagger_token *t)
{
    return is_word(t, "tel") || is_word(t, "fax") || is_word(t, "mob");
}

/* A small word that is none of addresses, not even a second name of the town, behind the comma behind a town or a code:
 * `…, tel. 040 123`, in either case of its first letter. */
static bool starts_note(const struct tagger_token *tokens, const uint8_t *labels, size_t i)
{
    if (i < 2 || !tagger_is_sign(&tokens[i - 1], ',')) {
        return false;
    }
    return is_of_telephone(&tokens[i]) ||
           (is_small_word(&tokens[i]) && is_end(labels[i - 2]) && labels[i] != TAGGER_ADDRESS_PLACE);
}

/* A bracket that is closed and was not opened, or a number behind the comma behind the code: `…, Leeds LS7 4QT, 600 a month`. */
static bool is_behind_end(const struct tagger_token *tokens, const uint8_t *labels, size_t i)
{
    bool is_closing = tagger_is_sign(&tokens[i], ')');
    bool is_second = i > 1 && tagger_is_sign(&tokens[i - 1], ',') && labels[i - 2] == TAGGER_ADDRESS_POSTCODE && labels[i] == TAGGER_ADDRESS_POSTCODE &&
                     tokens[i].shape == TAGGER_NUMBER;

    for (size_t k = 0; k < i && is_closing; k++) {
        is_closing = !tagger_is_sign(&tokens[k], '(');
    }
    return is_closing || is_second;
}

/* Whether an address begins behind token i, and what is in front is none of it: `Novak at`. */
static bool is_lead(const struct tagger_token *tokens, size_t i, size_t n)
{
    return i + 1 < n && tokens[i].shape == TAGGER_LOWER && is_word(&tokens[i], "at");
}

/* Before the small words at the end that are none of addresses (`66 Grafton Street arrives`), and the comma before them
 * (`…, tel`). An address in small letters is left as it is. */
static size_t before_small_words(const struct tagger_token *tokens, const uint8_t *labels, size_t n)
{
    bool has_capital = false;

    for (size_t i = 0; i < n; i++) {
        has_capital = has_capital || tagger_is_capital(&tokens[i]);
    }
    size_t end = n;
    while (has_capital && end > 1 && is_small_word(&tokens[end - 1]) && labels[end - 1] != TAGGER_ADDRESS_UNIT) {
        end--;
    }
    return end < n && end > 1 && tagger_is_sign(&tokens[end - 1], ',') ? end - 1 : end;
}

static size_t ends_behind(const struct tagger_token *tokens, const uint8_t *labels, size_t n, size_t *next)
{
    for (size_t i = 1; i < n; i++) {
        if (is_behind_end(tokens, labels, i)) {
            *next = i + 1;
            return tagger_is_sign(&tokens[i - 1], ',') ? i - 1 : i;
        }
        if (starts_note(tokens, labels, i)) {
            *next = i;
            return i;
        }
        if (is_lead(tokens, i, n)) {
            *next = i + 1;
            return i;
        }
        if (ends_sentence(tokens, labels, i, n)) {
            *next = i + behind_small_words(tokens + i, n - i);
            return before_small_words(tokens, labels, i);
        }
    }
    *next = n;
    return before_small_words(tokens, labels, n);
}

/* Words up to a comma, no street or unit among them and no number, where the rest is an address. */
static size_t recipient(const struct tagger_token *tokens, const uint8_t *labels, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (tagger_is_sign(&tokens[i], ',')) {
            return i > 0 && is_whole(tokens + i + 1, labels + i + 1, n - i - 1) ? i + 1 : 0;
        }
        if (tagger_is_number(&tokens[i]) || (tokens[i].flags & (TAGGER_WORD_STREET | TAGGER_WORD_UNIT)) != 0) {
            return 0;
        }
    }
    return 0;
}

const struct tagger_task tagger_addresses = {.find_candidates = find_candidates,
                                             .features = features,
                                             .needs_number = true,
                                             .n_classes = 1,
                                             .classes = {{.labels = 0x1fe}},
                                             .is_whole = is_whole,
                                             .ends_behind = ends_behind,
                                             .recipient = recipient,
                                             .find_parts = tagger_address_parts};
