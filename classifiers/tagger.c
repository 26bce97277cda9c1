#include "classifiers/tagger.h"

#include <math.h>

/* --- scoring ---------------------------------------------------------------- */

typedef int8_t bytes16 __attribute__((vector_size(16)));
typedef int16_t words8 __attribute__((vector_size(16)));
typedef int64_t longs2 __attribute__((vector_size(16)));

/* Asks memory for what the features of candidate i say, long before it is added up. */
static void ask_for(const struct tagger *t, const struct tagger_line *line, size_t i,
                    struct tagger_asked *asked)
{
    asked->n = t->task->features(line, i, asked->hashes);
    for (size_t f = 0; f < asked->n; f++) {
        __builtin_prefetch(&t->weights[tagger_bucket(asked->hashes[f], t->n_buckets)]);
    }
}

/* TAGGER_FEATURES_MAX weights of 8 bits fit into 16. */
static void add_up(const struct tagger *t, const struct tagger_asked *asked,
                   int16_t sums[TAGGER_WEIGHTED])
{
    words8 total = {0};

    for (size_t f = 0; f < asked->n; f++) {
        int64_t eight;
        memcpy(&eight, &t->weights[tagger_bucket(asked->hashes[f], t->n_buckets)], sizeof(eight));
        bytes16 w = (bytes16)(longs2){eight, 0};
        total += (words8)__builtin_shufflevector(w, w, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7,
                                                 7) >>
                 8;
    }
    memcpy(sums, &total, sizeof(total));
}

/* Lists the candidates among tokens from..to-1; returns how many there are. Which tokens are some cannot be foretold, so nothing is
 * done or not done by it. */
static size_t list_candidates(struct tagger_scratch *s, const struct tagger_line *line, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        s->candidates[n] = (uint16_t)i;
        n += line->tokens[i].is_candidate;
    }
    return n;
}

/* The sums of the n candidates; the next is asked for while one is added up. */
static void add_up_all(const struct tagger *t, struct tagger_scratch *s, const struct tagger_line *line, size_t n)
{
    if (n > 0) {
        ask_for(t, line, s->candidates[0], &s->asked[0]);
    }
    for (size_t k = 0; k < n; k++) {
        if (k + 1 < n) {
            ask_for(t, line, s->candidates[k + 1], &s->asked[(k + 1) % 2]);
        }
        add_up(t, &s->asked[k % 2], s->sums[s->candidates[k]]);
    }
}

/* All bits for a weighted label of the class. */
static inline words8 labels_of(const struct tagger_class *class)
{
    const words8 bits = {1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8};

    return (bits & (int16_t)class->labels) == bits;
}

static inline words8 higher(words8 a, words8 b)
{
    words8 is_a = a > b;

    return (a & is_a) | (b & ~is_a);
}

