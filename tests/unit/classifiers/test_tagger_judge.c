#include "testing.h"

#include <string.h>

#include "classifiers/shipped.h"
#include "scan/classifier.h"

enum { MANY = 16 };

struct list {
    struct classifier_place places[MANY];
    size_t n;
    size_t stop_at; /* found() fails there */
    unsigned head;  /* the one asked for */
};

static bool note(void *context, const struct classifier_place *place, struct error *err)
{
    struct list *l = context;

    if (l->n == l->stop_at) {
        return error_set(err, ERROR_LIMIT, "stop");
    }
    assert_true(l->n < MANY);
    l->places[l->n++] = *place;
    return true;
}

/* The shipped classifier that has this head. */
static const struct classifier *with_head(const char *name)
{
    struct error err;
    const struct classifier *const *all = classifiers_shipped(&err);

    assert_non_null(all);
    for (size_t i = 0; all[i] != NULL; i++) {
        if (all[i]->head(all[i]->self, span_str(name)) < CLASSIFIER_HEADS_MAX) {
            return all[i];
        }
    }
    fail_msg("no classifier has the head %s", name);
    return NULL;
}

static bool judge(const char *name, const char *text, double least, struct list *l)
{
    const struct classifier *c = with_head(name);
    double wanted[CLASSIFIER_HEADS_MAX];
    struct error err;

    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = 2;
    }
    l->head = c->head(c->self, span_str(name));
    wanted[l->head] = least;
    l->n = 0;
    return c->judge(c->self, span_str(text), wanted, note, l, &err);
}

static void assert_place(const char *text, const struct list *l, size_t i, const char *wanted)
{
    assert_true(i < l->n && l->places[i].to <= strlen(text));
    assert_int_equal(l->places[i].head, l->head);
    assert_int_equal(l->places[i].to - l->places[i].from, strlen(wanted));
    assert_memory_equal(text + l->places[i].from, wanted, strlen(wanted));
    assert_true(l->places[i].score >= 0.5 && l->places[i].score <= 1);
}

static void each_head_has_its_classifier(void **state)
{
    const struct classifier *names = with_head("person-name");
    char other[64];

    (void)state;
    assert_ptr_not_equal(names, with_head("toxicity"));
    assert_int_not_equal(names->head(names->self, span_str("person-name")),
                         names->head(names->self, span_str("postal-address")));
    assert_int_equal(names->head(names->self, span_str("toxicity")), CLASSIFIER_HEADS_MAX);
    assert_int_equal(names->digest(names->self).len, 64);
    memcpy(other, with_head("toxicity")->digest(with_head("toxicity")->self).ptr, sizeof(other));
    assert_memory_not_equal(names->digest(names->self).ptr, other, sizeof(other));
}

/* What each of two heads finds alone is what both find together, and with all others; but for a person in front of an address. */
static void heads_do_not_change_one_another(void **state)
{
    static const char text[] = "My name is Rosalind Achterberg.\nPlease send it to Maria Hernandez, "
                               "17 Church Lane, Cambridge CB2 3PQ, before Friday.\nNo. 12\n";
    const struct classifier *c = with_head("person-name");
    double wanted[CLASSIFIER_HEADS_MAX];
    struct list names = {.stop_at = MANY}, addresses = {.stop_at = MANY}, both = {.stop_at = MANY};
    struct error err;

    (void)state;
    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = 0;
    }
    assert_true(judge("person-name", text, 0, &names) && names.n >= 2);
    assert_true(judge("postal-address", text, 0, &addresses) && addresses.n >= 1);
    assert_true(c->judge(c->self, span_str(text), wanted, note, &both, &err));
    size_t n_names = 0, n_addresses = 0;
    for (size_t i = 0; i < both.n; i++) {
        if (both.places[i].head != names.head && both.places[i].head != addresses.head) {
            continue;
        }
        const struct classifier_place *alone = both.places[i].head == names.head
                                                   ? &names.places[n_names++]
                                                   : &addresses.places[n_addresses++];
        assert_int_equal(both.places[i].head, alone->head);
        assert_int_equal(both.places[i].from, alone->from);
        assert_int_equal(both.places[i].to, alone->to);
        assert_true(both.places[i].score == alone->score);
    }
    assert_int_equal(n_names, names.n);
    assert_int_equal(n_addresses, addresses.n);
}

static bool judge_both(const char *text, double least_name, struct list *l)
{
    const struct classifier *c = with_head("person-name");
    double wanted[CLASSIFIER_HEADS_MAX];
    struct error err;

    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = 2;
    }
    l->head = c->head(c->self, span_str("postal-address"));
    wanted[l->head] = 0.5;
    wanted[c->head(c->self, span_str("person-name"))] = least_name;
    l->n = 0;
    return c->judge(c->self, span_str(text), wanted, note, l, &err);
}

