/* cell.h - the normal form of a cell: what is hashed.
 *
 * The first byte of what is hashed says how the value is compared (enum cell_form):
 * - words (name, free): folded words with one space between them;
 * - phone: digits without separators, "00" and "+"; a national number (one leading zero) gets the table's calling code;
 * - id: folded letters and digits without separators;
 * - e-mail: as written, in small letters.
 * Text is valid UTF-8. Pure; thread-safe. */
#ifndef FILTERD_DATASET_CELL_H
#define FILTERD_DATASET_CELL_H

#include "dataset/table.h"
#include "dataset/words.h"

enum {
    CELL_TEXT_MAX = 160,   /* bytes of a normal form */
    CELL_WORDS_MAX = 8,    /* of a value that is words */
    CELL_PARTS_MAX = 8,    /* of a code, between separators */
    CELL_GAP_MAX = 12,     /* bytes between two words of a value */
    CODE_GAP_MAX = 3,      /* between two parts of a code */
    CODE_MIN = 4, CODE_MAX = 40,
    CODE_LETTERS_MAX = 8,  /* of a part without a digit */
    PHONE_MIN = 7, PHONE_MAX = 20,
    EMAIL_LOCAL_MAX = 64, EMAIL_DOMAIN_MAX = 90,
};

enum cell_form { FORM_WORDS = 'w', FORM_PHONE = 'p', FORM_ID = 'i', FORM_EMAIL = 'e' };

struct normal_cell {
    enum cell_form form;
    size_t n;
    char text[CELL_TEXT_MAX];
    size_t first, n_words; /* of words: the end of the first; how many. Of an id: the end of its first letters */
    bool is_strong;        /* it may be a finding alone */
};

/* False for a value that is not looked for: empty, too long or too short, or a common word. */
bool cell_normalise(enum cell_kind kind, uint32_t country, struct span cell, struct normal_cell *out);

/* A code as far as it was read: digits, letters, and its parts. */
struct code {
    size_t from, parts, n;
    bool is_number;  /* digits alone */
    unsigned digits;
    char text[CODE_MAX];
};

void code_begin(struct code *c, const struct word *w);
/* Whether the word may be the next part, with `gap` between the two. */
bool code_goes_on(const struct code *c, struct span gap, const struct word *w);
/* Whether, after the last part, a gap may follow that more of the code comes behind. */
bool code_may_go_on(const struct code *c, struct span gap);
/* False: too long. `before` and `after` are the bytes around the word: "(0)" is not dialled from abroad. */
bool code_add(struct code *c, const struct word *w, char before, char after);
/* The number as it is dialled from abroad; 0: no phone number. */
size_t phone_normalise(const struct code *c, uint32_t country, char out[PHONE_MAX]);

/* The address around the '@' at `at`; false when there is none. */
bool email_around(struct span text, size_t at, size_t *from, size_t *to);
/* Whether the byte can be in an address. */
bool email_has(char c);

#endif
