#include "classifiers/train/tagger/names_titles.h"

#include <jansson.h>
#include <stdlib.h>

#include "classifiers/tagger_features.h"

void made_words_add(struct words *w, struct span word)
{
    if (w->n == w->cap) {
        w->cap = w->cap == 0 ? 64 : w->cap * 2;
        w->items = realloc(w->items, w->cap * sizeof(*w->items));
        if (w->items == NULL) {
            give_up("out of memory");
        }
    }
    w->items[w->n++] = word;
}

struct span made_one_of(const struct words *w, uint64_t *random)
{
    return w->n == 0 ? span_str("Kim") : w->items[random_below(random, (uint32_t)w->n)];
}

/* --- lists ----------------------------------------------------------------------- */

static struct people *people_of(struct name_pool *pool, const char *kind, struct span key)
{
    char name[sizeof(pool->sets[0].key)];

    (void)snprintf(name, sizeof(name), "%s%.*s", kind, (int)(key.len > 9 ? 9 : key.len), key.ptr);
    for (size_t i = 0; i < pool->n_sets; i++) {
        if (strcmp(pool->sets[i].key, name) == 0) {
            return &pool->sets[i];
        }
    }
    if (pool->n_sets == COUNT(pool->sets)) {
        give_up("names: too many lists");
    }
    struct people *p = &pool->sets[pool->n_sets++];
    memcpy(p->key, name, sizeof(name));
    return p;
}

struct span made_column_of(struct span line, char separator, size_t number)
{
    size_t at = 0;

    for (size_t i = 0; i <= line.len; i++) {
        if (i == line.len || line.ptr[i] == separator) {
            if (number-- == 0) {
                return span_slice(line, at, i);
            }
            at = i + 1;
        }
    }
    return span_of(line.ptr, 0);
}

/* Names that have no word boundaries cannot be tagged by words; quotes mean that a field holds
 * commas. */
static bool is_usable(struct span name)
{
    return name.len > 1 && memchr(name.ptr, '"', name.len) == NULL &&
           memchr(name.ptr, '/', name.len) == NULL &&
           !((unsigned char)name.ptr[0] >= 0xe3 && (unsigned char)name.ptr[0] <= 0xed);
}

static void read_by_country(struct name_pool *pool, const char *folder, const char *file,
                            size_t column, bool is_given)
{
    struct span rest = read_whole(folder, file);
    struct span line;

    (void)next_line(&rest, &line);
    while (next_line(&rest, &line)) {
        for (size_t i = 0; i < 2; i++) {
            struct span name = made_column_of(line, ',', column + i);
            struct people *p = people_of(pool, i == 0 ? "n-" : "r-", made_column_of(line, ',', 0));
            if (is_usable(name)) {
                made_words_add(is_given ? &p->given : &p->surnames, name);
            }
        }
    }
}

static void read_census(struct name_pool *pool, const char *folder)
{
    struct span rest = read_whole(folder, "lists/us_census1990_names.tsv");
    struct span line;

    (void)next_line(&rest, &line);
    while (next_line(&rest, &line)) {
        bool is_last = span_is(made_column_of(line, '\t', 0), "all.last");
        long rank = strtol(made_column_of(line, '\t', 3).ptr, NULL, 10);
        /* The commonest are in the list several times over, as they are among people. */
        size_t times = rank <= 200 ? 8 : rank <= 1000 ? 4 : 1;
        for (size_t i = 0; i < times && rank <= (is_last ? 12000 : 2000); i++) {
            made_words_add(is_last ? &pool->census.surnames : &pool->census.given,
                           made_column_of(line, '\t', 1));
        }
    }
}

