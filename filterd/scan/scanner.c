#include "scan/scanner.h"

#include <stdlib.h>

#include "scan/scanner_parts.h"

/* Room for windows: so many, and one more for so many bytes of text. */
enum { WINDOWS_SPARE = 64 * 1024, BYTES_PER_WINDOW = 128, NONE = UINT32_MAX };

/* How far one trigger's hits have been looked at for places where a match may start free. */
struct free_start {
    uint32_t looked_to; /* bytes of the text; 0 at the start of each */
    uint32_t last;      /* the last such place before it; meaningless while looked_to is 0 */
};

struct scanner_scratch {
    struct prefilter_scratch *prefilter;
    struct regex_scratch *regex;
    uint64_t sized_for; /* serial of the scanner */
    uint32_t *newest;   /* per group: its last window, or NONE */
    uint32_t *marked;   /* groups that have windows */
    uint32_t n_marked;
    struct scanner_window *windows; /* one for each group is always left */
    uint32_t n_windows, max_windows, n_groups;
    struct free_start *free_starts; /* per trigger */
    uint32_t *hit;                  /* triggers whose free_starts are in use */
    uint32_t n_hit;
};

static void scratch_drop(struct scanner_scratch *s)
{
    free(s->newest);
    free(s->marked);
    free(s->windows);
    free(s->free_starts);
    free(s->hit);
    s->newest = s->marked = s->hit = NULL;
    s->windows = NULL;
    s->free_starts = NULL;
    s->n_marked = s->n_windows = s->n_hit = 0;
    s->sized_for = 0;
}

struct scanner_scratch *scanner_scratch_new(struct error *err)
{
    struct scanner_scratch *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "scan: no memory");
        return NULL;
    }
    s->prefilter = prefilter_scratch_new(err);
    s->regex = s->prefilter != NULL ? regex_scratch_new(err) : NULL;
    if (s->regex == NULL) {
        scanner_scratch_free(s);
        return NULL;
    }
    return s;
}

void scanner_scratch_free(struct scanner_scratch *s)
{
    if (s != NULL) {
        prefilter_scratch_free(s->prefilter);
        regex_scratch_free(s->regex);
        scratch_drop(s);
        free(s);
    }
}

struct regex_scratch *scanner_scratch_regex(struct scanner_scratch *s)
{
    return s->regex;
}

struct prefilter_scratch *scanner_scratch_prefilter(struct scanner_scratch *s)
{
    return s->prefilter;
}

struct regex_work scanner_work(const struct scanner_scratch *s)
{
    return regex_work_of(s->regex);
}

static bool scratch_fit(struct scanner_scratch *s, const struct scanner *scanner, struct error *err)
{
    size_t n = (size_t)scanner->n_groups + 1;
    size_t triggers = (size_t)scanner->n_triggers + 1;

    if (s->sized_for == scanner->serial) {
        return true;
    }
    scratch_drop(s);
    s->newest = malloc(n * sizeof(*s->newest));
    s->marked = malloc(n * sizeof(*s->marked));
    s->windows = malloc((n + WINDOWS_SPARE) * sizeof(*s->windows));
    s->free_starts = calloc(triggers, sizeof(*s->free_starts));
    s->hit = malloc(triggers * sizeof(*s->hit));
    if (s->newest == NULL || s->marked == NULL || s->windows == NULL || s->free_starts == NULL || s->hit == NULL) {
        scratch_drop(s);
        return error_set(err, ERROR_NO_MEMORY, "scan: no memory");
    }
    memset(s->newest, 0xff, n * sizeof(*s->newest)); /* NONE */
    s->n_groups = scanner->n_groups;
    s->max_windows = scanner->n_groups + WINDOWS_SPARE;
    s->sized_for = scanner->serial;
    return true;
}

/* Past its windows a text would be searched nearly everywhere, so a long one has more of them. */
static bool windows_fit(struct scanner_scratch *s, size_t text_len, struct error *err)
{
    size_t wanted = s->n_groups + WINDOWS_SPARE + text_len / BYTES_PER_WINDOW;

    if (wanted <= s->max_windows) {
        return true;
    }
    struct scanner_window *windows = malloc(wanted * sizeof(*windows));
    if (windows == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "scan: no memory");
    }
    free(s->windows);
    s->windows = windows;
    s->max_windows = (uint32_t)wanted;
    return true;
}

