#include "dataset/cells_find.h"

#include "dataset/word_skip.h"

/* Words that may become a value. */
struct phrase {
    size_t from, n, n_words;
    char text[CELL_TEXT_MAX];
};

struct cell_search {
    const struct table *t;
    struct span text;
    cell_hit_fn *on_hit;
    void *context;
    struct error *err;
    struct phrase phrases[CELL_WORDS_MAX];
    size_t n_phrases;
    struct code codes[CELL_PARTS_MAX];
    size_t n_codes;
    size_t end; /* of the last word */
    struct word_skip skip;
    bool has_words, has_codes, has_emails;
};

static bool look_up(struct cell_search *s, enum cell_form form, struct span value, size_t from, size_t to)
{
    struct table_range range = table_find(s->t, dataset_hash(&s->t->key, (char)form, value));
    const struct cell_hit hit = {.from = from, .to = to, .range = range};

    return range.n == 0 || s->on_hit(s->context, &hit, s->err);
}

/* --- words ----------------------------------------------------------------------- */

/* The word becomes a phrase if a value begins with it. */
static bool begin_phrase(struct cell_search *s, const struct word *w)
{
    if (w->n == 0 || !first_word_may_begin(s->t, w->folded, w->n)) {
        return true;
    }
    struct phrase *p = &s->phrases[s->n_phrases++];
    p->from = w->from;
    p->n = w->n;
    p->n_words = 1;
    memcpy(p->text, w->folded, w->n);
    return look_up(s, FORM_WORDS, span_of(w->folded, w->n), w->from, w->to);
}

/* Sets *goes_on while what is there begins a value. */
static bool extend_phrase(struct cell_search *s, struct phrase *p, const struct word *w, bool *goes_on)
{
    *goes_on = p->n_words < CELL_WORDS_MAX && p->n + 1 + w->n <= CELL_TEXT_MAX;
    if (!*goes_on) {
        return true;
    }
    p->text[p->n++] = ' ';
    memcpy(p->text + p->n, w->folded, w->n);
    p->n += w->n;
    p->n_words++;
    struct span value = span_of(p->text, p->n);
    *goes_on = table_may_have(s->t, 1, dataset_hash(&s->t->key, FORM_WORDS, value));
    return !*goes_on || look_up(s, FORM_WORDS, value, p->from, w->to);
}

static bool take_as_words(struct cell_search *s, const struct word *w)
{
    size_t n = w->from - s->end <= CELL_GAP_MAX && w->n > 0 ? s->n_phrases : 0;

    s->n_phrases = 0;
    for (size_t i = 0; i < n; i++) {
        bool goes_on;
        if (!extend_phrase(s, &s->phrases[i], w, &goes_on)) {
            return false;
        }
        if (goes_on && s->phrases[i].n_words < CELL_WORDS_MAX) {
            if (s->n_phrases != i) {
                s->phrases[s->n_phrases] = s->phrases[i];
            }
            s->n_phrases++;
        }
    }
    return begin_phrase(s, w);
}

/* --- codes ----------------------------------------------------------------------- */

static bool has_length(uint64_t lengths, size_t n)
{
    return (lengths >> n & 1) != 0;
}

static bool look_up_code(struct cell_search *s, const struct code *c, size_t to)
{
    char phone[PHONE_MAX];
    size_t n = c->digits >= PHONE_MIN ? phone_normalise(c, s->t->header->country, phone) : 0;

    if (n > 0 && has_length(s->t->header->phone_lengths, n) && !look_up(s, FORM_PHONE, span_of(phone, n), c->from, to)) {
        return false;
    }
    return c->digits == 0 || !has_length(s->t->header->id_lengths, c->n) || look_up(s, FORM_ID, span_of(c->text, c->n), c->from, to);
}

static bool add_part(struct cell_search *s, struct code *c, const struct word *w, bool *goes_on)
{
    *goes_on = code_add(c, w, w->from > 0 ? s->text.ptr[w->from - 1] : ' ', w->to < s->text.len ? s->text.ptr[w->to] : ' ');
    return !*goes_on || look_up_code(s, c, w->to);
}