static void a_person_who_is_told_of_is_no_part_of_an_address(void **state)
{
    static const char text[] = "The cheque is payable to Anastasia MacNabb, 71 Foran Street P68W6CX Meghan Ville.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("postal-address", text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "Anastasia MacNabb, 71 Foran Street P68W6CX Meghan Ville");
    assert_true(judge_both(text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 1, "71 Foran Street P68W6CX Meghan Ville");
    assert_true(judge_both(text, 1, &l)); /* nobody is that sure of a name, so it stays with the address */
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "Anastasia MacNabb, 71 Foran Street P68W6CX Meghan Ville");
}

static void an_address_ends_with_its_sentence(void **state)
{
    static const char text[] = "Sold by Toyota, 41 Mortimer Cutting, Smithbury 5237. VAT invoice FF-333462.";
    static const char short_forms[] = "She lives at 12 St. James St. Apt. 4, Springfield, IL 62704.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("postal-address", text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "41 Mortimer Cutting, Smithbury 5237");
    assert_true(judge("postal-address", short_forms, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(short_forms, &l, 0, "12 St. James St. Apt. 4, Springfield, IL 62704");
}

static void words_of_the_sentence_behind_an_address_are_none_of_it(void **state)
{
    static const char goes_on[] = "Your taxi from 49A Patrick Street to 66 Grafton Street arrives in 5 minutes.";
    static const char has_note[] = "It is at Hauptplatz 385, 24637 Konak, tel. 0984-106 6706";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("postal-address", goes_on, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(goes_on, &l, 1, "66 Grafton Street");
    assert_true(judge("postal-address", has_note, 0.5, &l));
    assert_place(has_note, &l, 0, "Hauptplatz 385, 24637 Konak");
}

/* What is told of an address when its parts are asked for, too: places joined by '|', empty ones and the whole left out. */
static void assert_parts(const char *text, const char *wanted)
{
    static const char *const heads[] = {"postal-address", "address-town", "address-postcode"};
    const struct classifier *c = with_head(heads[0]);
    double least[CLASSIFIER_HEADS_MAX];
    struct list l = {.stop_at = MANY};
    struct error err;
    char told[256] = "";

    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        least[i] = 2;
    }
    for (size_t i = 0; i < COUNT(heads); i++) {
        least[c->head(c->self, span_str(heads[i]))] = 0.5;
    }
    assert_true(c->judge(c->self, span_str(text), least, note, &l, &err));
    for (size_t i = 0; i < l.n; i++) {
        const struct classifier_place *p = &l.places[i];
        size_t len = strlen(told);
        assert_true(p->whole_from <= p->from && (p->whole_to == 0 || p->to <= p->whole_to));
        (void)snprintf(told + len, sizeof(told) - len, "%s%.*s%s", len > 0 ? "|" : "", (int)(p->to - p->from), text + p->from,
                       p->is_part ? "*" : "");
    }
    assert_string_equal(told, wanted);
}

static void a_town_and_its_code_are_distinguished(void **state)
{
    (void)state;
    assert_parts("Return label for Sherri Hansen, 50573 Kyoto. Refund of 44 euros.", "Kyoto*|50573*");
    assert_parts("Return label for Adeyi Owokoniran, 59394 Port Lincoln. Refund of 44 euros.", "Port Lincoln*|59394*");
    assert_parts("Please ship it to 39 Sammon Street, Springfield, when you can.", "39 Sammon Street|Springfield*");
    assert_parts("Meet me at Industrigatan 93, Leipzig, around six.", "Industrigatan 93|Leipzig*");
    assert_parts("The house at 50 Shanley Street, Spring Valley, was sold.", "50 Shanley Street|Spring Valley*");
    assert_parts("They met outside 73 McDonald Street in Leeds on Monday.", "73 McDonald Street|Leeds*");
    assert_parts("39 Sammon Street, Springfield is where we met.", "39 Sammon Street|Springfield*");
}

static void an_address_ends_before_a_bracket_and_before_a_second_number(void **state)
{
    (void)state;
    assert_parts("A guest (17 Penrose Terrace, Leeds LS7 4QT) arrives.", "17 Penrose Terrace, Leeds LS7 4QT");
    assert_parts("A guest (17 Penrose Terrace (rear), Leeds LS7 4QT) arrives.", "17 Penrose Terrace (rear), Leeds LS7 4QT");
    assert_parts("To let: 177 Grange Street, Leeds LS7 4QT, 600 a month.", "177 Grange Street, Leeds LS7 4QT");
}

static void an_address_begins_behind_what_leads_to_it(void **state)
{
    (void)state;
    assert_parts("We wrote to Lindberg at Grange Street 22, 35046 Leipzig and wait.", "Grange Street 22, 35046 Leipzig");
    assert_parts("To 28 Elm Road, 46446 Leipzig, Tel. 06148 31181, at noon.", "28 Elm Road, 46446 Leipzig");
    assert_parts("Lost near 1365 Craig Terrace, Leeds 5046. Call 570-903-8046, please.", "1365 Craig Terrace|Leeds*|5046*");
    assert_parts("Lost: grey cat, near 1365 Craig Terrace. Call 519-346-8761, ask for Osamu.", "1365 Craig Terrace");
    assert_parts("Lost near Oak Lodge. Call 001-251-890-4889, ask for Osamu.", "");
    assert_parts("Sold by Eriksson at Fabriksstigen 162, 17437 Umeå. VAT invoice CZ-127189.", "Fabriksstigen 162, 17437 Umeå");
}

/* Of an order that most countries do not write without a region: what a program has put together of three fields. */
static void a_code_behind_a_town_without_a_region_is_distinguished(void **state)
{
    (void)state;
    assert_parts("Please send it to 44 Looney Street, Kyoto 4312, not to the office.", "44 Looney Street|Kyoto*|4312*");
    assert_parts("Please send it to 44 Looney Street, Kyoto 1029-325, not to the office.", "44 Looney Street|Kyoto*|1029-325*");
    assert_parts("Please send it to 44 Looney Street, Toronto M5V 3L9, not to the office.", "44 Looney Street|Toronto*|M5V 3L9*");
    assert_parts("44 Looney Street, Kyoto 4312", "44 Looney Street|Kyoto*|4312*");
    assert_parts("Please send it to 44 Looney Street, Leeds LS7 4QT, not to the office.", "44 Looney Street, Leeds LS7 4QT");
    assert_parts("Please send it to 44 Looney Street, Pune 411038, not to the office.", "44 Looney Street, Pune 411038");
    assert_parts("Please send it to 44 Looney Street, 4312 Kyoto, not to the office.", "44 Looney Street, 4312 Kyoto");
    assert_parts("Please send it to 44 Looney Street, Cairns, QLD 4312, not to the office.", "44 Looney Street, Cairns, QLD 4312");
}

/* Also at an end of the line, where what belongs to it may stand in the next. */
static void an_address_with_street_and_code_is_one(void **state)
{
    (void)state;
    assert_parts("She lives at 12 Mortimer Street, Springfield, IL 62704, I think.", "12 Mortimer Street, Springfield, IL 62704");
    assert_parts("Please ship it to 39 Sammon Street, Springfield\n", "39 Sammon Street, Springfield");
}

static void places_are_of_the_unit_whatever_the_line(void **state)
{
    static const char text[] = "Hello,\n\nmy name is Rosalind Achterberg.\nDear Dr. Yamamoto,\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 0, "Rosalind Achterberg");
    assert_place(text, &l, 1, "Dr. Yamamoto");
}

static void a_name_ends_with_its_line(void **state)
{
    static const char text[] = "From: Rosalind Achterberg\nMaria Hernandez <m@mail.example>\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 0, "Rosalind Achterberg");
    assert_place(text, &l, 1, "Maria Hernandez");
}

static void surnames_may_stand_first(void **state)
{
    static const char text[] = "Shareholders of the company: Guo Meilun and Rosalind Achterberg.\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 0, "Guo Meilun");
    assert_place(text, &l, 1, "Rosalind Achterberg");
}

static void parties_and_terms_of_a_contract_are_no_names(void **state)
{
    static const char text[] =
        "The Servicer shall notify each Holder of any Lien on the Collateral before the Closing.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l));
    assert_int_equal(l.n, 0);
}

static void names_may_be_in_small_letters(void **state)
{
    static const char text[] = "yesterday i met chloe walker at the party";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "chloe walker");
}

/* Each class has a head of its own, and none changes another. */
static void places_and_organisations_are_found_beside_persons(void **state)
{
    static const char text[] = "Rosalind Achterberg moved to Rotterdam to work for Acme Software GmbH.";
    static const char *const heads[] = {"person-name", "place-name", "organisation-name"};
    static const char *const names[] = {"Rosalind Achterberg", "Rotterdam", "Acme Software GmbH"};
    struct list l = {.stop_at = MANY};

    (void)state;
    for (size_t i = 0; i < COUNT(heads); i++) {
        assert_ptr_equal(with_head(heads[i]), with_head("person-name"));
        assert_true(judge(heads[i], text, 0.5, &l));
        assert_int_equal(l.n, 1);
        assert_place(text, &l, 0, names[i]);
    }
}

static void a_class_that_is_unreliable_only_reports(void **state)
{
    static const char *const heads[] = {"person-name", "place-name", "postal-address", "organisation-name"};
    const struct classifier *c = with_head("person-name");

    (void)state;
    for (size_t i = 0; i < COUNT(heads); i++) {
        assert_int_equal(c->only_reports(c->self, c->head(c->self, span_str(heads[i]))), i == 3);
    }
}

static void an_address_is_one_place(void **state)
{
    static const char text[] =
        "Please send it to 17 Church Lane, Cambridge CB2 3PQ, before Friday.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("postal-address", text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "17 Church Lane, Cambridge CB2 3PQ");
    assert_true(l.places[0].score <= 0.98); /* less than a rule that finds the town in it */
}

static void what_scores_less_is_not_told(void **state)
{
    static const char text[] = "My name is Rosalind Achterberg.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", text, 0.5, &l) && l.n == 1);
    double score = l.places[0].score;
    assert_true(judge("person-name", text, score, &l) && l.n == 1);
    assert_true(judge("person-name", text, score + 1e-6, &l) && l.n == 0);
    assert_true(judge("person-name", text, 2, &l) && l.n == 0);
}

