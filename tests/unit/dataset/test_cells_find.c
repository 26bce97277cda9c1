/* test_cells_find.c - cells are found however they are written, and rows by several of their cells. */
#include "dataset_testing.h"

enum { HITS_MAX = 64 };

static const char customers[] = "name,email,phone,customer,city\r\n"
                                "Zoë Brandströmer,zoe.brand@mail.example,+49 170 5550123,KD-4711-9920,Wuppertal\r\n"
                                "Иван Петровский,ivan_p@post.example,0211 5550188,KD-4712-0031,Düsseldorf\r\n"
                                "山田太郎,yamada@post.example,+81 3 5550 0199,KD-4713-7777,Osaka\r\n"
                                "\"Kwame \"\"Kojo\"\" Mensah-Oduro\",k.oduro@mail.example,+233 30 555 0142,KD-4714-1234,Accra\r\n";
static const char kinds[] = "name:name,email:email,phone:phone+49,customer:id,city:free";

struct hits {
    struct cell_hit items[HITS_MAX];
    size_t n;
};

static bool keep(void *context, const struct cell_hit *hit, struct error *err)
{
    struct hits *hits = context;

    (void)err;
    assert_true(hits->n < HITS_MAX);
    hits->items[hits->n++] = *hit;
    return true;
}

static struct table *set;

static int set_up(void **state)
{
    struct cells_built built;
    struct error err;

    (void)make_folder(state);
    if (!build_cells(customers, kinds, &built, &err)) {
        fail_msg("%s", err.text);
    }
    set = open_cells();
    return 0;
}

static int tear_down(void **state)
{
    table_close(set);
    return remove_folder(state);
}

static struct hits find(const char *text, bool is_open, size_t *open)
{
    struct hits hits = {.n = 0};
    struct error err;

    assert_true(cells_find(set, span_str(text), is_open, keep, &hits, open, &err));
    return hits;
}

