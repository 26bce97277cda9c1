#include "check_case.h"

#include "support/random.h"

static void not_placeholder_fails_on_what_stands_for_a_secret(void **state)
{
    static const char *const placeholders[] = {
        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "your_api_key_here",
        "YOUR-API-KEY", "<your token>", "${DB_PASSWORD}", "{{ secrets.token }}", "%s", "changeme",
        "changeme123", "xxxxxxxxxxxxxxxx", "sk-xxxxxxxxxxxxxxxxxxxxxxxx", "****", "abc...xyz",
        "sk-…", "aaaaaaaaaaaaaaaa", "00000000-0000-0000-0000-000000000000", "1234567890",
        "ghp_1234567890abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnop", "qwertyuiop",
        "1qaz2wsx3edc", "asdfghjkl", "a1b2c3d4e5f6g7h8", "password", "mysecretpassword",
        "secret123", "test_token_1", "adminadmin", "foobar", "$DB_PASSWORD", "%PASSWORD%",
        "[REDACTED]", "[API_KEY]", "{password}", "https://{token}@host", "__TOKEN__", "insert_key",
        "deadbeefdeadbeef", "111222333444", "super-secret-key", "admin", "P@ssw0rd1", "",
        "AKIAXXXXXXXXXXXXXXXX", "#{token}", "%(password)s", "YourStrongPassw0rd", "1111",
        /* Nothing but what is written over a secret. */
        "**", "##", "--", "*.*", "?", "-*-*-",
        /* Headers of JWTs: {"typ":"JWT"}, {"alg":"HS256"}, {"alg":"HS256","typ":"JWT"}, { "typ": "JWT", "alg": "ES256" } */
        "eyJ0eXAiOiJKV1QifQ", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        "eyAidHlwIjogIkpXVCIsICJhbGciOiAiRVMyNTYiIH0",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(placeholders); i++) {
        assert_fails("not_placeholder", placeholders[i]);
    }
}

static void not_placeholder_passes_what_may_be_a_secret(void **state)
{
    static const char *const secrets[] = {
        "aB3dE6gH9jK2mN5p",
        "k8Jx2Lq9Zr4Tn7Vw",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "f3a9c1d47b2e8605",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "Tr0ub4dor&3",
        "hG7#kp!2Wq",
        "AAAAB3NzaC1yc2EAAAADAQABAAABgQDLxk29vHq7sJmN4tVbW",
        "xoxb-veryreal",
        "Gx5xxq8W2mPz",
        "$2b$12$Kq8Zr4Tn7Vw2Lq9Jx8k3eO",
        "correcthosebatterystable9Q",
        "p4%sx9Kq2Zr",
        "kT432zm6WV56", /* steps on the keyboard, but of many walks */
        "*a*7*", "-Q-", "x*k9.*",
        /* Objects with more in them: {"alg":"HS256","k":"Xk2Vn3Lp7Qm9Rs5T"}, {"k":"Xk2Vn3Lp7Qm9Rs5T"}, {"typ":"Xk2Vn3Lp7Qm9Rs5T"} */
        "eyJhbGciOiJIUzI1NiIsImsiOiJYazJWbjNMcDdRbTlSczVUIn0", "eyJrIjoiWGsyVm4zTHA3UW05UnM1VCJ9",
        "eyJ0eXAiOiJYazJWbjNMcDdRbTlSczVUIn0",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(secrets); i++) {
        assert_passes("not_placeholder", secrets[i]);
    }
}

/* One or two digits, a row or a year are put behind filler words; other digits make a password of them. */
static void not_placeholder_looks_at_the_digits_behind_filler_words(void **state)
{
    static const char *const fillers[] = {"Password1", "admin12", "Welcome123", "secret4321", "test_token_000", "Password2024!", "admin1999"};
    static const char *const passwords[] = {"Welcome#4109", "admin@5170", "secret818", "Password7913"};

    (void)state;
    for (size_t i = 0; i < COUNT(fillers); i++) {
        assert_fails("not_placeholder", fillers[i]);
    }
    for (size_t i = 0; i < COUNT(passwords); i++) {
        assert_passes("not_placeholder", passwords[i]);
    }
}