static void who_refuses_a_place_ends_it(void **state)
{
    struct list l = {.stop_at = 1};

    (void)state;
    assert_false(judge("person-name",
                       "Rosalind Achterberg\nMaria Hernandez\nJohn Miller\n", 0.5, &l));
    assert_int_equal(l.n, 1);
}

static void reasons_are_words_strongest_first(void **state)
{
    static const char text[] = "Rosalind van Achterberg";
    const struct classifier *c = with_head("person-name");
    struct classifier_reason reasons[2];

    (void)state;
    size_t n = c->explain(c->self, 0, span_str(text), reasons, 2);
    assert_int_equal(n, 2);
    assert_true(reasons[0].weight >= reasons[1].weight && reasons[0].weight > 0);
    assert_true(reasons[0].from < reasons[0].to && reasons[0].to <= strlen(text));
    assert_int_equal(c->explain(c->self, 0, span_str(text), reasons, 0), 0);
    assert_int_equal(c->explain(c->self, CLASSIFIER_HEADS_MAX - 1, span_str(text), reasons, 2), 0);
    assert_int_equal(c->explain(c->self, 0, span_str(""), reasons, 2), 0);
}

/* One name is a word among others; a list of names in the same order holds nothing else. */
static void a_word_of_a_list_is_no_person(void **state)
{
    static const char words[] = "anchor\nangel\nanger\nangle\nankle\nannex\nannual\nant\nApril\napron\narch\narm\nart\nAnna\nash\nask\n";
    static const char names[] = "Anna\nAnton\nBarbara\nBernard\nCarla\nDaniel\nDavid\nEmma\nFrederick\nGeorge\nHannah\nJennifer\nJohn\nMaria\nPeter\nThomas\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge("person-name", words, 0.5, &l));
    assert_int_equal(l.n, 0);
    assert_true(judge("person-name", "Frida/PN\nMaria/PN\nRoger/AbY\nRosa/A\n", 0.5, &l));
    assert_int_equal(l.n, 0);
    assert_true(judge("person-name", "Frida/PN\nMaria/PN\nRoger/AbY\nRosa/A\nwritten by Maria Hernandez\n", 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_true(judge("person-name", names, 0.5, &l));
    assert_true(l.n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_of_a_list_is_no_person),
        cmocka_unit_test(each_head_has_its_classifier),
        cmocka_unit_test(heads_do_not_change_one_another),
        cmocka_unit_test(a_person_who_is_told_of_is_no_part_of_an_address),
        cmocka_unit_test(an_address_ends_with_its_sentence),
        cmocka_unit_test(words_of_the_sentence_behind_an_address_are_none_of_it),
        cmocka_unit_test(a_town_and_its_code_are_distinguished),
        cmocka_unit_test(an_address_ends_before_a_bracket_and_before_a_second_number),
        cmocka_unit_test(an_address_begins_behind_what_leads_to_it),
        cmocka_unit_test(a_code_behind_a_town_without_a_region_is_distinguished),
        cmocka_unit_test(an_address_with_street_and_code_is_one),
        cmocka_unit_test(places_are_of_the_unit_whatever_the_line),
        cmocka_unit_test(a_name_ends_with_its_line),
        cmocka_unit_test(surnames_may_stand_first),
        cmocka_unit_test(parties_and_terms_of_a_contract_are_no_names),
        cmocka_unit_test(names_may_be_in_small_letters),
        cmocka_unit_test(places_and_organisations_are_found_beside_persons),
        cmocka_unit_test(a_class_that_is_unreliable_only_reports),
        cmocka_unit_test(an_address_is_one_place),
        cmocka_unit_test(what_scores_less_is_not_told),
        cmocka_unit_test(who_refuses_a_place_ends_it),
        cmocka_unit_test(reasons_are_words_strongest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