static void a_cell_is_found_however_it_is_written(void **state)
{
    static const struct {
        const char *text, *found;
    } rows[] = {
        {"Ask Zoë Brandströmer about it.", "Zoë Brandströmer"},
        {"ask ZOË BRANDSTRÖMER about it", "ZOË BRANDSTRÖMER"},
        {"ask zoe brandstromer about it", "zoe brandstromer"},
        {"ask Zoe\xcc\x88 Brandstro\xcc\x88mer!", "Zoe\xcc\x88 Brandstro\xcc\x88mer"},
        {"ask Zoë\n    Brandströmer", "Zoë\n    Brandströmer"},
        {"ask Zo\xe2\x80\x8b\xc3\xab Brand\xc2\xadströmer", "Zo\xe2\x80\x8b\xc3\xab Brand\xc2\xadströmer"},
        {"ask Ｚｏｅ Ｂｒａｎｄｓｔｒｏｍｅｒ", "Ｚｏｅ Ｂｒａｎｄｓｔｒｏｍｅｒ"},
        {"zoe_brandstromer", "zoe_brandstromer"},
        {"**Zoë** **Brandströmer**", "Zoë** **Brandströmer"},
        {"ИВАН ПЕТРОВСКИЙ", "ИВАН ПЕТРОВСКИЙ"},
        {"иван  петровский,", "иван  петровский"},
        {"担当は山田太郎です", "山田太郎"},
        {"Kwame \"Kojo\" Mensah Oduro", "Kwame \"Kojo\" Mensah Oduro"},
        {"mail Zoe.Brand@MAIL.example.", "Zoe.Brand@MAIL.example"},
        {"<mailto:zoe.brand@mail.example>", "zoe.brand@mail.example"},
        {"{\"to\":\"zoe.brand@mail.example\"}", "zoe.brand@mail.example"},
        {"call +49 170 5550123", "49 170 5550123"},
        {"call 0049-170-555-0123", "0049-170-555-0123"},
        {"call 0170/5550123.", "0170/5550123"},
        {"call +49 (0)170 55 50 123", "49 (0)170 55 50 123"},
        {"call (0170) 5550-123", "0170) 5550-123"},
        {"call 01705550123", "01705550123"},
        {"call +49 211 5550188", "49 211 5550188"},
        {"no KD-4711-9920 is", "KD-4711-9920"},
        {"no kd47119920 is", "kd47119920"},
        {"no KD_4711_9920 is", "KD_4711_9920"},
        {"no KD/4711.9920", "KD/4711.9920"},
        {"no KD 4711 9920", "KD 4711 9920"},
        {"no KD-4711\n9920", "KD-4711\n9920"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hits hits = find(rows[i].text, false, NULL);
        bool is_found = false;
        for (size_t k = 0; k < hits.n; k++) {
            struct span s = span_of(rows[i].text + hits.items[k].from, hits.items[k].to - hits.items[k].from);
            is_found |= span_is(s, rows[i].found);
        }
        if (!is_found) {
            fail_msg("%s: %zu hits", rows[i].text, hits.n);
        }
    }
}

/* Words that hardly any table has are told from others without a hash; one that has them finds them. */
static void a_value_may_begin_with_a_common_word(void **state)
{
    static const char rows[] = "name,code\nWill Long,the-4711\nHope,of 12345\n";
    static const struct {
        const char *text, *found;
    } texts[] = {
        {"we asked will long, not that it was so", "will long"},
        {"the will, long before", "will, long"},
        {"it will be long", NULL},
        {"that is the 4711 of it", "the 4711"},
        {"and OF12345 too", "OF12345"},
        {"the of will to", NULL},
    };
    struct cells_built built;
    struct error err;
    struct table *before = set;

    (void)state;
    if (!build_cells(rows, "name:name,code:id", &built, &err)) {
        fail_msg("%s", err.text);
    }
    set = open_cells();
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct hits hits = find(texts[i].text, false, NULL);
        const char *expected = texts[i].found;
        bool is_right = expected == NULL ? hits.n == 0
                                         : hits.n == 1 && span_is(span_slice(span_str(texts[i].text), hits.items[0].from, hits.items[0].to), expected);
        if (!is_right) {
            fail_msg("%s: %zu hits", texts[i].text, hits.n);
        }
    }
    table_close(set);
    set = before;
}

static void other_values_are_not_found(void **state)
{
    static const char *const texts[] = {
        "Zoë Brandström", "Zoë and Brandströmer", "Brandströmer Zoë", "azoe.brand@mail.example", "zoe.brand@mail.example.org",
        "49 170 55501234", "1 49 170 5550124", "KD-4711-992", "KD-4711-99201", "XKD-4711-9920", "山田花子", "Zoë                 Brandströmer",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (find(texts[i], false, NULL).n != 0) {
            fail_msg("%s", texts[i]);
        }
    }
}

