#include "classifiers/train/tagger/names_titles.h"

#include "classifiers/tagger_features.h"

static const char *const before_any[] = {"Mr",   "Mrs",       "Ms",     "Dr",
                                         "Prof", "Professor", "Doctor", "Madam"};
static const char *const before_surname[] = {
    "President", "Senator", "Sen",    "Governor", "Gov",    "Rep",     "Judge",
    "Justice",   "Captain", "Capt",   "General",  "Gen",    "Colonel", "Col",
    "Sgt",       "Coach",   "Pastor", "Rev",      "Bishop", "Mayor",   "Prophet"};
static const char *const before_given[] = {
    "King",  "Queen",  "Prince",  "Princess", "Pope",   "Duke", "Emperor", "Saint",
    "St",    "Sister", "Miss",    "Lil",      "DJ",     "MC",   "Sir",     "Dame",
    "Uncle", "Aunt",   "Brother", "Lady",     "Father", "Lord"};

static bool is_one_of(struct span word, const char *const *titles, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(titles[i]) == word.len && strncasecmp(titles[i], word.ptr, word.len) == 0) {
            return true;
        }
    }
    return false;
}

size_t title_length(struct span name)
{
    size_t n = 0;

    while (n < name.len && name.ptr[n] != ' ' && name.ptr[n] != '.') {
        n++;
    }
    struct span word = span_slice(name, 0, n);
    if (!is_one_of(word, before_any, COUNT(before_any)) &&
        !is_one_of(word, before_surname, COUNT(before_surname)) &&
        !is_one_of(word, before_given, COUNT(before_given))) {
        return 0;
    }
    while (n < name.len && (name.ptr[n] == ' ' || name.ptr[n] == '.')) {
        n++;
    }
    return n < name.len ? n : 0;
}

/* Where the word before `at` begins, over a full stop. */
static uint32_t word_before(struct span text, uint32_t at)
{
    while (at > 0 && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '.')) {
        at--;
    }
    while (at > 0 && text.ptr[at - 1] != ' ') {
        at--;
    }
    return at;
}

struct example with_titles(const struct example *e)
{
    struct example changed = *e;

    changed.marks = need_memory(e->n_marks, sizeof(*changed.marks));
    for (size_t i = 0; i < e->n_marks; i++) {
        struct mark m = e->marks[i];
        uint32_t at = word_before(e->text, m.from);
        bool is_single = memchr(e->text.ptr + m.from, ' ', m.to - m.from) == NULL;
        bool is_capital = e->text.ptr[at] >= 'A' && e->text.ptr[at] <= 'Z';
        bool is_free = i == 0 || e->marks[i - 1].to <= at;
        if (m.label == TAGGER_PERSON_BEGINS && is_single && is_capital && is_free &&
            title_length(span_slice(e->text, at, m.to)) == m.from - at) {
            m.from = at;
        }
        changed.marks[i] = m;
    }
    return changed;
}

/* Short forms end in a full stop now and then. */
static void write_one(struct writer *w, const char *const *titles, size_t n, bool may_be_short)
{
    const char *title = titles[random_below(w->random, (uint32_t)n)];
    bool is_short = may_be_short && strlen(title) <= 4;

    made_write_str(w, title);
    made_write_str(w, is_short && made_by_chance(w, 60) ? ". " : " ");
}

void write_titled_name(struct writer *w, const struct people *p)
{
    uint32_t form = random_below(w->random, 10);

    if (form < 2) {
        write_one(w, before_given, COUNT(before_given), false);
        made_write_span(w, made_one_of(&p->given, w->random));
        return;
    }
    if (form < 7) {
        write_one(w, before_any, COUNT(before_any), true);
    } else {
        write_one(w, before_surname, COUNT(before_surname), true);
    }
    made_write_surname(w, p);
}
