#include "jail/egress/canary.h"

#include <ctype.h>
#include <string.h>

enum { SHORTEST = 12, STEP = 4, FORMS_OF_A_PIECE = 11, WORD_BITS = 64 };

_Static_assert(((EGRESS_CANARY_LONGEST - EGRESS_CANARY_PIECE) / STEP + 1) * FORMS_OF_A_PIECE <= EGRESS_CANARY_FORMS,
               "all forms fit");

static unsigned pair_at(const char *bytes)
{
    return (unsigned)(unsigned char)bytes[0] << 8 | (unsigned char)bytes[1];
}

static void add(struct egress_canary *c, const char *form, size_t len)
{
    unsigned pair = pair_at(form);

    if (len >= EGRESS_CANARY_PIECE && len <= EGRESS_CANARY_FORM_MAX && c->n < EGRESS_CANARY_FORMS) {
        memcpy(c->forms[c->n], form, len);
        c->lengths[c->n++] = len;
        c->starts[pair / WORD_BITS] |= 1ULL << pair % WORD_BITS;
    }
}

static void add_cases(struct egress_canary *c, const char *text, size_t len)
{
    char lower[EGRESS_CANARY_FORM_MAX], upper[EGRESS_CANARY_FORM_MAX], backwards[EGRESS_CANARY_FORM_MAX];

    for (size_t i = 0; i < len; i++) {
        lower[i] = (char)tolower((unsigned char)text[i]);
        upper[i] = (char)toupper((unsigned char)text[i]);
        backwards[i] = text[len - 1 - i];
    }
    add(c, text, len);
    add(c, lower, len);
    add(c, upper, len);
    add(c, backwards, len);
}

/* Two digits for each byte, after a percent sign if requested. */
static void add_numbers(struct egress_canary *c, const char *text, size_t len, const char digits[16], bool has_percent)
{
    char form[EGRESS_CANARY_FORM_MAX];
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        if (has_percent) {
            form[n++] = '%';
        }
        form[n++] = digits[(unsigned char)text[i] >> 4];
        form[n++] = digits[(unsigned char)text[i] & 15];
    }
    add(c, form, n);
}

/* Of the groups of three bytes that the piece alone decides, when `skipped` of its bytes end a group of others. */
static void add_base64(struct egress_canary *c, const char *text, size_t len, size_t skipped)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char form[EGRESS_CANARY_FORM_MAX];
    size_t n = 0;

    for (size_t i = skipped; i + 3 <= len; i += 3) {
        unsigned group = (unsigned)(unsigned char)text[i] << 16 | (unsigned)(unsigned char)text[i + 1] << 8 |
                         (unsigned)(unsigned char)text[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) {
            form[n++] = letters[group >> shift & 63];
        }
    }
    add(c, form, n);
}

static void add_piece(struct egress_canary *c, const char *text)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    const size_t len = EGRESS_CANARY_PIECE;

    add_cases(c, text, len);
    add_numbers(c, text, len, lower, false);
    add_numbers(c, text, len, upper, false);
    add_numbers(c, text, len, lower, true);
    add_numbers(c, text, len, upper, true);
    for (size_t skipped = 0; skipped < 3; skipped++) {
        add_base64(c, text, len, skipped);
    }
}

void egress_canary_init(struct egress_canary *c, const char *text)
{
    size_t len = strlen(text);

    *c = (struct egress_canary){.n = 0};
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)text[i])) {
            return;
        }
    }
    if (len < SHORTEST || len > EGRESS_CANARY_LONGEST) {
        return;
    }
    for (size_t at = 0; at + EGRESS_CANARY_PIECE <= len; at += STEP) {
        add_piece(c, text + at);
    }
}

static bool begins(const struct egress_canary *c, const char *bytes, size_t len)
{
    for (size_t i = 0; i < c->n; i++) {
        if (len >= c->lengths[i] && memcmp(bytes, c->forms[i], c->lengths[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool egress_canary_is_in(const struct egress_canary *c, struct span text)
{
    for (size_t i = 0; c->n > 0 && i + 1 < text.len; i++) {
        unsigned pair = pair_at(text.ptr + i);
        if ((c->starts[pair / WORD_BITS] >> pair % WORD_BITS & 1) != 0 && begins(c, text.ptr + i, text.len - i)) {
            return true;
        }
    }
    return false;
}

bool egress_canary_is_in_next(const struct egress_canary *c, struct egress_canary_scan *s, struct span piece)
{
    char seam[sizeof(s->kept) + EGRESS_CANARY_FORM_MAX];
    size_t head = piece.len < EGRESS_CANARY_FORM_MAX ? piece.len : EGRESS_CANARY_FORM_MAX;

    if (c->n == 0 || piece.len == 0) {
        return false;
    }
    memcpy(seam, s->kept, s->len);
    memcpy(seam + s->len, piece.ptr, head);
    bool is_in = egress_canary_is_in(c, span_of(seam, s->len + head)) || egress_canary_is_in(c, piece);
    if (piece.len >= EGRESS_CANARY_FORM_MAX) {
        s->len = EGRESS_CANARY_FORM_MAX;
        memcpy(s->kept, piece.ptr + piece.len - s->len, s->len);
    } else {
        size_t all = s->len + head, keep = all < EGRESS_CANARY_FORM_MAX ? all : EGRESS_CANARY_FORM_MAX;
        memcpy(s->kept, seam + all - keep, keep);
        s->len = keep;
    }
    return is_in;
}
