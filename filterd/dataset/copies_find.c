#include "dataset/copies_find.h"

#include "dataset/document_length.h"

/* Of one document. */
struct copy {
    uint32_t document;
    size_t from;         /* byte: of its first fingerprint */
    size_t first;        /* letter */
    size_t counted_from; /* byte: where its length begins */
    size_t last;         /* gram */
};

struct copy_search {
    const struct table *t;
    const struct copies_wanted *wanted;
    struct winnow *w;
    copy_fn *on_copy;
    void *context;
    struct error *err;
    struct copy copies[COPIES_AT_ONCE];
    size_t n;
    bool is_absent; /* no document has the last fingerprint */
    size_t least;   /* the first gram that may be of a copy: of the first window behind those with such a fingerprint */
};

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- where a copy ends ---------------------------------------------------------------- */

static bool is_in(const struct copy_search *s, size_t gram, uint32_t document)
{
    return table_may_have(s->t, 1, winnow_hash_in(&s->t->key, s->w->gram[gram % WINNOW_RING], document));
}

/* The first gram of a copy whose first fingerprint is `gram`. */
static size_t first_gram(const struct copy_search *s, size_t gram, uint32_t document)
{
    const size_t least = s->least > s->w->first ? s->least : s->w->first;
    size_t first = gram;

    while (first > least && gram - first < WINNOW_WINDOW - 1 && is_in(s, first - 1, document)) {
        first--;
    }
    return first;
}

/* The last gram of one whose last fingerprint is `gram`, before `end`. */
static size_t last_gram(const struct copy_search *s, size_t gram, size_t end, uint32_t document)
{
    size_t last = gram;

    while (last + 1 < end && last - gram < WINNOW_WINDOW - 1 && is_in(s, last + 1, document)) {
        last++;
    }
    return last;
}

/* Behind the letter before, at most COPIES_GAP bytes before. One character may be several letters. */
static size_t counted_from(const struct winnow *w, size_t letter)
{
    const size_t from = winnow_from(w, letter);
    const size_t before = letter > w->first ? min_size(winnow_to(w, letter - 1), from) : 0;

    return from - before > COPIES_GAP ? from - COPIES_GAP : before;
}

/* Where the letter behind is. */
static size_t counted_to(const struct winnow *w, size_t letter)
{
    const size_t to = winnow_to(w, letter);
    const size_t end = letter + 1 < w->n_letters ? winnow_from(w, letter + 1) : w->text.len;

    return end > to ? min_size(end, to + COPIES_GAP) : to;
}

/* Whether the copy counts whose last letter that is. */
static bool counts(const struct copy_search *s, const struct copy *c, size_t letter)
{
    const uint64_t letters = letter - c->first + 1;

    if (letters < WINNOW_LETTERS) {
        return false;
    }
    if (counted_to(s->w, letter) - c->counted_from >= s->wanted->run) {
        return true;
    }
    const uint64_t length = s->wanted->share > 0 ? document_length(s->t, c->document) : 0;
    return length > 0 && 100 * letters >= s->wanted->share * length;
}

/* Those whose last gram is before `gram` have ended, and have no gram from `end` on. */
static bool end_before(struct copy_search *s, size_t gram, size_t end)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct copy *c = &s->copies[i];
        if (c->last >= gram) {
            s->copies[kept++] = *c;
            continue;
        }
        const size_t letter = last_gram(s, c->last, end, c->document) + WINNOW_GRAM - 1;
        if (counts(s, c, letter) && !s->on_copy(s->context, c->from, winnow_to(s->w, letter), s->err)) {
            return false;
        }
    }
    s->n = kept;
    return true;
}

static bool end_all(struct copy_search *s, size_t end)
{
    return s->n == 0 || end_before(s, SIZE_MAX, end);
}

/* The first gram of which it is not known whether it is a fingerprint. */
static size_t unknown_gram(const struct winnow *w)
{
    return w->n_looked < w->first + WINNOW_WINDOW ? w->first : w->n_looked - (WINNOW_WINDOW - 1);
}

