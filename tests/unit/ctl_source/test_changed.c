#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "ctl/source/changed.h"

enum { LINES = 400, TRIES = 300 };

static struct changed_key key;

static int make_key(void **state)
{
    (void)state;
    key = changed_key_new();
    return 0;
}

static void numbered(struct buf *text, size_t n)
{
    struct error err;

    buf_init(text, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        assert_true(buf_appendf(text, &err, "line number %zu of the text\n", i));
    }
}

static bool is_reported(const struct changed *c, size_t at)
{
    for (size_t i = 0; i < c->n; i++) {
        if (at >= c->parts[i].reported_from && at < c->parts[i].reported_to) {
            return true;
        }
    }
    return false;
}

static bool is_boundary(struct span text, size_t at)
{
    return at == 0 || at == text.len || text.ptr[at - 1] == '\n';
}

/* Parts are in order, apart, of whole lines, numbered, and the reported part is inside with context around. */
static void expect_sound(const struct changed *c, struct span text)
{
    size_t end = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct changed_part *p = &c->parts[i];
        size_t lines = 1;
        assert_true(i == 0 ? p->from == 0 || p->from > 0 : p->from > end);
        assert_true(p->from <= p->reported_from && p->reported_from <= p->reported_to && p->reported_to <= p->to);
        assert_true(p->to <= text.len && is_boundary(text, p->from) && is_boundary(text, p->to));
        assert_true(p->from <= p->changed_from && p->changed_from <= p->changed_to && p->changed_to <= p->to);
        assert_true(p->from == 0 || p->changed_from - p->from >= CHANGED_NEAR);
        assert_true(p->to == text.len || p->to - p->changed_to >= CHANGED_NEAR);
        for (size_t at = 0; at < p->from; at++) {
            lines += text.ptr[at] == '\n' ? 1 : 0;
        }
        assert_int_equal(p->first_line, lines);
        end = p->to;
    }
}

static void the_same_text_has_no_changed_part(void **state)
{
    struct changed c;
    struct buf text;
    struct error err;

    (void)state;
    numbered(&text, LINES);
    assert_true(changed_find(&c, &key, buf_span(&text), buf_span(&text), &err));
    assert_int_equal(c.n, 0);
    assert_true(changed_find(&c, &key, span_of("", 0), span_of("", 0), &err));
    assert_int_equal(c.n, 0);
    buf_deinit(&text);
}

/* Edits at random: each line that has another line in front of it, or behind it, than in the old text is reported. */
static void every_changed_neighbourhood_is_reported(void **state)
{
    (void)state;
    srand(7);
    for (size_t try = 0; try < TRIES; try++) {
        struct buf old, text;
        struct changed c;
        struct error err;
        size_t touched[3], n = 0, edits = 1 + (size_t)rand() % 3;
        numbered(&old, LINES);
        buf_init(&text, 1 << 20);
        size_t next = 0;
        for (size_t e = 0; e < edits; e++) {
            size_t at = next + (size_t)rand() % (LINES / 3 - 1);
            assert_true(buf_append(&text, span_slice(buf_span(&old), 0, 0), &err));
            for (; next < at; next++) {
                assert_true(buf_appendf(&text, &err, "line number %zu of the text\n", next));
            }
            touched[n++] = text.len;
            switch (rand() % 3) {
            case 0: /* a line goes */
                next++;
                break;
            case 1: /* a line comes */
                assert_true(buf_append_str(&text, "new\n", &err));
                break;
            default: /* a line changes */
                assert_true(buf_append_str(&text, "changed\n", &err));
                next++;
                break;
            }
        }
        for (; next < LINES; next++) {
            assert_true(buf_appendf(&text, &err, "line number %zu of the text\n", next));
        }
        assert_true(changed_find(&c, &key, buf_span(&old), buf_span(&text), &err));
        changed_number(&c, buf_span(&text));
        expect_sound(&c, buf_span(&text));
        for (size_t i = 0; i < n; i++) {
            assert_true(touched[i] == text.len || is_reported(&c, touched[i]));
            assert_true(touched[i] == 0 || is_reported(&c, touched[i] - 1));
        }
        changed_deinit(&c);
        buf_deinit(&old);
        buf_deinit(&text);
    }
}

static void one_change_in_a_long_text_is_a_small_part(void **state)
{
    struct buf old, text;
    struct changed c;
    struct error err;

    (void)state;
    numbered(&old, 4000);
    numbered(&text, 4000);
    memcpy(text.data + text.len / 2, "XX", 2);
    assert_true(changed_find(&c, &key, buf_span(&old), buf_span(&text), &err));
    changed_number(&c, buf_span(&text));
    assert_int_equal(c.n, 1);
    assert_true(c.parts[0].to - c.parts[0].from < 4 * CHANGED_NEAR);
    expect_sound(&c, buf_span(&text));
    changed_deinit(&c);
    buf_deinit(&old);
    buf_deinit(&text);
}

