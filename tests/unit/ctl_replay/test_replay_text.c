#include "testing.h"

#include <sodium.h>

#include "ctl/replay/replay_text.h"
#include "state/original_json.h"

static bool read_again(struct arena *a, const char *json, struct replay_text *out)
{
    struct error err;

    return replay_text_read(a, span_str(json), out, &err);
}

static void what_is_sealed_is_read_as_it_was(void **state)
{
    static const char *const texts[] = {"plain", "\"quoted\" \\ and \x01\n", "gr\xc3\xbc\xc3\x9f", "\xff\xfe no UTF-8 \x80", "\xf0\x9f\x98\x80"};
    static const char *const paths[] = {"/0/content", "/1/a\"b", "/x/~21/y", "/b", ""};
    struct seal_trigger when = {.actions = 1U << ACTION_BLOCK};
    struct policy_seal seal = {.when = &when, .n_when = 1, .what = SEAL_EXCHANGE};
    struct policy policy = {.seal = &seal, .name = span_str("strict"), .digest = span_str("sha256:0")};
    struct channel channels[COUNT(texts)];
    struct exchange x = {.who = {.tenant = span_str("ac\"me"), .agent = span_str("a-7")}, .policy = &policy, .channels = channels, .n_channels = COUNT(texts)};
    struct secret json = {0};
    struct replay_text text;
    struct arena a;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        channels[i] = (struct channel){.path = span_str(paths[i]), .text = span_str(texts[i])};
    }
    channels[1].is_member_name = true;
    channels[2].is_parts = true;
    channels[3].key = span_str("api_key");
    arena_init(&a, 0, 1 << 20);
    assert_true(original_json(&x, &json, &err));
    assert_true(replay_text_read(&a, secret_span(&json), &text, &err));
    assert_true(text.is_whole);
    assert_true(text.has_names && span_is(text.who.tenant, "ac\"me") && span_is(text.who.agent, "a-7") && text.who.app.len == 0);
    assert_true(span_is(text.policy_name, "strict"));
    assert_true(text.channels[1].is_member_name && text.channels[2].is_parts);
    assert_true(span_is(text.channels[3].key, "api_key"));
    assert_int_equal(text.n, COUNT(texts));
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_true(span_is(text.channels[i].path, paths[i]));
        assert_true(span_is(text.channels[i].text, texts[i]));
    }
    arena_deinit(&a);
    secret_deinit(&json);
}

static void only_whole_exchanges_are_whole(void **state)
{
    static const struct {
        const char *json;
        bool is_whole;
    } cases[] = {
        {"{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"channel\":0,\"path\":\"\",\"start\":0,\"text\":\"x\"}]}", true},
        {"{\"v\":1,\"req_id\":\"a\",\"what\":\"span\",\"parts\":[{\"channel\":0,\"path\":\"\",\"start\":0,\"text\":\"x\"}]}", false},
        {"{\"v\":1,\"req_id\":\"a\",\"what\":\"channel\",\"parts\":[{\"channel\":0,\"path\":\"\",\"start\":0,\"text\":\"x\"}]}", false},
        {"{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"partial\":true,\"parts\":[{\"path\":\"\",\"text\":\"x\"}]}", false},
    };
    struct replay_text text;
    struct arena a;

    (void)state;
    arena_init(&a, 0, 1 << 20);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(read_again(&a, cases[i].json, &text));
        assert_int_equal(text.is_whole, cases[i].is_whole);
    }
    arena_deinit(&a);
}

static void the_member_above_a_text_is_its_key(void **state)
{
    static const struct {
        const char *path, *key;
        bool is_name;
    } cases[] = {
        {"/0/content", "content", false}, {"/api_key/0/1", "api_key", false}, {"", "", false},
        {"/0", "", false},                {"/a/b", "a", true},                {"/b", "", true},
    };
    struct replay_text text;
    struct arena a;
    char json[256];

    (void)state;
    arena_init(&a, 0, 1 << 20);
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)snprintf(json, sizeof(json), "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"path\":\"%s\",%s\"text\":\"x\"}]}",
                       cases[i].path, cases[i].is_name ? "\"name\":true," : "");
        assert_true(read_again(&a, json, &text));
        assert_true(span_is(text.channels[0].key, cases[i].key));
        assert_int_equal(text.channels[0].is_member_name, cases[i].is_name);
    }
    arena_deinit(&a);
}

static void what_is_no_original_is_refused_without_its_text(void **state)
{
    static const char *const cases[] = {
        "",
        "{}",
        "[]",
        "{\"v\":2,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"text\":\"SECRET\"}]}",
        "{\"v\":1,\"what\":\"exchange\",\"parts\":[{\"text\":\"SECRET\"}]}",
        "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[]}",
        "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"path\":\"SECRET\"}]}",
        "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"base64\":\"SECRET!\"}]}",
        "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[\"SECRET\"]}",
        "{\"v\":1,\"req_id\":\"a\",\"what\":\"exchange\",\"parts\":[{\"text\":\"SECRET\"}]",
    };
    struct replay_text text;
    struct arena a;
    struct error err;

    (void)state;
    arena_init(&a, 0, 1 << 20);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(replay_text_read(&a, span_str(cases[i]), &text, &err));
        assert_null(strstr(err.text, "SECRET"));
    }
    arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sealed_is_read_as_it_was),
        cmocka_unit_test(only_whole_exchanges_are_whole),
        cmocka_unit_test(the_member_above_a_text_is_its_key),
        cmocka_unit_test(what_is_no_original_is_refused_without_its_text),
    };

    if (sodium_init() < 0) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
