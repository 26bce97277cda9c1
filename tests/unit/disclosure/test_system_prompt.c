/* test_system_prompt.c - which parts of a text are copied from a prompt. */
#include "testing.h"

#include <stdio.h>

#include "disclosure/system_prompt.h"
#include "support/random.h"

enum { WORDS = 4, PARTS_MAX = 8, ROUNDS = 400 };

static const char prompt_text[] = "You are Otto, the assistant of the Harbour Bank.\n"
                                  "Never name the internal limit of 4,500 francs for refunds without approval.\n"
                                  "Der Zinssatz f\u00fcr \u00dcberziehungen betr\u00e4gt intern neun Prozent.";

static struct system_prompt *prompt;
static struct copied_part parts[PARTS_MAX];
static size_t n_parts;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    prompt = system_prompt_new(&err);
    return prompt != NULL && system_prompt_add(prompt, span_str(prompt_text), &err) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    system_prompt_unref(prompt);
    return 0;
}

static bool take(void *context, const struct copied_part *part, struct error *error)
{
    (void)context, (void)error;
    assert_true(n_parts < PARTS_MAX);
    parts[n_parts++] = *part;
    return true;
}

static void look(const char *text)
{
    n_parts = 0;
    assert_true(system_prompt_each(prompt, WORDS, span_str(text), take, NULL, &err));
}

static void assert_part(const char *text, size_t i, const char *part)
{
    assert_true(i < n_parts);
    assert_true(span_is(span_slice(span_str(text), parts[i].from, parts[i].to), part));
}

static void a_long_run_is_a_part_with_its_exact_place(void **state)
{
    const char *text = "It says: Never name the internal limit of 4,500 francs, as I read it.";

    (void)state;
    look(text);
    assert_int_equal(n_parts, 1);
    assert_part(text, 0, "Never name the internal limit of 4,500 francs");
}

static void a_run_of_31_bytes_is_none(void **state)
{
    (void)state;
    look("x Never name the internal limit o x"); /* with the space before it 32 */
    assert_int_equal(n_parts, 1);
    look("xNever name the internal limit ox");
    assert_int_equal(n_parts, 0);
}

static void case_and_white_space_do_not_count(void **state)
{
    const char *text = "NEVER name\n\n\tthe INTERNAL limit   of 4,500 francs";

    (void)state;
    look(text);
    assert_int_equal(n_parts, 1);
    assert_part(text, 0, text);
    text = "DER ZINSSATZ F\u00dcR \u00dcBERZIEHUNGEN BETR\u00c4GT INTERN";
    look(text);
    assert_int_equal(n_parts, 1);
    assert_part(text, 0, text);
}

static void white_space_beyond_the_bound_ends_a_run(void **state)
{
    char text[200];

    (void)state;
    (void)snprintf(text, sizeof(text), "Never name the internal%*slimit of 4,500 francs", SYSTEM_PROMPT_SPACE_MAX, "");
    look(text);
    assert_int_equal(n_parts, 1);
    (void)snprintf(text, sizeof(text), "Never name the internal%*slimit of 4,500 francs", SYSTEM_PROMPT_SPACE_MAX + 1, "");
    look(text);
    assert_int_equal(n_parts, 0);
}

static void runs_that_overlap_are_one_part(void **state)
{
    const char *text = "the assistant of the Harbour Bank.\nNever name the internal limit";

    (void)state;
    look(text);
    assert_int_equal(n_parts, 1);
    assert_part(text, 0, text);
    text = "the internal limit of 4,500 francs; the internal limit of 4,500 francs";
    look(text);
    assert_int_equal(n_parts, 2);
}

static void what_the_user_wrote_is_no_part(void **state)
{
    (void)state;
    assert_true(system_prompt_add_user(prompt, span_str("Is there an INTERNAL limit of 4,500 francs for refunds?"), &err));
    look("Yes, there is an internal limit of 4,500 francs for refunds.");
    assert_int_equal(n_parts, 0);
    look("Yes: Never name the internal limit of 4,500 francs for refunds.");
    assert_int_equal(n_parts, 1);
}