static void scratch_clear(struct scanner_scratch *s)
{
    for (uint32_t i = 0; i < s->n_marked; i++) {
        s->newest[s->marked[i]] = NONE;
    }
    for (uint32_t i = 0; i < s->n_hit; i++) {
        s->free_starts[s->hit[i]].looked_to = 0;
    }
    s->n_marked = s->n_windows = s->n_hit = 0;
}

/* --- marking -------------------------------------------------------------- */

static void add_window(struct scanner_scratch *s, uint32_t group, uint32_t from, uint32_t to)
{
    /* Sized by scratch_fit, which failed had it no memory. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    uint32_t newest = s->newest[group];

    if (newest != NONE) {
        struct scanner_window *w = &s->windows[newest];
        /* The list holds windows written before. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        bool touches = from <= w->to && to >= w->from;
        /* Each group not yet marked keeps a place in reserve. */
        bool is_full = s->n_windows + (s->n_groups - s->n_marked) >= s->max_windows;
        if (touches || is_full) {
            w->from = from < w->from ? from : w->from;
            w->to = to > w->to ? to : w->to;
            return;
        }
    } else {
        s->marked[s->n_marked++] = group;
    }
    s->windows[s->n_windows] = (struct scanner_window){.from = from, .to = to, .next = newest};
    s->newest[group] = s->n_windows++;
}

struct mark {
    struct span text;
    const struct scanner *scanner;
    struct scanner_scratch *scratch;
    struct scanner_hints *hints;
};

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The last place in [end - lead, end) where a match may start free; false when there is none. Hits of
 * one trigger come in order as a rule, so each byte is looked at once. */
static bool last_free_start(const struct mark *m, uint32_t trigger, uint32_t end, uint32_t *start)
{
    struct free_start *f = &m->scratch->free_starts[trigger];
    uint32_t lead = m->scanner->triggers[trigger].lead;
    uint32_t first = end > lead ? end - lead : 0;
    uint32_t from = f->looked_to;

    if (from == 0) {
        m->scratch->hit[m->scratch->n_hit++] = trigger;
    }
    if (from == 0 || from < first || from > end) {
        from = first;
        f->last = NONE;
    }
    for (uint32_t at = end; at > from; at--) {
        if (at - 1 == 0 || !is_letter_or_digit(m->text.ptr[at - 2])) {
            f->last = at - 1;
            break;
        }
    }
    f->looked_to = end;
    *start = f->last;
    return f->last != NONE && f->last >= first;
}

/* The words of a list begin the matches of its patterns, or end at most a group's lead behind the start. */
static bool on_word(void *context, uint32_t list, uint32_t start)
{
    const struct mark *m = context;
    const struct scanner_trigger *t = &m->scanner->triggers[list];

    for (uint32_t i = t->first; i < t->first + t->n && !m->scanner->without_prefilter; i++) {
        uint32_t group = m->scanner->uses[i];
        uint32_t reach = t->is_inside ? m->scanner->groups[group].lead - KEYWORD_MIN : 0;
        add_window(m->scratch, group, start > reach ? start - reach : 0, start + 1);
    }
    return true;
}

/* The starts of matches that a trigger's hits announce, which end at `first` and behind it: from each group's lead before it to `last`. */
static void add_starts(const struct mark *m, const struct scanner_trigger *t, uint32_t first, uint32_t last)
{
    for (uint32_t i = t->first; i < t->first + t->n; i++) {
        uint32_t group = m->scanner->uses[i];
        uint32_t lead = m->scanner->groups[group].lead;
        uint32_t from = first > lead ? first - lead : 0;
        if (last >= from) {
            add_window(m->scratch, group, from, last + 1);
        }
    }
}

/* Windows of hits one behind another touch each other: they are one, unless the starts are looked for. */
static bool on_hit(void *context, uint32_t expression, uint32_t first, uint32_t last)
{
    const struct mark *m = context;
    const uint32_t trigger = m->scanner->n_word_lists + expression;
    const struct scanner_trigger *t = &m->scanner->triggers[trigger];
    uint32_t start;

    if (m->scanner->without_prefilter) {
        return true;
    }
    if (!t->starts_free) {
        add_starts(m, t, first, last - 1);
        return true;
    }
    for (uint32_t end = first; end <= last; end++) {
        if (last_free_start(m, trigger, end, &start)) {
            add_starts(m, t, end, start);
        }
    }
    return true;
}