/* People put digits behind a walk over the keyboard; rows, years and one or two digits are examples'. */
static void not_placeholder_looks_at_the_digits_behind_a_walk(void **state)
{
    static const char *const examples[] = {"qwerty", "qwerty123", "Qwerty_2024", "asdfgh99", "zxcvbn000", "abcdef321", "qweasd1212"};
    static const char *const passwords[] = {"qwerty8362", "Qazwsx#4719!", "1qaz2wsx_719", "asdfgh@8934"};

    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        assert_fails("not_placeholder", examples[i]);
    }
    for (size_t i = 0; i < COUNT(passwords); i++) {
        assert_passes("not_placeholder", passwords[i]);
    }
}

/* A run of digits somewhere in a long value at random does not make it a placeholder; a value of which
 * a third is such runs is one. */
static void not_placeholder_looks_at_how_much_of_a_value_is_in_order(void **state)
{
    static const char *const runs[] = {"01234567", "76543210", "12345678", "0123456789", "123456789"};
    static const char *const digits[] = {"0123456789abcdef", "ABDFGHKMNQRTVWXZbdfghkmnqrtvwxz2468"};
    struct random random = {.state = 7083};
    char value[80];

    (void)state;
    for (size_t round = 0; round < 4000; round++) {
        const char *run = runs[round % COUNT(runs)], *digit = digits[round % COUNT(digits)];
        size_t n = strlen(run), len = 4 * n + round % (sizeof(value) - 4 * 10);
        size_t at = random_below(&random, len - n + 1);
        for (size_t i = 0; i < len; i++) {
            value[i] = digit[random_below(&random, strlen(digit))];
        }
        memcpy(value + at, run, n);
        value[len] = '\0';
        assert_passes("not_placeholder", value);
        memcpy(value, "abcdefgh", 8);
        assert_fails("not_placeholder", value);
        value[0] = 'k';
        memcpy(value + 1, run, n);
        value[2 * n] = '\0';
        assert_fails("not_placeholder", value);
    }
}

static void not_code_fails_on_code_names_paths_and_prose(void **state)
{
    static const char *const code[] = {
        "os.getenv(\"DB_PASSWORD\")", "os.getenv(", "request.form['password']", "request.form[",
        "self.password", "someVariableName", "ALL_CAPS_NAME", "process.env.SECRET_KEY",
        "config.database.password", "Settings::API_KEY", "this->token", "user?.token",
        "getPassword()", "get_secret_value(name)", "crypto.randomBytes(32)", "Optional[str]",
        "List<String>", "string", "None", "null", "undefined", "existingSubscription",
        "monkey", "keyword", "mapKey", "public_key", "EC_secp384r1", "v1_models.ConversationSummary(",
        "username/password combination.", "the path to production", "1.2.3", "v2.10.0-beta.1",
        "^4.17.21", "/etc/ssl/private/server.key", "./config/secrets.json", "~/.ssh/id_rsa",
        "C:\\Users\\admin", "https://example.com/login", "sha512-aWs4jR9Q2k0vN1mX7c3bZ8==",
        "sha256:9f86d081884c7d659a2feaa0c55ad015", "gpt-4o-mini", "claude-3-5-sonnet-20240620",
        "${SECRET}", "{{ token }}", "application/json", "&password", "*token", "env!(\"TOKEN\")",
        "b64decode(value)", "base64", "sha256", "user_id", "passwordField;", "const", "str | None",
        "await client.secrets.get(name)", "kubernetes.io/service-account-token", "bearer_token_auth",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(code); i++) {
        assert_fails("not_code", code[i]);
    }
}

