#include "dataset/cell.h"

#include "lexical/english.h"

/* --- codes -------------------------------------------------------------------- */

/* A part without a digit, as "DE-". */

static bool is_short_letters(const struct word *w)
{
    return w->digits == 0 && w->n > 0 && w->n <= CODE_LETTERS_MAX;
}

void code_begin(struct code *c, const struct word *w)
{
    c->from = w->from;
    c->parts = 0;
    c->n = 0;
    c->digits = 0;
    c->is_number = true;
}

static bool is_tight(struct span gap)
{
    return gap.len == 1 && memchr("-./_:#", gap.ptr[0], 6) != NULL;
}

bool code_may_go_on(const struct code *c, struct span gap)
{
    for (size_t i = 0; i < gap.len; i++) {
        if (memchr(" -./_()+:#\t\r\n", gap.ptr[i], 13) == NULL) {
            return false;
        }
    }
    return gap.len <= CODE_GAP_MAX && c->parts < CELL_PARTS_MAX;
}

bool code_goes_on(const struct code *c, struct span gap, const struct word *w)
{
    return code_may_go_on(c, gap) && (w->digits > 0 || (is_short_letters(w) && is_tight(gap)));
}

bool code_add(struct code *c, const struct word *w, char before, char after)
{
    bool is_trunk = w->n == 1 && w->folded[0] == '0' && before == '(' && after == ')';

    c->parts++;
    if (is_trunk) {
        return true;
    }
    if (w->n == 0 || c->n + w->n > CODE_MAX || (w->digits == 0 && !is_short_letters(w))) {
        return false;
    }
    memcpy(c->text + c->n, w->folded, w->n);
    c->n += w->n;
    c->digits += w->digits;
    c->is_number = c->is_number && w->digits == w->n;
    return true;
}

size_t phone_normalise(const struct code *c, uint32_t country, char out[PHONE_MAX])
{
    struct span digits = span_of(c->text, c->n);
    size_t n = 0;
    char code[12];

    if (!c->is_number || digits.len < PHONE_MIN) {
        return 0;
    }
    if (span_starts_with(digits, span_str("00"))) {
        digits = span_slice(digits, 2, digits.len);
    } else if (digits.ptr[0] == '0' && country != 0) {
        n = (size_t)snprintf(code, sizeof(code), "%u", country);
        memcpy(out, code, n);
        digits = span_slice(digits, 1, digits.len);
    }
    if (n + digits.len > PHONE_MAX || n + digits.len < PHONE_MIN) {
        return 0;
    }
    memcpy(out + n, digits.ptr, digits.len);
    return n + digits.len;
}

/* --- e-mail -------------------------------------------------------------------- */

static bool is_local(char c)
{
    return letters_ascii[c & 0x7f] != 0 ? (unsigned char)c < 0x80 : c == '.' || c == '_' || c == '%' || c == '+' || c == '-';
}

static bool is_domain(char c)
{
    return (unsigned char)c < 0x80 && (letters_ascii[(unsigned char)c] != 0 || c == '.' || c == '-');
}

bool email_has(char c)
{
    return is_local(c) || c == '@';
}

bool email_around(struct span text, size_t at, size_t *from, size_t *to)
{
    size_t first = at, last = at + 1;

    while (first > 0 && at - first <= EMAIL_LOCAL_MAX && is_local(text.ptr[first - 1])) {
        first--;
    }
    while (first < at && letters_ascii[(unsigned char)text.ptr[first] & 0x7f] == 0) {
        first++;
    }
    while (last < text.len && last - at <= EMAIL_DOMAIN_MAX && is_domain(text.ptr[last])) {
        last++;
    }
    while (last > at + 1 && letters_ascii[(unsigned char)text.ptr[last - 1]] == 0) {
        last--;
    }
    *from = first;
    *to = last;
    return first < at && at - first <= EMAIL_LOCAL_MAX && last > at + 1 && last - at - 1 <= EMAIL_DOMAIN_MAX;
}

/* --- cells --------------------------------------------------------------------- */

