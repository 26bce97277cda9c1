#include "testing.h"

#include <ctype.h>
#include <stdio.h>

#include "base/buf.h"
#include "regex/keywords.h"
#include "support/random.h"

enum { FOUND_MAX = 4096, ROUNDS = 4000 };

struct place {
    uint32_t id, start;
};

static struct place places[FOUND_MAX];
static size_t n_places, stop_after;
static struct keywords *keywords;
static struct error err;

static int tear_down(void **state)
{
    (void)state;
    keywords_free(keywords);
    keywords = NULL;
    return 0;
}

static struct keyword word(const char *text, uint32_t id)
{
    struct keyword k = {.len = (uint8_t)strlen(text), .id = id};

    assert_true(k.len <= KEYWORD_MAX);
    memcpy(k.text, text, k.len);
    return k;
}

static void use(const struct keyword *words, size_t n)
{
    keywords_free(keywords);
    keywords = keywords_new(words, n, &err);
    assert_non_null(keywords);
}

/* One word, which ends a word when a full stop is behind it. */
static void use_one(const char *text)
{
    struct keyword one = word(text, 7);

    one.ends_word = text[one.len - 1] == '.';
    one.len = (uint8_t)(one.len - one.ends_word);
    use(&one, 1);
}

static bool remember(void *context, uint32_t id, uint32_t start)
{
    (void)context;
    assert_true(n_places < FOUND_MAX);
    places[n_places++] = (struct place){id, start};
    return n_places != stop_after;
}

static void search(struct span text)
{
    n_places = 0;
    keywords_scan(keywords, text, remember, NULL);
}

static void assert_starts(const char *text, const char *expected)
{
    char got[256] = "";

    search(span_str(text));
    for (size_t i = 0, at = 0; i < n_places; i++) {
        at += (size_t)snprintf(got + at, sizeof(got) - at, i > 0 ? " %u" : "%u", places[i].start);
    }
    assert_string_equal(got, expected);
}

static void a_word_begins_where_a_word_or_a_part_of_a_name_does(void **state)
{
    (void)state;
    use_one("key");
    assert_starts("key", "0");
    assert_starts("a key, 1key _key (key)", "2 8 13 18");
    assert_starts("myKey myKEY", "2 8");
    assert_starts("monkey MONKEY MONKey", "");
    assert_starts("keyword", "0");
    assert_starts("\xc3\xa9key", "2");
    assert_starts("", "");
    assert_starts("ke", "");
}

static void words_of_each_length_are_found(void **state)
{
    static const char *const texts[] = {"abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijkl"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        char changed[KEYWORD_MAX + 2];
        use_one(texts[i]);
        assert_starts(texts[i], "0");
        snprintf(changed, sizeof(changed), " %s", texts[i]);
        assert_starts(changed, "1");
        for (size_t k = 1; changed[k] != '\0'; k++) {
            char was = changed[k];
            changed[k] = '9';
            assert_starts(changed, "");
            changed[k] = was;
        }
        changed[strlen(changed) - 1] = '\0';
        assert_starts(changed, "");
    }
}

static void words_may_hold_what_is_no_letter(void **state)
{
    (void)state;
    use_one("x-y_9");
    assert_starts("x-y_9 X-Y_9 x-y-9 x-y\x7f""9", "0 6");
}

static void the_end_of_a_word_is_heeded(void **state)
{
    (void)state;
    use_one("key.");
    assert_starts("keys keyS key9 key_ key\xc3\xa9 key", "10 15 20 26");
    use_one("token.");
    assert_starts("tokens tokenS token9 token", "14 21");
    use_one("passwords.");
    assert_starts("passwordsx passwords", "11");
}

static void case_is_of_no_account(void **state)
{
    (void)state;
    use_one("api_key");
    assert_starts("api_key API_KEY Api_Key aPI_kEY", "0 8 16 24");
}

static void partners_of_letters_are_letters(void **state)
{
    (void)state;
    use_one("ask");
    assert_starts("a\xc5\xbfk as\xe2\x84\xaa a\xc5\xbf\xe2\x84\xaa", "0 5 11");
    use_one("secret");
    assert_starts("\xc5\xbf" "ecret x\xc5\xbf" "ecret \xc5\xbe" "ecret", "0 9");
    use_one("kiosk.");
    assert_starts("\xe2\x84\xaaio\xc5\xbf\xe2\x84\xaa \xe2\x84\xab" "iosk kios\xe2\x84\xaas \xe2\x84", "0 19");
    use_one("passwordskip");
    assert_starts("pa\xc5\xbf\xc5\xbfword\xc5\xbf\xe2\x84\xaaip", "0");
    use_one("abcdefghsk.");
    assert_starts("abcdefgh\xc5\xbf\xe2\x84\xaa abcdefghsk", "0 14");
}

/* A word at each place of a text of each length, around the steps that the search takes. */
static void a_word_is_found_at_each_place(void **state)
{
    enum { LONGEST = 200 };
    static const char *const texts[] = {"key.", "secret", "abcdefghijkl"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t word_len = strlen(texts[i]) - (texts[i][strlen(texts[i]) - 1] == '.');
        use_one(texts[i]);
        for (size_t len = word_len; len < LONGEST; len++) {
            for (size_t at = 0; at + word_len <= len; at++) {
                char *text = malloc(len); /* so that a byte read behind it is seen */
                assert_non_null(text);
                memset(text, ' ', len);
                memcpy(text + at, texts[i], word_len);
                search(span_of(text, len));
                assert_int_equal(n_places, 1);
                assert_int_equal(places[0].start, at);
                assert_int_equal(places[0].id, 7);
                free(text);
            }
        }
    }
}