static void not_code_passes_what_may_be_a_secret(void **state)
{
    static const char *const secrets[] = {
        "aB3dE6gH9jK2mN5p",
        "k8Jx2Lq9Zr4Tn7Vw",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzQ8vT2xKLe",
        "f3a9c1d47b2e86054c1d",
        "Tr0ub4dor&3",
        "hG7#kp!2Wq",
        "Summer2024!",
        "Summer2024",
        "Welcome@World1",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.dGhpc2lzbm90YXNlY3JldA",
        "xK9(mQ2)z7Lw",
        "acme-prod-8f3k2l9x",
        "550e8400-e29b-41d4-a716-446655440000",
        "qzxkwvjhgtrb",
        "dG9rZW46c2VjcmV0LXZhbHVlLTEyMw==",
        "JBSWY3DPEHPK3PXP",
        "$2b$12$Kq8Zr4Tn7Vw2Lq9Jx8k3eO",
        "npm_k2Lq9Zr4Tn7Vw8Jx3cVbN5mQ1w",
        "postgres://app:k8Jx2Lq9@db/prod",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(secrets); i++) {
        assert_passes("not_code", secrets[i]);
    }
}

/* With `digits`, a word with so many behind it is no name; what else looks like code still is. */
static void not_code_passes_numbered_words_on_request(void **state)
{
    static const char *const passwords[] = {"dragon_8934", "Liverpool83", "pepper.42"};
    static const char *const code[] = {"dragon_8", "user_name", "os.getenv(pw12)", "$PASSWORD_12", "${pw12}", "./file12", "a12 b12"};
    struct check_case c = case_of("not_code");

    (void)state;
    case_number(&c, "digits", 2);
    for (size_t i = 0; i < COUNT(passwords); i++) {
        assert_fails("not_code", passwords[i]);
        assert_true(case_passes(&c, passwords[i]));
    }
    for (size_t i = 0; i < COUNT(code); i++) {
        assert_false(case_passes(&c, code[i]));
    }
    case_number(&c, "digits", -1);
    assert_false(case_is_accepted(&c));
}

static void random_letters_are_no_code_and_no_words(void **state)
{
    static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    unsigned lot = 20240607;
    size_t taken_for_code = 0;
    size_t taken_for_words = 0;
    size_t taken_for_placeholder = 0;

    (void)state;
    for (int n = 0; n < 2000; n++) {
        char value[33] = {0};
        for (size_t i = 0; i < 32; i++) {
            lot = lot * 1103515245u + 12345u;
            value[i] = alphabet[(lot >> 16) % 62];
        }
        taken_for_code += passes("not_code", value) ? 0 : 1;
        taken_for_words += passes("english_share", value) ? 0 : 1;
        taken_for_placeholder += passes("not_placeholder", value) ? 0 : 1;
    }
    assert_true(taken_for_code == 0);
    assert_true(taken_for_words == 0);
    assert_true(taken_for_placeholder == 0);
}

static void english_share_tells_words_from_letters(void **state)
{
    (void)state;
    assert_fails("english_share", "existingSubscription");
    assert_fails("english_share", "DATABASE_CONNECTION_STRING");
    assert_passes("english_share", "qZ8kWvJhG4tRbX");
    assert_passes("english_share", "12345678");
    struct check_case c = case_of("english_share");
    case_number(&c, "max", 1);
    assert_true(case_passes(&c, "password"));
    case_number(&c, "max", 1.5);
    assert_false(case_is_accepted(&c));
}

static void entropy_is_measured_in_bits_per_character(void **state)
{
    struct check_case c = case_of("entropy");

    (void)state;
    case_number(&c, "min", 2);
    case_number(&c, "max", 2);
    assert_true(case_passes(&c, "abcdabcd")); /* four characters, equally often */
    assert_false(case_passes(&c, "abababab"));
    assert_false(case_passes(&c, "abcdefgh"));
    assert_false(case_passes(&c, ""));
    case_number(&c, "max", 1);
    assert_false(case_is_accepted(&c));
}