/* A code begins with a digit somewhere in its first part, or with letters that an id of the table begins with. */
static bool may_begin_code(const struct cell_search *s, const struct word *w)
{
    if (w->digits > 0) {
        return true;
    }
    return w->n <= CODE_LETTERS_MAX && (s->t->header->letters >> w->n & 1) != 0 &&
           first_word_may_begin(s->t, w->folded, w->n);
}

static bool take_as_code(struct cell_search *s, const struct word *w)
{
    struct span gap = span_slice(s->text, s->end, w->from);
    size_t n = s->n_codes;
    bool goes_on;

    s->n_codes = 0;
    for (size_t i = 0; i < n; i++) {
        struct code *c = &s->codes[i];
        if (!code_goes_on(c, gap, w)) {
            continue;
        }
        if (!add_part(s, c, w, &goes_on)) {
            return false;
        }
        if (goes_on && c->parts < CELL_PARTS_MAX) {
            if (s->n_codes != i) {
                s->codes[s->n_codes] = *c;
            }
            s->n_codes++;
        }
    }
    struct code *c = &s->codes[s->n_codes];
    if (!may_begin_code(s, w)) {
        return true;
    }
    code_begin(c, w);
    if (!add_part(s, c, w, &goes_on)) {
        return false;
    }
    s->n_codes += goes_on && s->n_codes + 1 < CELL_PARTS_MAX;
    return true;
}

/* --- e-mail ------------------------------------------------------------------------ */

/* Whether more text may make the domain that ends at `to` a longer one. */
static bool may_be_longer(struct span text, size_t to)
{
    while (to < text.len && email_has(text.ptr[to])) {
        to++;
    }
    return to == text.len;
}

static bool find_emails(struct cell_search *s, bool is_open)
{
    char value[EMAIL_LOCAL_MAX + 1 + EMAIL_DOMAIN_MAX];

    for (size_t i = 0; i < s->text.len;) {
        const char *at = memchr(s->text.ptr + i, '@', s->text.len - i);
        size_t from, to;
        if (at == NULL) {
            break;
        }
        i = (size_t)(at - s->text.ptr) + 1;
        if (!email_around(s->text, i - 1, &from, &to) || (is_open && may_be_longer(s->text, to))) {
            continue;
        }
        for (size_t k = from; k < to; k++) {
            char folded = letters_ascii[(unsigned char)s->text.ptr[k]];
            value[k - from] = folded != 0 ? folded : s->text.ptr[k];
        }
        if (!look_up(s, FORM_EMAIL, span_of(value, to - from), from, to)) {
            return false;
        }
    }
    return true;
}

/* --- what may go on ----------------------------------------------------------------- */

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* `end`: where the next word begins or will. */
static size_t open_words(const struct cell_search *s, size_t end)
{
    size_t from = end;

    for (size_t i = 0; i < s->n_phrases && end - s->end <= CELL_GAP_MAX; i++) {
        from = min_size(from, s->phrases[i].from);
    }
    for (size_t i = 0; i < s->n_codes; i++) {
        if (code_may_go_on(&s->codes[i], span_slice(s->text, s->end, end))) {
            from = min_size(from, s->codes[i].from);
        }
    }
    return from;
}

static size_t open_email(const struct cell_search *s)
{
    size_t from = s->text.len;

    while (from > 0 && s->text.len - from <= EMAIL_LOCAL_MAX + 1 + EMAIL_DOMAIN_MAX && email_has(s->text.ptr[from - 1])) {
        from--;
    }
    return from;
}

static void choose(struct cell_search *s)
{
    const struct table_header *h = s->t->header;

    for (size_t i = 0; i < h->n_columns; i++) {
        enum cell_kind kind = (enum cell_kind)h->columns[i].kind;
        s->has_codes |= kind == CELL_PHONE || kind == CELL_ID;
        s->has_emails |= kind == CELL_EMAIL;
        s->has_words |= kind == CELL_NAME || kind == CELL_FREE;
    }
}

/* The next word that matters to what has begun, or with which something may begin. */
static bool next_word(struct cell_search *s, size_t *at, struct word *out)
{
    if (s->n_phrases == 0 && s->n_codes == 0) {
        *at = word_skip(&s->skip, *at, &s->end);
    }
    return word_next(s->text, at, out);
}

