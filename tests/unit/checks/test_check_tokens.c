/* Checksums of tokens. Each value was made for this test by the format's rule from the body below;
 * literals are split so that no scanner takes them for leaked keys. */
#include "check_case.h"

#include "formats/marvin32.h"

#define BODY "k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5"

/* Every other character in the place of each one, within [from, to); how many pass. */
static size_t count_changes_passing(const struct check_case *c, const char *value, size_t from,
                                    size_t to)
{
    char changed[CASE_VALUE_MAX];
    size_t n = 0;

    memcpy(changed, value, strlen(value) + 1);
    for (size_t i = from; i < to; i++) {
        changed[i] = value[i] == 'Q' ? 'R' : 'Q';
        n += case_passes(c, changed) ? 1 : 0;
        changed[i] = value[i];
    }
    return n;
}

static void crc32_is_that_of_zlib(void **state)
{
    struct check_case c = case_of("crc32_hex");

    (void)state;
    assert_true(case_passes(&c, "123456789"
                                "cbf43926"));
    assert_true(case_passes(&c, "123456789"
                                "CBF43926"));
    case_text(&c, "endian", "little");
    assert_true(case_passes(&c, "123456789"
                                "2639f4cb"));
    assert_false(case_passes(&c, "123456789"
                                 "cbf43926"));
}

static void crc32_base62_leaves_the_prefix_out(void **state)
{
    struct check_case c = case_of("crc32_base62");
    const char *token = "ghp"
                        "_" BODY "0BkGMu";

    (void)state;
    assert_false(case_passes(&c, token));
    case_number(&c, "skip", 4);
    assert_true(case_passes(&c, token));
    assert_int_equal(count_changes_passing(&c, token, 4, 40), 0);
    case_text(&c, "alphabet", "lower_first");
    assert_false(case_passes(&c, token));
    case_number(&c, "skip", 0);
    assert_true(case_passes(&c, "apify"
                                "_api_" BODY "31MHwN"));
    assert_false(case_passes(&c, "31MHwN"));
    assert_true(case_is_accepted(&c));
    case_text(&c, "alphabet", "middle_first");
    assert_false(case_is_accepted(&c));
    case_text(&c, "alphabet", "upper_first");
    case_number(&c, "width", 0);
    assert_false(case_is_accepted(&c));
}

static void crc32_base62_drops_what_stands_before_the_checksum(void **state)
{
    struct check_case c = case_of("crc32_base62");
    const char *token = "syt"
                        "_YWxpY2U_kQwZtRbNmVxCpLdJhGfS_1ITcCR";

    (void)state;
    assert_false(case_passes(&c, token));
    case_number(&c, "drop", 1);
    assert_true(case_passes(&c, token));
    assert_false(case_passes(&c, "_1ITcCR"));
}

static void crc32_hex_skips_drops_and_covers(void **state)
{
    struct check_case c = case_of("crc32_hex");

    (void)state;
    case_number(&c, "skip", 5);
    case_number(&c, "drop", 1);
    assert_true(case_passes(&c, "zpka"
                                "_k8jx2lq9zr4tn7vwb3de6gh9jk2mn5ab_0c1a1104"));
    case_number(&c, "skip", 0);
    case_text(&c, "endian", "little");
    assert_true(case_passes(&c, "glsa"
                                "_" BODY "Ab_a66edf2a"));
    case_text(&c, "endian", "big");
    case_text(&c, "covers", "all");
    assert_true(case_passes(&c, "ATATT3"
                                "xFfGF0" BODY BODY BODY "=FD7835CB"));
    assert_true(case_passes(&c, "ATATT3"
                                "xFfGF0" BODY BODY BODY "%3DFD7835CB"));
    assert_true(case_passes(&c, "ATATT3"
                                "xFfGF0" BODY BODY BODY "\\=FD7835CB"));
    assert_false(case_passes(&c, "ATATT3"
                                 "xFfGF0" BODY BODY BODY "-FD7835CB"));
    case_text(&c, "covers", "head");
    assert_false(case_is_accepted(&c));
}

static void crc32_base36_covers_all_before(void **state)
{
    struct check_case c = case_of("crc32_base36");
    const char *token = "glpat"
                        "-" BODY ".01.0v0dy4p21";

    (void)state;
    assert_true(case_passes(&c, token));
    assert_int_equal(count_changes_passing(&c, token, 0, strlen(token)), 0);
    assert_false(case_passes(&c, "0dy4p21"));
}