/* Fingerprints before the unknown are known, and a copy goes on at most a window behind its last. */
static bool end_known(struct copy_search *s)
{
    const size_t unknown = unknown_gram(s->w);

    return s->n == 0 || unknown < WINNOW_WINDOW || end_before(s, unknown - WINNOW_WINDOW, unknown);
}

/* --- fingerprints ------------------------------------------------------------------------ */

static void extend(struct copy_search *s, size_t gram, uint32_t document)
{
    for (size_t i = 0; i < s->n; i++) {
        struct copy *c = &s->copies[i];
        if (c->document == document) {
            c->last = gram;
            return;
        }
    }
    if (s->n < COPIES_AT_ONCE) {
        const size_t first = first_gram(s, gram, document);
        s->copies[s->n++] = (struct copy){.document = document,
                                          .from = winnow_from(s->w, gram),
                                          .first = first,
                                          .counted_from = counted_from(s->w, first),
                                          .last = gram};
    }
}

static bool look_up(struct copy_search *s, size_t gram)
{
    const struct table_range range = table_find(s->t, winnow_hash(&s->t->key, s->w->gram[gram % WINNOW_RING]));

    if (range.n > 0 && gram >= WINNOW_WINDOW && !end_before(s, gram - WINNOW_WINDOW, gram)) {
        return false;
    }
    for (uint32_t i = 0; i < range.n; i++) {
        extend(s, gram, table_row(s->t, range.first + i));
    }
    return true;
}

/* The fingerprints that were just chosen. */
static bool look_up_chosen(struct copy_search *s)
{
    for (size_t i = 0; i < s->w->n_chosen; i++) {
        const size_t gram = s->w->chosen[i], last = s->w->last_of[i];
        const bool was_absent = s->is_absent;
        s->is_absent = !table_may_have(s->t, 0, s->w->gram[gram % WINNOW_RING]);
        if (was_absent && !s->is_absent) {
            s->least = last - (WINNOW_WINDOW - 1);
        }
        if (!(s->is_absent ? end_all(s, last) : look_up(s, gram))) {
            return false;
        }
    }
    return true;
}

/* --- what may go on ------------------------------------------------------------------------ */

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
    size_t open = open_gram(s->w, s->t);

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

/* --- windows apart from each other ---------------------------------------------------------- */

enum { PROBE = 72, PROBE_WIDE = 112 }; /* bytes that have a window's letters, nearly always and mostly */
_Static_assert((int)PROBE_WIDE <= (int)WINNOW_GAP_MAX, "of one segment");

enum probed { PROBED_WINDOW, PROBED_FEW_LETTERS, PROBED_END };
struct window {
    size_t begin;
    uint64_t gram; /* hash of its fingerprint */
};

/* A window that ends within `reach` bytes behind `at`, and begins behind `at`. */
static enum probed probe(const struct table *t, struct span text, size_t at, size_t reach, struct window *out)
{
    static const size_t sizes[] = {PROBE, PROBE_WIDE};

    if (text.len - at < reach) {
        return PROBED_END;
    }
    for (size_t i = 0; i < COUNT(sizes) && sizes[i] < reach; i++) {
        out->begin = at + reach - sizes[i];
        while (((unsigned char)text.ptr[out->begin] & 0xc0) == 0x80) {
            out->begin++;
        }
        if (winnow_window(&t->key, text, out->begin, at + reach, &out->gram)) {
            return PROBED_WINDOW;
        }
    }
    return PROBED_FEW_LETTERS;
}

/* A copy that counts and begins behind *at contains each window there that ends within `least` bytes, less the characters at its ends, of
 * which some letters may be no part of it. Moves *at over such windows that no document has, to where the text must be winnowed
 * from; false: what is left is too short. The filter is larger than the processor's caches: a window is looked up when the next
 * one has been read. */
static bool next_suspect(const struct table *t, size_t least, struct span text, size_t *at)
{
    const size_t reach = least - 2 * LETTER_BYTES;
    struct window window, next;
    enum probed probed = probe(t, text, *at, reach, &window);

    while (probed == PROBED_WINDOW) {
        table_prefetch(t, 0, window.gram);
        probed = probe(t, text, window.begin, reach, &next);
        if (table_may_have(t, 0, window.gram)) {
            return true;
        }
        *at = window.begin;
        window = next;
    }
    return probed == PROBED_FEW_LETTERS;
}