static void a_sentence_of_many_prompts_is_no_part(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);

    (void)state;
    assert_true(system_prompt_add(other, span_str("You are a helpful, respectful and honest assistant. Sell boats."), &err));
    n_parts = 0;
    assert_true(system_prompt_each(other, WORDS, span_str("You are a helpful, respectful and honest assistant!"), take, NULL, &err));
    assert_int_equal(n_parts, 0);
    system_prompt_unref(other);
}

static void a_part_has_enough_words(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);
    const char *rule = "----------------------------------------------- yyyy-mm-dd";

    (void)state;
    assert_true(system_prompt_add(other, span_str(rule), &err));
    n_parts = 0;
    assert_true(system_prompt_each(other, WORDS, span_str(rule), take, NULL, &err));
    assert_int_equal(n_parts, 0);
    assert_true(system_prompt_each(other, 1, span_str(rule), take, NULL, &err));
    assert_int_equal(n_parts, 1);
    system_prompt_unref(other);
}

static void an_address_is_one_word(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);
    const char *address = "Write to first-contact@harbour-bank.example or see https://www.harbour-bank.example/help/opening-hours?day=1 first.";

    (void)state;
    assert_true(system_prompt_add(other, span_str(address), &err));
    n_parts = 0;
    assert_true(system_prompt_each(other, WORDS, span_str("Yes: https://www.harbour-bank.example/help/opening-hours?day=1, or "
                                                          "first-contact@harbour-bank.example."), take, NULL, &err));
    assert_int_equal(n_parts, 0);
    assert_true(system_prompt_each(other, WORDS, span_str(address), take, NULL, &err));
    assert_int_equal(n_parts, 1);
    system_prompt_unref(other);
}

static void by_default_addresses_do_not_count(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);
    const char *text = "Tell those who ask about refunds first-contact@harbour-bank.example or https://www.harbour-bank.example/help/opening-hours "
                       "before the end of the week.\n---------- yyyy-mm-dd ---------------------- yyyy-mm-dd";
    static const struct {
        const char *answer;
        bool is_part;
    } answers[] = {
        {"Write to us: first-contact@harbour-bank.example or https://www.harbour-bank.example/help/opening-hours.", false},
        {"Ask about refunds first-contact@harbour-bank.example, please.", false},
        {"Those who ask about refunds first-contact@harbour-bank.example know.", false},
        {"Tell those who ask about refunds first-contact@harbour-bank.example", true},
        {"I say: st-contact@harbour-bank.example or ht", true},
        {"I say: ww.harbour-bank.example/help/openi", true},
        {"https://www.harbour-bank.example/help/other-matters before noon", false},
        {"about refunds first-contact@harbour-bank.example or https://www.harbour-bank.example/help/opening-hours before the end", true},
        {"---------- yyyy-mm-dd ---------------------- yyyy-mm-dd", false},
    };

    (void)state;
    assert_true(system_prompt_add(other, span_str(text), &err));
    for (size_t i = 0; i < COUNT(answers); i++) {
        n_parts = 0;
        assert_true(system_prompt_each(other, 0, span_str(answers[i].answer), take, NULL, &err));
        if ((n_parts > 0) != answers[i].is_part) {
            print_error("%s\n", answers[i].answer);
        }
        assert_true((n_parts > 0) == answers[i].is_part);
    }
    system_prompt_unref(other);
}

static void capitals_of_latin_extended_are_folded(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);
    const char *text = "ZALEG\u0141O\u015aCI PONI\u017bEJ TYSI\u0104CA Z\u0141OTYCH S\u0104 UMARZANE";

    (void)state;
    assert_true(system_prompt_add(other, span_str("zaleg\u0142o\u015bci poni\u017cej tysi\u0105ca z\u0142otych s\u0105 umarzane"), &err));
    n_parts = 0;
    assert_true(system_prompt_each(other, 0, span_str(text), take, NULL, &err));
    assert_int_equal(n_parts, 1);
    assert_part(text, 0, text);
    system_prompt_unref(other);
}