static void char_classes_counts_kinds_and_distinct_characters(void **state)
{
    struct check_case c = case_of("char_classes");

    (void)state;
    case_number(&c, "lowercase", 2);
    case_number(&c, "uppercase", 1);
    case_number(&c, "digit", 1);
    case_number(&c, "special", 1);
    assert_true(case_passes(&c, "abC1!"));
    assert_false(case_passes(&c, "aBC1!"));
    assert_false(case_passes(&c, "abC1"));
    assert_true(case_passes(&c, "abC1é")); /* a letter of another script is special */
    assert_false(case_passes(&c, "abC1 ")); /* white space is nothing */
    c = case_of("char_classes");
    case_number(&c, "classes", 3);
    assert_true(case_passes(&c, "a1B"));
    assert_false(case_passes(&c, "abAB"));
    c = case_of("char_classes");
    case_number(&c, "distinct", 3);
    assert_true(case_passes(&c, "aabbc"));
    assert_false(case_passes(&c, "aabb"));
    case_number(&c, "classes", 5);
    assert_false(case_is_accepted(&c));
}

static void not_words_ignores_case_and_looks_inside_unless_set(void **state)
{
    const struct span words[] = {span_str("secret"), span_str("Demo")};
    struct check_case c = case_of("not_words");

    (void)state;
    assert_false(case_is_accepted(&c));
    case_texts(&c, "words", words, COUNT(words));
    assert_true(case_is_accepted(&c));
    assert_false(case_passes(&c, "mySECRETvalue"));
    assert_false(case_passes(&c, "dEMO"));
    assert_true(case_passes(&c, "dem"));
    case_number(&c, "whole", 1);
    assert_true(case_passes(&c, "mySECRETvalue"));
    assert_false(case_passes(&c, "SECRET"));
}

static void not_named_reads_the_words_of_the_name_in_front(void **state)
{
    static const struct {
        const char *before;
        bool passes;
    } names[] = {
        {"public_key = ", false},    {"\"publicKey\": \"", false},  {"PublicKey>", false},      {"the public key ", false},
        {"PUBLICKEY=", false},       {"data-sitekey=\"", false},     {"a SiteKey: ", false},     {"sitekey2: ", true},
        {"public bucket key = ", true}, {"public static Key = ", true}, {"public_key\nsecret: ", true}, {"", true},
        {"= ", true},                {"site: ", true},              {"sitekey\n", true},        {"site_key.value: ", false},
    };
    const struct span words[] = {span_str("publickey"), span_str("SiteKey")};
    struct check_case c = case_of("not_named");

    (void)state;
    assert_false(case_is_accepted(&c));
    case_texts(&c, "words", words, COUNT(words));
    assert_true(case_is_accepted(&c));
    assert_true(case_passes(&c, "publickey"));
    for (size_t i = 0; i < COUNT(names); i++) {
        if (c.type->passes_behind(span_str(names[i].before), span_str("k8Jx2Lq9"), &c.args) != names[i].passes) {
            fail_msg("\"%s\" is judged wrongly", names[i].before);
        }
    }
}

static void hex_and_uuid_are_distinguished_by_every_character(void **state)
{
    (void)state;
    assert_passes("hex_only", "DEADbeef09");
    assert_fails("hex_only", "deadbeeg");
    assert_fails("hex_only", "");
    assert_fails("not_hex", "0a1b");
    assert_passes("not_hex", "0a1b-");
    assert_fails("not_uuid", "550e8400-e29b-41d4-a716-446655440000");
    assert_fails("not_uuid", "{550E8400-E29B-41D4-A716-446655440000}");
    assert_passes("not_uuid", "550e8400e29b41d4a716446655440000");
    assert_passes("not_uuid", "550e8400-e29b-41d4-a716-44665544000g");
}

