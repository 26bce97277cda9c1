/* test_web_url.c - the host that browsers go to, however the URL is written. */
#include "testing.h"

#include "formats/web_url.h"

static struct arena arena;
static struct error err;

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static struct web_url read_url(struct span text)
{
    struct web_url url;

    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 20);
    assert_true(web_url_read(&arena, text, &url, &err));
    return url;
}

static void a_host_is_the_one_that_a_browser_goes_to(void **state)
{
    static const char *const cases[][2] = {
        {"https://example.com/a?b#c", "example.com"},
        {"HTTP://Example.COM:8080", "example.com"},
        {"//example.com", "example.com"},
        {"/\\example.com/a", "example.com"},
        {"\\\\example.com", "example.com"},
        {" \x01https://example.com\n", "example.com"},
        {"ht\ntps:/\t/exam\rple.com", "example.com"},
        {"https:example.com", "example.com"},
        {"https:////example.com", "example.com"},
        {"https://a@example.com", "example.com"},
        {"https://a:b@c@example.com/@d", "example.com"},
        {"https://a.example#@example.com", "a.example"},
        {"https://example.com./", "example.com"},
        {"https://ex%61mple.com", "example.com"},
        {"https://b\u00fccher.example", "xn--bcher-kva.example"},
        {"https://example\u3002com", "example.com"},
        {"https://\uff45xample.com", "example.com"},
        {"https://ex\u00adample.com", "example.com"},
        {"https://[2001:DB8::1]:443/", "[2001:db8::1]"},
        {"mailto:a@Example.com?subject=b", "example.com"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct web_url url = read_url(span_str(cases[i][0]));
        assert_int_equal(url.kind, WEB_URL_HOST);
        assert_true(span_is(url.host, cases[i][1]));
    }
}

static void other_urls_have_a_kind(void **state)
{
    static const struct {
        const char *text;
        enum web_url_kind kind;
    } cases[] = {
        {"a/b", WEB_URL_RELATIVE},          {"/a", WEB_URL_RELATIVE},           {"?a", WEB_URL_RELATIVE},
        {"", WEB_URL_RELATIVE},             {"a b:c", WEB_URL_RELATIVE},        {"mailto:a@example.com", WEB_URL_CONTACT},
        {"javascript:1", WEB_URL_SCHEME},   {"Data:,x", WEB_URL_SCHEME},        {"java\tscript:1", WEB_URL_SCHEME},
        {"https://", WEB_URL_RELATIVE},     {"https://a b", WEB_URL_INVALID},   {"https://a%00b", WEB_URL_INVALID},
        {"https://[::1", WEB_URL_INVALID},  {"https://a<b", WEB_URL_INVALID},   {"//@", WEB_URL_INVALID},
        {"//", WEB_URL_RELATIVE},           {"try:", WEB_URL_RELATIVE},         {"tel:+44 (0)1632-960961", WEB_URL_CONTACT},
        {"tel:a", WEB_URL_SCHEME},          {"mailto:?to=a@b.example", WEB_URL_SCHEME},
        {"mailto:a@b.example,c@d.example?body=e", WEB_URL_SCHEME},
        {"mailto:a@b.example?cc=c%40d.example", WEB_URL_SCHEME},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(read_url(span_str(cases[i].text)).kind, cases[i].kind);
    }
}

static void a_host_that_readers_disagree_about_is_invalid(void **state)
{
    (void)state;
    assert_int_equal(read_url(span_str("https://a.example\\@example.com/")).kind, WEB_URL_INVALID);
    assert_int_equal(read_url(span_str("https://a.example\\b/@example.com")).kind, WEB_URL_HOST);
}

static void an_endless_host_is_invalid(void **state)
{
    static char text[5000];

    (void)state;
    memset(text, 'a', sizeof(text));
    memcpy(text, "https://", 8);
    assert_int_equal(read_url(span_of(text, sizeof(text))).kind, WEB_URL_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_host_is_the_one_that_a_browser_goes_to, tear_down),
        cmocka_unit_test_teardown(other_urls_have_a_kind, tear_down),
        cmocka_unit_test_teardown(a_host_that_readers_disagree_about_is_invalid, tear_down),
        cmocka_unit_test_teardown(an_endless_host_is_invalid, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