static void on_hint(void *context, enum view_hint_kind kind, uint32_t end)
{
    const struct mark *m = context;

    scanner_hint_add(m->hints, m->text, kind, end);
}

bool scanner_mark(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view,
                  struct scanner_hints *hints, struct error *err)
{
    if (!scratch_fit(scratch, s, err)) {
        return false;
    }
    scratch_clear(scratch);
    if (!windows_fit(scratch, view->text.len, err)) {
        return false;
    }
    if (view->text.len == 0) {
        return true;
    }
    for (uint32_t i = 0; s->without_prefilter && i < s->n_groups; i++) {
        add_window(scratch, i, 0, (uint32_t)view->text.len);
    }
    struct mark m = {.text = view->text, .scanner = s, .scratch = scratch, .hints = hints};
    if (!prefilter_scan(s->prefilter, scratch->prefilter, view->text, on_hit, &m, err)) {
        return false;
    }
    keywords_scan(s->keywords, view->text, on_word, &m);
    if (hints != NULL) {
        hint_literals_scan(s->hints, view->text, on_hint, &m);
    }
    scanner_hints_order(hints);
    return true;
}

bool scanner_has_marks(const struct scanner_scratch *scratch)
{
    return scratch->n_marked > 0;
}

/* --- confirming ----------------------------------------------------------- */

static size_t next_boundary(struct span text, size_t at)
{
    while (at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at++;
    }
    return at < text.len ? at : text.len;
}

/* One pattern over one piece of a view. Offsets are the piece's until they are reported. */
struct search {
    struct scanner_entry *entry;
    const struct start_filter *starts; /* NULL: PCRE2 tries each */
    struct scanner_scratch *scratch;
    struct span piece;
    size_t base; /* of the piece in the view */
    uint32_t pattern;
    size_t next; /* no match may start before */
    struct start_seen seen; /* of the piece, by the pattern's filter */
    scanner_found_fn *found;
    void *context;
};

/* The match, once for each of its groups `secret`, or once as a whole when it has none. */
static bool report(struct search *search, size_t from, size_t to, bool is_over_limit, struct error *err)
{
    const size_t end = search->base + to;
    size_t behind = end, at = 0, group_from, group_to;
    struct scanner_match match = {.pattern = search->pattern,
                                  .from = search->base + from,
                                  .to = end,
                                  .span_from = search->base + from,
                                  .span_to = end,
                                  .is_over_limit = is_over_limit,
                                  .regex = search->entry->regex,
                                  .groups = search->scratch->regex,
                                  .behind = &behind};
    bool has_spans = false, goes_on = true;

    while (goes_on && behind == end && !is_over_limit && search->entry->has_secret &&
           regex_next_group(match.regex, match.groups, scanner_secret_group, &at, &group_from, &group_to)) {
        if (group_from < group_to) {
            match.span_from = search->base + group_from;
            match.span_to = search->base + group_to;
            has_spans = true;
            goes_on = search->found(search->context, &match, err);
        }
    }
    goes_on = has_spans ? goes_on : search->found(search->context, &match, err);
    search->next = behind - search->base;
    return goes_on;
}

/* No match of a bounded pattern that starts in the window can see past this. */
static struct span subject_for(const struct search *search, size_t last_start)
{
    if (search->entry->max_width == TRIGGER_WIDTH_UNBOUNDED) {
        return search->piece;
    }
    size_t end = last_start + search->entry->max_width + SCANNER_LOOK_AHEAD;
    return end >= search->piece.len ? search->piece : span_of(search->piece.ptr, next_boundary(search->piece, end));
}

/* The next starts in [at, to) that PCRE2 is asked about. */
static bool next_starts(struct search *search, size_t at, size_t to, struct start_range *out)
{
    *out = (struct start_range){at, to - 1};
    return at < to && (search->starts == NULL || start_filter_next(search->starts, &search->seen, search->piece, at, to, out));
}

