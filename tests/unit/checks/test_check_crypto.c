/* Addresses, keys and phrases of cryptocurrencies and NATS, by the vectors of their standards. */
#include "check_case.h"

#include "formats/keccak.h"

static size_t count_changes_passing(const struct check_case *c, const char *value, char other)
{
    char changed[CASE_VALUE_MAX];
    size_t n = 0;

    memcpy(changed, value, strlen(value) + 1);
    for (size_t i = 0; value[i] != '\0'; i++) {
        changed[i] = other;
        n += value[i] != other && case_passes(c, changed) ? 1 : 0;
        changed[i] = value[i];
    }
    return n;
}

static void base58check_holds_for_addresses(void **state)
{
    struct check_case c = case_of("base58check");

    (void)state;
    assert_true(case_passes(&c, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")); /* the first block's */
    assert_true(case_passes(&c, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"));
    assert_int_equal(count_changes_passing(&c, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", 'x'), 0);
    assert_false(case_passes(&c, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfN0"));
    assert_false(case_passes(&c, "1111"));
    assert_false(case_passes(&c, ""));
}

static void wif_is_a_private_key(void **state)
{
    (void)state;
    /* Bitcoin wiki, Wallet import format */
    assert_passes("wif", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ");
    assert_fails("wif", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa");
    assert_fails("wif", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTj");
}

static void bech32_holds_for_the_vectors_of_bip_173(void **state)
{
    static const char *const valid[] = {
        "A12UEL5L",
        "a12uel5l",
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tg"
        "s",
        "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
        "?1ezyfcl",
    };
    static const char *const invalid[] = {
        "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3",
        "A1G7SGD8",     "10a06t8",       "1qzzfhee",  "A12uEL5L",
    };
    struct check_case c = case_of("bech32");

    (void)state;
    case_text(&c, "variant", "bech32");
    for (size_t i = 0; i < COUNT(valid); i++) {
        assert_true(case_passes(&c, valid[i]));
    }
    for (size_t i = 0; i < COUNT(invalid); i++) {
        assert_false(case_passes(&c, invalid[i]));
    }
}

static void bech32m_holds_for_the_vectors_of_bip_350(void **state)
{
    static const char *const valid[] = {
        "A1LQFN3A",
        "a1lqfn3a",
        "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
        "split1checkupstagehandshakeupstreamerranterredcaperredlc445v",
        "?1v759aa",
    };
    struct check_case c = case_of("bech32");

    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        case_text(&c, "variant", "bech32m");
        assert_true(case_passes(&c, valid[i]));
        case_text(&c, "variant", "any");
        assert_true(case_passes(&c, valid[i]));
        case_text(&c, "variant", "bech32");
        assert_false(case_passes(&c, valid[i]));
    }
    case_text(&c, "variant", "bech33");
    assert_false(case_is_accepted(&c));
}

static void bech32_wants_one_of_the_prefixes(void **state)
{
    const struct span prefixes[] = {span_str("bc"), span_str("tb")};
    struct check_case c = case_of("bech32");

    (void)state;
    case_texts(&c, "hrp", prefixes, COUNT(prefixes));
    assert_true(case_passes(&c, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"));
    assert_true(case_passes(&c, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"));
    assert_false(case_passes(&c, "a12uel5l"));
    assert_int_equal(count_changes_passing(&c, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 'z'),
                     0);
    case_texts(&c, "hrp", prefixes, 0);
    assert_false(case_is_accepted(&c));
}

static void keccak256_hashes_the_empty_text(void **state)
{
    static const uint8_t expected[KECCAK256_BYTES] = {
        0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d,
        0xb2, 0xdc, 0xc7, 0x03, 0xc0, 0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82,
        0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
    };
    uint8_t hash[KECCAK256_BYTES];

    (void)state;
    keccak256(expected, 0, hash);
    assert_memory_equal(hash, expected, sizeof(hash));
}

static void eip55_holds_for_its_own_vectors(void **state)
{
    static const char *const valid[] = {
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        assert_passes("eip55", valid[i]);
    }
    assert_fails("eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed");
    /* In one case it carries no checksum. */
    assert_fails("eip55", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
    assert_fails("eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe");
}

static void nkey_and_stellar_seed_end_in_their_crc16(void **state)
{
    /* Made for this test: version, 32 bytes, CRC16 with its lowest byte first, in base32. */
    const char *nats = "SUABWFVR35JYXIJNYP4X5W5YLSVHAUGUNQKICNBJB7V2QD4CG3ED3OM46Y";
    const char *stellar = "SACDU4MHOTCXFPMKEWW35MN7ZVOAEVVOCHHM7H44H6JF2DSSX2XYSVFH";
    struct check_case n = case_of("nkey");
    struct check_case s = case_of("stellar_seed");

    (void)state;
    assert_true(case_passes(&n, nats));
    assert_true(case_passes(&s, stellar));
    assert_false(case_passes(&s, nats));
    assert_int_equal(count_changes_passing(&s, stellar, 'B'), 0);
    /* The last character holds bits that no byte is made of. */
    assert_true(count_changes_passing(&n, nats, 'B') <= 1);
}

static void bip39_phrases_hold_for_the_standard_vectors(void **state)
{
    (void)state;
    assert_passes("bip39",
                  "abandon abandon abandon abandon abandon abandon abandon abandon abandon "
                  "abandon abandon about");
    assert_passes("bip39", "legal winner thank year wave sausage worth useful legal winner thank "
                           "yellow");
    assert_passes("bip39", "1. zoo 2. zoo 3. zoo 4. zoo 5. zoo 6. zoo 7. zoo 8. zoo 9. zoo 10. zoo "
                           "11. zoo 12. wrong");
    assert_passes("bip39", "Letter, advice, cage, absurd, amount, doctor, acoustic, avoid, letter, "
                           "advice, cage, absurd, amount, doctor, acoustic, avoid, letter, advice, "
                           "cage, absurd, amount, doctor, acoustic, bless");
    assert_fails("bip39", "legal winner thank year wave sausage worth useful legal winner thank "
                          "year");
    assert_fails("bip39", "legal winner thank year wave sausage worth useful legal winner thank");
    assert_fails("bip39", "the winner thank year wave sausage worth useful legal winner thank "
                          "yellow");
    assert_fails("bip39", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base58check_holds_for_addresses),
        cmocka_unit_test(wif_is_a_private_key),
        cmocka_unit_test(bech32_holds_for_the_vectors_of_bip_173),
        cmocka_unit_test(bech32m_holds_for_the_vectors_of_bip_350),
        cmocka_unit_test(bech32_wants_one_of_the_prefixes),
        cmocka_unit_test(keccak256_hashes_the_empty_text),
        cmocka_unit_test(eip55_holds_for_its_own_vectors),
        cmocka_unit_test(nkey_and_stellar_seed_end_in_their_crc16),
        cmocka_unit_test(bip39_phrases_hold_for_the_standard_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