static void read_locales(struct name_pool *pool, const char *folder)
{
    struct span rest = read_whole(folder, "lists/faker_locales.ndjson");
    struct span line;

    while (next_line(&rest, &line)) {
        json_t *row = json_loadb(line.ptr, line.len, 0, NULL);
        const char *list = json_string_value(json_object_get(row, "list"));
        struct people *p =
            people_of(pool, "f-", span_str(json_string_value(json_object_get(row, "locale"))));
        json_t *values = json_object_get(row, "values");
        bool is_given = strncmp(list, "first_names", 11) == 0;
        bool is_last = strncmp(list, "last_names", 10) == 0;
        for (size_t i = 0; (is_given || is_last) && i < json_array_size(values); i++) {
            struct span name = copy_span(span_str(json_string_value(json_array_get(values, i))));
            if (is_usable(name)) {
                made_words_add(is_given ? &p->given : &p->surnames, name);
            }
        }
        json_decref(row);
    }
}

void name_pool_read(struct name_pool *pool, const char *folder)
{
    struct span rest = read_whole(folder, "lists/world_cities.tsv");
    struct span line;

    memset(pool, 0, sizeof(*pool));
    read_census(pool, folder);
    read_by_country(pool, folder, "lists/forenames_by_country.csv", 10, true);
    read_by_country(pool, folder, "lists/surnames_by_country.csv", 4, false);
    read_locales(pool, folder);
    while (next_line(&rest, &line)) {
        made_words_add(&pool->cities, made_column_of(line, '\t', 0));
    }
}

/* --- names ------------------------------------------------------------------------- */

void made_write_span(struct writer *w, struct span s)
{
    size_t room = sizeof(w->text) - w->len;
    size_t n = s.len < room ? s.len : room;

    memcpy(w->text + w->len, s.ptr, n);
    w->len += n;
}

void made_write_str(struct writer *w, const char *s)
{
    made_write_span(w, span_str(s));
}

void made_change_case(char *text, size_t from, size_t to, bool upper)
{
    for (size_t i = from; i < to; i++) {
        char c = text[i];
        if (upper && c >= 'a' && c <= 'z') {
            text[i] = (char)(c - 32);
        } else if (!upper && c >= 'A' && c <= 'Z') {
            text[i] = (char)(c + 32);
        }
    }
}

bool made_by_chance(struct writer *w, uint32_t percent)
{
    return random_below(w->random, 100) < percent;
}

const struct people *made_choose_people(struct writer *w)
{
    if (made_by_chance(w, 45)) {
        return &w->pool->census;
    }
    for (;;) {
        const struct people *p = &w->pool->sets[random_below(w->random, (uint32_t)w->pool->n_sets)];
        if (p->given.n > 0 && p->surnames.n > 0) {
            return p;
        }
    }
}

/* A name of no list: the front of one and the end of another, cut between ASCII letters. */
static void write_new_name(struct writer *w, const struct words *names)
{
    struct span front = made_one_of(names, w->random);
    struct span end = made_one_of(names, w->random);
    size_t cut = front.len / 2 + 1;
    size_t from = end.len / 2;

    if (cut >= front.len || (front.ptr[cut] & 0x80) || (front.ptr[cut - 1] & 0x80) ||
        (end.ptr[from] & 0x80) || memchr(end.ptr, ' ', end.len) != NULL) {
        made_write_span(w, front);
        return;
    }
    made_write_span(w, span_slice(front, 0, cut));
    made_write_span(w, span_slice(end, from, end.len));
}

void made_write_surname(struct writer *w, const struct people *p)
{
    if (made_by_chance(w, 15)) {
        write_new_name(w, &p->surnames);
    } else {
        made_write_span(w, made_one_of(&p->surnames, w->random));
    }
}

/* Romanised, the surname first or, as abroad, last: lists hold few of the given names, which are
 * made of syllables. */
