/* Armoured keys as they occur in text. The bodies are no keys: the first bytes of the format, then
 * a counter. */
#include "check_case.h"

#include "formats/pem.h"

/* Names split, so that no scanner takes them for leaked keys. */
#define BEGIN_RSA                                                                                  \
    "-----BEGIN RSA PRIV"                                                                          \
    "ATE KEY-----"
#define END_RSA                                                                                    \
    "-----END RSA PRIV"                                                                            \
    "ATE KEY-----"
#define BEGIN_KEY                                                                                  \
    "-----BEGIN PRIV"                                                                              \
    "ATE KEY-----"
#define END_KEY                                                                                    \
    "-----END PRIV"                                                                                \
    "ATE KEY-----"

/* 30 82 04 a4 02 01 00 02 82 01 01 …: an RSA key's front. */
#define LINE_1 "MIIEpAIBAAKCAQEAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIj"
#define LINE_2 "JCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJT"
/* 30 2e 02 01 00 30 05 06 03 2b 65 70 04 22 04 20 …: an Ed25519 key, all of it. */
#define ED25519 "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"

static void keys_pass_however_they_are_written(void **state)
{
    static const char *const keys[] = {
        BEGIN_RSA "\n" LINE_1 "\n" LINE_2 "\n" END_RSA,
        BEGIN_RSA "\r\n" LINE_1 "\r\n" LINE_2 "\r\n" END_RSA "\r\n",
        BEGIN_RSA "\\n" LINE_1 "\\n" LINE_2 "\\n" END_RSA,
        BEGIN_RSA "\\\\n" LINE_1 "\\\\n" LINE_2 "\\\\n" END_RSA,
        BEGIN_RSA " " LINE_1 " " LINE_2 " " END_RSA,
        BEGIN_RSA LINE_1 LINE_2 END_RSA,
        BEGIN_RSA "\n    " LINE_1 "\n    " LINE_2 "\n    " END_RSA,
        BEGIN_RSA "\n> " LINE_1 "\n> " LINE_2 "\n> " END_RSA,
        BEGIN_RSA "\\n\" +\n    \"" LINE_1 "\\n\" +\n    \"" LINE_2 "\\n\" +\n    \"" END_RSA,
        BEGIN_RSA "\n" LINE_1 "\n" LINE_2,         /* cut off */
        BEGIN_RSA "\n" LINE_1 "\n" LINE_2 "\n...", /* cut off by hand, too little */
        BEGIN_KEY "\n" ED25519 "\n" END_KEY,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++) {
        bool is_elided = i == 10;
        if (passes("pem", keys[i]) == is_elided) {
            fail_msg("key %zu", i);
        }
    }
}

static void formats_other_than_der_are_known(void **state)
{
    (void)state;
    assert_passes("pem", "-----BEGIN OPENSSH PRIV"
                         "ATE KEY-----\n"
                         "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n"
                         "c2gtZWQyNTUxOQAAACA=\n-----END OPENSSH PRIV"
                         "ATE KEY-----");
    assert_passes("pem", "-----BEGIN PGP PRIV"
                         "ATE KEY BLOCK-----\nVersion: GnuPG v2\n\n"
                         "lQHYBFAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygp\n"
                         "JCUmJygpKissLS4v\n=abcd\n-----END PGP PRIV"
                         "ATE KEY BLOCK-----");
    assert_passes("pem",
                  BEGIN_RSA "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF"
                            "0123456789ABCDEF\n\n" LINE_2 "\n" LINE_2 "\n" END_RSA);
    /* 30 82 05 0e 30 40 06 09 …: PKCS #8, encrypted. */
    assert_passes("pem",
                  "-----BEGIN ENCRYPTED PRIV"
                  "ATE KEY-----\n"
                  "MIIFDjBABgkqhkiG9w0BBQ0wMzAbBgkqhkiG9w0BBQwwDgQIAAECAwQFBgcCAggA\n" LINE_2);
}

static void what_only_looks_like_a_key_fails(void **state)
{
    static const char *const others[] = {
        BEGIN_RSA "\n...\n" END_RSA,
        BEGIN_KEY "\\n...\\n" END_KEY,
        BEGIN_RSA "\nMIIEpAIBAAKCAQEA...\n" END_RSA,
        BEGIN_RSA "\n<your key here>\n" END_RSA,
        BEGIN_RSA "\n[REDACTED]\n" END_RSA,
        BEGIN_RSA "\nyour key here\n" END_RSA,
        BEGIN_RSA "\n" LINE_2 "\n" LINE_2 "\n" END_RSA, /* base64 of nothing known */
        BEGIN_RSA "\nMIIEpAIBAAKCAQEA\n" END_RSA,       /* too short */
        BEGIN_RSA,
        BEGIN_RSA "\n" END_RSA,
        "-----BEGIN PUBLIC KEY-----\n" LINE_1 "\n" LINE_2,
        "BEGIN RSA PRIVATE KEY\n" LINE_1 "\n" LINE_2,
        "-----BEGIN RSA PRIV"
        "ATE KEY\n" LINE_1,
        "-----BEGIN ",
        "",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        if (passes("pem", others[i])) {
            fail_msg("not a key %zu", i);
        }
    }
}

static void certificates_are_a_kind_of_their_own(void **state)
{
    struct check_case c = case_of("pem");
    /* 30 82 03 a0 30 82 02 88 a0 03 02 01 02 02 …: a certificate's front. */
    const char *certificate =
        "-----BEGIN CERTIFICATE-----\n"
        "MIIDoDCCAoigAwIBAgIUAAECAwQFBgcICQoLDA0ODxAREhMwDQYJKoZIhvcNAQEL\n" LINE_2;

    (void)state;
    assert_false(case_passes(&c, certificate));
    case_text(&c, "kind", "certificate");
    assert_true(case_passes(&c, certificate));
    assert_false(case_passes(&c, BEGIN_RSA "\n" LINE_1 "\n" LINE_2));
    case_text(&c, "kind", "public");
    assert_false(case_is_accepted(&c));
}

static void parsing_tells_whole_from_cut_off_and_encrypted(void **state)
{
    struct pem pem;

    (void)state;
    assert_true(pem_parse(span_str(BEGIN_RSA "\n" LINE_1 "\n" LINE_2 "\n" END_RSA), &pem));
    assert_true(pem.is_whole && !pem.is_encrypted && pem.kind == PEM_PRIVATE);
    assert_int_equal(pem.body, 128);
    assert_true(pem_parse(span_str(BEGIN_RSA "\n" LINE_1 "\n" LINE_2), &pem));
    assert_false(pem.is_whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_pass_however_they_are_written),
        cmocka_unit_test(formats_other_than_der_are_known),
        cmocka_unit_test(what_only_looks_like_a_key_fails),
        cmocka_unit_test(certificates_are_a_kind_of_their_own),
        cmocka_unit_test(parsing_tells_whole_from_cut_off_and_encrypted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
