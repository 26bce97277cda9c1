#include "classifiers/train/tagger/addresses_made.h"

#include <jansson.h>
#include <stdlib.h>

#include "classifiers/tagger_features.h"
#include "text/utf8.h"

void address_pool_read(struct address_pool *pool, struct name_pool *names, const char *folder)
{
    struct span rest = read_whole(folder, "lists/world_cities.tsv");
    struct span line;

    pool->names = names;
    pool->cities = need_memory(n_address_countries, sizeof(*pool->cities));
    while (next_line(&rest, &line)) {
        struct span country = made_column_of(line, '\t', 1);
        for (size_t i = 0; i < n_address_countries; i++) {
            /* "Korea, Republic of" and the like begin with the name. */
            if (span_starts_with(country, span_str(address_countries[i].country))) {
                made_words_add(&pool->cities[i], made_column_of(line, '\t', 0));
            }
        }
    }
}

/* --- one address ------------------------------------------------------------------- */

static const struct people *people_of_country(const struct address_pool *pool, const char *code)
{
    for (size_t i = 0; i < pool->names->n_sets; i++) {
        const struct people *p = &pool->names->sets[i];
        if (strncmp(p->key, "r-", 2) == 0 && strcmp(p->key + 2, code) == 0 && p->surnames.n > 0 &&
            p->given.n > 0) {
            return p;
        }
    }
    return &pool->names->census;
}

static void write_filler(struct writer *w, const struct address_pool *pool, size_t country,
                         char what)
{
    static const char *const directions[] = {"N", "S.", "East", "West", "NW", "North", "SE"};
    const struct people *p = people_of_country(pool, address_countries[country].code);

    if (what == 'c') {
        made_write_span(w, made_one_of(&pool->cities[country], w->random));
    } else if (what == 'd') {
        made_write_str(w, directions[random_below(w->random, COUNT(directions))]);
    } else {
        made_write_span(w, made_one_of(what == 'g' ? &p->given : &p->surnames, w->random));
    }
}

static void write_char(struct writer *w, char c)
{
    char text[2] = {c, '\0'};

    if (c == '^') {
        text[0] = '#';
    } else if (c == '#') {
        text[0] = (char)('0' + random_below(w->random, 10));
    } else if (c == '%') {
        text[0] = (char)('1' + random_below(w->random, 9));
    } else if (c == '@') {
        text[0] = (char)('A' + random_below(w->random, 26));
    }
    made_write_str(w, text);
}

static uint32_t part_label(char part)
{
    static const char parts[] = " NSUBPRZO";
    const char *found = strchr(parts, part);

    if (found == NULL || found == parts) {
        give_up("addresses: no part %c", part);
    }
    return (uint32_t)(found - parts);
}

static void write_address(struct writer *w, const struct address_pool *pool, size_t country,
                          const char *form)
{
    size_t from = w->len;
    size_t part_from = 0;
    uint32_t label = 0;

    for (size_t i = 0; form[i] != '\0'; i++) {
        if (form[i] == '[') {
            label = part_label(form[i + 1]);
            i += 2;
            part_from = w->len;
        } else if (form[i] == ']') {
            made_add_mark(w, part_from, label);
        } else if (form[i] == '$') {
            write_filler(w, pool, country, form[++i]);
        } else {
            write_char(w, form[i]);
        }
    }
    made_add_mark(w, from, LABEL_WHOLE);
}

/* --- carriers ------------------------------------------------------------------------ */

static void copy_address(struct writer *w, const struct example *address)
{
    size_t from = w->len;

    made_write_span(w, address->text);
    for (size_t i = 0; i < address->n_marks && w->n_marks < COUNT(w->marks); i++) {
        const struct mark *m = &address->marks[i];
        w->marks[w->n_marks++] =
            (struct mark){m->from + (uint32_t)from, m->to + (uint32_t)from, m->label};
    }
}

/* Marks of persons and the like in carriers mean nothing to a tagger of addresses. */
static void write_other_slot(struct writer *w, char slot)
{
    uint32_t n_marks = w->n_marks;

    if (slot == 'Y') {
        char year[8];
        (void)snprintf(year, sizeof(year), "%u", 1800 + random_below(w->random, 230));
        made_write_str(w, year);
    } else {
        made_write_slot(w, slot, made_choose_people(w));
    }
    w->n_marks = n_marks;
}

static void fill_carrier(struct writer *w, const char *carrier, const struct example *address)
{
    w->len = 0;
    w->n_marks = 0;
    for (size_t i = 0; carrier[i] != '\0'; i++) {
        bool is_slot = carrier[i] == '$' && carrier[i + 1] >= 'A' && carrier[i + 1] <= 'Z';
        if (is_slot && carrier[i + 1] == 'A') {
            copy_address(w, address);
            i++;
        } else if (is_slot) {
            write_other_slot(w, carrier[++i]);
        } else {
            made_write_span(w, span_of(&carrier[i], 1));
        }
    }
}

static struct example taken(const struct writer *w, uint32_t group)
{
    struct example e = made_take_example(w, group);

    e.is_partial = false;
    return e;
}

