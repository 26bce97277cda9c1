/* test_view_origins.c - texts put together at random from what obfuscations are made of. */
#include "testing.h"

#include <stdlib.h>

#include "tests/unit/view/view_invariants.h"

enum { N_TEXTS = 3000, TEXT_MAX = 600, SEED = 20261101, GROWTH_MAX = 16, PIECES_MAX = 1 << 20 };

static const char *const parts[] = {
    "%41",
    "%C3%A9",
    "%",
    "&#65;",
    "&amp;",
    "&",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\x41",
    "\\n",
    "\\",
    "=41",
    "=3D",
    "=\n",
    "=",
    "\n",
    "\r\n",
    "\n> ",
    "\n// ",
    "\\\n",
    " ",
    "  ",
    "a ",
    "b-",
    "c ",
    "d e f g h i j k l 1 2 3 ",
    "ghp_AbCdEfGh1234567",
    "abcdefghijklmnop1",
    "cGFzc3dvcmQgaXM=",
    "cGFzc3dvcmQgaXMgaHVudGVyMg",
    "Y0dGemMzZHZjbVFnYVhNZ2FIVnVkR1Z5TWc9PQ==",
    "aABlAGwAbABvACAAdwA",
    "70617373776f7264",
    "67 68 69 6a ",
    "0x67, 0x68, ",
    "103, 104, ",
    "U+0067 ",
    "\"abc\" + ",
    "\"def\"",
    "'ghi' . 'jkl'",
    "\xe2\x80\x8b",
    "\xc2\xad",
    "\xcc\xb6",
    "\xd0\xb0",
    "\xd0\xb0"
    "bcdefg1",
    "\xef\xbd\x87\xef\xbd\x88\xef\xbd\x90\xef\xbd\x91",
    "\xf0\x9d\x90\x80",
    "\xf3\xa0\x81\x81",
    "\xe5\xaf\x86",
    "\xef\xac\x83",
    "\xff",
    "\x80",
    "\x1a",
    "token: ",
    "0",
    "_",
    ".",
    "\t",
    "**",
    "<b>",
    "</span>",
    "<!-- -->",
    "](u)",
    "[",
    "\x1b[1m",
    "x\bx",
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

static size_t make_text(uint32_t *random, char *text)
{
    size_t len = 0;
    size_t wanted = next_random(random) % TEXT_MAX;

    while (len < wanted) {
        const char *part = parts[next_random(random) % COUNT(parts)];
        /* The same part several times: runs and lists. */
        for (size_t n = next_random(random) % 4 == 0 ? next_random(random) % 12 : 1; n > 0; n--) {
            if (len + strlen(part) < TEXT_MAX) {
                memcpy(text + len, part, strlen(part));
                len += strlen(part);
            }
        }
        if (next_random(random) % 16 == 0 && len < TEXT_MAX) {
            text[len++] = (char)next_random(random);
        }
    }
    return len;
}

static const char *flaw_of_children(struct arena *arena, struct span text, uint32_t *random)
{
    struct view_limits limits = {
        .depth = VIEW_DEPTH_MAX, .max_bytes = (size_t)1 << 24, .max_pieces = PIECES_MAX};
    struct view_piece whole;
    struct view raw;
    struct error err;
    struct span repaired;
    uint32_t middle = (uint32_t)text.len / 2;
    struct view_hint hints[] = {
        {.kind = VIEW_HINT_ROT13, .from = middle / 2, .to = middle / 2 + 1},
        {.kind = VIEW_HINT_REVERSED, .from = middle, .to = middle + 1},
    };
    size_t n_hints = text.len > 4 && next_random(random) % 4 == 0 ? COUNT(hints) : 0;

    if (!utf8_repair(arena, text, &repaired, &err)) {
        return "repair failed";
    }
    view_raw(repaired, &whole, &raw);
    const struct view *parent = &raw;
    for (unsigned depth = 1;; depth++) {
        const struct view *child;
        if (!view_expand(arena, parent, hints, depth == 1 ? n_hints : 0, &limits, &child, &err)) {
            return "expansion failed";
        }
        if (child == NULL) {
            return NULL;
        }
        const char *flaw = view_flaw(child, text.len);
        if (flaw != NULL || depth > VIEW_LEVELS_MAX || child->level != depth) {
            return flaw != NULL ? flaw : "wrong depth";
        }
        if (depth == 1 && child->text.len > GROWTH_MAX * text.len) {
            return "a child many times larger than its parent";
        }
        parent = child;
    }
}

static void every_byte_of_every_view_has_an_origin(void **state)
{
    struct arena arena;
    uint32_t random = SEED;

    (void)state;
    arena_init(&arena, 1 << 20, (size_t)1 << 30);
    for (size_t i = 0; i < N_TEXTS; i++) {
        char text[TEXT_MAX];
        size_t len = make_text(&random, text);
        const char *flaw = flaw_of_children(&arena, span_of(text, len), &random);
        if (flaw != NULL) {
            fail_msg("text %zu: %s\n%.*s", i, flaw, (int)len, text);
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_of_every_view_has_an_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