static inline int16_t highest(words8 v)
{
    v = higher(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
    v = higher(v, __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    return v[0] > v[1] ? v[0] : v[1];
}

static inline bool is_any(words8 mask)
{
    longs2 halves = (longs2)mask;

    return (halves[0] | halves[1]) != 0;
}

/* Sets the best score of candidate i; all bits for a label that is so near to it, before the chain is weighed, that
 * its neighbours could make it likely. No sum is more than TAGGER_FEATURES_MAX times 127, so no difference is too large. */
static words8 labels_with_hope(const struct tagger *t, struct tagger_scratch *s, size_t i)
{
    words8 sums;

    memcpy(&sums, s->sums[i], sizeof(sums));
    int16_t best = highest(sums);
    best = best > 0 ? best : 0; /* label 0 has no weights, so its sum is 0 */
    s->best[i] = best;
    return best - sums < t->hopeless;
}

static void weigh_token(const struct tagger *t, const int16_t sums[TAGGER_WEIGHTED], int16_t best,
                        struct tagger_row *row)
{
    /* No label is behind the last; nothing is as unlikely. */
    float scores[TAGGER_USED] = {[TAGGER_LABELS] = -INFINITY, -INFINITY, -INFINITY};

    scores[0] = (float)-best * t->settings.weight;
    for (size_t k = 0; k < TAGGER_WEIGHTED; k++) {
        scores[k + 1] = (float)(sums[k] - best) * t->settings.weight;
    }
    tagger_exp_all(scores, row->weight);
}

/* Of one class. */
static void read_chances(const struct tagger *t, struct tagger_scratch *s, unsigned class, size_t from, size_t n)
{
    const uint16_t labels = t->task->classes[class].labels;

    for (size_t i = 0; i < n; i++) {
        const float *chance = s->rows[i].chance;
        float sum = 0;
        uint8_t best = 0;
        for (uint8_t k = 1; k < TAGGER_LABELS; k++) {
            if (labels >> k & 1) {
                sum += chance[k];
                best = best == 0 || chance[k] > chance[best] ? k : best;
            }
        }
        s->of[class].chances[from + i] = sum;
        s->of[class].labels[from + i] = best;
    }
}

/* Nothing that is sought is there. */
static void clear_chances(const struct tagger_search *q, struct tagger_scratch *s, size_t from, size_t to)
{
    for (unsigned k = 0; k < q->tagger->n_classes; k++) {
        if (q->classes >> k & 1) {
            memset(s->of[k].chances + from, 0, (to - from) * sizeof(*s->of[k].chances));
            memset(s->of[k].labels + from, 0, to - from);
        }
    }
}

/* The classes of the search that may be found in the run of n candidates. */
static unsigned classes_with_hope(const struct tagger_search *q, struct tagger_scratch *s, size_t from, size_t n)
{
    words8 hope = {0};
    unsigned classes = 0;

    for (size_t i = from; i < from + n; i++) {
        hope |= labels_with_hope(q->tagger, s, i);
    }
    for (unsigned k = 0; k < q->tagger->n_classes; k++) {
        bool is_sought = (q->classes >> k & 1) != 0;
        classes |= (unsigned)(is_sought && is_any(hope & labels_of(&q->tagger->task->classes[k]))) << k;
    }
    return classes;
}

/* Fills labels and chances of the run of n candidates, of the classes that are likely in it. */
static void score_run(const struct tagger_search *q, struct tagger_scratch *s, unsigned likely, size_t from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        weigh_token(q->tagger, s->sums[from + i], s->best[from + i], &s->rows[i]);
    }
    tagger_chain_run(&q->tagger->chain, s->rows, n);
    for (unsigned k = 0; k < q->tagger->n_classes; k++) {
        if (likely >> k & 1) {
            read_chances(q->tagger, s, k, from, n);
        }
    }
}

/* How many of the n candidates from number k on follow each other, TAGGER_RUN at most. */
static size_t run_length(const uint16_t *candidates, size_t k, size_t n)
{
    size_t length = 1;

    while (length < TAGGER_RUN && k + length < n && candidates[k + length] == candidates[k] + length) {
        length++;
    }
    return length;
}

/* Fills labels and chances of the line's tokens from..to-1 for the classes that it returns; none of another is there. */
static unsigned score_line(const struct tagger_search *q, struct tagger_scratch *s,
                           const struct tagger_line *line, size_t from, size_t to)
{
    size_t n = list_candidates(s, line, from, to);
    unsigned found = 0;

    add_up_all(q->tagger, s, line, n);
    for (size_t k = 0, length; k < n; k += length) {
        length = run_length(s->candidates, k, n);
        unsigned likely = classes_with_hope(q, s, s->candidates[k], length);
        if (likely == 0) {
            continue;
        }
        if (found == 0) {
            clear_chances(q, s, from, to);
        }
        found |= likely;
        score_run(q, s, likely, s->candidates[k], length);
    }
    return found;
}

static float calibrated(const struct tagger_class_settings *s, float chance)
{
    float p = chance < 1e-6f ? 1e-6f : chance > 1 - 1e-6f ? 1 - 1e-6f : chance;
    float odds = s->slope * tagger_log(p / (1 - p)) + s->offset;

    return 1 / (1 + tagger_exp(-odds));
}

/* --- lines ------------------------------------------------------------------ */

static struct tagger_line cut_line(struct tagger_scratch *scratch, struct span text, size_t at, size_t *next)
{
    static const struct tagger_token edge = {.shape = TAGGER_EDGE};
    struct tagger_line line = {.tokens = scratch->tokens + TAGGER_CONTEXT};

    line.n = tagger_tokenize_with(&scratch->memo, text, at, line.tokens, TAGGER_TOKENS, next);
    for (size_t i = 0; i < TAGGER_CONTEXT; i++) {
        scratch->tokens[i] = edge;
        line.tokens[line.n + i] = edge;
    }
    tagger_line_survey(&line);
    return line;
}

struct tagger_line tagger_read_line(const struct tagger_task *task,
                                    const struct tagger_words *words,
                                    struct tagger_scratch *scratch, struct span text, size_t at,
                                    size_t *next)
{
    struct tagger_line line = cut_line(scratch, text, at, next);

    task->find_candidates(&line, &(struct tagger_lexicon){.words = words});
    return line;
}

/* The tagger's words, with what this thread has looked up of them. */
static struct tagger_lexicon lexicon_of(const struct tagger *t, struct tagger_scratch *s)
{
    struct tagger_lexicon lexicon = {.words = &t->words};
    uint32_t kind = t->settings.kind;

    if (t->number == 0) {
        return lexicon;
    }
    if (s->known[kind].number != t->number) {
        memset(&s->known[kind], 0, sizeof(s->known[kind]));
        s->known[kind].number = t->number;
    }
    lexicon.known = s->known[kind].words;
    return lexicon;
}

/* As it was before a tagger saw it. */
static void forget(struct tagger_line *line)
{
    for (size_t i = 0; i < line->n; i++) {
        line->tokens[i].flags = 0;
        line->tokens[i].group = 0;
        line->tokens[i].is_candidate = 0;
    }
}

/* --- finding ---------------------------------------------------------------- */

struct search {
    const struct tagger_search *what;
    unsigned which;
    struct tagger_scratch *scratch;
    tagger_found_fn found;
    void *ctx;
    unsigned class; /* that is reported */
};

/* Quotes, commas and brackets at the ends belong to the text around; a full stop may belong to a
 * short form. */
static bool is_outer_symbol(const struct tagger_token *t, bool is_last)
{
    uint32_t c = t->tail & 0xff;

    return t->shape == TAGGER_SYMBOL && !(is_last ? c == '.' || c == ')' : c == '#' || c == '(');
}

/* Without the symbols at its ends that belong to the text around. */
static void trim(const struct tagger_line *line, size_t *from, size_t *to)
{
    while (*from < *to && is_outer_symbol(&line->tokens[*from], false)) {
        ++*from;
    }
    while (*from < *to && is_outer_symbol(&line->tokens[*to - 1], true)) {
        --*to;
    }
}

static void set_parts(const struct tagger_task *task, const struct tagger_line *line, const uint8_t *labels, size_t from, size_t to,
                      struct tagger_entity *entity)
{
    struct tagger_part_tokens parts[TAGGER_PARTS] = {0};

    if (task->find_parts == NULL) {
        return;
    }
    task->find_parts(line, labels, from, to, parts);
    for (size_t i = 0; i < TAGGER_PARTS; i++) {
        size_t first = from + parts[i].from, end = from + parts[i].to;
        trim(line, &first, &end);
        if (first < end) {
            entity->parts[i] = (struct tagger_range){line->tokens[first].from, line->tokens[end - 1].to};
        }
    }
}

static void report(const struct search *q, const struct tagger_line *line, size_t from, size_t to)
{
    const struct tagger *t = q->what->tagger;
    const struct tagger_token *tokens = line->tokens + from;
    const uint8_t *labels = q->scratch->of[q->class].labels + from;
    float sum = 0;
    bool is_listed = false;

    if (t->task->is_whole != NULL && !t->task->is_whole(tokens, labels, to - from)) {
        return;
    }
    for (size_t i = from; i < to; i++) {
        sum += q->scratch->of[q->class].chances[i];
        is_listed = is_listed || (line->tokens[i].n_chars > 1 && (line->tokens[i].flags & TAGGER_WORD_NAME) != 0);
    }
    size_t recipient = t->task->recipient == NULL ? 0 : t->task->recipient(tokens, labels, to - from);
    struct tagger_entity entity = {
        .from = tokens[0].from,
        .to = line->tokens[to - 1].to,
        .place_from = tokens[recipient].from,
        .tagger = q->which,
        .class = q->class,
        .language = line->language,
        .is_listed = is_listed,
        .confidence = calibrated(&t->classes[q->class], sum / (float)(to - from))};
    set_parts(t->task, line, labels, from, to, &entity);
    q->found(q->ctx, &entity);
}

/* Reports the likely tokens from..to-1, as one entity or, where the task ends one among them, as several. */
static void report_run(const struct search *q, const struct tagger_line *line, size_t from, size_t to)
{
    const struct tagger_task *task = q->what->tagger->task;

    for (trim(line, &from, &to); from < to; trim(line, &from, &to)) {
        const uint8_t *labels = q->scratch->of[q->class].labels + from;
        size_t next = to - from;
        size_t end = from + (task->ends_behind == NULL ? next : task->ends_behind(line->tokens + from, labels, to - from, &next));
        size_t first = from;
        from += next;
        trim(line, &first, &end);
        if (first < end) {
            report(q, line, first, end);
        }
    }
}

/* An entity is a longest run of likely tokens in which none but the first is likeliest to begin one. */
static void report_class(const struct search *q, const struct tagger_line *line, size_t from, size_t to)
{
    const float *chances = q->scratch->of[q->class].chances;
    const uint8_t *labels = q->scratch->of[q->class].labels;
    const float floor = q->what->tagger->classes[q->class].floor;
    const uint8_t begins = q->what->tagger->task->classes[q->class].begins;

    for (size_t i = from; i < to;) {
        if (chances[i] < floor) {
            i++;
            continue;
        }
        size_t end = i + 1;
        while (end < to && chances[end] >= floor && (begins == 0 || labels[end] != begins)) {
            end++;
        }
        report_run(q, line, i, end);
        i = end;
    }
}

/* Scores the line's tokens from..to-1 and reports what they are. */
static void find_in_line(const struct search *all, const struct tagger_line *line, size_t from, size_t to)
{
    struct search q = *all;
    unsigned found = score_line(q.what, q.scratch, line, from, to);

    for (q.class = 0; q.class < q.what->tagger->n_classes; q.class++) {
        if (found >> q.class & 1) {
            report_class(&q, line, from, to);
        }
    }
}

/* Where to stop in a window that does not reach the end of the text: before a token that is part of nothing. */
static size_t window_end(const struct tagger_line *line)
{
    size_t last = line->n - TAGGER_CONTEXT;

    for (size_t i = last; i > line->n / 2; i--) {
        if (!line->tokens[i].is_candidate) {
            return i;
        }
    }
    return last;
}

/* A text of more tokens than are looked at together. */
static void find_by_windows(const struct search *q, struct span text)
{
    const struct tagger *t = q->what->tagger;
    size_t at = 0;
    size_t skip = 0;

    for (;;) {
        size_t next = 0;
        struct tagger_line line = tagger_read_line(t->task, &t->words, q->scratch, text, at, &next);
        bool is_last = next >= text.len || line.n < TAGGER_TOKENS;
        size_t end = is_last ? line.n : window_end(&line);
        if (skip < end) {
            find_in_line(q, &line, skip, end);
        }
        if (is_last) {
            return;
        }
        at = line.tokens[end - TAGGER_CONTEXT].from;
        skip = TAGGER_CONTEXT;
    }
}

void tagger_find_all(const struct tagger_search *searches, unsigned n,
                     struct tagger_scratch *scratch, struct span text, tagger_found_fn found,
                     void *ctx)
{
    size_t next = 0;
    struct tagger_line line = cut_line(scratch, text, 0, &next);
    bool is_whole = next >= text.len || line.n < TAGGER_TOKENS;

    for (unsigned i = 0; i < n; i++) {
        const struct tagger *t = searches[i].tagger;
        const struct search q = {.what = &searches[i], .which = i, .scratch = scratch, .found = found, .ctx = ctx};
        if (!is_whole) {
            find_by_windows(&q, text);
            continue;
        }
        if (t->task->needs_number && !line.has_number) {
            continue;
        }
        if (i > 0) {
            forget(&line);
        }
        const struct tagger_lexicon lexicon = lexicon_of(t, scratch);
        t->task->find_candidates(&line, &lexicon);
        find_in_line(&q, &line, 0, line.n);
    }
}

void tagger_find(const struct tagger_search *search, struct tagger_scratch *scratch, struct span text,
                 tagger_found_fn found, void *ctx)
{
    tagger_find_all(search, 1, scratch, text, found, ctx);
}

size_t tagger_look(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, struct span text,
                   struct tagger_view *view, size_t max)
{
    size_t next = 0;
    size_t n = 0;
    struct tagger_line line = tagger_read_line(t->task, &t->words, scratch, text, 0, &next);

    for (size_t i = 0; i < line.n && n < max; i++) {
        int16_t sums[TAGGER_WEIGHTED] = {0};
        int32_t best = INT32_MIN;
        if (!line.tokens[i].is_candidate) {
            continue;
        }
        ask_for(t, &line, i, scratch->asked);
        add_up(t, scratch->asked, sums);
        for (size_t k = 0; k < TAGGER_WEIGHTED; k++) {
            best = (t->task->classes[class].labels >> (k + 1) & 1) && sums[k] > best ? sums[k] : best;
        }
        view[n++] = (struct tagger_view){line.tokens[i].from, line.tokens[i].to,
                                         (float)best * t->settings.weight};
    }
    return n;
}
