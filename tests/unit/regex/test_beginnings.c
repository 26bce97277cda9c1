#include "testing.h"

#include "base/buf.h"
#include "regex/beginnings.h"
#include "regex/trigger.h"

static struct buf core, got;
static struct beginnings list;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    buf_init(&core, 65536);
    buf_init(&got, 65536);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    beginnings_deinit(&list);
    buf_deinit(&core);
    buf_deinit(&got);
    return 0;
}

static bool list_beginnings(const char *pattern)
{
    buf_clear(&core);
    beginnings_deinit(&list);
    assert_true(trigger_core(span_str(pattern), &core, &err));
    return beginnings_of(buf_span(&core), &list);
}

/* The items in their order, with bars between, and a full stop behind one that ends a word. */
static void assert_list(const char *pattern, const char *expected)
{
    assert_true(list_beginnings(pattern));
    buf_clear(&got);
    for (size_t i = 0; i < list.n; i++) {
        assert_true(i == 0 || buf_append_char(&got, '|', &err));
        assert_true(buf_append(&got, span_of(list.items[i].text, list.items[i].len), &err));
        assert_true(!list.items[i].ends_word || buf_append_char(&got, '.', &err));
    }
    assert_true(buf_append_char(&got, '\0', &err));
    assert_string_equal(got.data, expected);
}

static void assert_none(const char *pattern)
{
    assert_false(list_beginnings(pattern));
}

static void a_word_is_its_first_letters(void **state)
{
    (void)state;
    assert_list("(?i)Password", "password");
    assert_list("(?i)abcdefghijklmnop", "abcdefghijkl");
    assert_list("(?i:key)", "key");
    assert_list("\\b(?i:key)", "key");
}

static void each_alternative_counts(void **state)
{
    (void)state;
    assert_list("(?i)(?:token|(?:pass|key)word|key)", "key|password|token");
    assert_list("(?i)one|two", "one|two");
    assert_list("(?i)(?:api|app)(?:key|token)", "apikey|apitoken|appkey|apptoken");
    assert_list("(?i)(?:foo|)bar", "bar|foobar");
    assert_list("(?i)foo(?:)bar", "foobar");
}

static void what_may_lack_is_there_and_is_not(void **state)
{
    (void)state;
    assert_list("(?i)api[_-]?key", "api-key|api_key|apikey");
    assert_list("(?i)pass(?:word)?=", "pass=|password=");
    assert_list("(?i)pass(?:wd){0,1}?=", "pass=|passwd=");
    assert_list("(?i)x?abc", "abc|xabc");
}

static void a_class_of_few_is_each_of_them(void **state)
{
    (void)state;
    assert_list("(?i)gr[ae]y", "gray|grey");
    assert_list("(?i)gr[aA]y", "gray");
    assert_list("(?i)abc\\.d\\x65f", "abc.def");
}

static void a_list_is_cut_at_what_cannot_be_listed(void **state)
{
    (void)state;
    assert_list("(?i)key[a-z]x", "key");
    assert_list("(?i)key.x", "key");
    assert_list("(?i)key[^a]x", "key");
    assert_list("(?i)keys*x", "key");
    assert_list("(?i)keys+x", "keys");
    assert_list("(?i)key(?:ab){2}x", "keyab");
    assert_list("(?i)key(?:ab){0,2}x", "key");
    assert_list("(?i)key$x", "key");
    assert_list("(?i)key\\Bx", "key");
    assert_list("(?i)key\\Rx", "key");
    assert_list("(?i)(?:key\\d|token)s", "key|tokens");
}

/* The marks that lists are written with (scanner_words.c), and the end of a C text. */
static void a_list_is_cut_at_the_first_control_characters(void **state)
{
    (void)state;
    assert_list("(?i)key\\x00x", "key");
    assert_list("(?i)key\\x02x", "key");
    assert_list("(?i)key\x03x", "key");
    assert_list("(?i)key[\\x01-\\x03]x", "key");
    assert_list("(?i)key\\tx", "key\tx");
}

static void a_boundary_ends_a_word(void **state)
{
    (void)state;
    assert_list("(?i)(?:key|token)\\b", "key.|token.");
    assert_list("(?i)key\\b=x", "key.");
    assert_list("(?i)key=\\bx", "key=");
    assert_list("(?i)keys?\\b", "key.|keys.");
    assert_list("(?i)key[0-9]\\b", "key");
    assert_list("(?i)key\\b?x", "key");
}

static void no_item_begins_with_another(void **state)
{
    (void)state;
    assert_list("(?i)(?:password|pass|passwd|past)", "pass|past");
    assert_list("(?i)(?:key\\b|keys|key\\b)", "key.|keys");
    assert_list("(?i)(?:key\\b|key)", "key");
}

static void characters_beyond_ascii_stay_whole(void **state)
{
    (void)state;
    assert_list("(?i)caf\xc3\xa9s", "caf\xc3\xa9s");
    assert_list("(?i)caf\xc3\xa9?s", "cafs|caf\xc3\xa9s");
    assert_list("(?i)abcdefghijk\xc3\xa9", "abcdefghijk");
    assert_list("(?i)\xc5\xbf" "ecret \xe2\x84\xaa", "secret k");
    assert_list("(?i)abc\\x{e9}", "abc");
    assert_list("(?i)abc[\xc3\xa9]", "abc");
    assert_list("(?i)caf\xc3\xa9\\b", "caf\xc3\xa9");
    assert_true(list_beginnings("(?i)caf\xc3\xa9"));
    assert_false(beginning_is_keyword(&list.items[0]));
    assert_true(list_beginnings("(?i)_cafe"));
    assert_false(beginning_is_keyword(&list.items[0]));
    assert_true(list_beginnings("(?i)cafe"));
    assert_true(beginning_is_keyword(&list.items[0]));
}

static void what_cannot_be_listed_is_refused(void **state)
{
    (void)state;
    assert_none("key[0-9]{4}");
    assert_none("(?i)ab[0-9]{4}");
    assert_none("(?i)(?:key|[0-9]{4})");
    assert_none("(?i)x*key");
    assert_none("(?i).key");
    assert_none("(?i)^key");
    assert_none("(?ix)k e y s");
    assert_none("(?ix:k e y s)");
    assert_none("(?i)[abcd][efgh][abcd][efgh][abcd][efgh][abcd]"); /* more than BEGINNINGS_MAX */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_its_first_letters),
        cmocka_unit_test(each_alternative_counts),
        cmocka_unit_test(what_may_lack_is_there_and_is_not),
        cmocka_unit_test(a_class_of_few_is_each_of_them),
        cmocka_unit_test(a_list_is_cut_at_what_cannot_be_listed),
        cmocka_unit_test(a_list_is_cut_at_the_first_control_characters),
        cmocka_unit_test(a_boundary_ends_a_word),
        cmocka_unit_test(no_item_begins_with_another),
        cmocka_unit_test(characters_beyond_ascii_stay_whole),
        cmocka_unit_test(what_cannot_be_listed_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
