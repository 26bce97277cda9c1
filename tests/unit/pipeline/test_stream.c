/* test_stream.c - a stream by hand: what each chunk releases, and how it ends. */
#include "stream_testing.h"

/* --- releasing --------------------------------------------------------------- */

static void plain_text_is_released_but_for_its_last_word(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "Hello wor", "Hello ");
    assert_int_equal(stream_held(f.stream), 3);
    feed(&f, "ld ", "world ");
    assert_int_equal(stream_held(f.stream), 0);
    feed(&f, "again", "");
    finish(&f, STREAM_COMPLETE, "again");
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    assert_int_equal(stream_held_max(f.stream), 5);
    assert_int_equal(stream_taken(f.stream), 17);
    assert_int_equal(stream_released(f.stream), 17);
    end(&f);
}

/* Also of one so long that its beginning was final before its end was looked at: nobody delivers that. */
static void a_chunk_that_blocks_releases_nothing(void **state)
{
    static char chunk[40000];
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    for (size_t i = 0; i < sizeof(chunk); i++) {
        chunk[i] = "It is fine.\n"[i % 12];
    }
    memcpy(chunk + sizeof(chunk) - 20, " dead-abcdef \0", 14);
    f.options.text_max = 2 * sizeof(chunk);
    start(&f);
    feed(&f, "Before it. ", "Before it. ");
    feed(&f, chunk, "");
    assert_int_equal(stream_action(f.stream), ACTION_BLOCK);
    assert_int_equal(stream_released(f.stream), 11);
    stream_exchange(f.stream, &x);
    assert_true(span_is(x.rule, "dead"));
    end(&f);
}

static void a_label_stands_for_what_it_redacts_once(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EGR7", "the key ");
    feed(&f, "KJ2MXW5TZB", "");
    feed(&f, " and", "[aws] ");
    feed(&f, " more of it", "and more of ");
    finish(&f, STREAM_COMPLETE, "it");
    assert_int_equal(stream_action(f.stream), ACTION_REDACT);
    end(&f);
}

static void a_secret_waits_for_the_key_it_belongs_to(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "with sec-abcdefgh and", "with ");
    feed(&f, " some more words but no key", "");
    feed(&f, " at all, however far", "sec-abcdefgh and some more words but no key at all, however ");
    feed(&f, " we look. sec-ijklmnop", "far we look. ");
    feed(&f, " AKIAQ3EGR7KJ2MXW5TZB ", "[pair] [aws] ");
    finish(&f, STREAM_COMPLETE, "");
    end(&f);
}

static void the_parts_of_a_credential_are_found_together(void **state)
{
    (void)state;
    assert_like_whole("AKIAQ3EGR7KJ2MXW5TZB sec-abcdefgh end", "[aws] [pair] end");
    assert_like_whole("sec-abcdefgh and AKIAQ3EGR7KJ2MXW5TZB end", "[pair] and [aws] end");
    assert_like_whole("sec-abcdefgh and nothing", "sec-abcdefgh and nothing");
    assert_like_whole("sec-abcdefgh", "sec-abcdefgh");
    assert_like_whole("sec-abcdefgh 0123456789012345678901234567890123456 AKIAQ3EGR7KJ2MXW5TZB",
                      "[pair] 0123456789012345678901234567890123456 [aws]");
    assert_like_whole("sec-abcdefgh 01234567890123456789012345678901234567890 AKIAQ3EGR7KJ2MXW5TZB",
                      "sec-abcdefgh 01234567890123456789012345678901234567890 [aws]");
    assert_like_whole("AKIAQ3EGR7KJ2MXW5TZB 0123456789012345678901234567890123456 sec-abcdefgh",
                      "[aws] 0123456789012345678901234567890123456 sec-abcdefgh");
    assert_like_whole("AKIAQ3EGR7KJ2MXW5TZB 012345678901234567 sec-abcdefgh", "[aws] 012345678901234567 [pair]");
}

static void a_region_is_named_as_soon_as_it_begins(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "take BEGIN BOX", "take ");
    feed(&f, " abcd", "[box]");
    feed(&f, " efgh", "");
    feed(&f, " ijkl END", "");
    feed(&f, " and then", " and ");
    finish(&f, STREAM_COMPLETE, "then");
    assert_int_equal(stream_released(f.stream), strlen("take [box] and then"));
    assert_int_equal(stream_action(f.stream), ACTION_REDACT);
    end(&f);
    assert_like_whole("take BEGIN BOX abcd efgh END b", "take [box] b");
    assert_like_whole("take BEGIN BOX abc", "take BEGIN BOX abc");
    assert_like_whole("BEGIN BOX abcd efghi", "[box]i");
}

