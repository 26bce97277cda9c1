#include "testing.h"

#include <stdlib.h>

#include "view/block.h"
#include "view/transform.h"
#include "text/utf8.h"

enum { N_TEXTS = 4000, TEXT_MAX = 400, SEED = 7 };

/* Small letters alone are no run; none of these has sixteen. */
static const char *const parts[] = {
    "a ",
    "B-",
    "1 ",
    "c,",
    "word ",
    "Abcdefghijk1",
    "Snake_case_name",
    "67 ",
    "0x6a",
    ", ",
    "103, ",
    "U+0067",
    "=3D",
    "=41",
    "=",
    "\n",
    "\r\n",
    "> ",
    "\"",
    "' ",
    "+ ",
    "\\n",
    "%41",
    "&#65;",
    "\xd0\xb0",
    "X",
    "_A",
    "Zm9vYmFy",
    "6768",
    "!",
    "    ",
    "\xef\xbd\x81",
    "\xe2\x80\x8b",
    "\xf3\xa0\x81\x81",
    "**",
    "<b>",
    "</span>",
    "<!-- -->",
    "](u)",
    "[",
    "\x1b[1m",
    "x\bx",
    "\x1b(B",
    "\x0e",
    "a, ",
    "k7_",
    "\"a8\", ",
    "\n- ",
    "\n2. ",
    "\xc2\xa0",
    "104)+chr(",
    "00000010: 6768 705f",
    "''",
    "AGFS2MZQ",
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static void append(char *text, size_t *len, const char *part, size_t n)
{
    if (*len + n < TEXT_MAX) {
        memcpy(text + *len, part, n);
        *len += n;
    }
}

/* Groups of one length with one separator between; the last one may be shorter. */
static void append_groups(uint32_t *random, char *text, size_t *len)
{
    static const char *const separators[] = {" ", ", ", ",", "', '", "\" \"", "\n", "\r\n", ",\n", "\n- ", "\n  2. ", "\n+",
                                             "-", "_", ":", "/", "x", "\xc2\xa0", "\xe2\x80\x83\xe2\x80\x83", " | ", " (", "    "};
    static const char letters[] = "abcdefgABC0123456789_x";
    const char *separator = separators[next_random(random) % COUNT(separators)];
    const size_t size = 1 + next_random(random) % 18, n = 2 + next_random(random) % 12;

    for (size_t i = 0; i < n; i++) {
        char group[18];
        for (size_t k = 0; k < size; k++) {
            group[k] = letters[next_random(random) % (sizeof(letters) - 1)];
        }
        append(text, len, group, i + 1 == n ? 1 + next_random(random) % size : size);
        append(text, len, separator, strlen(separator));
    }
}

static size_t make_text(uint32_t *random, bool has_groups, char *text)
{
    size_t len = 0;
    size_t wanted = next_random(random) % TEXT_MAX;

    while (len < wanted) {
        if (has_groups && next_random(random) % 4 == 0) {
            append_groups(random, text, &len);
        }
        const char *part = parts[next_random(random) % COUNT(parts)];
        for (size_t n = next_random(random) % 3 == 0 ? next_random(random) % 14 : 1; n > 0; n--) {
            append(text, &len, part, strlen(part));
        }
    }
    return len;
}

#ifdef __x86_64__
BLOCK_HALF static void classify_halves(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    block_classify_halves(bytes, out);
}

BLOCK_WIDE static void classify_wide(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    block_classify_wide(bytes, out);
}
#endif

static void block_classifiers_agree(void **state)
{
    (void)state;
#ifdef __x86_64__
    uint32_t random = SEED;
    bool has_halves = __builtin_cpu_supports("avx2") != 0;
    bool is_wide = __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
    if (!has_halves || !is_wide) {
        print_message("skip: this processor has no %s\n", has_halves ? "AVX-512 VBMI" : "AVX2");
    }
    for (size_t i = 0; i < N_TEXTS; i++) {
        char bytes[BLOCK_SIZE];
        struct block_masks plain, masks;
        for (size_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (char)next_random(&random);
        }
        block_classify(bytes, &plain);
        if (has_halves) {
            classify_halves(bytes, &masks);
            assert_memory_equal(&plain, &masks, sizeof(plain));
        }
        if (is_wide) {
            classify_wide(bytes, &masks);
            assert_memory_equal(&plain, &masks, sizeof(plain));
        }
    }
#else
    print_message("skip: there is one classifier of blocks here\n");
#endif
}

/* Compares what a transform finds by the survey with what it finds when it must look everywhere. */
static void assert_finds_the_same(const struct transform *t, const struct source_piece *r)
{
    static uint16_t every_mark[(TEXT_MAX / SURVEY_BLOCK + 8) / 8 * 8 + 8];
    struct source_piece everywhere = *r;
    struct region found;
    struct region expected;
    size_t at = 0;

    memset(every_mark, 0xff, sizeof(every_mark));
    everywhere.survey =
        (struct survey){.marks = every_mark, .n_blocks = r->survey.n_blocks, .all = 0xffff};
    while (t->next(&everywhere, at, &expected)) {
        if (!t->next(r, at, &found) || found.from != expected.from || found.to != expected.to) {
            fail_msg("%s: [%zu, %zu) missed in: %.*s", t->name, expected.from, expected.to,
                     (int)r->text.len, r->text.ptr);
        }
        at = expected.to;
    }
    if (t->next(r, at, &found)) {
        fail_msg("%s: [%zu, %zu) only with marks in: %.*s", t->name, found.from, found.to, (int)r->text.len, r->text.ptr);
    }
}

/* Of one transform, or of all. */
static void assert_marks_hide_nothing_in(struct arena *a, struct span text, const struct transform *only)
{
    const struct view_piece whole = {.kind = VIEW_RAW, .transform = "raw"};
    struct source_piece source = {.text = text, .piece = &whole};
    struct error err;
    size_t n_transforms;
    const struct transform *const *transforms = transforms_all(&n_transforms);

    assert_true(survey_make(a, text, &source.survey, &err));
    for (size_t t = 0; t < n_transforms; t++) {
        if (transforms[t]->marks != 0 && (only == NULL || only == transforms[t])) {
            assert_finds_the_same(transforms[t], &source);
        }
    }
    arena_reset(a);
}

static void assert_marks_hide_nothing(const struct transform *only, bool has_groups)
{
    struct arena arena;
    uint32_t random = SEED;

    arena_init(&arena, 1 << 20, 1 << 20);
    for (size_t i = 0; i < N_TEXTS; i++) {
        char text[TEXT_MAX];
        size_t len = make_text(&random, has_groups, text);
        if (len > 0) {
            assert_marks_hide_nothing_in(&arena, span_of(text, len), only);
        }
    }
    arena_deinit(&arena);
}

static void blocks_without_a_mark_hide_nothing(void **state)
{
    (void)state;
    assert_marks_hide_nothing(NULL, false);
}

static void blocks_without_a_mark_hide_no_groups(void **state)
{
    (void)state;
    assert_marks_hide_nothing(&grouped_transform, true);
}

/* Names at the end of a line are groups only where the next line begins with something of their length. */
static void a_name_at_the_end_of_a_line_is_no_group(void **state)
{
    static const struct {
        const char *text;
        bool is_marked;
    } lines[] = {
        {"it goes to the in_stack\nrefers once more to it and to nothing else at all, word by word", false},
        {"it goes to the in_stack\n- refers once more to it and to nothing else at all, word by word", false},
        {"it goes to the in_stack\nis_empty once more to it and to nothing else at all, word by word", true},
        {"it goes to the in_stack\n- of_stack once more to it and to nothing else at all, word by word", true},
    };
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, 1 << 16, 1 << 16);
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct survey survey;
        assert_true(survey_make(&arena, span_str(lines[i].text), &survey, &err));
        assert_int_equal((survey.all & SURVEY_GROUPED) != 0, lines[i].is_marked);
    }
    arena_deinit(&arena);
}