enum { STRONG_WORDS = 2, STRONG_FREE = 12, STRONG_CODE = 7, WORDS_MIN = 3, DISTINCT_MIN = 4 };

/* A code of one or two different characters is an example or a filler. */
static unsigned distinct(struct span text)
{
    bool seen[256] = {false};
    unsigned n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += !seen[(unsigned char)text.ptr[i]];
        seen[(unsigned char)text.ptr[i]] = true;
    }
    return n;
}

static bool is_common_word(struct span word)
{
    return english_covered(word) == word.len;
}

static bool normalise_words(enum cell_kind kind, struct span cell, struct normal_cell *out)
{
    struct word w;
    size_t at = 0, end = 0;

    out->form = FORM_WORDS;
    while (word_next(cell, &at, &w)) {
        if (w.n == 0 || out->n_words == CELL_WORDS_MAX || out->n + w.n + 1 > CELL_TEXT_MAX ||
            (out->n_words > 0 && w.from - end > CELL_GAP_MAX)) {
            return false;
        }
        if (out->n_words > 0) {
            out->text[out->n++] = ' ';
        }
        memcpy(out->text + out->n, w.folded, w.n);
        out->n += w.n;
        out->first = out->n_words == 0 ? out->n : out->first;
        out->n_words++;
        end = w.to;
    }
    struct span text = span_of(out->text, out->n);
    out->is_strong = kind == CELL_NAME ? out->n_words >= STRONG_WORDS && out->n >= STRONG_CODE
                                       : out->n_words >= STRONG_WORDS && out->n >= STRONG_FREE;
    return out->n >= WORDS_MIN && (out->n_words > 1 || !is_common_word(text));
}

static bool normalise_code(enum cell_kind kind, uint32_t country, struct span cell, struct normal_cell *out)
{
    struct code c;
    struct word w;
    size_t at = 0, end = 0;

    if (!word_next(cell, &at, &w)) {
        return false;
    }
    code_begin(&c, &w);
    do {
        struct span gap = span_slice(cell, end, w.from);
        if ((c.parts > 0 && !code_goes_on(&c, gap, &w)) ||
            !code_add(&c, &w, w.from > 0 ? cell.ptr[w.from - 1] : ' ', w.to < cell.len ? cell.ptr[w.to] : ' ')) {
            return false;
        }
        end = w.to;
    } while (word_next(cell, &at, &w));
    out->form = kind == CELL_PHONE ? FORM_PHONE : FORM_ID;
    if (kind == CELL_PHONE) {
        out->n = phone_normalise(&c, country, out->text);
    } else if (c.digits > 0) {
        memcpy(out->text, c.text, c.n);
        out->n = c.n;
        while ((c.text[out->first] < '0' || c.text[out->first] > '9') && out->first < c.n) {
            out->first++;
        }
    }
    out->is_strong = out->n >= STRONG_CODE && distinct(span_of(out->text, out->n)) >= DISTINCT_MIN;
    return out->n >= CODE_MIN;
}

static bool normalise_email(struct span cell, struct normal_cell *out)
{
    const char *at = memchr(cell.ptr, '@', cell.len);
    size_t from, to;

    if (at == NULL || !email_around(cell, (size_t)(at - cell.ptr), &from, &to)) {
        return false;
    }
    out->form = FORM_EMAIL;
    out->is_strong = true;
    for (size_t i = from; i < to; i++) {
        char folded = letters_ascii[(unsigned char)cell.ptr[i]];
        out->text[out->n++] = folded != 0 ? folded : cell.ptr[i];
    }
    return true;
}

bool cell_normalise(enum cell_kind kind, uint32_t country, struct span cell, struct normal_cell *out)
{
    out->n = out->first = out->n_words = 0;
    if (cell.len == 0) {
        return false;
    }
    switch (kind) {
    case CELL_PHONE:
    case CELL_ID:
        return normalise_code(kind, country, cell, out);
    case CELL_EMAIL:
        return normalise_email(cell, out);
    case CELL_NAME:
    case CELL_FREE:
    case CELL_KINDS:
        break;
    }
    return normalise_words(kind, cell, out);
}
