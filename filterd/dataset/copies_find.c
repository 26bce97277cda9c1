#include "dataset/copies_find.h"

/* Of one document. Numbers of grams are the segment's, the rest bytes. */
struct copy {
    uint32_t document;
    size_t from, to, possible_from;
    size_t last; /* gram */
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
    size_t waiting; /* a fingerprint that is looked up once the filter has come from memory; SIZE_MAX: none */
    uint64_t waiting_hash;
};

static size_t letter_from(const struct winnow *w, size_t letter)
{
    return w->ring[letter % WINNOW_RING].from;
}

static size_t letter_to(const struct winnow *w, size_t letter)
{
    return w->ring[letter % WINNOW_RING].to;
}

/* With the letters that a copy may have behind its last gram. */
static size_t possible_to(const struct winnow *w, const struct copy *c)
{
    size_t last = c->last + WINNOW_LETTERS - 1;

    return letter_to(w, last < w->n_letters ? last : w->n_letters - 1);
}

/* Those whose last gram is before `gram` have ended. */
static bool end_before(struct copy_search *s, size_t gram)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct copy *c = &s->copies[i];
        if (c->last >= gram) {
            s->copies[kept++] = *c;
        } else if (possible_to(&s->w, c) - c->possible_from >= s->run && !s->on_copy(s->context, c->from, c->to, s->err)) {
            return false;
        }
    }
    s->n = kept;
    return true;
}

static void extend(struct copy_search *s, size_t gram, uint32_t document)
{
    const struct winnow *w = &s->w;

    for (size_t i = 0; i < s->n; i++) {
        struct copy *c = &s->copies[i];
        if (c->document == document && gram - c->last <= WINNOW_WINDOW) {
            c->last = gram;
            c->to = letter_to(w, gram + WINNOW_GRAM - 1);
            return;
        }
    }
    if (s->n < COPIES_AT_ONCE) {
        size_t before = gram < WINNOW_WINDOW - 1 ? 0 : gram - (WINNOW_WINDOW - 1);
        s->copies[s->n++] = (struct copy){.document = document,
                                          .from = letter_from(w, gram),
                                          .to = letter_to(w, gram + WINNOW_GRAM - 1),
                                          .possible_from = letter_from(w, before),
                                          .last = gram};
    }
}

static void look_up(struct copy_search *s)
{
    const size_t gram = s->waiting;

    s->waiting = SIZE_MAX;
    if (gram == SIZE_MAX || !table_may_have(s->t, 0, s->waiting_hash)) {
        return;
    }
    struct table_range range = table_find(s->t, s->waiting_hash);
    for (uint32_t i = 0; i < range.n; i++) {
        extend(s, gram, table_row(s->t, range.first + i));
    }
}

/* While no copy goes on, a fingerprint may wait for the next one, which is at most a window behind it. */
static void take_fingerprint(struct copy_search *s)
{
    look_up(s);
    if (winnow_hash(&s->w, s->w.chosen, &s->waiting_hash)) {
        s->waiting = s->w.chosen;
        table_prefetch(s->t, 0, s->waiting_hash);
    }
    if (s->n > 0) {
        look_up(s);
    }
}

/* The first letter that may be the first of a fingerprint: of a gram that is incomplete, or not chosen yet. */
static size_t open_gram(const struct copy_search *s)
{
    const struct winnow *w = &s->w;
    size_t n_grams = w->n_letters < WINNOW_GRAM ? 0 : w->n_letters - WINNOW_GRAM + 1;
    uint64_t hash;

    if (w->n_letters == 0 || w->text.len - w->end > WINNOW_GAP_MAX) {
        return w->text.len;
    }
    for (size_t g = n_grams < WINNOW_WINDOW ? 0 : n_grams - (WINNOW_WINDOW - 1); g < n_grams; g++) {
        if (winnow_hash(w, g, &hash) && table_may_have(s->t, 0, hash)) {
            return letter_from(w, g);
        }
    }
    return letter_from(w, n_grams);
}

static bool finish(struct copy_search *s, bool is_open, size_t *open_from)
{
    size_t open = is_open ? open_gram(s) : s->w.text.len;

    look_up(s);
    for (size_t i = 0; is_open && i < s->n; i++) {
        open = s->copies[i].from < open ? s->copies[i].from : open;
    }
    if (open_from != NULL) {
        *open_from = open;
    }
    return is_open || end_before(s, SIZE_MAX);
}

bool copies_find(const struct table *t, size_t run, struct span text, bool is_open, copy_fn *on_copy, void *context,
                 size_t *open_from, struct error *err)
{
    struct copy_search s;

    s.t = t;
    s.run = run;
    s.on_copy = on_copy;
    s.context = context;
    s.err = err;
    s.n = 0;
    s.waiting = SIZE_MAX;
    winnow_begin(&s.w, &t->key, text);
    for (;;) {
        enum winnow_event event = s.n > 0 ? winnow_next(&s.w) : winnow_next_chosen(&s.w);
        if (event == WINNOW_END) {
            break;
        }
        if (event == WINNOW_CHOSEN) {
            take_fingerprint(&s);
        } else if (s.waiting != SIZE_MAX && (event == WINNOW_RESET || s.w.n_letters - s.waiting > WINNOW_RING / 2)) {
            look_up(&s); /* while its letters are remembered */
        }
        /* Fingerprints up to `settled` are known; a copy goes on at most a window behind its last. */
        size_t settled = s.w.n_letters < WINNOW_LETTERS ? 0 : s.w.n_letters - WINNOW_LETTERS;
        size_t gram = event == WINNOW_RESET ? SIZE_MAX : settled < WINNOW_WINDOW ? 0 : settled - WINNOW_WINDOW;
        if (s.n > 0 && !end_before(&s, gram)) {
            return false;
        }
    }
    return finish(&s, is_open, open_from);
}

size_t copies_begin(struct span text, size_t from)
{
    size_t at = from, n = 0;

    while (at > 0 && from - at < COPIES_REACH && n < WINNOW_RING) {
        unsigned char c = (unsigned char)text.ptr[--at];
        n += c < 0x80 ? letters_ascii[c] != 0 : c >= 0xc0;
    }
    while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}