static void write_east_asian_name(struct writer *w)
{
    static const char *const surnames[] = {
        "Wang",  "Li",    "Zhang", "Liu",  "Chen",   "Yang", "Huang", "Zhao",  "Wu",  "Zhou",
        "Xu",    "Sun",   "Ma",    "Zhu",  "Hu",     "Guo",  "He",    "Lin",   "Gao", "Luo",
        "Zheng", "Liang", "Xie",   "Song", "Tang",   "Han",  "Feng",  "Deng",  "Cao", "Peng",
        "Zeng",  "Xiao",  "Tian",  "Dong", "Pan",    "Yuan", "Cai",   "Jiang", "Yu",  "Du",
        "Ye",    "Cheng", "Wei",   "Shi",  "Lu",     "Ding", "Ren",   "Yao",   "Cui", "Zhong",
        "Tan",   "Fan",   "Kim",   "Lee",  "Park",   "Choi", "Jung",  "Kang",  "Cho", "Yoon",
        "Jang",  "Lim",   "Wong",  "Chan", "Cheung", "Ng"};
    static const char *const syllables[] = {
        "wei",  "min",  "jing", "li",   "qiang", "lei",  "jun",   "yang",  "yong", "yan",   "jie",
        "juan", "tao",  "ming", "chao", "xiu",   "xia",  "ping",  "gang",  "gui",  "hua",   "yu",
        "ling", "bin",  "bo",   "hui",  "jian",  "guo",  "zhi",   "rong",  "xin",  "hong",  "fang",
        "na",   "ying", "mei",  "lan",  "feng",  "dong", "xiang", "cheng", "lun",  "ji",    "ning",
        "shu",  "long", "hao",  "wen",  "qing",  "yuan", "tian",  "zhen",  "chun", "hai",   "kai",
        "jin",  "joon", "seo",  "hyun", "young", "soo",  "hee",   "woo",   "eun",  "kyung", "sang"};
    const char *surname = surnames[random_below(w->random, COUNT(surnames))];
    bool is_first = made_by_chance(w, 60);

    if (is_first) {
        made_write_str(w, surname);
        made_write_str(w, " ");
    }
    size_t from = w->len;
    made_write_str(w, syllables[random_below(w->random, COUNT(syllables))]);
    made_change_case(w->text, from, from + 1, true);
    if (made_by_chance(w, 75)) {
        made_write_str(w, made_by_chance(w, 15) ? "-" : "");
        made_write_str(w, syllables[random_below(w->random, COUNT(syllables))]);
    }
    if (!is_first) {
        made_write_str(w, " ");
        made_write_str(w, surname);
    }
}

void made_write_full_name(struct writer *w, const struct people *p)
{
    uint32_t form = random_below(w->random, 100);

    if (made_by_chance(w, 4)) {
        write_east_asian_name(w);
        return;
    }
    if (form < 5) {
        char initial[] = {(char)('A' + random_below(w->random, 26)), '.', ' ', '\0'};
        made_write_str(w, initial);
        made_write_surname(w, p);
        return;
    }
    made_write_span(w, made_one_of(&p->given, w->random));
    if (form < 13) {
        char initial[] = {' ', (char)('A' + random_below(w->random, 26)), '.', '\0'};
        made_write_str(w, initial);
    } else if (form < 17) {
        made_write_str(w, " ");
        made_write_span(w, made_one_of(&p->given, w->random));
    }
    made_write_str(w, " ");
    made_write_surname(w, p);
    if (form >= 97) {
        made_write_str(w, form == 97 ? " " : "-");
        made_write_surname(w, p);
    }
}

void made_add_mark(struct writer *w, size_t from, uint32_t label)
{
    if (w->n_marks < COUNT(w->marks) && w->len > from) {
        w->marks[w->n_marks++] = (struct mark){(uint32_t)from, (uint32_t)w->len, label};
    }
}

/* --- templates ------------------------------------------------------------------------ */

struct example made_take_example(const struct writer *w, uint32_t group)
{
    struct example e = {.text = copy_span(span_of(w->text, w->len)),
                        .n_marks = w->n_marks,
                        .group = group,
                        .is_partial = true,
                        .weight = 1};

    e.marks = need_memory(w->n_marks, sizeof(*e.marks));
    memcpy(e.marks, w->marks, w->n_marks * sizeof(*e.marks));
    return e;
}

static void fill_template(struct writer *w, const char *template)
{
    w->len = 0;
    w->n_marks = 0;
    for (size_t i = 0; template[i] != '\0'; i++) {
        if (template[i] == '$' && template[i + 1] >= 'A' && template[i + 1] <= 'Z') {
            made_write_slot(w, template[++i], made_choose_people(w));
        } else {
            made_write_span(w, span_of(&template[i], 1));
        }
    }
}

