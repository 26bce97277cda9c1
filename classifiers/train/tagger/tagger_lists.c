#include "classifiers/train/tagger/tagger_lists.h"

#include <jansson.h>
#include <stdlib.h>

void word_list_init(struct word_list *w)
{
    *w = (struct word_list){.cap = (size_t)1 << 21};
    w->entries = need_memory(w->cap, sizeof(*w->entries));
}

struct word_entry *word_list_find(struct word_list *w, uint32_t hash, bool add)
{
    if (hash == 0) {
        return NULL;
    }
    for (size_t i = hash & (w->cap - 1);; i = (i + 1) & (w->cap - 1)) {
        struct word_entry *e = &w->entries[i];
        if (e->hash == hash) {
            return e;
        }
        if (e->hash == 0) {
            if (!add) {
                return NULL;
            }
            if (w->n * 4 > w->cap * 3) {
                give_up("word list: too many words");
            }
            w->n++;
            e->hash = hash;
            return e;
        }
    }
}

/* Adds the flags to each word of the name; of several words the particles stay as they are. */
static void add_name(struct word_list *w, struct span name, unsigned flags, bool whole)
{
    struct tagger_token tokens[8];
    size_t next = 0;
    size_t n = tagger_tokenize(name, 0, tokens, COUNT(tokens), &next);

    if (whole && n != 1) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_word = tokens[i].shape != TAGGER_SYMBOL && tokens[i].shape != TAGGER_NUMBER;
        if (!is_word || (n > 1 && (tokens[i].shape == TAGGER_LOWER || tokens[i].n_chars < 3))) {
            continue;
        }
        struct word_entry *e = word_list_find(w, tokens[i].hash, true);
        if (e != NULL) {
            e->flags |= (uint16_t)flags;
        }
    }
}

/* --- the lists' forms ---------------------------------------------------------- */

/* The field of a line by its number; quotes are not needed in the columns that are read. */
static struct span field_of(struct span line, char separator, size_t number)
{
    size_t at = 0;
    bool in_quotes = false;

    for (size_t i = 0; i <= line.len; i++) {
        if (i < line.len && line.ptr[i] == '"') {
            in_quotes = !in_quotes;
        }
        if (i == line.len || (line.ptr[i] == separator && !in_quotes)) {
            if (number-- == 0) {
                return span_slice(line, at, i);
            }
            at = i + 1;
        }
    }
    return span_of(line.ptr, 0);
}

static void read_census(struct word_list *w, const char *folder)
{
    struct span rest = read_whole(folder, "lists/us_census1990_names.tsv");
    struct span line;

    (void)next_line(&rest, &line);
    while (next_line(&rest, &line)) {
        struct span kind = field_of(line, '\t', 0);
        long rank = strtol(field_of(line, '\t', 3).ptr, NULL, 10);
        bool is_last = span_is(kind, "all.last");
        unsigned flags = is_last ? TAGGER_WORD_SURNAME : TAGGER_WORD_GIVEN;
        if (rank <= (is_last ? 1500 : 400)) {
            flags |= is_last ? TAGGER_WORD_SURNAME_TOP : TAGGER_WORD_GIVEN_TOP;
        }
        add_name(w, field_of(line, '\t', 1), flags, false);
    }
}

static void read_columns(struct word_list *w, const char *folder, const char *name, size_t column,
                         unsigned flags)
{
    struct span rest = read_whole(folder, name);
    struct span line;

    (void)next_line(&rest, &line);
    while (next_line(&rest, &line)) {
        add_name(w, field_of(line, ',', column), flags, false);
        add_name(w, field_of(line, ',', column + 1), flags, false);
    }
}

static void read_alternatives(struct word_list *w, const char *folder, const char *name,
                              unsigned flags)
{
    struct span rest = read_whole(folder, name);
    struct span line;

    while (next_line(&rest, &line)) {
        for (size_t i = 0;; i++) {
            struct span one = field_of(line, '|', i);
            if (one.len == 0) {
                break;
            }
            add_name(w, one, flags, true);
        }
    }
}