static void a_region_that_is_cut_off_has_one_label(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "take BEGIN BOX abcd ef", "take [box]");
    finish(&f, STREAM_TRUNCATED, " ef");
    end(&f);
}

/* Where the policy replaces it by something else its end has to be seen. */
static void a_region_that_is_not_labelled_is_held(void **state)
{
    static const char policy[] = "policies:\n  default: {rules: [local], actions: [{action: redact, with: {mask: {}}}]}\n";
    struct fixture f = {0};
    struct judge shipped = judge;

    (void)state;
    if (!judge_init(&judge, rules, policy, false)) {
        fail_msg("%s", judge.err.text);
    }
    start(&f);
    feed(&f, "take BEGIN BOX abcd", "take ");
    feed(&f, " efgh", "");
    finish(&f, STREAM_COMPLETE, "*******************");
    end(&f);
    judge_deinit(&judge);
    judge = shipped;
}

static void a_token_that_comes_to_nothing_is_released(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EG", "the key ");
    feed(&f, " which so", "AKIAQ3EG which ");
    finish(&f, STREAM_COMPLETE, "so");
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    end(&f);
}

static void empty_chunks_change_nothing(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "", "");
    feed(&f, "one tw", "one ");
    feed(&f, "", "");
    feed(&f, "o ", "two ");
    finish(&f, STREAM_COMPLETE, "");
    finish(&f, STREAM_COMPLETE, "");
    feed(&f, "too late ", "");
    assert_int_equal(stream_taken(f.stream), 8);
    end(&f);
}

/* --- characters -------------------------------------------------------------- */

static void a_character_cut_in_two_is_released_whole(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "one \xf0", "one ");
    feed(&f, "\x9f\x98", "");
    feed(&f, "\x80 ", "\xf0\x9f\x98\x80 ");
    feed(&f, "caf\xc3", "");
    feed(&f, "\xa9 ", "caf\xc3\xa9 ");
    finish(&f, STREAM_COMPLETE, "");
    end(&f);
}

static void bytes_of_no_character_are_repaired_as_in_whole_texts(void **state)
{
    (void)state;
    assert_like_whole("one \xff two \xc3 three", "one \xff two \xc3 three");
    assert_like_whole("AKIAQ3EGR7\xffKJ2MXW5TZB end", "[aws] end");
    assert_like_whole("\xe2\x82 AKIAQ3EGR7KJ2MXW5TZB \x80", "\xe2\x82 [aws] \x80");
    assert_like_whole("half a character \xe2\x82", "half a character \xe2\x82");
}

/* --- blocking ----------------------------------------------------------------- */

static void nothing_is_released_behind_a_block(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    feed(&f, "ok then dead-be", "ok then ");
    feed(&f, "efed and more ", "");
    assert_int_equal(stream_action(f.stream), ACTION_BLOCK);
    assert_true(span_is(stream_notice(f.stream), "withheld"));
    feed(&f, "and more ", "");
    finish(&f, STREAM_COMPLETE, "");
    assert_int_equal(stream_held(f.stream), 0);
    stream_exchange(f.stream, &x);
    assert_true(span_is(x.rule, "dead"));
    assert_null(x.unjudged_reason);
    assert_int_equal(x.n_findings, 1);
    assert_int_equal(x.findings[0].from, 8);
    end(&f);
}

static void a_block_counts_for_all_channels(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    struct stream_channel *other = stream_channel(f.stream, span_str("/other"), &f.err);
    feed_to(&f, other, "one two", "one ");
    feed(&f, "dead-beefed ", "");
    assert_int_equal(stream_action(f.stream), ACTION_BLOCK);
    feed_to(&f, other, " three ", "");
    end(&f);
}

static void a_block_from_outside_is_a_block(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    feed(&f, "one two", "one ");
    stream_block(f.stream, span_str("aws"), NULL);
    stream_block(f.stream, span_str("code"), "never seen");
    feed(&f, " three ", "");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.action, ACTION_BLOCK);
    assert_true(span_is(x.rule, "aws"));
    assert_null(x.unjudged_reason);
    end(&f);
}

/* --- the end ------------------------------------------------------------------ */

static void a_token_that_is_cut_off_is_redacted(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EGR7KJ2M", "the key ");
    finish(&f, STREAM_TRUNCATED, "[aws]");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.action, ACTION_REDACT);
    assert_int_equal(x.n_findings, 1);
    assert_int_equal(x.findings[0].from, 8);
    assert_int_equal(x.findings[0].to, 22);
    assert_true(x.findings[0].is_over_limit);
    assert_int_equal(stream_released(f.stream), f.out.len);
    end(&f);
}

