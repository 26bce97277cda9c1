#include "testing.h"

#include <ftw.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "unit/decision_log/decision_format_testing.h"
#include "state/original_json.h"
#include "state/sealer.h"

enum { FILE_MAX = 1024 * 1024 };

static char root[] = "/tmp/filterd-sealer.XXXXXX";
static struct age_identity identities[2];
static struct age_recipient recipients[2];

static struct span group_name = {"compliance", 10};
static struct recipient_group group = {.name = {"compliance", 10}};
static struct seal_trigger on_block = {.when = {.max_confidence = 1}, .actions = 1U << ACTION_BLOCK, .sample = 1};
static struct policy_seal seal;
static struct policy policy;
static struct rule rule;

static int drop(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    char text[AGE_IDENTITY_TEXT + 1];

    (void)state;
    assert_true(sodium_init() >= 0);
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < 2; i++) {
        age_identity_make(&identities[i], text);
        age_identity_recipient(&identities[i], &recipients[i]);
    }
    group.recipients = recipients;
    group.n = 2;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void begin(enum seal_what what, uint32_t context)
{
    seal = (struct policy_seal){.when = &on_block, .n_when = 1, .what = what, .context = context,
                                .to = {.names = {.items = &group_name, .n = 1}, .groups = &group, .all = recipients, .n_all = 2},
                                .keep_ns = INT64_C(86400) * 1000000000, .digest = span_str("sha256:0000")};
    policy = (struct policy){.seal = &seal};
    rule = (struct rule){.id = span_str("aws-key")};
}

static struct finding finding(uint32_t channel, size_t from, size_t to, enum action action)
{
    return (struct finding){.rule = &rule, .channel = channel, .from = from, .to = to, .action = action, .confidence = 0.9};
}

static json_t *plaintext(const struct exchange *x)
{
    struct secret plain;
    struct error err;

    assert_true(original_json(x, &plain, &err));
    json_t *json = json_loadb((const char *)plain.data, plain.len, 0, NULL);
    assert_non_null(json);
    secret_deinit(&plain);
    return json;
}

static void assert_part(json_t *json, size_t i, int channel, int start, const char *text)
{
    json_t *part = json_array_get(json_object_get(json, "parts"), i);

    assert_non_null(part);
    assert_int_equal(json_integer_value(json_object_get(part, "channel")), channel);
    assert_int_equal(json_integer_value(json_object_get(part, "start")), start);
    assert_string_equal(json_string_value(json_object_get(part, "text")), text);
}

static size_t n_parts(json_t *json)
{
    return json_array_size(json_object_get(json, "parts"));
}

static void a_span_has_its_context_and_overlaps_are_one(void **state)
{
    struct channel channels[2] = {{.path = span_str("/0"), .text = span_str("0123456789SECRETabcdefghijSECRETxyz")},
                                  {.path = span_str("/\"\n"), .text = span_str("quiet \"SECRET\" here")}};
    struct finding findings[] = {finding(0, 10, 16, ACTION_BLOCK), finding(0, 26, 32, ACTION_REDACT),
                                 finding(1, 7, 13, ACTION_BLOCK), finding(1, 15, 19, ACTION_ALLOW)};
    struct exchange x = {.policy = &policy, .channels = channels, .n_channels = 2, .findings = findings, .n_findings = 4};

    (void)state;
    begin(SEAL_SPAN, 3);
    json_t *json = plaintext(&x);
    assert_int_equal(n_parts(json), 3);
    assert_part(json, 0, 0, 7, "789SECRETabc");
    assert_part(json, 1, 0, 23, "hijSECRETxyz");
    assert_part(json, 2, 1, 4, "t \"SECRET\" h");
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(json, "parts"), 2), "path")), "/\"\n");
    assert_null(json_object_get(json, "partial"));
    json_decref(json);
    begin(SEAL_SPAN, 6);
    json = plaintext(&x);
    assert_int_equal(n_parts(json), 2);
    assert_part(json, 0, 0, 4, "456789SECRETabcdefghijSECRETxyz");
    json_decref(json);
}