static void read_cities(struct word_list *w, const char *folder)
{
    struct span rest = read_whole(folder, "lists/world_cities.tsv");
    struct span line;

    (void)next_line(&rest, &line);
    while (next_line(&rest, &line)) {
        struct span country = field_of(line, '\t', 1);
        add_name(w, field_of(line, '\t', 0), TAGGER_WORD_CITY, true);
        if (memchr(country.ptr, ' ', country.len) == NULL) {
            add_name(w, country, TAGGER_WORD_COUNTRY, true);
        }
    }
}

/* A list is for a use when its name begins with this. */
struct list_use {
    const char *list;
    unsigned flags;
};

static unsigned flags_of(const char *list, const struct list_use *uses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(list, uses[i].list, strlen(uses[i].list)) == 0) {
            return uses[i].flags;
        }
    }
    return 0;
}

static void read_rows(struct word_list *w, const char *folder, const char *name, const char *key,
                      const struct list_use *uses, size_t n_uses)
{
    struct span rest = read_whole(folder, name);
    struct span line;

    while (next_line(&rest, &line)) {
        json_t *row = json_loadb(line.ptr, line.len, 0, NULL);
        const char *list = json_string_value(json_object_get(row, key));
        unsigned flags = list == NULL ? 0 : flags_of(list, uses, n_uses);
        json_t *values = json_object_get(row, "values");
        for (size_t i = 0; flags != 0 && i < json_array_size(values); i++) {
            const char *value = json_string_value(json_array_get(values, i));
            /* Short forms of one letter are in every alphabet and say nothing. */
            if (value != NULL && value[0] != '\0' && value[1] != '\0') {
                add_name(w, span_str(value), flags, (flags & TAGGER_WORD_NAME) == 0);
            }
        }
        json_decref(row);
    }
}

void word_list_read_lists(struct word_list *w, const char *folder)
{
    static const struct list_use faker[] = {
        {"first_names", TAGGER_WORD_GIVEN},  {"last_names", TAGGER_WORD_SURNAME},
        {"middle_names", TAGGER_WORD_GIVEN}, {"prefixes", TAGGER_WORD_TITLE},
        {"cities", TAGGER_WORD_CITY},        {"states", TAGGER_WORD_COUNTRY},
        {"provinces", TAGGER_WORD_COUNTRY},  {"street_suffixes", TAGGER_WORD_STREET}};
    static const struct list_use street[] = {
        {"street_types", TAGGER_WORD_STREET},   {"personal_titles", TAGGER_WORD_TITLE},
        {"company_types", TAGGER_WORD_COMPANY}, {"directionals", TAGGER_WORD_REGION},
        {"unit_types", TAGGER_WORD_UNIT},       {"post_office", TAGGER_WORD_UNIT}};
    static const char *const particles[] = {
        "van", "von", "der", "den", "de", "del", "della", "di",    "da",  "das", "dos",
        "du",  "la",  "le",  "el",  "al", "bin", "ibn",   "ben",   "ter", "ten", "zu",
        "zur", "af",  "av",  "y",   "e",  "do",  "delle", "degli", "of",  "the"};

    /* The lists have the states' full names alone. */
    static const char *const states[] = {
        "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE",  "FL",  "GA",  "HI", "ID", "IL",
        "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA",  "MI",  "MN",  "MS", "MO", "MT",
        "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND",  "OH",  "OK",  "OR", "PA", "RI",
        "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA",  "WV",  "WI",  "WY", "DC", "ON",
        "QC", "BC", "AB", "MB", "SK", "NS", "NB", "NSW", "VIC", "QLD", "TAS"};

    for (size_t i = 0; i < COUNT(states); i++) {
        add_name(w, span_str(states[i]), TAGGER_WORD_REGION, true);
    }
    read_census(w, folder);
    read_columns(w, folder, "lists/forenames_by_country.csv", 10,
                 TAGGER_WORD_GIVEN_TOP | TAGGER_WORD_GIVEN);
    read_columns(w, folder, "lists/surnames_by_country.csv", 4,
                 TAGGER_WORD_SURNAME_TOP | TAGGER_WORD_SURNAME);
    read_alternatives(w, folder, "lists/libpostal_given_names.txt", TAGGER_WORD_GIVEN);
    read_alternatives(w, folder, "lists/libpostal_surnames.txt", TAGGER_WORD_SURNAME);
    read_cities(w, folder);
    read_rows(w, folder, "lists/faker_locales.ndjson", "list", faker, COUNT(faker));
    read_rows(w, folder, "lists/street_words.ndjson", "label", street, COUNT(street));
    for (size_t i = 0; i < COUNT(particles); i++) {
        add_name(w, span_str(particles[i]), TAGGER_WORD_PARTICLE, true);
    }
}