struct example carried(const struct address_pool *pool, const struct example *address,
                       bool for_testing, uint64_t *random)
{
    struct writer w = {.pool = pool->names, .random = random};
    const char *const *carriers = for_testing ? address_test_carriers : address_carriers;
    size_t n = for_testing ? n_address_test_carriers : n_address_carriers;

    fill_carrier(&w, carriers[random_below(random, (uint32_t)n)], address);
    return taken(&w, address->group);
}

void make_addresses(const struct address_pool *pool, bool for_testing, size_t n, uint64_t seed,
                    struct examples *all)
{
    for (size_t made = 0; made < n;) {
        struct writer w = {.pool = pool->names, .random = &seed};
        size_t country = random_below(&seed, (uint32_t)n_address_countries);
        const struct address_country *c = &address_countries[country];
        size_t n_forms = 0;
        while (n_forms < COUNT(c->forms) && c->forms[n_forms] != NULL) {
            n_forms++;
        }
        if (c->is_for_testing != for_testing || pool->cities[country].n == 0) {
            continue;
        }
        write_address(&w, pool, country, c->forms[random_below(&seed, (uint32_t)n_forms)]);
        uint32_t written = random_below(&seed, 100);
        if (written < 15) {
            made_change_case(w.text, 0, w.len, written < 7);
        }
        struct example address = taken(&w, (uint32_t)country);
        examples_add(all, carried(pool, &address, for_testing, &seed));
        made++;
    }
}

void make_decoys(const struct address_pool *pool, size_t n, uint64_t seed, struct examples *all)
{
    struct writer w = {.pool = pool->names, .random = &seed};

    for (size_t i = 0; i < n; i++) {
        fill_carrier(&w, address_decoys[i % n_address_decoys], NULL);
        examples_add(all, taken(&w, 0));
    }
}

/* --- US addresses ---------------------------------------------------------------------- */

/* 0: no part of an address, LABEL_IGNORED: may be one or not. */
static uint32_t label_of_part(const char *kind)
{
    static const struct {
        const char *prefix;
        uint32_t label;
    } parts[] = {{"AddressNumber", TAGGER_ADDRESS_NUMBER}, {"StreetName", TAGGER_ADDRESS_STREET},
                 {"Occupancy", TAGGER_ADDRESS_UNIT},       {"Subaddress", TAGGER_ADDRESS_UNIT},
                 {"USPSBox", TAGGER_ADDRESS_BOX},          {"PlaceName", TAGGER_ADDRESS_PLACE},
                 {"StateName", TAGGER_ADDRESS_REGION},     {"CountryName", TAGGER_ADDRESS_REGION},
                 {"Zip", TAGGER_ADDRESS_POSTCODE},         {"BuildingName", TAGGER_ADDRESS_OTHER},
                 {"LandmarkName", TAGGER_ADDRESS_OTHER},   {"Intersection", TAGGER_ADDRESS_STREET},
                 {"CornerOf", TAGGER_ADDRESS_STREET},      {"Recipient", LABEL_IGNORED}};

    for (size_t i = 0; i < COUNT(parts); i++) {
        if (strncmp(kind, parts[i].prefix, strlen(parts[i].prefix)) == 0) {
            return parts[i].label;
        }
    }
    return 0;
}

static uint32_t byte_of(struct span text, size_t point)
{
    size_t at = 0;

    for (size_t i = 0; i < point && at < text.len; i++) {
        size_t len = 1;
        (void)utf8_decode(span_slice(text, at, text.len), &len);
        at += len;
    }
    return (uint32_t)at;
}

static void read_parts(json_t *spans, struct example *e)
{
    struct mark whole = {UINT32_MAX, 0, LABEL_WHOLE};

    e->marks = need_memory(json_array_size(spans) + 1, sizeof(*e->marks));
    for (size_t i = 0; i < json_array_size(spans); i++) {
        json_t *span = json_array_get(spans, i);
        struct mark m = {
            .from = byte_of(e->text, (size_t)json_integer_value(json_array_get(span, 0))),
            .to = byte_of(e->text, (size_t)json_integer_value(json_array_get(span, 1))),
            .label = label_of_part(json_string_value(json_array_get(span, 2)))};
        /* The data's tokens hold the comma behind them. */
        while (m.to > m.from && strchr(",;", e->text.ptr[m.to - 1]) != NULL) {
            m.to--;
        }
        if (m.label == 0 || m.from >= m.to) {
            continue;
        }
        e->marks[e->n_marks++] = m;
        if (m.label != LABEL_IGNORED) {
            whole.from = m.from < whole.from ? m.from : whole.from;
            whole.to = m.to > whole.to ? m.to : whole.to;
        }
    }
    if (whole.to > whole.from) {
        e->marks[e->n_marks++] = whole;
    }
}

void read_us_addresses(const char *folder, struct examples *all)
{
    struct span rest = read_whole(folder, "ner/us_addresses.ndjson");
    struct span line;
    uint32_t n = 0;

    while (next_line(&rest, &line)) {
        json_t *row = json_loadb(line.ptr, line.len, 0, NULL);
        json_t *text = json_object_get(row, "text");
        struct example e = {
            .text = copy_span(span_of(json_string_value(text), json_string_length(text))),
            .group = n++ % 5,
            .weight = 1};
        read_parts(json_object_get(row, "spans"), &e);
        examples_add(all, e);
        json_decref(row);
    }
}