static void channels_and_exchanges_are_whole(void **state)
{
    struct channel channels[2] = {{.path = span_str("/0"), .text = span_str("a SECRET")}, {.path = span_str("/1"), .text = span_str("b")}};
    struct finding findings[] = {finding(0, 2, 8, ACTION_BLOCK)};
    struct exchange x = {.policy = &policy, .channels = channels, .n_channels = 2, .findings = findings, .n_findings = 1};

    (void)state;
    begin(SEAL_CHANNEL, 0);
    json_t *json = plaintext(&x);
    assert_int_equal(n_parts(json), 1);
    assert_part(json, 0, 0, 0, "a SECRET");
    json_decref(json);
    begin(SEAL_EXCHANGE, 0);
    json = plaintext(&x);
    assert_int_equal(n_parts(json), 2);
    assert_part(json, 1, 1, 0, "b");
    json_decref(json);
}

static void assert_text(json_t *object, const char *name, const char *value)
{
    assert_string_equal(json_string_value(json_object_get(object, name)), value);
}

/* Names as they were given, though the record shows tokens of them. */
static void an_exchange_has_all_that_judging_it_again_takes(void **state)
{
    struct channel channels[] = {
        {.path = span_str("/a~1b"), .text = span_str("a SECRET"), .key = span_str("a/b")},
        {.path = span_str("/a~1b"), .text = span_str("a/b"), .is_member_name = true},
        {.path = span_str("/list"), .text = span_str("xy"), .is_parts = true},
    };
    struct finding findings[] = {finding(0, 2, 8, ACTION_BLOCK)};
    struct exchange x = {.policy = &policy, .channels = channels, .n_channels = 3, .findings = findings, .n_findings = 1,
                         .now_ns = INT64_C(1793491200) * 1000000000 + 5, .rule = span_str("aws-key"),
                         .who = {.tenant = span_str("k:12"), .app = span_str("chat"), .route = span_str("/v1/filter"),
                                 .agent = span_str("a \"b\""), .given = {.tenant = span_str("acme")}}};

    (void)state;
    begin(SEAL_EXCHANGE, 0);
    policy.name = span_str("strict");
    policy.digest = span_str("sha256:12");
    json_t *json = plaintext(&x), *parts = json_object_get(json, "parts");
    assert_int_equal(json_integer_value(json_object_get(json, "time")), 1793491200);
    assert_text(json, "tenant", "acme");
    assert_text(json, "app", "chat");
    assert_text(json, "route", "/v1/filter");
    assert_text(json, "agent", "a \"b\"");
    assert_text(json, "action", "block");
    assert_text(json, "rule", "aws-key");
    assert_text(json, "engine", FILTERD_VERSION);
    assert_text(json_object_get(json, "policy"), "name", "strict");
    assert_text(json_object_get(json, "policy"), "digest", "sha256:12");
    assert_int_equal(json_array_size(parts), 3);
    assert_text(json_array_get(parts, 0), "path", "/a~1b");
    assert_text(json_array_get(parts, 0), "key", "a/b");
    assert_null(json_object_get(json_array_get(parts, 0), "name"));
    assert_true(json_is_true(json_object_get(json_array_get(parts, 1), "name")));
    assert_true(json_is_true(json_object_get(json_array_get(parts, 2), "joined")));
    json_decref(json);
}

static void bytes_that_are_no_text_are_base64_and_no_character_is_cut(void **state)
{
    struct channel channel = {.path = span_str(""), .text = span_str("\xc3\xa4SECRET\xe2\x82\xac")};
    struct finding findings[] = {finding(0, 2, 8, ACTION_BLOCK)};
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .findings = findings, .n_findings = 1};

    (void)state;
    begin(SEAL_SPAN, 1);
    json_t *json = plaintext(&x);
    assert_part(json, 0, 0, 2, "SECRET");
    json_decref(json);
    channel.text = span_str("\xff\xfeSECRET\x80");
    begin(SEAL_CHANNEL, 0);
    json = plaintext(&x);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(json, "parts"), 0), "base64")), "//5TRUNSRVSA");
    json_decref(json);
}