/* --- ordinary text -------------------------------------------------------------- */

static bool ends_sentence(const struct tagger_token *t)
{
    return t->shape == TAGGER_SYMBOL && strchr(".!?:\"*#-|>(", (int)(t->tail & 0xff)) != NULL;
}

void word_list_count(struct word_list *w, const struct examples *lines)
{
    enum { MANY = 4096 };
    struct tagger_token *tokens = need_memory(MANY, sizeof(*tokens));

    for (size_t i = 0; i < lines->n; i++) {
        size_t next = 0;
        size_t n = tagger_tokenize(lines->items[i].text, 0, tokens, MANY, &next);
        bool has_capitals = false;
        for (size_t k = 0; k < n; k++) {
            has_capitals = has_capitals || tokens[k].shape == TAGGER_TITLE;
        }
        for (size_t k = 0; k < n; k++) {
            struct word_entry *e =
                tokens[k].shape < TAGGER_NUMBER ? word_list_find(w, tokens[k].hash, true) : NULL;
            if (e == NULL) {
                continue;
            }
            bool is_first = k == 0 || ends_sentence(&tokens[k - 1]);
            e->n_all++;
            /* A line all in small letters does not tell how its words are written. */
            e->n_small += tokens[k].shape == TAGGER_LOWER && has_capitals;
            e->n_capital += tokens[k].shape == TAGGER_TITLE && !is_first;
        }
    }
    free(tokens);
}

void word_list_forget(struct word_list *w, unsigned flags)
{
    for (size_t i = 0; i < w->cap; i++) {
        w->entries[i].flags = (uint16_t)(w->entries[i].flags & ~flags);
    }
}

static unsigned case_of(const struct word_entry *e)
{
    uint32_t n = e->n_small + e->n_capital;

    if (n < 2) {
        return 0;
    }
    return e->n_small * 5 < n ? 1 : e->n_small * 10 > n * 7 ? 3 : 2;
}

static unsigned often(uint32_t n)
{
    return n < 3 ? 0 : n < 30 ? 1 : n < 300 ? 2 : 3;
}

static void put_word(struct tagger_word *table, unsigned bits, const struct tagger_word *word)
{
    uint32_t mask = (1u << bits) - 1;

    for (uint32_t i = 0; i < TAGGER_PROBES; i++) {
        struct tagger_word *slot = &table[(word->hash + i) & mask];
        if (slot->hash == 0 || slot->hash == word->hash) {
            *slot = *word;
            return;
        }
    }
}

struct tagger_word *word_list_table(struct word_list *w, unsigned bits, uint32_t min_count)
{
    struct tagger_word *table = need_memory((size_t)1 << bits, sizeof(*table));
    size_t n = 0;

    for (size_t i = 0; i < w->cap; i++) {
        struct word_entry *e = &w->entries[i];
        if (e->hash == 0 || (e->flags == 0 && e->n_all < min_count)) {
            continue;
        }
        unsigned flags = e->flags | case_of(e) << TAGGER_WORD_CASE_SHIFT |
                         often(e->n_all) << TAGGER_WORD_OFTEN_SHIFT;
        put_word(table, bits,
                 &(struct tagger_word){e->hash, (uint16_t)flags, (uint8_t)e->group, 0});
        n++;
    }
    (void)fprintf(stderr, "word list: %zu words in 2^%u places\n", n, bits);
    return table;
}