/* Wide parts have more context, are numbered alike, and become one where they overlap. */
static void a_part_can_be_widened(void **state)
{
    struct buf old, text;
    struct changed near, wide = {0};
    struct error err;

    (void)state;
    numbered(&old, 4000);
    numbered(&text, 4000);
    memcpy(text.data + text.len / 2, "XX", 2);
    memcpy(text.data + text.len / 2 + 4 * CHANGED_NEAR, "XX", 2);
    memcpy(text.data + text.len / 2 + 8 * CHANGED_CONTEXT, "XX", 2);
    assert_true(changed_find(&near, &key, buf_span(&old), buf_span(&text), &err));
    assert_int_equal(near.n, 3);
    changed_number(&near, buf_span(&text));
    expect_sound(&near, buf_span(&text));
    for (size_t i = 0; i < near.n; i++) {
        assert_true(changed_widen(&wide, buf_span(&text), &near.parts[i], &err));
    }
    assert_int_equal(wide.n, 2);
    changed_number(&wide, buf_span(&text));
    expect_sound(&wide, buf_span(&text));
    assert_true(wide.parts[0].changed_from < near.parts[0].changed_from && wide.parts[0].changed_to > near.parts[1].changed_to);
    for (size_t i = 0; i < wide.n; i++) {
        const struct changed_part *p = &wide.parts[i];
        assert_true(p->changed_from - p->reported_from >= CHANGED_REPORTED && p->reported_to - p->changed_to >= CHANGED_REPORTED);
        assert_true(p->changed_from - p->from >= CHANGED_CONTEXT && p->to - p->changed_to >= CHANGED_CONTEXT);
    }
    changed_deinit(&near);
    changed_deinit(&wide);
    buf_deinit(&old);
    buf_deinit(&text);
}

/* Lines of each form of encoded data, more than any context is long: one change in them, and all of them are judged, with the
 * line on each side. */
static void encoded_data_is_not_cut(void **state)
{
    static const char *const forms[] = {
        "MIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9OiJjRazXBZ1BjP5CE\n",
        "    \"2d2d2d2d2d424547494e205253412050524956415445204b45592d\" +\n",
        "000001f0  2d 2d 2d 2d 2d 42 45 47  49 4e 20 52 53 41 20 50  |-----BEGIN RSA P|\n",
        "00000000: 2d2d 2d2d 2d42 4547 494e 2052 5341 2050  -----BEGIN RSA P\n",
        "  0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x42, 0x45, 0x47, 0x49, 0x4e, 0x20,\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct buf old, text;
        struct changed c;
        struct error err;
        numbered(&old, LINES);
        size_t from = old.len;
        while (old.len - from < 4 * CHANGED_CONTEXT) {
            assert_true(buf_append_str(&old, forms[i], &err));
        }
        size_t to = old.len;
        for (size_t k = 0; k < LINES; k++) {
            assert_true(buf_append_str(&old, "and words of a text\n", &err));
        }
        buf_init(&text, 1 << 20);
        assert_true(buf_append(&text, buf_span(&old), &err));
        size_t line = strlen(forms[i]);
        text.data[from + (to - from) / line / 2 * line + line / 2] = '9';
        assert_true(changed_find(&c, &key, buf_span(&old), buf_span(&text), &err));
        changed_number(&c, buf_span(&text));
        assert_int_equal(c.n, 1);
        assert_true(c.parts[0].from < from && c.parts[0].to > to);
        assert_true(c.parts[0].to - c.parts[0].from < to - from + 2 * CHANGED_CONTEXT);
        expect_sound(&c, buf_span(&text));
        changed_deinit(&c);
        buf_deinit(&old);
        buf_deinit(&text);
    }
}

static void texts_without_newlines_and_empty_ones_are_whole(void **state)
{
    static const struct {
        const char *old, *text;
    } rows[] = {{"", "x"}, {"x", ""}, {"a\nb", "a\nb\nc"}, {"a\nb\nc", "a\nb"}, {"a\nb\n", "b\na\n"}, {"aaaa", "aabaa"}, {"\n\n\n", "\n\n"}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct changed c;
        struct error err;
        struct span text = span_str(rows[i].text);
        assert_true(changed_find(&c, &key, span_str(rows[i].old), text, &err));
        changed_number(&c, text);
        assert_int_equal(c.n, 1);
        assert_int_equal(c.parts[0].from, 0);
        assert_int_equal(c.parts[0].to, text.len);
        changed_deinit(&c);
    }
}

static void what_is_near_places_is_whole_lines_in_order(void **state)
{
    struct buf text CLEANUP(buf_deinit);
    struct changed near CLEANUP(changed_deinit) = {0};
    struct error err;
    static const size_t places[] = {1000, 1010, 4000, 4100};

    (void)state;
    numbered(&text, LINES);
    for (size_t i = 0; i < COUNT(places); i++) {
        assert_true(changed_near(&near, buf_span(&text), places[i], places[i] + 5, &err));
    }
    assert_int_equal(near.n, 2);
    changed_number(&near, buf_span(&text));
    expect_sound(&near, buf_span(&text));
    assert_true(near.parts[1].changed_from <= 4000 && near.parts[1].changed_to >= 4105);
    assert_true(near.parts[1].to < 4105 + 4 * CHANGED_NEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_has_no_changed_part),
        cmocka_unit_test(every_changed_neighbourhood_is_reported),
        cmocka_unit_test(one_change_in_a_long_text_is_a_small_part),
        cmocka_unit_test(a_part_can_be_widened),
        cmocka_unit_test(encoded_data_is_not_cut),
        cmocka_unit_test(what_is_near_places_is_whole_lines_in_order),
        cmocka_unit_test(texts_without_newlines_and_empty_ones_are_whole),
    };

    return cmocka_run_group_tests(tests, make_key, NULL);
}