bool cells_find(const struct table *t, struct span text, bool is_open, cell_hit_fn *on_hit, void *context,
                size_t *open_from, struct error *err)
{
    struct cell_search s;
    struct word w;
    size_t at = 0, open = text.len;

    s.t = t;
    s.text = text;
    s.on_hit = on_hit;
    s.context = context;
    s.err = err;
    s.n_phrases = s.n_codes = s.end = 0;
    s.has_words = s.has_codes = s.has_emails = false;
    choose(&s);
    word_skip_begin(&s.skip, t, text, s.has_codes);
    while (next_word(&s, &at, &w)) {
        if (w.is_cut && is_open) {
            open = w.n == 0 ? text.len : w.from;
            break;
        }
        if ((s.has_words && !take_as_words(&s, &w)) || (s.has_codes && !take_as_code(&s, &w))) {
            return false;
        }
        s.end = w.to;
    }
    if (s.has_emails && !find_emails(&s, is_open)) {
        return false;
    }
    if (open_from != NULL) {
        open = min_size(open, open_words(&s, open));
        *open_from = s.has_emails ? min_size(open, open_email(&s)) : open;
    }
    return true;
}

/* --- rows ----------------------------------------------------------------------------- */

static bool is_alone(const struct table *t, const struct cells_wanted *wanted, const struct cell_hit *hit)
{
    for (uint32_t i = 0; i < hit->range.n; i++) {
        unsigned column = table_column(t, hit->range.first + i);
        if ((column & TABLE_STRONG) != 0 && (wanted->alone >> (column & TABLE_COLUMN) & 1) != 0) {
            return true;
        }
    }
    return false;
}

/* The columns that one value has in the row. */
static uint64_t columns_of(const struct table *t, struct table_range range, uint32_t row)
{
    uint32_t entry;
    uint64_t columns = 0;

    if (!table_has_row(t, range, row, &entry)) {
        return 0;
    }
    for (; entry < range.first + range.n && table_row(t, entry) == row; entry++) {
        columns |= UINT64_C(1) << (table_column(t, entry) & TABLE_COLUMN);
    }
    return columns;
}

/* Marks what `near`, of which the first is hits[0], has of this row. A value counts for one column; which one does not matter,
 * as one that stands in several columns of a row is rare. */
static void match_row(const struct table *t, const struct cells_wanted *wanted, const struct cell_hit *hits, const size_t *near,
                      size_t n_near, uint32_t row, bool *is_found)
{
    uint64_t all = 0;

    for (size_t i = 0; i < n_near; i++) {
        all |= columns_of(t, hits[near[i]].range, row);
    }
    if ((unsigned)__builtin_popcountll(all) < wanted->columns) {
        return;
    }
    for (size_t i = 0; i < n_near; i++) {
        is_found[near[i]] = is_found[near[i]] || columns_of(t, hits[near[i]].range, row) != 0;
    }
}

/* The different values within reach of the first, its repetitions left out. */
static size_t gather(const struct cells_wanted *wanted, const struct cell_hit *hits, size_t n, size_t near[ROW_HITS_MAX])
{
    size_t n_near = 0;

    for (size_t i = 0; i < n && hits[i].from <= hits[0].from + wanted->within && n_near < ROW_HITS_MAX; i++) {
        if (hits[i].to <= hits[0].from + wanted->within && (i == 0 || hits[i].range.first != hits[0].range.first)) {
            near[n_near++] = i;
        }
    }
    return n_near;
}

void cells_match(const struct table *t, const struct cells_wanted *wanted, const struct cell_hit *hits, size_t n, bool *is_found)
{
    for (size_t i = 0; i < n; i++) {
        is_found[i] = is_alone(t, wanted, &hits[i]);
    }
    for (size_t i = 0; wanted->columns > 0 && i < n; i++) {
        size_t near[ROW_HITS_MAX];
        size_t n_near = gather(wanted, hits + i, n - i, near);
        if (n_near < wanted->columns) {
            continue;
        }
        for (uint32_t k = 0; k < hits[i].range.n; k++) {
            uint32_t row = table_row(t, hits[i].range.first + k);
            if (k == 0 || row != table_row(t, hits[i].range.first + k - 1)) {
                match_row(t, wanted, hits + i, near, n_near, row, is_found + i);
            }
        }
    }
}