/* All starts in [from, to) of the piece. */
static bool search_window(struct search *search, size_t from, size_t to, struct error *err)
{
    struct span subject = subject_for(search, to);
    size_t at = next_boundary(search->piece, from > search->next ? from : search->next), begin = at;
    struct start_range starts;

    while (next_starts(search, at, to, &starts)) {
        size_t match_from, match_to;
        enum regex_result result = regex_search(search->entry->regex, search->scratch->regex, subject, starts.first, starts.last);
        if (result == REGEX_NO_MATCH) {
            at = starts.last + 1;
            continue;
        }
        if (result == REGEX_OVER_LIMIT) {
            /* It is unknown what is here, so all that a match could have covered counts as found. */
            size_t end = to + search->entry->max_length;
            bool goes_on = report(search, begin, end < search->piece.len ? next_boundary(search->piece, end) : search->piece.len,
                                  true, err);
            search->next = to;
            return goes_on;
        }
        regex_match_range(search->scratch->regex, &match_from, &match_to);
        if (!report(search, match_from, match_to, match_to - match_from > search->entry->max_length, err)) {
            return false;
        }
        search->next = search->next > match_from ? search->next : match_from + 1;
        at = begin = search->next;
    }
    return true;
}

/* The starts that a window and a piece of a view that the pattern searches have in common. */
static bool search_overlap(struct search *search, struct span text, const struct view_piece *piece,
                           const struct scanner_window *w, struct error *err)
{
    size_t from = w->from > piece->from ? w->from - piece->from : 0;
    size_t to = (w->to < piece->to ? w->to : piece->to) - piece->from;

    if (search->base != piece->from || search->piece.ptr == NULL) {
        search->next = 0;
        search->seen = (struct start_seen){0};
    }
    search->base = piece->from;
    search->piece = span_slice(text, piece->from, piece->to);
    return search_window(search, from, to, err);
}

static bool search_pieces(struct search *search, const struct view *view, uint32_t list, struct error *err)
{
    const struct scanner_window *windows = search->scratch->windows;
    size_t p = 0;

    while (list != NONE && p < view->n_pieces) {
        const struct view_piece *piece = &view->pieces[p];
        const struct scanner_window *w = &windows[list];
        if (w->to <= piece->from) {
            list = w->next;
            continue;
        }
        bool is_searched = w->from < piece->to && (search->entry->views & 1U << piece->kind) != 0;
        if (is_searched && !search_overlap(search, view->text, piece, w, err)) {
            return false;
        }
        if (w->to <= piece->to) {
            list = w->next;
        } else {
            p++;
        }
    }
    return true;
}

/* The windows of a group, sorted; of several patterns what one of them may begin with. */
static uint32_t windows_of(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view, uint32_t group)
{
    uint32_t windows = scanner_windows_sort(scratch->windows, scratch->newest[group]);
    const struct start_filter *starts = s->without_prefilter ? NULL : scanner_group_starts(s, &s->groups[group]);
    struct scanner_windows free_ones = {.items = scratch->windows, .used = scratch->n_windows, .max = scratch->max_windows};

    scratch->newest[group] = windows;
    return starts != NULL ? scanner_windows_narrow(&free_ones, starts, view, windows) : windows;
}

static bool confirm_group(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view,
                          uint32_t group, struct search *search, struct error *err)
{
    const uint32_t windows = windows_of(s, scratch, view, group);
    const struct scanner_group *g = &s->groups[group];

    for (uint32_t i = 0; windows != NONE && i < g->n; i++) {
        scanner_fetch_behind(s, g, i);
        search->pattern = s->members[g->first + i];
        search->entry = &s->entries[search->pattern];
        search->starts = s->without_prefilter ? NULL : scanner_entry_starts(search->entry);
        search->piece = (struct span){0};
        search->base = search->next = 0;
        if (!search_pieces(search, view, windows, err)) {
            return false;
        }
    }
    return true;
}

bool scanner_confirm(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view,
                     scanner_found_fn *found, void *context, struct error *err)
{
    struct search search = {.scratch = scratch, .found = found, .context = context};

    for (uint32_t i = 0; i < scratch->n_marked; i++) {
        if (i + 3 < scratch->n_marked) {
            scanner_fetch_entries(s, &s->groups[scratch->marked[i + 3]]);
        }
        if (i + 2 < scratch->n_marked) {
            scanner_fetch_filters(s, &s->groups[scratch->marked[i + 2]]);
        }
        if (i + 1 < scratch->n_marked) {
            scanner_fetch_automata(s, &s->groups[scratch->marked[i + 1]]);
        }
        if (!confirm_group(s, scratch, view, scratch->marked[i], &search, err)) {
            return false;
        }
    }
    return true;
}
