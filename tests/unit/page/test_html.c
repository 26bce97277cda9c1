#include "testing.h"

#include "page/html.h"

static struct error err;
static struct buf out;
static struct html h;

static void begin(enum language language)
{
    buf_deinit(&out);
    buf_init(&out, 1024 * 1024);
    html_init(&h, &out, language, &err);
}

static const char *written(void)
{
    struct error ignored;

    assert_true(buf_append_char(&out, '\0', &ignored));
    out.len--;
    return out.data;
}

static struct span bytes(const char *text)
{
    return span_str(text);
}

static void names_are_text_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *name, *expected;
    } cases[] = {
        {"support-7", "support-7"},
        {"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
        {"\" onclick=\"x", "&quot; onclick=&quot;x"},
        {"it's & that", "it&#39;s &amp; that"},
        {"a\xe2\x80\xaexe.piz", "a[U+202E]xe.piz"},
        {"a\xe2\x80\x8b" "b", "a[U+200B]b"},
        {"a\nb\x7f", "a[U+000A]b[U+007F]"},
        {"\xff\xc3", "[xFF][xC3]"},
        {"\xf3\xa0\x81\x81", "[U+E0041]"},
        {"M\xc3\xbcller \xd7\x90\xd7\x91", "M\xc3\xbcller \xd7\x90\xd7\x91"},
        {"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", "e\xcc\x81\xcc\x81\xcc\x81[U+0301][U+0301]"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(LANGUAGE_ENGLISH);
        html_text(&h, bytes(cases[i].name));
        assert_string_equal(written(), cases[i].expected);
        begin(LANGUAGE_ENGLISH);
        html_attribute(&h, bytes(cases[i].name));
        assert_null(strpbrk(written(), "<>\"'"));
    }
}

/* Every byte, alone and behind a lead byte: what is written has no bracket of a tag, no quote, and no control. */
static void no_byte_becomes_markup(void **state)
{
    (void)state;
    for (unsigned lead = 0; lead < 256; lead += 15) {
        for (unsigned c = 0; c < 256; c++) {
            const char name[] = {(char)lead, (char)c};
            begin(LANGUAGE_ENGLISH);
            html_text(&h, span_of(name, 2));
            assert_null(strpbrk(written(), "<>\"'"));
            begin(LANGUAGE_ENGLISH);
            html_url(&h, span_of(name, 2));
            assert_int_equal(strspn(written(), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%"), out.len);
        }
    }
}

static void a_part_of_an_address_is_one_part(void **state)
{
    (void)state;
    begin(LANGUAGE_ENGLISH);
    html_url(&h, span_str("agent:a/b?c&d=\"\xc3\xbc"));
    assert_string_equal(written(), "agent%3Aa%2Fb%3Fc%26d%3D%22%C3%BC");
}

static void numbers_and_times_follow_the_language(void **state)
{
    (void)state;
    begin(LANGUAGE_ENGLISH);
    html_number(&h, 20852163);
    HTML(&h, " ");
    html_number(&h, 999);
    assert_string_equal(written(), "20,852,163 999");
    begin(LANGUAGE_GERMAN);
    html_number(&h, 1000);
    assert_string_equal(written(), "1.000");
    begin(LANGUAGE_GERMAN);
    html_time(&h, INT64_C(1795446072) * 1000000000 + 5);
    assert_string_equal(written(), "<time datetime=\"2026-11-23T15:01:12Z\">2026-11-23 15:01:12</time>");
    begin(LANGUAGE_GERMAN);
    html_time(&h, 0);
    assert_string_equal(written(), "–");
}

static void a_value_takes_its_place_in_a_sentence(void **state)
{
    (void)state;
    begin(LANGUAGE_ENGLISH);
    html_phrase(&h, TEXT_LIMITED, span_str("<acme>"));
    assert_string_equal(written(), "tenant &lt;acme&gt; only");
    begin(LANGUAGE_GERMAN);
    html_count(&h, TEXT_INDEXED, 1200);
    assert_string_equal(written(), "Index 1.200 s zurück");
}

static void a_page_has_a_ceiling_and_fails_once(void **state)
{
    (void)state;
    begin(LANGUAGE_ENGLISH);
    for (unsigned i = 0; i <= HTML_PAGE_MAX; i++) {
        HTML(&h, "x");
    }
    assert_true(h.has_failed);
    assert_int_equal(out.len, HTML_PAGE_MAX);
    assert_int_equal(err.kind, ERROR_LIMIT);
    html_text(&h, span_str("more"));
    assert_int_equal(out.len, HTML_PAGE_MAX);
}

static int deinit(void **state)
{
    (void)state;
    buf_deinit(&out);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_text_and_nothing_else),
        cmocka_unit_test(no_byte_becomes_markup),
        cmocka_unit_test(a_part_of_an_address_is_one_part),
        cmocka_unit_test(numbers_and_times_follow_the_language),
        cmocka_unit_test(a_value_takes_its_place_in_a_sentence),
        cmocka_unit_test(a_page_has_a_ceiling_and_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, deinit);
}
