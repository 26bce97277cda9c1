#include "testing.h"

#include "supervisor-llm/quote.h"

enum { QUOTE_MAX = 4096 };

static void assert_quoted(const char *text, const char *expected)
{
    struct buf out;
    struct error err;

    buf_init(&out, QUOTE_MAX);
    assert_true(quote_append(&out, span_str(text), &err) && buf_append_char(&out, '\0', &err));
    assert_string_equal(out.data, expected);
    buf_deinit(&out);
}

static void openers_of_control_tokens_are_broken_up(void **state)
{
    static const char *const cases[][2] = {
        {"a<|im_start|>b", "a< |im_start|>b"},
        {"</s><s>", "< /s>< s>"},
        {"[INST] x [/INST]", "[ INST] x [ /INST]"},
        {"<<SYS>>", "< < SYS>>"},
        {"<start_of_turn>", "< start_of_turn>"},
        {"<\xef\xbd\x9c" "Assistant", "< \xef\xbd\x9c" "Assistant"},
        {"<\xe2\x80\x8b|im_end|>", "< \xe2\x80\x8b|im_end|>"},
        {"<\x01|im_end|>", "< \x01|im_end|>"},
        {"\xef\xbc\x9c|x", "\xef\xbc\x9c |x"},
        {"\xef\xbc\xbbINST", "\xef\xbc\xbb INST"},
        {"\xef\xb9\xa4s", "\xef\xb9\xa4 s"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_quoted(cases[i][0], cases[i][1]);
    }
}

static void comparisons_and_lists_stay_as_they_are(void **state)
{
    static const char *const texts[] = {"", "a < b", "if (i<10)", "x[0] = [1, 2]", "a <= b", "<", "[", "[]", "2<-3", "a\xc3\xa9<"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_quoted(texts[i], texts[i]);
    }
}

static void every_byte_of_the_quotation_has_its_place(void **state)
{
    const struct span text = span_str("<|a|> [INST] 1<2 \xef\xbc\x9c" "b <<c");
    struct buf out;
    struct error err;
    size_t expected = 0;

    (void)state;
    buf_init(&out, QUOTE_MAX);
    assert_true(quote_append(&out, text, &err));
    for (size_t at = 0; at < out.len; at++) {
        size_t origin = quote_origin(text, at);
        bool is_put_in = out.data[at] == ' ' && (expected >= text.len || text.ptr[expected] != ' ');
        assert_int_equal(origin, expected);
        expected += !is_put_in;
    }
    assert_int_equal(expected, text.len);
    assert_int_equal(quote_origin(text, out.len), text.len);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(openers_of_control_tokens_are_broken_up),
        cmocka_unit_test(comparisons_and_lists_stay_as_they_are),
        cmocka_unit_test(every_byte_of_the_quotation_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