void make_sentences(const struct name_pool *pool, size_t n, uint64_t seed, struct examples *all)
{
    struct writer w = {.pool = pool, .random = &seed};

    for (size_t i = 0; i < n; i++) {
        fill_template(&w, name_templates[i % n_name_templates]);
        uint32_t written = random_below(&seed, 100);
        if (written < 12) {
            made_change_case(w.text, 0, w.len, written < 3);
        }
        examples_add(all, made_take_example(&w, SOURCES));
    }
}

void make_negatives(const struct name_pool *pool, size_t n, float weight, uint64_t seed, struct examples *all)
{
    struct writer w = {.pool = pool, .random = &seed};

    for (size_t i = 0; i < n; i++) {
        fill_template(&w, name_negatives[i % n_name_negatives]);
        struct example e = made_take_example(&w, SOURCES);
        e.is_partial = false;
        e.weight = weight;
        examples_add(all, e);
    }
}

/* --- other names --------------------------------------------------------------------------- */

static void write_other_name(struct writer *w, struct span old)
{
    const struct people *p = made_choose_people(w);
    size_t from = w->len;
    bool is_small = true;
    bool is_capital = old.len > 2;

    for (size_t i = 0; i < old.len; i++) {
        is_small = is_small && !(old.ptr[i] >= 'A' && old.ptr[i] <= 'Z');
        is_capital = is_capital && !(old.ptr[i] >= 'a' && old.ptr[i] <= 'z');
    }
    if (memchr(old.ptr, ' ', old.len) != NULL) {
        made_write_full_name(w, p);
    } else if (made_by_chance(w, 20)) {
        write_new_name(w, made_by_chance(w, 50) ? &p->given : &p->surnames);
    } else if (made_by_chance(w, 50)) {
        made_write_span(w, made_one_of(&p->given, w->random));
    } else {
        made_write_surname(w, p);
    }
    if (is_small || is_capital) {
        made_change_case(w->text, from, w->len, is_capital);
    }
}

bool with_other_names(const struct name_pool *pool, const struct example *e, uint64_t *random,
                      struct example *changed)
{
    struct writer w = {.pool = pool, .random = random};
    size_t at = 0;
    bool has_person = false;

    for (size_t i = 0; i < e->n_marks; i++) {
        const struct mark *m = &e->marks[i];
        if (m->from < at) {
            return false;
        }
        made_write_span(&w, span_slice(e->text, at, m->from));
        size_t from = w.len;
        struct span old = span_slice(e->text, m->from, m->to);
        if (m->label == TAGGER_PERSON_BEGINS) {
            size_t title = title_length(old);
            has_person = true;
            made_write_span(&w, span_slice(old, 0, title));
            write_other_name(&w, span_slice(old, title, old.len));
        } else {
            made_write_span(&w, old);
        }
        made_add_mark(&w, from, m->label);
        at = m->to;
    }
    made_write_span(&w, span_slice(e->text, at, e->text.len));
    if (!has_person || w.len >= sizeof(w.text) || w.n_marks != e->n_marks) {
        return false;
    }
    *changed = made_take_example(&w, e->group);
    changed->is_partial = e->is_partial;
    return true;
}

bool in_other_case(const struct example *e, uint64_t *random, struct example *changed)
{
    uint32_t form = random_below(random, 100);
    bool has_person = false;

    for (size_t i = 0; i < e->n_marks; i++) {
        has_person = has_person || e->marks[i].label == TAGGER_PERSON_BEGINS;
    }
    if (form >= 20 || (!has_person && form % 4 != 0)) {
        return false;
    }
    *changed = *e;
    changed->text = copy_span(e->text);
    char *text = (char *)(uintptr_t)changed->text.ptr; /* the copy just made */
    if (form < 12) {
        made_change_case(text, 0, changed->text.len, false);
    } else if (form < 14) {
        made_change_case(text, 0, changed->text.len, true);
    } else {
        for (size_t i = 0; i < e->n_marks; i++) {
            made_change_case(text, e->marks[i].from, e->marks[i].to, false);
        }
    }
    return true;
}