static void github_pat_holds_its_sha256(void **state)
{
    struct check_case c = case_of("github_pat");
    const char *token = "github"
                        "_pat_11ABCDEFG0k8Jx2Lq9Zr4Tn_VwB3dE6gH9jK2mN5k8Jx2Lq9Zr4Tn7VwB3dE6gH9"
                        "jK2xua22tjfAbCd1234";

    (void)state;
    assert_true(case_passes(&c, token));
    assert_int_equal(count_changes_passing(&c, token, 0, strlen(token) - 8), 0);
    /* Nothing is known of the last eight. */
    assert_int_equal(count_changes_passing(&c, token, strlen(token) - 8, strlen(token)), 8);
    assert_false(case_passes(&c, "github_pat_"));
}

static void confluent_key_ends_in_its_crc32(void **state)
{
    struct check_case c = case_of("confluent_key");
    const char *key = "cf"
                      "lt" BODY "k8Jx2Lq9Zr4Tn7VwB3dE6gH9W9g1lw";

    (void)state;
    assert_true(case_passes(&c, key));
    assert_int_equal(count_changes_passing(&c, key, 0, 62), 0);
}

static void marvin32_agrees_with_the_vectors_of_its_authors(void **state)
{
    static const uint8_t byte = 0xaf;
    const uint64_t seed = UINT64_C(0x004fb61a001bdbcc);

    (void)state;
    assert_true(marvin32_64(&byte, 0, seed) == UINT64_C(0x30ed35c100cd3c7d));
    assert_true(marvin32_64(&byte, 1, seed) == UINT64_C(0x48e73fc77d75ddc1));
    assert_true(marvin32_seed("Default0") == UINT64_C(0x44656661756c7430));
}

static void marvin32_tries_each_seed(void **state)
{
    const struct span seeds[] = {span_str("AbAcct00"), span_str("Default0")};
    const struct span wrong[] = {span_str("Default")};
    struct check_case c = case_of("marvin32");
    const char *key = "JRFcKxmCYz+6bm1PMaQJMT4Z3xb8WSYiuOZzGihpdKzoGvkabH5kO6pHZJ5MLsTGUOGTiItGmzv8"
                      "+ASt"
                      "vsG1pg==";

    (void)state;
    assert_false(case_is_accepted(&c));
    case_texts(&c, "seeds", seeds, 1);
    assert_false(case_passes(&c, key));
    case_texts(&c, "seeds", seeds, 2);
    assert_true(case_is_accepted(&c));
    assert_true(case_passes(&c, key));
    assert_int_equal(count_changes_passing(&c, key, 0, 86), 0);
    case_texts(&c, "seeds", wrong, 1);
    assert_false(case_is_accepted(&c));
}

static void marvin32_reads_base64url_on_request(void **state)
{
    const struct span seeds[] = {span_str("Send0000")};
    struct check_case c = case_of("marvin32");
    const char *key = "LBgoDApV8v2ZO_z1yUKnSnGZNaWighU4QSNBJoy0ft8=";

    (void)state;
    case_texts(&c, "seeds", seeds, 1);
    assert_false(case_passes(&c, key));
    case_number(&c, "url", 1);
    assert_true(case_passes(&c, key));
}

static void azure_cask_knows_both_lengths_and_both_alphabets(void **state)
{
    static const char head[] = BODY "k8Jx2Lq9Zr4Tn7VwB3dE6g"
                                    "JQQJ"
                                    "99BFACAAAAAAAAAAAAASAZDO";
    static const char *const tails[] = {"3u6t", "3u6tAY==", "1TyN", "1TyNWg=="};
    struct check_case c = case_of("azure_cask");

    (void)state;
    for (size_t i = 0; i < COUNT(tails); i++) {
        char key[CASE_VALUE_MAX];
        (void)snprintf(key, sizeof(key), "%s%s", head, tails[i]);
        assert_true(case_passes(&c, key));
        assert_int_equal(count_changes_passing(&c, key, 0, 84), 0);
    }
    assert_false(case_passes(&c, head));
}

static void azure_entra_secret_ends_in_its_marvin32(void **state)
{
    struct check_case c = case_of("azure_entra_secret");
    const char *secret = "k8J"
                         "8Q~"
                         "k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5k"
                         "bfJ";

    (void)state;
    assert_true(case_passes(&c, secret));
    assert_int_equal(count_changes_passing(&c, secret, 0, strlen(secret)), 0);
}

static void azure_devops_pat_hides_its_crc32(void **state)
{
    struct check_case c = case_of("azure_devops_pat");
    const char *token = "vltguxyes7cewk6ofngule5qobyc7e5f"
                        "lk5bh22u5bhb7kxll4oq";

    (void)state;
    assert_true(case_passes(&c, token));
    assert_false(case_passes(&c, "VLTGUXYES7CEWK6OFNGULE5QOBYC7E5F"
                                 "LK5BH22U5BHB7KXLL4OQ"));
    assert_false(case_passes(&c, "vltguxyes7cewk6ofngule5qobyc7e5f"
                                 "lk5bh22u5bhb7kxll4aq"));
}