/* Whether the last window has a fingerprint that no document has, as if it had been looked at alone. Sets *at to where it begins, which is
 * at least `least`. */
static bool may_leave(const struct copy_search *s, size_t least, size_t *at)
{
    if (!s->is_absent || s->n > 0 || s->w->n_looked < s->w->first + WINNOW_WINDOW) {
        return false;
    }
    const size_t begin = winnow_from(s->w, s->w->n_looked - WINNOW_WINDOW);
    *at = begin >= least ? begin : *at;
    return begin >= least;
}

/* Winnows from *at to the text's end; or, when it `may_stop`, until nothing is found any more, and moves *at to there. */
static bool search_from(struct copy_search *s, struct span text, bool may_stop, size_t *at, bool *is_over)
{
    const size_t least = *at + 2 * s->wanted->run; /* before, it would not pay to look at windows apart again */
    enum winnow_event event;

    winnow_begin(s->w, &s->t->key, text, *at);
    s->n = s->least = 0;
    s->is_absent = *is_over = false;
    do {
        event = winnow_next(s->w);
        if (!look_up_chosen(s) || !(event == WINNOW_SEGMENT ? end_all(s, winnow_grams_end(s->w)) : end_known(s))) {
            return false;
        }
        if (may_stop && event == WINNOW_READ && may_leave(s, least, at)) {
            return true;
        }
    } while (event != WINNOW_END);
    *is_over = true;
    return true;
}

/* The text from `at` on. It has a function of its own as most texts do not need its memory. */
static __attribute__((noinline)) bool search_rest(struct copy_search *s, struct span text, size_t at, bool is_open, size_t *open_from)
{
    const bool is_sparse = open_from == NULL && s->wanted->least >= COPIES_APART;
    struct winnow w;
    bool is_over = false;

    s->w = &w;
    while (!is_over) {
        if (!search_from(s, text, is_sparse, &at, &is_over)) {
            return false;
        }
        if (!is_over && !next_suspect(s->t, s->wanted->least, text, &at)) {
            return true;
        }
    }
    if (is_open && segment_goes_on(&w)) {
        return open_from == NULL || finish_open(s, open_from);
    }
    winnow_finish(&w);
    return look_up_chosen(s) && end_all(s, winnow_grams_end(&w));
}

bool copies_find(const struct table *t, const struct copies_wanted *wanted, struct span text, bool is_open, copy_fn *on_copy,
                 void *context, size_t *open_from, struct error *err)
{
    size_t at = 0;

    if (open_from != NULL) {
        *open_from = text.len;
    } else if (wanted->least >= COPIES_APART && !next_suspect(t, wanted->least, text, &at)) {
        return true;
    }
    struct copy_search s = {.t = t, .wanted = wanted, .on_copy = on_copy, .context = context, .err = err};
    return search_rest(&s, text, at, is_open, open_from);
}

bool copies_want(const struct table *t, size_t run, unsigned share, struct copies_wanted *out, struct error *err)
{
    uint64_t least = UINT32_MAX; /* letters */

    if (share > 0 && t->header->kind != TABLE_DOCUMENTS) {
        return error_set(err, ERROR_INVALID, "share: the file was made by an earlier version and has no lengths; build it again");
    }
    for (uint64_t i = 0; share > 0 && i < t->header->rows && i < t->header->entries; i++) {
        const uint64_t length = document_length(t, (uint32_t)i), letters = (length * share + 99) / 100;
        least = length >= WINNOW_LETTERS && letters < least ? letters : least; /* shorter ones are never found */
    }
    least = least < WINNOW_LETTERS ? WINNOW_LETTERS : least;
    *out = (struct copies_wanted){.run = run, .share = share, .least = run};
    if (least * 3 / 4 < run) { /* three bytes are at most four letters */
        out->least = (size_t)least * 3 / 4;
    }
    return true;
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
