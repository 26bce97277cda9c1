#include "testing.h"

#include <stdio.h>

#include "jail/egress/wire/echo.h"

#define SECRET "s/k\"7&%25 Zq"

static const struct row {
    const char *name, *text;
} rows[] = {
    {"as it is", SECRET},
    {"percent", "s%2fk%227%26%2525%20Zq"},
    {"a form", "s%2Fk%227%26%2525+Zq"},
    {"all percent", "%73%2F%6B%22%37%26%25%32%35%20%5A%71"},
    {"JSON", "s\\/k\\\"7&%25 Zq"},
    {"JSON, by numbers", "\\u0073/\\u006b\\\"7\\u0026%25 Zq"},
    {"HTML", "s/k&quot;7&amp;%25 Zq"},
    {"HTML, by numbers", "s&#47;k&#x22;7&#X26;%25 Zq"},
    {"hexadecimal", "732f6b223726253235205a71"},
    {"capitals", "732F6B22372625323520\\u0035A71"},
    {"base64", "cy9rIjcmJTI1IFpx"},
    {"base64 behind one byte", "eHMvayI3JiUyNSBacQ=="},
    {"base64 behind two bytes", "eHhzL2siNyYlMjUgWnE="},
    {"base64 with a percent sign", "eHMvayI3JiU%79NSBacQ%3D%3D"},
    {"letters in another case", "S/K\"7&%25 zQ"},
    {"percent twice", "s%252fk%25227%2526%252525%2520Zq"},
    {"JSON in JSON", "s\\\\/k\\\\\\\"7&%25 Zq"},
    {"JSON in HTML", "s\\/k&quot;7\\u0026amp;%25 Zq"},
    {"HTML twice", "s/k&amp;quot;7&amp;amp;%25 Zq"},
    {"base64 of hexadecimal", "NzMyZjZiMjIzNzI2MjUzMjM1MjA1YTcx"},
    {"base64 of capitals of hexadecimal", "eDczMkY2QjIyMzcyNjI1MzIzNTIwNUE3MQ=="},
    {"hexadecimal of base64", "63793972496a636d4a54493149467078"},
    {"base64 of base64", "Y3k5cklqY21KVEkxSUZweA=="},
    {"its beginning", "s/k\"7&%25"},
    {"its end", "\"7&%25 Zq"},
};

/* As egress sends an answer on: what may be the beginning waits. */
static size_t sent_before(struct span secret, struct span text, size_t step)
{
    struct echo echo;
    size_t from = 0, to = 0;

    echo_init(&echo, secret);
    while (to < text.len) {
        to = to + step < text.len ? to + step : text.len;
        struct span held = span_slice(text, from, to);
        if (echo_is_in(&echo, held)) {
            return from;
        }
        from = to - echo_begun(&echo, held);
    }
    return text.len;
}

static void every_form_is_found_however_it_is_cut(void **state)
{
    char text[256];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        (void)snprintf(text, sizeof(text), "{\"asked\": \"%s\"}", rows[i].text);
        for (size_t step = 1; step < strlen(text); step++) {
            size_t sent = sent_before(span_str(SECRET), span_str(text), step);
            if (sent > 11 + 6) { /* of base64 the first letters say bits of what is before, too */
                fail_msg("%s, in pieces of %zu: %zu bytes were sent", rows[i].name, step, sent);
            }
        }
    }
}

static void nothing_else_is_found_or_held(void **state)
{
    static const char *const others[] = {"s/k", "s/k\"7&%", "%25 Zq", "732f6b2237262 5323520 5a71", "cy9rIj", "& so on, 100% \\ and & more;."};
    struct echo echo;

    (void)state;
    echo_init(&echo, span_str(SECRET));
    for (size_t i = 0; i < COUNT(others); i++) {
        if (echo_is_in(&echo, span_str(others[i]))) {
            fail_msg("found in '%s'", others[i]);
        }
    }
    assert_int_equal(echo_begun(&echo, span_str("an event\n\n")), 0);
    assert_int_equal(echo_begun(&echo, span_str("an event s/k")), 3);
    assert_int_equal(echo_begun(&echo, span_str("an event %7")), 2);
    assert_int_equal(echo_begun(&echo, span_str("a&b, c & d are letters.")), 0);
    assert_int_equal(echo_begun(&echo, span_of(NULL, 0)), 0);
    assert_false(echo_is_in(&echo, span_of(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_found_however_it_is_cut),
        cmocka_unit_test(nothing_else_is_found_or_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