static void what_no_trigger_wants_is_not_sealed(void **state)
{
    struct channel channel = {.text = span_str("SECRET")};
    struct finding f = finding(0, 0, 6, ACTION_REDACT), shadow = finding(0, 0, 6, ACTION_BLOCK);
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .findings = &f, .n_findings = 1};
    struct sealed_note note;
    struct secret plain;
    struct error err;

    (void)state;
    begin(SEAL_SPAN, 0);
    x.action = ACTION_REDACT;
    assert_false(originals_are_wanted(&x, 0));
    assert_int_equal(sealer_seal(NULL, &x, &note, &err), SEAL_NOTHING);
    x.action = ACTION_BLOCK;
    assert_true(originals_are_wanted(&x, 0));
    shadow.is_shadow = true;
    x.findings = &shadow;
    assert_false(original_json(&x, &plain, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_int_equal(sealer_seal(NULL, &x, &note, &err), SEAL_NOTHING);
    policy.seal = NULL;
    assert_false(originals_are_wanted(&x, 0));
}

static int search(const char *path, const struct stat *info, int type, struct FTW *at)
{
    struct buf content;
    struct error err;

    (void)at;
    if (type != FTW_F) {
        return 0;
    }
    assert_int_equal(info->st_mode & 077, 0);
    buf_init(&content, FILE_MAX);
    assert_true(file_read(path, &content, &err));
    bool is_found = memmem(content.data, content.len, "PLANTED", 7) != NULL;
    buf_deinit(&content);
    return is_found ? 1 : 0;
}

static void a_sealed_original_opens_and_is_nowhere_in_clear(void **state)
{
    char state_directory[64], log[64], folder[64], path[PATH_MAX];
    struct channel channel = {.path = span_str(""), .text = span_str("the key is PLANTED-1, they said")};
    struct finding f = finding(0, 11, 20, ACTION_BLOCK);
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .findings = &f, .n_findings = 1,
                         .now_ns = INT64_C(1793491200) * 1000000000};
    struct sealed_note note;
    struct error err;
    struct buf file;
    char sha256[DIGEST_SHA256_HEX + 1];

    (void)state;
    begin(SEAL_SPAN, 4);
    (void)snprintf(state_directory, sizeof(state_directory), "%s/state", root);
    (void)snprintf(log, sizeof(log), "%s/logs/decisions.jsonl", root);
    struct sealer *s = sealer_open(state_directory, log, &err);
    assert_non_null(s);
    assert_int_equal(sealer_seal(s, &x, &note, &err), SEAL_DONE);
    assert_true(sealer_sync(s, &err));
    assert_int_equal(nftw(root, search, 8, FTW_PHYS), 0);
    assert_int_equal(note.expires_ns, x.now_ns + seal.keep_ns);

    (void)snprintf(folder, sizeof(folder), "%s/logs/seal", root);
    assert_true(blobs_path(folder, span_str(note.blob), path));
    buf_init(&file, FILE_MAX);
    assert_true(file_read(path, &file, &err));
    assert_int_equal(file.len, note.bytes);
    assert_true(digest_sha256(buf_span(&file), sha256, &err));
    assert_string_equal(sha256, note.sha256);
    struct secret box, plain;
    struct shred_key key;
    (void)snprintf(path, sizeof(path), "%s/shred/shred.db", state_directory);
    struct shred_store *store = shred_open_file(path, &err);
    assert_true(shred_find(store, note.kek, &key, &err));
    assert_true(sealed_open_layers(&identities[1], 1, buf_span(&file), &box, &err));
    assert_true(sealed_open_box(&key, secret_span(&box), &plain, &err));
    assert_non_null(memmem(plain.data, plain.len, "\" is PLANTED-1, th\"", 19));
    secret_deinit(&plain);
    secret_deinit(&box);
    shred_close(store);
    buf_deinit(&file);
    sealer_close(s);
}

static bool is_sealed(struct sealer *s, const struct exchange *x)
{
    struct sealed_note note;
    struct error err;
    enum seal_result result = sealer_seal(s, x, &note, &err);

    assert_int_not_equal(result, SEAL_FAILED);
    return result == SEAL_DONE;
}