static void aws_account_id_is_below_a_trillion(void **state)
{
    (void)state;
    assert_passes("aws_account_id", "AKIAIOSFODNN7EXAMPLE"); /* 581039954779 */
    /* 77777777… is the largest number, 2 to the 40th less one. */
    assert_fails("aws_account_id", "AKIA7777777777777777");
    assert_fails("aws_account_id", "AKIAIOSFODNN7EXAMPL1");
    assert_fails("aws_account_id", "AKIAIOSFODNN7EXAMPL");
}

static void discord_token_has_an_id_and_a_time(void **state)
{
    (void)state;
    /* 112233445566778899, and 1700000000 seconds. */
    assert_passes("discord_token", "MTEyMjMzNDQ1NTY2Nzc4ODk5"
                                   ".ZVPxAA."
                                   "k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2");
    assert_fails("discord_token", "MTEyMjMzNDQ1NTY2Nzc4ODk5"
                                  ".AAAAAA."
                                  "k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2");
    assert_fails("discord_token", "TWFueSBoYW5kcyBtYWtlIGxp"
                                  ".ZVPxAA."
                                  "k8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2");
    assert_fails("discord_token", "MTEyMjMzNDQ1NTY2Nzc4ODk5"
                                  ".ZVPxAA");
    assert_fails("discord_token", "MTEyMjMzNDQ1NTY2Nzc4ODk5"
                                  ".ZVPxAA.short");
}

static void telegram_token_is_an_id_and_a_secret(void **state)
{
    (void)state;
    assert_passes("telegram_token", "123456789:"
                                    "AA"
                                    "Hk8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5_-");
    assert_fails("telegram_token", "123456789:"
                                   "BA"
                                   "Hk8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5_-");
    assert_fails("telegram_token", "1234567:"
                                   "AA"
                                   "Hk8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5_-");
    assert_fails("telegram_token", "123456789:"
                                   "AA"
                                   "Hk8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5_");
    assert_fails("telegram_token", "12345678a:"
                                   "AA"
                                   "Hk8Jx2Lq9Zr4Tn7VwB3dE6gH9jK2mN5_-");
}

static void slack_token_has_plausible_ids(void **state)
{
    (void)state;
    assert_passes("slack_token", "xoxb"
                                 "-2394871560392-2398471029384-k8Jx2Lq9Zr4Tn7VwB3dE6gH9");
    assert_passes("slack_token", "xapp"
                                 "-1-A02394KX71Q-2398471029384-9f86d081884c7d659a2feaa0c55ad015");
    assert_fails("slack_token", "xoxb"
                                "-123456789012-1234567890123-k8Jx2Lq9Zr4Tn7VwB3dE6gH9");
    assert_fails("slack_token", "xoxb"
                                "-2394871560392-2398471029384-abcdefghijklmnopqrstuvwx");
    assert_fails("slack_token", "xoxb"
                                "-239487-2398471029384-k8Jx2Lq9Zr4Tn7VwB3dE6gH9");
    assert_fails("slack_token", "xoxb"
                                "-not-a-real-token");
    assert_fails("slack_token", "xoxb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32_is_that_of_zlib),
        cmocka_unit_test(crc32_base62_leaves_the_prefix_out),
        cmocka_unit_test(crc32_base62_drops_what_stands_before_the_checksum),
        cmocka_unit_test(crc32_hex_skips_drops_and_covers),
        cmocka_unit_test(crc32_base36_covers_all_before),
        cmocka_unit_test(github_pat_holds_its_sha256),
        cmocka_unit_test(confluent_key_ends_in_its_crc32),
        cmocka_unit_test(marvin32_agrees_with_the_vectors_of_its_authors),
        cmocka_unit_test(marvin32_tries_each_seed),
        cmocka_unit_test(marvin32_reads_base64url_on_request),
        cmocka_unit_test(azure_cask_knows_both_lengths_and_both_alphabets),
        cmocka_unit_test(azure_entra_secret_ends_in_its_marvin32),
        cmocka_unit_test(azure_devops_pat_hides_its_crc32),
        cmocka_unit_test(aws_account_id_is_below_a_trillion),
        cmocka_unit_test(discord_token_has_an_id_and_a_time),
        cmocka_unit_test(telegram_token_is_an_id_and_a_secret),
        cmocka_unit_test(slack_token_has_plausible_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