/* Each of them was missed where a block ended at a certain place in it. */
static void no_place_of_the_ends_of_blocks_hides_anything(void **state)
{
    static const char *const texts[] = {
        "9\" \"d\" \"b\" \"5\" \"q\" \"_\" \"7\" \"x\" \"e\" ",
        "a b . c d . e f . g h . i j . k",
        "n!!!!!!!!!!!!!B-, ' ' 1 1 1 1 1 1 1 1 1 1 1 \xe2\x80\x8b",
        "- . - . - . k 7 p _ A b 3 x q Z 9",
        "x \"dG9rZW4h\" + \"c2VjcmV0\" y",
        "_A67 67 67 67 67 67 67 67 67 67 67 67 104)+chr(%41=41=41=41=41=41=41=41=41",
        "%41                                67 67 67 67 67 67 67 67 67 67",
        "6768 705f''[AGFS2MZQAGFS2MZQAGFS2MZQ](u)](u)](u)",
    };
    struct arena arena;
    char text[TEXT_MAX];

    (void)state;
    arena_init(&arena, 1 << 20, 1 << 20);
    for (size_t i = 0; i < COUNT(texts); i++) {
        const size_t len = strlen(texts[i]);
        for (size_t at = 0; at < 2 * SURVEY_BLOCK; at++) {
            memset(text, '#', at); /* is in no class */
            memcpy(text + at, texts[i], len);
            assert_marks_hide_nothing_in(&arena, span_of(text, at + len), NULL);
        }
    }
    arena_deinit(&arena);
}

static void the_next_marked_block_is_found_from_anywhere(void **state)
{
    uint16_t marks[24] = {0};
    struct survey survey = {.marks = marks, .n_blocks = 20, .all = SURVEY_HIGH};

    (void)state;
    marks[3] = SURVEY_HIGH;
    marks[17] = SURVEY_HIGH | SURVEY_RUN;
    assert_true(survey_next(&survey, 0, SURVEY_HIGH) == 3 * SURVEY_BLOCK);
    assert_true(survey_next(&survey, 3 * SURVEY_BLOCK + 5, SURVEY_HIGH) == 3 * SURVEY_BLOCK + 5);
    assert_true(survey_next(&survey, 4 * SURVEY_BLOCK, SURVEY_HIGH) == 17 * SURVEY_BLOCK);
    assert_true(survey_next(&survey, 18 * SURVEY_BLOCK, SURVEY_HIGH) == SIZE_MAX);
    assert_true(survey_next(&survey, 0, SURVEY_LIST) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_classifiers_agree),
        cmocka_unit_test(blocks_without_a_mark_hide_nothing),
        cmocka_unit_test(blocks_without_a_mark_hide_no_groups),
        cmocka_unit_test(a_name_at_the_end_of_a_line_is_no_group),
        cmocka_unit_test(no_place_of_the_ends_of_blocks_hides_anything),
        cmocka_unit_test(the_next_marked_block_is_found_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