static void what_stands_before_a_step_counts(void **state)
{
    char text[70];

    (void)state;
    use_one("key");
    memset(text, ' ', sizeof(text));
    memcpy(text + 64, "key", 3);
    text[63] = 'x';
    search(span_of(text, sizeof(text)));
    assert_int_equal(n_places, 0);
    memcpy(text + 64, "Key", 3);
    search(span_of(text, sizeof(text)));
    assert_int_equal(n_places, 1);
    text[63] = 'X';
    search(span_of(text, sizeof(text)));
    assert_int_equal(n_places, 0);
}

static void the_search_stops_when_told(void **state)
{
    (void)state;
    use_one("key");
    stop_after = 2;
    assert_starts("key key key", "0 4");
    stop_after = 0;
    use(NULL, 0);
    assert_starts("key", "");
}

/* --- compared with a search that is plainly right ---------------------------------- */

/* The ASCII letter, or what a character is; its length in *len. */
static int character(struct span text, size_t at, size_t *len)
{
    struct span rest = span_slice(text, at, text.len);

    *len = span_starts_with(rest, span_str("\xc5\xbf")) ? 2 : span_starts_with(rest, span_str("\xe2\x84\xaa")) ? 3 : 1;
    return *len == 2 ? 's' : *len == 3 ? 'k' : tolower((unsigned char)text.ptr[at]);
}

static bool is_start(struct span text, size_t at)
{
    size_t len;
    unsigned char now = (unsigned char)text.ptr[at], before = (unsigned char)(at > 0 ? text.ptr[at - 1] : ' ');

    (void)character(text, at, &len);
    return len > 1 || (isalpha(now) && !isalpha(before)) || (isupper(now) && islower(before));
}

static bool stands_at(const struct keyword *k, struct span text, size_t at)
{
    size_t len = 1;

    for (size_t i = 0; i < k->len; i++, at += len) {
        if (at >= text.len || character(text, at, &len) != k->text[i]) {
            return false;
        }
    }
    return !k->ends_word || len > 1 || at == text.len || !isalpha((unsigned char)text.ptr[at]);
}

static size_t count_plainly(const struct keyword *words, size_t n, struct span text)
{
    size_t count = 0;

    for (size_t at = 0; at < text.len; at++) {
        for (size_t i = 0; i < n && is_start(text, at); i++) {
            count += stands_at(&words[i], text, at);
        }
    }
    return count;
}

static const char *const bits[] = {"a", "b", "k", "s", "K", "S", "A", "ab", "ks", "_", "9", " ", "-", "\xc5\xbf", "\xe2\x84\xaa", "\xc3\xa9", "\xe2", "\xc5"};
enum { WORD_BITS = 4, LETTER_BITS = 9 };

static struct keyword random_word(struct random *r, uint32_t id)
{
    char text[KEYWORD_MAX + 1] = {bits[random_below(r, WORD_BITS)][0]};
    size_t len = KEYWORD_MIN + random_below(r, random_below(r, 3) == 0 ? KEYWORD_MAX - KEYWORD_MIN + 1 : 3);

    for (size_t i = 1; i < len; i++) {
        text[i] = random_below(r, 8) == 0 ? "_9 -"[random_below(r, 4)] : bits[random_below(r, WORD_BITS)][0];
    }
    struct keyword k = word(text, id);
    k.ends_word = isalpha((unsigned char)text[len - 1]) && random_below(r, 2) == 0;
    return k;
}

static void random_texts_give_what_a_plain_search_gives(void **state)
{
    struct random r = {.state = 20261122};
    struct keyword words[40];
    size_t found = 0;
    struct buf text;

    (void)state;
    buf_init(&text, 1024);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t n = 1 + random_below(&r, COUNT(words));
        for (size_t i = 0; i < n; i++) {
            words[i] = random_word(&r, (uint32_t)i);
        }
        use(words, n);
        buf_clear(&text);
        for (size_t left = random_below(&r, 100); left > 0; left--) {
            const struct keyword *k = &words[random_below(&r, n)];
            size_t kinds = random_below(&r, 4) > 0 ? LETTER_BITS : COUNT(bits);
            assert_true(random_below(&r, 6) == 0 ? buf_append(&text, span_of(k->text, k->len), &err)
                                                  : buf_append_str(&text, bits[random_below(&r, kinds)], &err));
        }
        search(buf_span(&text));
        assert_int_equal(n_places, count_plainly(words, n, buf_span(&text)));
        for (size_t i = 0; i < n_places; i++) {
            assert_true(i == 0 || places[i].start >= places[i - 1].start);
            assert_true(is_start(buf_span(&text), places[i].start));
            assert_true(stands_at(&words[places[i].id], buf_span(&text), places[i].start));
        }
        found += n_places;
    }
    assert_in_range(found, ROUNDS / 2, SIZE_MAX); /* the texts do hold words */
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_begins_where_a_word_or_a_part_of_a_name_does),
        cmocka_unit_test(words_of_each_length_are_found),
        cmocka_unit_test(words_may_hold_what_is_no_letter),
        cmocka_unit_test(the_end_of_a_word_is_heeded),
        cmocka_unit_test(case_is_of_no_account),
        cmocka_unit_test(partners_of_letters_are_letters),
        cmocka_unit_test(a_word_is_found_at_each_place),
        cmocka_unit_test(what_stands_before_a_step_counts),
        cmocka_unit_test(the_search_stops_when_told),
        cmocka_unit_test(random_texts_give_what_a_plain_search_gives),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