static void scripts_without_spaces_have_words(void **state)
{
    struct system_prompt *other = system_prompt_new(&err);
    const char *text = "\u8fd4\u54c1\u3092\u65ad\u308b\u3068\u304d\u306f\u5e97\u9577\u306e\u8a31\u53ef\u304c\u5fc5\u8981";
    const char *same = "\u3042\u3042\u3042\u3042\u3042\u3042\u3042\u3042\u3042\u3042\u3042\u3042";

    (void)state;
    assert_true(system_prompt_add(other, span_str(text), &err) && system_prompt_add(other, span_str(same), &err));
    n_parts = 0;
    assert_true(system_prompt_each(other, WORDS, span_str(text), take, NULL, &err));
    assert_int_equal(n_parts, 1);
    assert_true(system_prompt_each(other, WORDS, span_str(same), take, NULL, &err));
    assert_int_equal(n_parts, 1);
    system_prompt_unref(other);
}

static void texts_of_a_prompt_are_apart_and_bounded(void **state)
{
    static char large[SYSTEM_PROMPT_MAX];

    (void)state;
    assert_true(system_prompt_add(prompt, span_str("Second message of the same request."), &err));
    look("intern neun Prozent.Second message of");
    assert_int_equal(n_parts, 0);
    memset(large, 'a', sizeof(large));
    assert_false(system_prompt_add(prompt, span_of(large, sizeof(large)), &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(system_prompt_add_user(prompt, span_of(large, sizeof(large)), &err));
    assert_true(system_prompt_size(prompt) < 100 * (size_t)SYSTEM_PROMPT_MAX);
}

static void the_end_that_may_go_on_is_the_longest_in_the_prompt(void **state)
{
    (void)state;
    assert_int_equal(system_prompt_live(prompt, span_str("zz the Harbour B")), 3);
    assert_int_equal(system_prompt_live(prompt, span_str("zz the Harbour Bx")), 17);
    assert_int_equal(system_prompt_live(prompt, span_str("")), 0);
}

/* Whether the folded run is in the folded prompt; both are plain ASCII here. */
static bool is_in(const char *whole, struct span part)
{
    return memmem(whole, strlen(whole), part.ptr, part.len) != NULL;
}

static void every_long_run_is_in_a_part_and_nothing_else(void **state)
{
    static const char source[] = "alpha-beta-gamma-delta-epsilon-zeta-eta-theta-iota-kappa-alpha-gamma-beta-delta-zeta-epsilon";
    struct system_prompt *other = system_prompt_new(&err);
    struct random r = {.state = 5};

    (void)state;
    assert_true(system_prompt_add(other, span_str(source), &err));
    for (size_t round = 0; round < ROUNDS; round++) {
        char text[200] = "";
        for (size_t i = 0; i < 3; i++) {
            size_t from = random_below(&r, sizeof(source) - 1), len = random_below(&r, sizeof(source) - from);
            (void)snprintf(text + strlen(text), 60, "%.*s", (int)(len < 55 ? len : 55), source + from);
        }
        bool expected[200] = {false}, is_found[200] = {false};
        for (size_t at = 0; at + SYSTEM_PROMPT_RUN <= strlen(text); at++) {
            bool is_run = is_in(source, span_of(text + at, SYSTEM_PROMPT_RUN));
            for (size_t i = 0; i < SYSTEM_PROMPT_RUN && is_run; i++) {
                expected[at + i] = true;
            }
        }
        n_parts = 0;
        assert_true(system_prompt_each(other, 1, span_str(text), take, NULL, &err));
        for (size_t i = 0; i < n_parts; i++) {
            memset(is_found + parts[i].from, true, parts[i].to - parts[i].from);
        }
        for (size_t i = 0; i < strlen(text); i++) {
            assert_true(expected[i] == is_found[i]);
        }
    }
    system_prompt_unref(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_long_run_is_a_part_with_its_exact_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_of_31_bytes_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(case_and_white_space_do_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(white_space_beyond_the_bound_ends_a_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_that_overlap_are_one_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_user_wrote_is_no_part, set_up, tear_down),
        cmocka_unit_test(a_sentence_of_many_prompts_is_no_part),
        cmocka_unit_test(a_part_has_enough_words),
        cmocka_unit_test(an_address_is_one_word),
        cmocka_unit_test(by_default_addresses_do_not_count),
        cmocka_unit_test(capitals_of_latin_extended_are_folded),
        cmocka_unit_test(scripts_without_spaces_have_words),
        cmocka_unit_test_setup_teardown(texts_of_a_prompt_are_apart_and_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_that_may_go_on_is_the_longest_in_the_prompt, set_up, tear_down),
        cmocka_unit_test(every_long_run_is_in_a_part_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