/* Of 400 exchanges the number in a sample of a quarter has a standard deviation of 8.7. */
static void a_sample_is_a_share_chosen_by_a_secret_key(void **state)
{
    enum { EXCHANGES = 400 };
    char directories[2][64], log[64];
    struct channel channel = {.path = span_str(""), .text = span_str("clean")};
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .action = ACTION_ALLOW,
                         .now_ns = INT64_C(1793491200) * 1000000000};
    struct seal_trigger sampled = {.when = {.max_confidence = 1}, .actions = 1U << ACTION_ALLOW, .sample = 0.25};
    struct sealer *sealers[2];
    struct error err;
    unsigned n = 0, differ = 0;

    (void)state;
    begin(SEAL_EXCHANGE, 0);
    seal.when = &sampled;
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(directories[i], sizeof(directories[i]), "%s/sample-%zu", root, i);
        (void)snprintf(log, sizeof(log), "%s/sample-%zu/decisions.jsonl", root, i);
        sealers[i] = sealer_open(directories[i], log, &err);
        assert_non_null(sealers[i]);
    }
    for (unsigned i = 0; i < EXCHANGES; i++) {
        memcpy(x.id.bytes + 12, &i, sizeof(i));
        bool is_first = is_sealed(sealers[0], &x);
        assert_int_equal(is_first, is_sealed(sealers[0], &x));
        n += is_first;
        differ += is_first != is_sealed(sealers[1], &x);
    }
    assert_in_range(n, 100 - 60, 100 + 60);
    assert_in_range(differ, 40, 300);

    memset(x.id.bytes, 7, sizeof(x.id.bytes)); /* the key outlives the process: the choice stays */
    bool before[16], after[16];
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 16; i++) {
            x.id.bytes[0] = (uint8_t)i;
            (k == 0 ? before : after)[i] = is_sealed(sealers[0], &x);
        }
        sealer_close(sealers[0]);
        (void)snprintf(log, sizeof(log), "%s/sample-0/decisions.jsonl", root);
        sealers[0] = sealer_open(directories[0], log, &err);
        assert_non_null(sealers[0]);
    }
    assert_memory_equal(before, after, sizeof(before));
    sampled.sample = 0;
    assert_false(is_sealed(sealers[0], &x));
    sampled.sample = 1;
    assert_true(is_sealed(sealers[0], &x));
    sealer_close(sealers[0]);
    sealer_close(sealers[1]);
}

static void one_that_cannot_be_written_fails_and_says_so(void **state)
{
    char state_directory[64];
    struct channel channel = {.text = span_str("SECRET")};
    struct finding f = finding(0, 0, 6, ACTION_BLOCK);
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .findings = &f, .n_findings = 1};
    struct sealed_note note;
    struct error err;

    (void)state;
    begin(SEAL_SPAN, 0);
    assert_int_equal(sealer_seal(NULL, &x, &note, &err), SEAL_FAILED);
    assert_true(note.has_failed);
    (void)snprintf(state_directory, sizeof(state_directory), "%s/state", root);
    struct sealer *s = sealer_open(state_directory, "/proc/none/decisions.jsonl", &err);
    assert_non_null(s);
    assert_int_equal(sealer_seal(s, &x, &note, &err), SEAL_FAILED);
    assert_null(strstr(err.text, "SECRET"));
    sealer_close(s);
    assert_null(sealer_open(NULL, "log", &err));
}