static void length_counts_characters_not_bytes(void **state)
{
    struct check_case c = case_of("length");

    (void)state;
    case_number(&c, "min", 3);
    case_number(&c, "max", 4);
    assert_true(case_passes(&c, "äöü"));
    assert_false(case_passes(&c, "äö"));
    assert_false(case_passes(&c, "abcde"));
    case_number(&c, "min", 5);
    assert_false(case_is_accepted(&c));
    case_number(&c, "min", 1.5);
    assert_false(case_is_accepted(&c));
}

static void number_range_reads_decimals_and_grouped_digits(void **state)
{
    struct check_case c = case_of("number_range");

    (void)state;
    case_number(&c, "min", -90);
    case_number(&c, "max", 90);
    assert_true(case_passes(&c, "52.5200"));
    assert_true(case_passes(&c, "-89.99"));
    assert_false(case_passes(&c, "90.01"));
    assert_false(case_passes(&c, "-122.4"));
    assert_false(case_passes(&c, "north"));
    assert_false(case_passes(&c, ""));
    case_number(&c, "max", 65535);
    assert_true(case_passes(&c, "65 535"));
    assert_false(case_passes(&c, "65536"));
    case_number(&c, "min", 70000);
    assert_false(case_is_accepted(&c));
}

static void date_knows_the_calendar_and_the_range_of_years(void **state)
{
    struct check_case c = case_of("date");

    (void)state;
    case_text(&c, "format", "YYYYMMDD");
    assert_true(case_passes(&c, "2024-02-29"));
    assert_false(case_passes(&c, "2023-02-29"));
    assert_false(case_passes(&c, "1900-02-29"));
    assert_true(case_passes(&c, "20000229"));
    assert_false(case_passes(&c, "2024-13-01"));
    assert_false(case_passes(&c, "2024-00-01"));
    assert_false(case_passes(&c, "2024-04-31"));
    case_number(&c, "min_year", 1900);
    case_number(&c, "max_year", 2020);
    assert_false(case_passes(&c, "2024-02-29"));
    case_text(&c, "format", "MMDDYYYY");
    assert_true(case_passes(&c, "1/5/2019"));
    assert_true(case_passes(&c, "12/31/2019"));
    assert_false(case_passes(&c, "31/12/2019"));
    assert_false(case_passes(&c, "1/5/19"));
    case_text(&c, "format", "YYMMDD");
    assert_true(case_passes(&c, "850230") == false);
    assert_true(case_passes(&c, "850228"));
    assert_true(case_is_accepted(&c));
    case_text(&c, "format", "YYDDMM");
    assert_false(case_is_accepted(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_placeholder_fails_on_what_stands_for_a_secret),
        cmocka_unit_test(not_placeholder_passes_what_may_be_a_secret),
        cmocka_unit_test(not_placeholder_looks_at_the_digits_behind_filler_words),
        cmocka_unit_test(not_placeholder_looks_at_the_digits_behind_a_walk),
        cmocka_unit_test(not_placeholder_looks_at_how_much_of_a_value_is_in_order),
        cmocka_unit_test(not_code_fails_on_code_names_paths_and_prose),
        cmocka_unit_test(not_code_passes_what_may_be_a_secret),
        cmocka_unit_test(not_code_passes_numbered_words_on_request),
        cmocka_unit_test(random_letters_are_no_code_and_no_words),
        cmocka_unit_test(english_share_tells_words_from_letters),
        cmocka_unit_test(entropy_is_measured_in_bits_per_character),
        cmocka_unit_test(char_classes_counts_kinds_and_distinct_characters),
        cmocka_unit_test(not_words_ignores_case_and_looks_inside_unless_set),
        cmocka_unit_test(not_named_reads_the_words_of_the_name_in_front),
        cmocka_unit_test(hex_and_uuid_are_distinguished_by_every_character),
        cmocka_unit_test(length_counts_characters_not_bytes),
        cmocka_unit_test(number_range_reads_decimals_and_grouped_digits),
        cmocka_unit_test(date_knows_the_calendar_and_the_range_of_years),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