static void a_token_that_is_not_complete_goes_out_when_the_text_is(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EGR7KJ2M", "the key ");
    finish(&f, STREAM_COMPLETE, "AKIAQ3EGR7KJ2M");
    assert_int_equal(stream_action(f.stream), ACTION_ALLOW);
    end(&f);
}

static void too_little_of_a_token_is_no_token(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3E", "the key ");
    finish(&f, STREAM_TRUNCATED, "AKIAQ3E");
    end(&f);
}

static void a_complete_token_at_a_cut_is_found_as_such(void **state)
{
    struct fixture f = {0};
    struct exchange x;

    (void)state;
    start(&f);
    feed(&f, "the key AKIAQ3EGR7KJ2MXW5TZB", "the key ");
    finish(&f, STREAM_TRUNCATED, "[aws]");
    stream_exchange(f.stream, &x);
    assert_int_equal(x.n_findings, 1);
    assert_false(x.findings[0].is_over_limit);
    end(&f);
}

/* --- words nearby -------------------------------------------------------------- */

static void words_behind_a_value_hold_it(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "take code-123456 ", "take ");
    feed(&f, "for the ", "");
    feed(&f, "pin pad", "[code] for the pin ");
    finish(&f, STREAM_COMPLETE, "pad");
    end(&f);
}

static void a_value_is_released_when_no_word_can_come_near(void **state)
{
    struct fixture f = {0};

    (void)state;
    start(&f);
    feed(&f, "take code-123456 and then some ", "take ");
    feed(&f, "more and more words ", "code-123456 and then some more and more words ");
    finish(&f, STREAM_COMPLETE, "");
    end(&f);
}

static void words_nearby_decide_as_in_whole_texts(void **state)
{
    (void)state;
    assert_like_whole("take code-123456 for the pin pad", "take [code] for the pin pad");
    assert_like_whole("take code-123456 for the pin", "take [code] for the pin");
    assert_like_whole("take code-123456 for the pins", "take code-123456 for the pins");
    assert_like_whole("take code-123456 for the door lock", "take [code] for the door lock");
    assert_like_whole("take code-123456 for the very very old and rusty pin", "take code-123456 for the very very old and rusty pin");
    assert_like_whole("the pin pad: code-123456", "the pin pad: [code]");
    assert_like_whole("see ref 123456 of the vault", "see [needy] of the vault");
    assert_like_whole("see ref 123456 of the vaults", "see ref 123456 of the vaults");
    assert_like_whole("see ref 123456, code-123456, vault pin", "see [needy], [code], vault pin");
}

/* --- what once went wrong -------------------------------------------------------- */

/* The same with rules of its own. */
static void assert_like_whole_with(const char *own_rules, const char *text, const char *expected)
{
    struct judge saved = judge;

    if (!judge_init(&judge, own_rules, NULL, false)) {
        fail_msg("%s", judge.err.text);
    }
    assert_like_whole(text, expected);
    judge_deinit(&judge);
    judge = saved;
}

static void a_label_longer_than_its_value_hides_nothing_behind_it(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("a-very-long-name-of-a-rule", "secret", "high", "0.9", "pattern: 'x[0-9]{3}y'")
                               TEST_RULE("behind", "secret", "high", "0.9", "pattern: '(?<=\\] )[0-9]{4}', boundary: none"),
                           "an x123y 1234", "an [a-very-long-name-of-a-rule] [behind]");
}

/* Both findings stand behind a label, and the shorter is there first. */
static void a_finding_behind_a_label_hides_no_longer_one(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("key", "secret", "high", "0.9", "pattern: 'x[0-9]{3}y'")
                               TEST_RULE("short", "secret", "high", "0.8", "pattern: '(?<=\\] )ignore rules', boundary: none")
                                   TEST_RULE("long", "secret", "high", "0.9",
                                             "pattern: '(?<=\\] )ignore rules[a-z ]{0,20} and print', boundary: none"),
                           "x123y ignore rules of yours and print", "[key] [long]");
}

/* The view of a wrapped word begins 32 bytes before it, here behind the colon. */
static void words_that_a_view_only_copied_are_no_finding_of_it(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("no-colon", "secret", "high", "0.9", "pattern: '(?<!:)[0-9]{8}@ab'"),
                           "a:12345678@ab and some more words "
                           "2soJiZTvgEykMRRP\nYm5CdFgxSktWRzh3",
                           "a:12345678@ab and some more words "
                           "2soJiZTvgEykMRRP\nYm5CdFgxSktWRzh3");
}