/* What is open is never more than what a longer text could complete: the strictest place is that of the first such value. */
static void what_may_go_on_is_open_and_nothing_else(void **state)
{
    static const struct {
        const char *text;
        size_t open;
    } rows[] = {
        {"we met ", 7},      {"we met", 3},           {"Ask Zoë ", 4},          {"Ask Zoë Brand", 4},
        {"Ask Zoë went ", 14}, {"Kwame Kojo ", 0},     {"Kwame Kojo left ", 16}, {"mail zoe.brand@mail.", 5},
        {"to kd ", 3},       {"number 4711 ", 7},     {"number 4711, ", 13},    {"Kwame             ", 18}, {"zoe.brand@mail.example-", 0},
        {"zoe.brand@mail.example.", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t open;
        struct hits hits = find(rows[i].text, true, &open);
        if (open != rows[i].open || hits.n != 0) {
            fail_msg("'%s': open from %zu, not %zu; %zu hits", rows[i].text, open, rows[i].open, hits.n);
        }
    }
}

/* The property that streams need: a value that is found in the whole begins at or behind what was open at each cut, or
 * ends before the cut and is found there. */
static void a_value_is_found_or_open_at_every_cut(void **state)
{
    static const char text[] = "Ask Zoë Brandströmer (zoe.brand@mail.example, +49 (0)170 5550123) or Иван Петровский, KD-4712-0031; "
                               "山田太郎: kd 4713 7777, 4714, KD-4714-1234. Kwame \"Kojo\" Mensah-Oduro";
    struct hits whole = find(text, false, NULL);

    (void)state;
    assert_int_equal(whole.n, 9);
    for (size_t cut = 1; cut < sizeof(text) - 1; cut++) {
        char part[sizeof(text)];
        size_t open;
        if (((unsigned char)text[cut] & 0xc0) == 0x80) {
            continue;
        }
        (void)snprintf(part, sizeof(part), "%.*s", (int)cut, text);
        struct hits hits = find(part, true, &open);
        for (size_t i = 0; i < whole.n; i++) {
            bool is_found = false;
            for (size_t k = 0; k < hits.n; k++) {
                is_found |= hits.items[k].from == whole.items[i].from && hits.items[k].to == whole.items[i].to;
            }
            if (whole.items[i].from < cut && !is_found && open > whole.items[i].from) {
                fail_msg("cut at %zu: the value at %zu is neither found nor open (%zu)", cut, whole.items[i].from, open);
            }
        }
    }
}

/* --- rows ---------------------------------------------------------------------- */

static int compare_hits(const void *a, const void *b)
{
    const struct cell_hit *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

static size_t count_matches(const char *text, uint64_t alone, unsigned columns, size_t within)
{
    struct hits hits = find(text, false, NULL);
    bool is_found[HITS_MAX];
    size_t n = 0;

    qsort(hits.items, hits.n, sizeof(hits.items[0]), compare_hits);
    const struct cells_wanted wanted = {.alone = alone, .columns = columns, .within = within};
    cells_match(set, &wanted, hits.items, hits.n, is_found);
    for (size_t i = 0; i < hits.n; i++) {
        n += is_found[i];
    }
    return n;
}

static void a_row_is_several_of_its_columns_near_each_other(void **state)
{
    (void)state;
    assert_int_equal(count_matches("Zoë Brandströmer lives in Wuppertal.", 0, 2, 100), 2);
    assert_int_equal(count_matches("Zoë Brandströmer lives in Wuppertal.", 0, 3, 100), 0);
    assert_int_equal(count_matches("Zoë Brandströmer lives in Wuppertal.", 0, 2, 20), 0);
    assert_int_equal(count_matches("Zoë Brandströmer lives in Accra.", 0, 2, 100), 0);
    assert_int_equal(count_matches("Accra: Zoë Brandströmer, Osaka, kd 4711 9920, Wuppertal", 0, 3, 100), 3);
    assert_int_equal(count_matches("Wuppertal, Wuppertal, Wuppertal, Zoë Brandströmer", 0, 2, 100), 4);
    assert_int_equal(count_matches("Zoë Brandströmer, Zoë Brandströmer", 0, 2, 100), 0);
}

static void a_cell_alone_counts_where_its_column_does(void **state)
{
    (void)state;
    assert_int_equal(count_matches("Zoë Brandströmer, zoe.brand@mail.example", 1U << 1, 0, 0), 1);
    assert_int_equal(count_matches("Zoë Brandströmer, zoe.brand@mail.example", 3U, 0, 0), 2);
    assert_int_equal(count_matches("in Wuppertal and Osaka", 1U << 4, 0, 0), 0); /* one word says too little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_is_found_however_it_is_written),
        cmocka_unit_test(a_value_may_begin_with_a_common_word),
        cmocka_unit_test(other_values_are_not_found),
        cmocka_unit_test(what_may_go_on_is_open_and_nothing_else),
        cmocka_unit_test(a_value_is_found_or_open_at_every_cut),
        cmocka_unit_test(a_row_is_several_of_its_columns_near_each_other),
        cmocka_unit_test(a_cell_alone_counts_where_its_column_does),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