/* The memory of this process, once a text has been sealed and forgotten. */
static void no_copy_is_left_in_memory(void **state)
{
    enum { LEN = 3000, AREA_MAX = 1024 * 1024 * 1024 /* a sanitizer's own are larger */ };
    char state_directory[64], log[64], line[256];
    static char text[LEN];
    static char wanted[16];
    struct channel channel = {.text = span_of(text, LEN)};
    struct finding f = finding(0, 0, LEN, ACTION_BLOCK);
    struct exchange x = {.policy = &policy, .channels = &channel, .n_channels = 1, .findings = &f, .n_findings = 1};
    struct sealed_note note;
    struct error err;

    (void)state;
    begin(SEAL_EXCHANGE, 0);
    for (size_t i = 0; i < LEN; i++) {
        text[i] = (char)('a' + randombytes_uniform(26));
    }
    for (size_t i = 0; i < sizeof(wanted); i++) {
        wanted[i] = (char)(text[i] ^ 0x55); /* so that the search does not find itself */
    }
    (void)snprintf(state_directory, sizeof(state_directory), "%s/state", root);
    (void)snprintf(log, sizeof(log), "%s/logs/decisions.jsonl", root);
    struct sealer *s = sealer_open(state_directory, log, &err);
    assert_int_equal(sealer_seal(s, &x, &note, &err), SEAL_DONE);
    sodium_memzero(text, sizeof(text));

    FILE *maps = fopen("/proc/self/maps", "r"), *memory = fopen("/proc/self/mem", "r");
    size_t n_found = 0, n_read = 0;
    while (fgets(line, sizeof(line), maps) != NULL) {
        unsigned long from, to;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) != 3 || mode[0] != 'r' || mode[1] != 'w' ||
            to - from > AREA_MAX || fseek(memory, (long)from, SEEK_SET) != 0) {
            continue;
        }
        unsigned char *area = malloc(to - from);
        size_t len = area != NULL ? fread(area, 1, to - from, memory) : 0;
        n_read += len;
        for (size_t i = 0; i + sizeof(wanted) <= len; i++) {
            size_t k = 0;
            while (k < sizeof(wanted) && (char)(area[i + k] ^ 0x55) == wanted[k]) {
                k++;
            }
            n_found += k == sizeof(wanted);
        }
        free(area);
    }
    (void)fclose(maps);
    (void)fclose(memory);
    assert_true(n_read > 0);
    assert_int_equal(n_found, 0);
    sealer_close(s);
}

static void assert_has(const struct buf *line, const char *text)
{
    if (memmem(line->data, line->len, text, strlen(text)) == NULL) {
        print_message("%.*s\n", (int)line->len, line->data);
    }
    assert_non_null(memmem(line->data, line->len, text, strlen(text)));
}

static void the_record_names_file_keys_and_groups(void **state)
{
    struct sealed_note note = {.blob = "00112233445566778899aabbccddeeff", .sha256 = "ab", .bytes = 2412, .kek = "0123456789abcdef",
                               .seal = &seal, .is_partial = true, .expires_ns = INT64_C(1793491200) * 1000000000};
    struct exchange x = {.policy = &policy, .sealed = &note};
    struct buf line;
    struct error err;

    (void)state;
    begin(SEAL_SPAN, 0);
    buf_init(&line, DECISION_RECORD_MAX);
    assert_true(decision_format(&x, &keys, 0, &line, &err));
    assert_has(&line, "\"sealed\":{\"blob\":\"00112233445566778899aabbccddeeff\",\"sha256\":\"ab\",\"bytes\":2412,"
                      "\"kek\":\"0123456789abcdef\",\"to\":[\"compliance\"],\"recipients\":\"sha256:0000\",\"what\":\"span\","
                      "\"partial\":true,\"expires\":\"2026-11-01T00:00:00.000000000Z\"}");
    note = (struct sealed_note){.has_failed = true};
    assert_true(decision_format(&x, &keys, 0, &line, &err));
    assert_has(&line, "\"sealed\":{\"failed\":true}");
    buf_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_has_its_context_and_overlaps_are_one),
        cmocka_unit_test(channels_and_exchanges_are_whole),
        cmocka_unit_test(an_exchange_has_all_that_judging_it_again_takes),
        cmocka_unit_test(a_sample_is_a_share_chosen_by_a_secret_key),
        cmocka_unit_test(bytes_that_are_no_text_are_base64_and_no_character_is_cut),
        cmocka_unit_test(what_no_trigger_wants_is_not_sealed),
        cmocka_unit_test(a_sealed_original_opens_and_is_nowhere_in_clear),
        cmocka_unit_test(one_that_cannot_be_written_fails_and_says_so),
        cmocka_unit_test(no_copy_is_left_in_memory),
        cmocka_unit_test(the_record_names_file_keys_and_groups),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
