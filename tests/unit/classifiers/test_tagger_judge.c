#include "testing.h"

#include <string.h>

#include "classifiers/shipped.h"
#include "scan/classifier.h"

enum { MANY = 16 };

struct list {
    struct classifier_place places[MANY];
    size_t n;
    size_t stop_at; /* found() fails there */
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

static bool judge(const struct classifier *c, const char *text, double least, struct list *l)
{
    double wanted[CLASSIFIER_HEADS_MAX];
    struct error err;

    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = 2;
    }
    wanted[0] = least;
    l->n = 0;
    return c->judge(c->self, span_str(text), wanted, note, l, &err);
}

static void assert_place(const char *text, const struct list *l, size_t i, const char *wanted)
{
    assert_true(i < l->n && l->places[i].to <= strlen(text));
    assert_int_equal(l->places[i].head, 0);
    assert_int_equal(l->places[i].to - l->places[i].from, strlen(wanted));
    assert_memory_equal(text + l->places[i].from, wanted, strlen(wanted));
    assert_true(l->places[i].score >= 0.5 && l->places[i].score <= 1);
}

static void each_head_has_its_classifier(void **state)
{
    const struct classifier *names = with_head("person-name");

    (void)state;
    assert_ptr_not_equal(names, with_head("postal-address"));
    assert_ptr_not_equal(names, with_head("toxicity"));
    assert_int_equal(names->head(names->self, span_str("postal-address")), CLASSIFIER_HEADS_MAX);
    assert_int_equal(names->digest(names->self).len, 64);
}

static void places_are_of_the_unit_whatever_the_line(void **state)
{
    static const char text[] = "Hello,\n\nmy name is Rosalind Achterberg.\nDear Dr. Yamamoto,\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(with_head("person-name"), text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 0, "Rosalind Achterberg");
    assert_place(text, &l, 1, "Yamamoto");
}

static void a_name_ends_with_its_line(void **state)
{
    static const char text[] = "From: Rosalind Achterberg\nMaria Hernandez <m@mail.example>\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(with_head("person-name"), text, 0.5, &l));
    assert_int_equal(l.n, 2);
    assert_place(text, &l, 0, "Rosalind Achterberg");
    assert_place(text, &l, 1, "Maria Hernandez");
}

static void surnames_may_stand_first(void **state)
{
    static const char text[] = "Shareholders of the company: Guo Meilun and Rosalind Achterberg.\n";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(with_head("person-name"), text, 0.5, &l));
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
    assert_true(judge(with_head("person-name"), text, 0.5, &l));
    assert_int_equal(l.n, 0);
}

static void names_may_be_in_small_letters(void **state)
{
    static const char text[] = "yesterday i met chloe walker at the party";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(with_head("person-name"), text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "chloe walker");
}

static void an_address_is_one_place(void **state)
{
    static const char text[] =
        "Please send it to 17 Church Lane, Cambridge CB2 3PQ, before Friday.";
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(with_head("postal-address"), text, 0.5, &l));
    assert_int_equal(l.n, 1);
    assert_place(text, &l, 0, "17 Church Lane, Cambridge CB2 3PQ");
}

static void what_scores_less_is_not_told(void **state)
{
    static const char text[] = "My name is Rosalind Achterberg.";
    const struct classifier *c = with_head("person-name");
    struct list l = {.stop_at = MANY};

    (void)state;
    assert_true(judge(c, text, 0.5, &l) && l.n == 1);
    double score = l.places[0].score;
    assert_true(judge(c, text, score, &l) && l.n == 1);
    assert_true(judge(c, text, score + 1e-6, &l) && l.n == 0);
    assert_true(judge(c, text, 2, &l) && l.n == 0);
}

static void who_refuses_a_place_ends_it(void **state)
{
    struct list l = {.stop_at = 1};

    (void)state;
    assert_false(judge(with_head("person-name"),
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
    assert_int_equal(c->explain(c->self, 1, span_str(text), reasons, 2), 0);
    assert_int_equal(c->explain(c->self, 0, span_str(""), reasons, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_head_has_its_classifier),
        cmocka_unit_test(places_are_of_the_unit_whatever_the_line),
        cmocka_unit_test(a_name_ends_with_its_line),
        cmocka_unit_test(surnames_may_stand_first),
        cmocka_unit_test(parties_and_terms_of_a_contract_are_no_names),
        cmocka_unit_test(names_may_be_in_small_letters),
        cmocka_unit_test(an_address_is_one_place),
        cmocka_unit_test(what_scores_less_is_not_told),
        cmocka_unit_test(who_refuses_a_place_ends_it),
        cmocka_unit_test(reasons_are_words_strongest_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
