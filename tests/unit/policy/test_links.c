/* test_links.c - the key `links` of a policy, and which URLs it permits. */
#include "testing.h"

#include "policy/links.h"
#include "support/judge.h"

#define POLICY(links)                                                                                                  \
    "policies:\n"                                                                                                      \
    "  default:\n"                                                                                                     \
    "    rules: [local]\n"                                                                                             \
    "    links: " links "\n"                                                                                           \
    "    actions: []\n"

static const char rules[] = "rules:\n" TEST_RULE("a", "secret", "high", "0.9", "pattern: 'key-[a-z]{8}'");
static struct judge j;
static struct arena arena;

static const struct policy_links *read_links(const char *policy)
{
    assert_true(judge_init(&j, rules, policy, false));
    return snapshot_policy(j.snapshot, (struct span){0}, (struct span){0})->links;
}

static void assert_refused(const char *policy, const char *why)
{
    assert_false(judge_init(&j, rules, policy, false));
    assert_non_null(strstr(j.err.text, why));
    judge_deinit(&j);
}

static bool permits(const struct policy_links *links, enum link_use use, const char *construct)
{
    struct error err;
    bool is_permitted = false;

    arena_init(&arena, 0, 1 << 20);
    assert_true(links_permit(&arena, links, use, span_str(construct), &is_permitted, &err));
    arena_deinit(&arena);
    return is_permitted;
}

static void hosts_are_read_as_browsers_have_them(void **state)
{
    const struct policy_links *links = read_links(POLICY("{allow: [Example.COM, '*.B\u00fccher.example', '[::1]']}"));

    (void)state;
    assert_int_equal(links->load, LINKS_LOAD_NONE);
    assert_int_equal(links->allow.n, 3);
    assert_true(span_is(links->allow.items[0], "example.com"));
    assert_true(span_is(links->allow.items[1], "*.xn--bcher-kva.example"));
    assert_true(span_is(links->allow.items[2], "[::1]"));
    judge_deinit(&j);
}

static void what_is_no_host_is_refused(void **state)
{
    (void)state;
    assert_refused(POLICY("{allow: ['https://example.com']}"), "*.example.com for those below it");
    assert_refused(POLICY("{allow: ['']}"), "*.example.com for those below it");
    assert_refused(POLICY("{allow: ['*']}"), "*.example.com for those below it");
    assert_refused(POLICY("{allow: ['a%2eb']}"), "*.example.com for those below it");
    assert_refused(POLICY("{load: all}"), "none");
    assert_refused(POLICY("{deny: [a]}"), "deny");
}

static void a_host_is_itself_and_a_star_those_below(void **state)
{
    const struct policy_links *links = read_links(POLICY("{allow: [example.com, '*.cdn.example'], load: allowed}"));

    (void)state;
    assert_true(permits(links, LINK_LEADS, "[a](https://example.com/x)"));
    assert_false(permits(links, LINK_LEADS, "[a](https://www.example.com/x)"));
    assert_false(permits(links, LINK_LEADS, "[a](https://notexample.com/x)"));
    assert_true(permits(links, LINK_LOADS, "![a](https://x.y.cdn.example/x)"));
    assert_false(permits(links, LINK_LOADS, "![a](https://cdn.example/x)"));
    assert_false(permits(links, LINK_LOADS, "![a](https://evilcdn.example/x)"));
    judge_deinit(&j);
}

static void each_use_is_asked_about_by_itself(void **state)
{
    const struct policy_links *links = read_links(POLICY("{allow: [example.com]}"));

    (void)state;
    assert_true(permits(links, LINK_LEADS, "![a](https://other.example)"));
    assert_false(permits(links, LINK_LOADS, "![a](https://example.com)"));
    assert_false(permits(links, LINK_LOADS, "![a](a.png)"));
    assert_true(permits(links, LINK_LEADS, "<a href=x><img src=//other.example>"));
    assert_false(permits(links, LINK_LEADS, "[a](javascript:1)"));
    assert_true(permits(links, LINK_LEADS, "[a](mailto:b@other.example)"));
    judge_deinit(&j);
}

static void without_the_key_no_host_is_permitted(void **state)
{
    (void)state;
    assert_false(permits(NULL, LINK_LEADS, "[a](https://example.com)"));
    assert_true(permits(NULL, LINK_LEADS, "[a](b/c)"));
    assert_false(permits(NULL, LINK_LOADS, "![a](b/c)"));
    assert_true(permits(NULL, LINK_LOADS, "url(b/c)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_read_as_browsers_have_them), cmocka_unit_test(what_is_no_host_is_refused),
        cmocka_unit_test(a_host_is_itself_and_a_star_those_below), cmocka_unit_test(each_use_is_asked_about_by_itself),
        cmocka_unit_test(without_the_key_no_host_is_permitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
