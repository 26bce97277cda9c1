#include "dataset/copies_find.h"

/* Of one document. */
struct copy {
    uint32_t document;
    size_t from, to, possible_from; /* bytes */
    size_t last;                    /* gram */
};

struct copy_search {
    const struct table *t;
    size_t run;
    struct winnow w;
    copy_fn *on_copy;
    void *context;
    struct error *err;
    struct copy copies[COPIES_AT_ONCE];
    size_t n;
};

/* Behind the letter that is too far before the gram to be of the copy: else a fingerprint before it had been found. */
static size_t possible_from(const struct winnow *w, size_t gram)
{
    if (gram >= w->first + WINNOW_WINDOW) {
        return winnow_to(w, gram - WINNOW_WINDOW);
    }
    const size_t begin = winnow_from(w, w->first);
    return begin > WINNOW_GAP_MAX ? begin - WINNOW_GAP_MAX : 0;
}

/* Where the first letter is that is too far behind the gram. */
static size_t possible_to(const struct winnow *w, size_t gram)
{
    if (gram + WINNOW_LETTERS < w->n_hashed) {
        return winnow_from(w, gram + WINNOW_LETTERS);
    }
    const size_t to = winnow_to(w, w->n_hashed - 1);
    return w->text.len - to < WINNOW_GAP_MAX ? w->text.len : to + WINNOW_GAP_MAX;
}

/* Those whose last gram is before `gram` have ended. */
static bool end_before(struct copy_search *s, size_t gram)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct copy *c = &s->copies[i];
        if (c->last >= gram) {
            s->copies[kept++] = *c;
        } else if (possible_to(&s->w, c->last) - c->possible_from >= s->run &&
                   !s->on_copy(s->context, c->from, c->to, s->err)) {
            return false;
        }
    }
    s->n = kept;
    return true;
}

/* The first gram of which it is not known whether it is a fingerprint. */
static size_t unknown_gram(const struct winnow *w)
{
    return w->n_looked < w->first + WINNOW_WINDOW ? w->first : w->n_looked - (WINNOW_WINDOW - 1);
}

/* Fingerprints before the unknown are known, and a copy goes on at most a window behind its last. */
static bool end_known(struct copy_search *s)
{
    const size_t unknown = unknown_gram(&s->w);

    return s->n == 0 || unknown < WINNOW_WINDOW || end_before(s, unknown - WINNOW_WINDOW);
}

static void extend(struct copy_search *s, size_t gram, uint32_t document)
{
    const size_t to = winnow_to(&s->w, gram + WINNOW_GRAM - 1);

    for (size_t i = 0; i < s->n; i++) {
        struct copy *c = &s->copies[i];
        if (c->document == document) {
            c->last = gram;
            c->to = to;
            return;
        }
    }
    if (s->n < COPIES_AT_ONCE) {
        s->copies[s->n++] = (struct copy){.document = document,
                                          .from = winnow_from(&s->w, gram),
                                          .to = to,
                                          .possible_from = possible_from(&s->w, gram),
                                          .last = gram};
    }
}

static bool look_up(struct copy_search *s, size_t gram)
{
    const struct table_range range = table_find(s->t, winnow_hash(&s->t->key, s->w.gram[gram % WINNOW_RING]));

    if (range.n > 0 && gram >= WINNOW_WINDOW && !end_before(s, gram - WINNOW_WINDOW)) {
        return false;
    }
    for (uint32_t i = 0; i < range.n; i++) {
        extend(s, gram, table_row(s->t, range.first + i));
    }
    return true;
}

/* The fingerprints that were just chosen. The filter is larger than the processor's caches: no branch waits for one of its words. */
static bool look_up_chosen(struct copy_search *s)
{
    size_t found[WINNOW_CHOSEN_MAX], n = 0;

    for (size_t i = 0; i < s->w.n_chosen; i++) {
        found[n] = s->w.chosen[i];
        n += table_may_have(s->t, 0, s->w.gram[found[n] % WINNOW_RING]);
    }
    for (size_t i = 0; i < n; i++) {
        if (!look_up(s, found[i])) {
            return false;
        }
    }
    return true;
}

/* The first letter that may be the first of a fingerprint: of a gram that is incomplete, or not chosen yet. */
static size_t open_gram(const struct winnow *w, const struct table *t)
{
    size_t gram = unknown_gram(w);

    while (gram + WINNOW_GRAM <= w->n_letters && !table_may_have(t, 0, w->gram[gram % WINNOW_RING])) {
        gram++;
    }
    return gram < w->n_letters ? winnow_from(w, gram) : w->text.len;
}

static bool finish_open(struct copy_search *s, size_t *open_from)
{
    size_t open = open_gram(&s->w, s->t);

    if (!end_known(s)) {
        return false;
    }
    for (size_t i = 0; i < s->n; i++) {
        open = s->copies[i].from < open ? s->copies[i].from : open;
    }
    *open_from = open;
    return true;
}

/* Whether letters that follow the text may be of its last segment. */
static bool segment_goes_on(const struct winnow *w)
{
    return w->n_letters > 0 && w->text.len - winnow_to(w, w->n_letters - 1) <= WINNOW_GAP_MAX;
}

bool copies_find(const struct table *t, size_t run, struct span text, bool is_open, copy_fn *on_copy, void *context,
                 size_t *open_from, struct error *err)
{
    struct copy_search s;
    size_t unused;

    open_from = open_from != NULL ? open_from : &unused;
    *open_from = text.len;
    s.t = t;
    s.run = run;
    s.on_copy = on_copy;
    s.context = context;
    s.err = err;
    s.n = 0;
    winnow_begin(&s.w, &t->key, text);
    for (;;) {
        enum winnow_event event = winnow_next(&s.w);
        if (!look_up_chosen(&s)) {
            return false;
        }
        if (event == WINNOW_END) {
            break;
        }
        if (!(event == WINNOW_SEGMENT ? end_before(&s, SIZE_MAX) : end_known(&s))) {
            return false;
        }
    }
    if (is_open && segment_goes_on(&s.w)) {
        return finish_open(&s, open_from);
    }
    winnow_finish(&s.w);
    return look_up_chosen(&s) && end_before(&s, SIZE_MAX);
}

size_t copies_begin(struct span text, size_t from)
{
    size_t at = from, n = 0;

    while (at > 0 && from - at < COPIES_REACH && n < COPIES_LETTERS) {
        unsigned char c = (unsigned char)text.ptr[--at];
        n += c < 0x80 ? letters_ascii[c] != 0 : c >= 0xc0;
    }
    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}
