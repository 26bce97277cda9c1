/* A private key in what stands around its lines in logs, comments, mails and code, with and without its armour: no line of it is
 * delivered. */
#include "testing.h"

#include <stdio.h>

#include "pipeline/pipeline.h"
#include "support/shipped.h"

enum { TEXT_BYTES = 8192 };

/* Made for this test: an RSA key of 1024 bits, PKCS #8. */
static const char *const body[] = {
    "MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAOtVmcQLStbO2PvV",
    "p9kxV/ztaaWo8O4pTSCGG6gljmCMkNPrSAUPxN+UvXdo5aZ950RL7FLtxRsHzbhm",
    "fPknTNDwnhEahNeL7nbyehppVEtASP21J4j4Pf0PAQT9t92Zhsm1hWB3VS8Tv4a6",
    "pNoywIWVk4QxsT3EGQqAUj5Ur3S/AgMBAAECgYABHPiLOtpxxay1FD+lAVy/L4hO",
    "ZkwtdDiPLNM4qmTQBBozRmuiyn5N6HA0/mQHs5TCd/F4OvOxuwm4E5QHwa3VVNsn",
    "/EZR/DQZm2lexU+3n5nig9OcAOBVOXIbPNhsEA+42NmSZTz1opcxdth+J/yd2cch",
    "hCwQKEYNMDIvSkFQEQJBAP8JK7skCdq7AbOVjyjpA5qrRckFrXq7J4QLj5RTIBtO",
    "6C74kGVFlh74NjbHrBRNTo5Ggwb9vBDGqNd8bmxmq8sCQQDsOVzCOPM/K1s5IYDH",
    "csQUriOD+lvqPWIc2nftzbGITkDYyOTfZMKeNe1i3gEhHXcdnN1oKH/FUSyafQyn",
    "X6RdAkEAnNmVDalibiWpLDuFKlH0p4FCkBlv0hWcffdmPIDLNEBZR9oTZFVhuHZL",
    "UXGIAYxyDcqL9xbCPUcQvEaI2x5h9QJBAI0vk7M52pjMzw8MaS3L+Enr8qo0/q63",
    "1WYtZTSqlgtDyhpHqBOk43UwAhvvWHl0ZPc8BFD2s7c5VxFW4DNBRLkCQQDE9Gtt",
    "gIp0ZtCosgWEk4jwrrquoPz2/OvvyeU1z87QMqI/XPeIDYus8ncwnH8qdv4mCk1v",
    "2GgGSoupBJziRFoM"
};

/* What stands in front of each line and behind it. */
static const struct wrapping {
    const char *front, *behind;
} wrappings[] = {
    {"", ""},
    {"    ", ""},
    {"> ", ""},
    {"# ", ""},
    {"// ", ""},
    {" * ", ""},
    {"+", ""},
    {"-- ", ""},
    {"web-1  | ", ""},
    {"2026-03-01T10:00:07Z app[812]: ", ""},
    {"[INFO] 10:00:07.123 key=", ""},
    {"Mar  1 10:00:07 host sshd[99]: debug: ", ""},
    {"\"", "\\n\""},
    {"\"", "\\n\" +"},
    {"echo ", ""},
    {"  12: ", ""},
    {"| ", " |"},
};

/* The armour: the words of its first and last line. */
static const char *const armours[] = {"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN RSA SECRET KEY-----",
                                      "-----END RSA SECRET KEY-----"};

static size_t put_line(char text[TEXT_BYTES], size_t at, const struct wrapping *wrapping, const char *line)
{
    int n = snprintf(text + at, TEXT_BYTES - at, "%s%s%s\n", wrapping->front, line, wrapping->behind);

    assert_true(n > 0 && at + (size_t)n < TEXT_BYTES);
    return at + (size_t)n;
}

/* How many lines of the key are delivered. */
static size_t delivered(struct span text)
{
    struct exchange x = {.snapshot = shipped,
                         .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                         .n_channels = 1};
    struct channel channel = {.text = text};
    size_t n = 0;

    x.channels = &channel;
    (void)worker_begin(shipped_worker);
    pipeline_judge(shipped_worker, &x);
    for (size_t i = 0; x.action != ACTION_BLOCK && i < COUNT(body); i++) {
        struct span output = x.action == ACTION_ALLOW ? text : channel.output;
        n += memmem(output.ptr, output.len, body[i], strlen(body[i])) != NULL ? 1 : 0;
    }
    return n;
}

static void a_key_in_any_wrapping_is_not_delivered(void **state)
{
    char text[TEXT_BYTES];
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(wrappings); i++) {
        size_t at = put_line(text, 0, &wrappings[i], armours[0]);
        for (size_t k = 0; k < COUNT(body); k++) {
            at = put_line(text, at, &wrappings[i], body[k]);
        }
        at = put_line(text, at, &wrappings[i], armours[1]);
        size_t n = delivered(span_of(text, at));
        if (n > 0) {
            print_error("%zu lines delivered behind '%s'\n", n, wrappings[i].front);
            wrong++;
        }
    }
    assert_true(wrong == 0);
}

static void a_key_in_other_armour_or_none_is_not_delivered(void **state)
{
    char text[TEXT_BYTES];
    size_t at = put_line(text, 0, &wrappings[0], armours[2]);

    (void)state;
    for (size_t k = 0; k < COUNT(body); k++) {
        at = put_line(text, at, &wrappings[0], body[k]);
    }
    size_t bare = strlen(armours[2]) + 1, end = at;
    at = put_line(text, at, &wrappings[0], armours[3]);
    assert_true(delivered(span_of(text, at)) == 0);
    assert_true(delivered(span_of(text + bare, end - bare)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_in_any_wrapping_is_not_delivered),
        cmocka_unit_test(a_key_in_other_armour_or_none_is_not_delivered),
    };

    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
