/* test_link.c - the URLs of a construct, and the text that a reader sees of it. */
#include "testing.h"

#include <stdio.h>

#include "formats/link.h"

static struct arena arena;
static struct error err;
static char found[4096];

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static bool take(void *context, const struct link_url *url, struct error *error)
{
    size_t len = strlen(found);

    (void)context, (void)error;
    (void)snprintf(found + len, sizeof(found) - len, "%s%s" SPAN_FMT, url->use == LINK_LOADS ? "+" : ">",
                   url->is_value ? "?" : "", SPAN_ARG(url->text));
    return true;
}

static const char *urls_of(const char *construct)
{
    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 20);
    found[0] = '\0';
    assert_true(link_each_url(&arena, span_str(construct), take, NULL, &err));
    return found;
}

static void urls_are_read_with_their_escapes_undone(void **state)
{
    static const char *const cases[][2] = {
        {"[a](x)", ">x>x"},
        {"![a](<x y> 'title')", "+x y+x y"},
        {"![a](x\\)y&amp;z)", "+x)y&z+x\\)y&z"},
        {"![a](x(y)z)", "+x(y)z+x(y)z"},
        {"![a][b]", "++"},
        {"![a, b]", ""},
        {"![a-z0-9]", ""},
        {"[a, b]: x", ">x>x+?x+?x"},
        {"![`a, b]", "++"},
        {"[a]: x \"title\"", ">x>x"},
        {"](x", ">x>x"},
        {"www.example.com/a.", ">//www.example.com/a"},
        {"https://example.com/a),", ">https://example.com/a)"},
        {"<img src=x>", "+x"},
        {"<IMG alt='>' SRC = \"x&#x79;\" >", "+xy"},
        {"<img srcset='a 1x, b,c 2x,d'>", "+a+b,c+d"},
        {"<a href=x ping='y z'>", ">x+?y+?z"},
        {"<link href=x>", "+x"},
        {"<meta http-equiv=refresh content=\"0; url='x'\">", "+x'"},
        {"<p style=\"background:url( 'x' )\">", "+?x"},
        {"<iframe srcdoc='&lt;img src=x&gt;'>", "+x"},
        {"url(x)", "+?x"},
        {"@import 'x'", "+?x"},
        {"@import/* a */\"x\"", "+?x"},
        {"@\\69mport 'x'", "+?x"},
        {"\\75 r\\l(x)", "+?x"},
        {"<x:y>", ""},
        {"<x://y>", ">x://y"},
        {"<data:x>", ">data:x"},
        {"<img ", "+data:,"},
        {"<p onclick=\"f('x')\">", "+?f('x')+?x"},
        {"<p data-a='{\"b\":\"x\"}'>", "+?{\"b\":\"x\"}+?b+?x"},
        {"<meta content=\"0;url=&quot;x&quot;\">", "+x\""},
        {"=//x", ""},
        {"=//x.y", "+?//x.y"},
        {"image-set('x' 1x, \"y\" 2x)", "+?x+?y"},
        {"<p class=a>", ""},
        {"<p a' > <img src=x b' >", "+x"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *urls = urls_of(cases[i][0]);
        if (strncmp(urls, cases[i][1], strlen(cases[i][1])) != 0) {
            print_error("%s: %s\n", cases[i][0], urls);
        }
        assert_int_equal(strncmp(urls, cases[i][1], strlen(cases[i][1])), 0);
    }
}

static void every_cut_of_a_construct_is_read(void **state)
{
    static const char *const texts[] = {
        "![a [b\\] c](<x\\> 'ti\\'tle')", "<a href = \"x&#x79;\" ping='y z' style=\"a:url('b')\" srcset='a 1x, b,c 2x,'>",
        "<meta content=\"0 ; URL = 'x'\">", "@import \\75rl(x)", "image-set('x' 1x, \"y\")", "= \\\"//x\\\"",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t len = 0; len <= strlen(texts[i]); len++) {
            char cut[128];
            struct span text;
            (void)snprintf(cut, sizeof(cut), "%.*s", (int)len, texts[i]);
            (void)urls_of(cut);
            (void)link_text(span_str(cut), &text);
        }
    }
}

static void the_text_of_a_link_is_no_link(void **state)
{
    static const char *const cases[][2] = {
        {"[a *b*](x)", "a *b*"},       {"![a: b](x)", "a: b"}, {"[a]: x", ""},        {"<img alt='a b' src=x>", "a b"},
        {"<iframe src=x>", ""},        {"[](x)", ""},          {"[a][b]", "a"},       {"[https://x](y)", NULL},
        {"[www.x.example](y)", NULL},  {"[a <b> c](y)", NULL}, {"[a [b] c](y)", NULL}, {"[a&lt;b](y)", NULL},
        {"[me@example.com](y)", NULL}, {"https://x", NULL},    {"](x", NULL},         {"url(x)", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span text;
        bool has_text = link_text(span_str(cases[i][0]), &text);
        assert_int_equal(has_text, cases[i][1] != NULL);
        assert_true(!has_text || span_is(text, cases[i][1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(urls_are_read_with_their_escapes_undone, tear_down),
        cmocka_unit_test_teardown(every_cut_of_a_construct_is_read, tear_down),
        cmocka_unit_test(the_text_of_a_link_is_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