/* The view of a long line begins behind white space 192 bytes before the escape, here behind the key. */
static void words_before_an_escape_are_no_finding_of_its_view(void **state)
{
    static const char own_rules[] =
        "rules:\n" TEST_RULE("no-key", "secret", "high", "0.9", "pattern: '(?<!key )[0-9]{8}@ab', boundary: none")
            TEST_RULE("near", "secret", "high", "0.2",
                      "pattern: '[0-9]{8}@cd', boundary: none, context: {words: [amber & blue], within: 32, raise: 0.7}");
    char text[300], expected[300];
    static const char rest[] = " words of no weight and no end that fill the line until a sign is written otherwise";

    (void)state;
    (void)snprintf(text, sizeof(text), "key 12345678@ab%s,%s: 12345678@cd, amber &amp; blue and more", rest, rest);
    (void)snprintf(expected, sizeof(expected), "key 12345678@ab%s,%s: [near], amber &amp; blue and more", rest, rest);
    assert_in_range(strstr(text, "&amp;") - text, 4 + 192, 4 + 192 + 8);
    assert_like_whole_with(own_rules, text, expected);
}

/* The line of a mail ends in two characters, of which the first may be the last that has come. */
static void a_token_that_goes_on_in_the_next_line_of_a_mail_is_held(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("long", "secret", "high", "0.9", "pattern: 'lng_[A-Za-z0-9]{30,40}'"),
                           "x\r\nlng_51Hb3LpQwErTyUiO\r\nPaSdFgHjKlZxCv12\r\nmore of it\r\n", "x\r\n[long]\r\nmore of it\r\n");
}

static void a_value_that_goes_on_in_the_next_string_is_held(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("value", "secret", "high", "0.9", "pattern: 'key=[a-z0-9]{8,40}'"),
                           "say \"the words, key=ab12cd34ef\" + \"gh56\" and", "say \"the words, [value]\" and");
}

/* The run goes on behind the token, too long for it, until what is nested in the middle of the run is redacted. */
static void a_redaction_in_the_held_text_ends_what_it_cuts(void **state)
{
    (void)state;
    assert_like_whole_with("rules:\n" TEST_RULE("short", "secret", "high", "0.9",
                                               "pattern: 'id [0-9]{4}\\|[A-Za-z0-9_-]{20,30}(?![A-Za-z0-9_-])', boundary: none")
                               TEST_RULE("nested", "secret", "high", "0.9", "pattern: 'sk_live_[A-Za-z0-9]{10,128}'"),
                           "id 8985|zq7sG-u_sVACLT2N_b9iFO8kzfcYzJ0ZmJHbDJaVjlYUmxKeWMzSlVha1pDUWpkVFpHZG1kVmwyY2pSdFEyND0= no",
                           "[short][nested] no");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_is_released_but_for_its_last_word),
        cmocka_unit_test(a_chunk_that_blocks_releases_nothing),
        cmocka_unit_test(a_label_stands_for_what_it_redacts_once),
        cmocka_unit_test(a_secret_waits_for_the_key_it_belongs_to),
        cmocka_unit_test(the_parts_of_a_credential_are_found_together),
        cmocka_unit_test(a_region_is_named_as_soon_as_it_begins),
        cmocka_unit_test(a_region_that_is_cut_off_has_one_label),
        cmocka_unit_test(a_region_that_is_not_labelled_is_held),
        cmocka_unit_test(a_token_that_comes_to_nothing_is_released),
        cmocka_unit_test(empty_chunks_change_nothing),
        cmocka_unit_test(a_character_cut_in_two_is_released_whole),
        cmocka_unit_test(bytes_of_no_character_are_repaired_as_in_whole_texts),
        cmocka_unit_test(nothing_is_released_behind_a_block),
        cmocka_unit_test(a_block_counts_for_all_channels),
        cmocka_unit_test(a_block_from_outside_is_a_block),
        cmocka_unit_test(a_token_that_is_cut_off_is_redacted),
        cmocka_unit_test(a_token_that_is_not_complete_goes_out_when_the_text_is),
        cmocka_unit_test(too_little_of_a_token_is_no_token),
        cmocka_unit_test(a_complete_token_at_a_cut_is_found_as_such),
        cmocka_unit_test(words_behind_a_value_hold_it),
        cmocka_unit_test(a_value_is_released_when_no_word_can_come_near),
        cmocka_unit_test(words_nearby_decide_as_in_whole_texts),
        cmocka_unit_test(a_label_longer_than_its_value_hides_nothing_behind_it),
        cmocka_unit_test(a_finding_behind_a_label_hides_no_longer_one),
        cmocka_unit_test(words_that_a_view_only_copied_are_no_finding_of_it),
        cmocka_unit_test(words_before_an_escape_are_no_finding_of_its_view),
        cmocka_unit_test(a_token_that_goes_on_in_the_next_line_of_a_mail_is_held),
        cmocka_unit_test(a_value_that_goes_on_in_the_next_string_is_held),
        cmocka_unit_test(a_redaction_in_the_held_text_ends_what_it_cuts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
