#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "index/index_line.h"
#include "markup.h"
#include "page/chart.h"

static struct error err;
static struct buf out;
static struct html h;

static void begin(void)
{
    buf_deinit(&out);
    buf_init(&out, HTML_PAGE_MAX);
    html_init(&h, &out, LANGUAGE_ENGLISH, &err);
}

static const char *written(void)
{
    struct error ignored;

    assert_false(h.has_failed);
    assert_true(buf_append_char(&out, '\0', &ignored));
    out.len--;
    return out.data;
}

static size_t count(const char *text, const char *wanted)
{
    size_t n = 0;

    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted)) {
        n++;
    }
    return n;
}

/* Every rectangle lies within the width and height of the picture. */
static void assert_within(const char *svg, unsigned long width, unsigned long height)
{
    for (const char *at = strstr(svg, "<rect"); at != NULL; at = strstr(at + 1, "<rect")) {
        unsigned long x, y, w, tall;
        const char *place = strstr(at, "x=\"");
        assert_int_equal(sscanf(place, "x=\"%lu\" y=\"%lu\" width=\"%lu\" height=\"%lu\"", &x, &y, &w, &tall), 4);
        assert_true(x + w <= width);
        assert_true(y + tall <= height);
    }
}

static void bars_are_as_high_as_their_share_of_the_highest(void **state)
{
    (void)state;
    const struct chart_bar bars[] = {{1, 0}, {0, 0}, {60, 40}};

    begin();
    chart_bars(&h, bars, COUNT(bars), TEXT_CHART_HOURS);
    assert_null(markup_fault(written()));
    assert_int_equal(count(out.data, "class=\"block\""), 2);
    assert_int_equal(count(out.data, "class=\"redact\""), 1);
    assert_non_null(strstr(out.data, "at most 100 in one hour"));
    assert_within(out.data, 60, 100);
}

static void bars_of_any_numbers_stay_in_the_picture(void **state)
{
    (void)state;
    struct chart_bar bars[CHART_BARS_MAX] = {{0}};

    begin();
    chart_bars(&h, bars, COUNT(bars), TEXT_CHART_HOURS);
    assert_int_equal(count(written(), "class=\"block\""), 0);
    for (size_t i = 0; i < COUNT(bars); i++) {
        bars[i] = (struct chart_bar){(uint64_t)rand() << (i % 30), i % 3 == 0 ? UINT64_MAX / 4 : i};
    }
    begin();
    chart_bars(&h, bars, COUNT(bars), TEXT_CHART_HOURS);
    assert_null(markup_fault(written()));
    assert_within(out.data, 20 * CHART_BARS_MAX, 100);
}

static void a_line_goes_from_left_to_right(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 5, 10};

    begin();
    chart_spark(&h, values, COUNT(values), TEXT_CHART_TREND);
    assert_null(markup_fault(written()));
    assert_non_null(strstr(out.data, "points=\"0,23 4,12 8,1 \""));
}

static void parts_of_a_text_are_where_their_bytes_are(void **state)
{
    (void)state;
    /* 128 bytes are two lines of 64: the part is on both. */
    const struct chart_part parts[] = {{32, 96, INDEX_BLOCK}};

    begin();
    chart_shape(&h, 128, parts, COUNT(parts), TEXT_SHAPE);
    assert_null(markup_fault(written()));
    assert_int_equal(count(out.data, "class=\"block\""), 2);
    assert_non_null(strstr(out.data, "class=\"block\" x=\"400\" y=\"0\" width=\"400\""));
    assert_non_null(strstr(out.data, "class=\"block\" x=\"0\" y=\"16\" width=\"400\""));
}

static void parts_of_any_place_stay_in_the_picture(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 63, 64, 65, 512, 513, 70000, UINT32_MAX, UINT64_MAX / 2};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        const uint64_t n = sizes[i];
        const struct chart_part parts[] = {{0, n, INDEX_ALLOW},     {n / 2, n / 2, INDEX_REDACT}, {n == 0 ? 0 : n - 1, n, INDEX_BLOCK},
                                           {n + 5, n + 9, INDEX_BLOCK}, {n, 0, INDEX_NO_ACTION},      {0, n * 2, INDEX_REDACT}};
        begin();
        chart_shape(&h, n, parts, COUNT(parts), TEXT_SHAPE);
        assert_null(markup_fault(written()));
        assert_within(out.data, 800, 16 * CHART_LINES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_as_high_as_their_share_of_the_highest),
        cmocka_unit_test(bars_of_any_numbers_stay_in_the_picture),
        cmocka_unit_test(a_line_goes_from_left_to_right),
        cmocka_unit_test(parts_of_a_text_are_where_their_bytes_are),
        cmocka_unit_test(parts_of_any_place_stay_in_the_picture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
