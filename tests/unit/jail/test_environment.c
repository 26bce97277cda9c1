#include "testing.h"

#include "jail/root/environment.h"
#include "jail/root/trust.h"

static struct error err;
static struct arena arena;

static char **make_with(const char *yaml, char *const *own, bool has_authority)
{
    struct jail_policy *p = jail_policy_read("p.yaml", "/", span_str(yaml), &err);

    assert_non_null(p);
    arena_init(&arena, 0, 1 << 20);
    char **list = jail_environment(p, own, has_authority, &arena, &err);
    assert_non_null(list);
    jail_policy_free(p); /* the list is of its own */
    return list;
}

static char **make(const char *yaml, char *const *own)
{
    return make_with(yaml, own, false);
}

static bool has(char **list, const char *entry)
{
    for (; *list != NULL; list++) {
        if (strcmp(*list, entry) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count(char **list)
{
    size_t n = 0;

    while (list[n] != NULL) {
        n++;
    }
    return n;
}

static void nothing_of_the_callers_is_there_unless_named(void **state)
{
    char *own[] = {(char[]){"SECRET=1"}, (char[]){"PATH=/evil"}, (char[]){"LD_PRELOAD=/x"}, NULL};
    char **list = make("name: a\n", own);

    (void)state;
    assert_int_equal(count(list), 5);
    assert_true(has(list, "PATH=/usr/local/bin:/usr/bin:/bin"));
    assert_true(has(list, "HOME=/work"));
    arena_deinit(&arena);
}

static void named_variables_are_the_callers_whole_name_only(void **state)
{
    char *own[] = {(char[]){"AB=long"}, (char[]){"A=short"}, (char[]){"EMPTY="}, (char[]){"ODD"}, NULL};
    char **list = make("name: a\nenvironment: {pass: [A, EMPTY, ODD, NONE]}\n", own);

    (void)state;
    assert_true(has(list, "A=short"));
    assert_true(has(list, "EMPTY="));
    assert_int_equal(count(list), 7);
    arena_deinit(&arena);
}

static void set_variables_stand_in_place_of_what_is_expected(void **state)
{
    char *own[] = {NULL};
    char **list = make("name: a\nenvironment: {set: {PATH: /a, LANG: 'x=y'}}\n", own);

    (void)state;
    assert_true(has(list, "PATH=/a"));
    assert_true(has(list, "LANG=x=y"));
    assert_int_equal(count(list), 5);
    arena_deinit(&arena);
}

static void where_there_is_an_authority_programs_are_told_unless_the_policy_says_otherwise(void **state)
{
    char *own[] = {NULL};
    char **list = make_with("name: a\nenvironment: {set: {PIP_CERT: /mine}}\n", own, true);

    (void)state;
    assert_true(has(list, "SSL_CERT_FILE=/etc/filterd/authorities.pem"));
    assert_true(has(list, "NODE_EXTRA_CA_CERTS=/etc/filterd/authority.pem"));
    assert_true(has(list, "PIP_CERT=/mine"));
    assert_int_equal(count(list), 5 + JAIL_TRUST_VARIABLES);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_the_callers_is_there_unless_named),
        cmocka_unit_test(named_variables_are_the_callers_whole_name_only),
        cmocka_unit_test(set_variables_stand_in_place_of_what_is_expected),
        cmocka_unit_test(where_there_is_an_authority_programs_are_told_unless_the_policy_says_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
