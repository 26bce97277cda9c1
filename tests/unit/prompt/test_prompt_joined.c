/* test_prompt_joined.c - a secret that is cut over texts which a model reads as one goes to no provider, whatever was judged before. */
#include "prompt_testing.h"

#include "base/cleanup.h"
#include "mask/restore.h"

#define FIRST  "sesame-"
#define SECOND "7Q2X"
#define TEXT(text)          "{\"type\":\"text\",\"text\":\"" text "\"}"
#define PARTS(role, parts)  "{\"role\":\"" role "\",\"content\":[" parts "]}"
#define SAY(role, text)     "{\"role\":\"" role "\",\"content\":\"" text "\"}"
#define CHAT(messages)      "{\"messages\":[" messages "]}"

static void assert_masked(struct fixture *f, const char *route, const char *body)
{
    struct span up = judge(f, route, body);

    if (f->x.action != ACTION_REDACT || has(up, FIRST) || has(up, SECOND)) {
        fail_msg("%s %s: %d " SPAN_FMT, route, body, f->x.action, SPAN_ARG(up));
    }
}

static void assert_passes(struct fixture *f, const char *route, const char *body)
{
    struct span up = judge(f, route, body);

    if (f->x.action != ACTION_ALLOW || f->outcome.is_changed) {
        fail_msg("%s %s: %d " SPAN_FMT, route, body, f->x.action, SPAN_ARG(up));
    }
}

static void pieces_of_one_message_are_masked_each(void **state)
{
    static const struct {
        const char *route, *body;
    } cases[] = {
        {"openai-chat", CHAT(PARTS("user", TEXT("it is " FIRST) "," TEXT(SECOND " now")))},
        {"openai-chat", CHAT(PARTS("tool", TEXT(FIRST) "," TEXT(SECOND)))},
        {"openai-chat", CHAT(PARTS("user", TEXT(FIRST) ",{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a.example/\"}}," TEXT(SECOND)))},
        {"openai-chat", CHAT(PARTS("assistant", TEXT(FIRST) "," TEXT("") "," TEXT(SECOND)))},
        {"openai-chat", CHAT(PARTS("user", TEXT("the key is") "," TEXT(FIRST) "," TEXT(SECOND) "," TEXT("now")))}, /* no edges of words */
        {"openai-responses", "{\"input\":[" PARTS("user", TEXT(FIRST) "," TEXT(SECOND)) "]}"},
        {"anthropic-messages", CHAT(PARTS("user", TEXT(FIRST) "," TEXT(SECOND)))},
        {"anthropic-messages", "{\"system\":[" TEXT(FIRST) "," TEXT(SECOND) "]}"},
        {"anthropic-messages", CHAT(PARTS("user", "{\"type\":\"tool_result\",\"content\":[" TEXT(FIRST) "," TEXT(SECOND) "]}"))},
        {"anthropic-messages",
         CHAT(PARTS("user", TEXT(FIRST) ",{\"type\":\"tool_result\",\"content\":[" TEXT("a") "," TEXT("b") "]}," TEXT(SECOND)))},
        {"gemini-generate", "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"" FIRST "\"},{\"text\":\"" SECOND "\"}]}]}"},
        {"gemini-generate", "{\"systemInstruction\":{\"parts\":[{\"text\":\"" FIRST "\"},{\"text\":\"" SECOND "\"}]}}"},
        {"cohere-chat", CHAT(PARTS("user", TEXT(FIRST) "," TEXT(SECOND)))},
        {"openai-responses", "{\"input\":[{\"type\":\"function_call_output\",\"output\":[" TEXT(FIRST) "," TEXT(SECOND) "]}]}"},
        {"openai-responses", "{\"input\":[{\"type\":\"reasoning\",\"summary\":[" TEXT(FIRST) "," TEXT(SECOND) "]}]}"},
        {"openai-moderations", "{\"input\":[" TEXT(FIRST) "," TEXT(SECOND) "]}"},
        {"openai-chat", CHAT(PARTS("user", TEXT("is") "," TEXT(FIRST) "," TEXT("") "," TEXT("") "," TEXT("") "," TEXT(SECOND) "," TEXT("now")))},
    };
    struct fixture f;
    (void)state;

    begin(&f, "");
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned turn = 0; turn < 3; turn++) { /* known, too */
            assert_masked(&f, cases[i].route, cases[i].body);
        }
    }
    end(&f);
}

static void neighbours_of_one_role_are_read_as_one(void **state)
{
    static const struct {
        const char *route, *body;
    } cases[] = {
        {"openai-chat", CHAT(SAY("user", "it is " FIRST) "," SAY("user", SECOND " now"))},
        {"openai-chat", CHAT(SAY("system", "x") "," SAY("user", "ses") "," SAY("user", "ame") "," SAY("user", "") "," SAY("user", "-7Q2X"))},
        {"anthropic-messages", CHAT(PARTS("user", TEXT("a") "," TEXT("ses")) "," PARTS("user", TEXT("ame-7Q2X") "," TEXT("b")))},
        {"anthropic-messages", CHAT(SAY("assistant", FIRST) "," PARTS("assistant", TEXT(SECOND)))},
        {"openai-chat", CHAT(SAY("user", "is") "," SAY("user", FIRST) "," SAY("user", SECOND) "," SAY("user", "now"))},
        {"openai-responses", "{\"input\":[" SAY("user", FIRST) ",{\"type\":\"message\",\"role\":\"user\",\"content\":\"" SECOND "\"}]}"},
        {"openai-conversations", "{\"items\":[" SAY("user", FIRST) "," SAY("user", SECOND) "]}"},
        {"gemini-generate", "{\"contents\":[{\"parts\":[{\"text\":\"" FIRST "\"}]},{\"parts\":[{\"text\":\"" SECOND "\"}]}]}"},
        {"ollama-chat", CHAT(SAY("user", FIRST) "," SAY("user", SECOND))},
        {"cohere-chat", "{\"chat_history\":[{\"role\":\"USER\",\"message\":\"" FIRST "\"},{\"role\":\"USER\",\"message\":\"" SECOND "\"}]}"},
        {"cohere-chat-v1", "{\"chat_history\":[{\"role\":\"USER\",\"message\":\"" FIRST "\"}],\"message\":\"" SECOND "\"}"},
        {"cohere-chat-v1", "{\"message\":\"" SECOND "\",\"chat_history\":[{\"role\":\"USER\",\"message\":\"x\"},{\"message\":\"" FIRST "\"}]}"},
        {"cohere-chat-v1", "{\"message\":\"" SECOND "\",\"preamble\":\"p\",\"chat_history\":[{\"role\":\"CHATBOT\",\"message\":\"x\"},{\"role\":\"USER\",\"message\":\"ses\"},"
                           "{\"role\":\"USER\",\"message\":\"ame-\"}]}"},
    };
    struct fixture f;
    (void)state;

    begin(&f, "");
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned turn = 0; turn < 3; turn++) {
            struct span up = judge(&f, cases[i].route, cases[i].body);
            if (f.x.action != ACTION_REDACT || has(up, "ses") || has(up, "ame") || has(up, "7Q2X")) {
                fail_msg("%s %s: turn %u, %d " SPAN_FMT, cases[i].route, cases[i].body, turn, f.x.action, SPAN_ARG(up));
            }
        }
    }
    assert_passes(&f, "openai-chat", CHAT(SAY("user", FIRST) "," SAY("assistant", SECOND)));
    assert_passes(&f, "openai-chat", CHAT(SAY("tool", FIRST) "," SAY("tool", SECOND)));
    assert_passes(&f, "openai-chat", CHAT(SAY("user", FIRST) "," SAY("assistant", "x") "," SAY("user", SECOND)));
    assert_passes(&f, "anthropic-messages", CHAT(PARTS("user", "{\"type\":\"tool_result\",\"content\":[" TEXT(FIRST) "]}," TEXT(SECOND))));
    end(&f);
}

static void words_before_a_joint_name_nothing_behind_it(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f, "");
    assert_masked(&f, "openai-chat", CHAT(PARTS("user", TEXT("x") "," TEXT(SECRET))));
    assert_int_equal(f.x.n_findings, 1);
    assert_passes(&f, "openai-chat", CHAT(PARTS("user", TEXT(FIRST) "," TEXT("x") "," TEXT(SECOND))));
    end(&f);
}

static void pieces_come_back_exactly(void **state)
{
    static const char body[] = CHAT(PARTS("user", TEXT("it is " FIRST) "," TEXT(SECOND " now")) "," SAY("user", "and ses") "," SAY("user", "ame-7Q2X."));
    struct restore_counts counts = {0};
    struct fixture f;
    struct error err;
    (void)state;

    begin(&f, "");
    struct buf out CLEANUP(buf_deinit);
    buf_init(&out, 1 << 16);
    struct span up = judge(&f, "openai-chat", body);
    assert_false(has(up, "7Q2X") || has(up, "ses") || has(up, "ame"));
    assert_true(restore_whole(f.masking, RESTORE_JSON, 0, up, &counts, &out, &err));
    assert_true(span_is(buf_span(&out), body));
    assert_int_equal(counts.restored, 4);
    end(&f);
}

/* As the proxy does. */
static struct span judge_surveyed_as(struct fixture *f, const char *route, const char *body)
{
    static struct arena memory;
    const struct policy *policy = snapshot_policy(f->judge.snapshot, span_of("", 0), span_of("", 0));
    const struct identity who = {0};
    struct history_scope scope;
    struct prompt_survey survey;
    struct error err;

    arena_deinit(&memory);
    arena_init(&memory, 1 << 16, 1 << 22);
    prompt_scope(f->history, policy, &who, route, &scope);
    assert_true(prompt_survey(&memory, f->history, &scope, route, span_str(body), &survey, &err));
    assert_true(json_validate_known(span_str(body), prompt_survey_valid(&survey), &err));
    const struct prompt_input q = {.route = route, .body = span_str(body), .history = f->history, .is_valid = true, .survey = &survey};
    f->x = (struct exchange){.snapshot = f->judge.snapshot, .policy = policy, .masking = f->masking};
    prompt_judge(f->judge.worker, &q, &f->x, &f->out, &f->outcome);
    return f->outcome.is_changed ? buf_span(&f->out) : q.body;
}

static struct span judge_surveyed(struct fixture *f, const char *body)
{
    return judge_surveyed_as(f, "openai-chat", body);
}

/* An image of more than 64 KiB says nothing, and so does a message of it: what is before it is joined with what is behind it. */
static void what_is_not_said_stands_between_no_halves(void **state)
{
    static const char *const between[][2] = {
        {"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,", "\"}}]},"},
        {"{\"role\":\"user\",\"content\":\"\",\"x_note\":\"", "\"},"},
    };
    struct fixture f;
    struct buf body CLEANUP(buf_deinit);
    char image[100 * 1024 + 1];
    struct error err;
    (void)state;

    memset(image, 'A', sizeof(image) - 1);
    memcpy(image, "iVBORw0KGgo", 11);
    image[sizeof(image) - 1] = '\0';
    begin(&f, "");
    buf_init(&body, 1 << 20);
    for (size_t i = 0; i < COUNT(between); i++) {
        for (unsigned turn = 0; turn < 4; turn++) {
            buf_clear(&body);
            assert_true(buf_append_str(&body, "{\"messages\":[" SAY("user", FIRST) ",", &err));
            assert_true(buf_appendf(&body, &err, "%s%s%s", between[i][0], image, between[i][1]));
            assert_true(buf_append_str(&body, turn < 2 ? SAY("assistant", "x") "]}" : SAY("user", SECOND) "]}", &err));
            assert_true(buf_append_char(&body, '\0', &err));
            struct span up = judge_surveyed(&f, body.data);
            assert_int_equal(f.x.action, turn < 2 ? ACTION_ALLOW : ACTION_REDACT);
            assert_false(turn >= 2 && (has(up, FIRST) || has(up, SECOND)));
        }
    }
    end(&f);
}

/* Cohere's version 1: the history is known when its last message comes. */
static void the_last_message_goes_on_from_a_known_history(void **state)
{
#define HISTORY "{\"chat_history\":[{\"role\":\"USER\",\"message\":\"a\"},{\"role\":\"CHATBOT\",\"message\":\"b\"},{\"role\":\"USER\",\"message\":\"" FIRST "\"}]"
    static const char *const turns[] = {HISTORY ",\"message\":\"x\"}", HISTORY ",\"message\":\"" SECOND "\"}", HISTORY ",\"message\":\"" SECOND "\"}",
                                        HISTORY ",\"message\":\"x\"}"};
    struct fixture f;
    (void)state;

    begin(&f, "");
    for (size_t i = 0; i < COUNT(turns); i++) {
        struct span up = judge_surveyed_as(&f, "cohere-chat-v1", turns[i]);
        bool is_whole = has(span_str(turns[i]), SECOND);
        assert_int_equal(f.x.action, is_whole ? ACTION_REDACT : ACTION_ALLOW);
        assert_true(has(up, FIRST) == !is_whole && !has(up, SECOND));
    }
    assert_passes(&f, "cohere-chat-v1", "{\"chat_history\":[{\"role\":\"CHATBOT\",\"message\":\"" FIRST "\"}],\"message\":\"" SECOND "\"}");
    end(&f);
}

static void halves_that_are_known_apart_are_no_known_whole(void **state)
{
    static const char *const clean[] = {
        CHAT(SAY("user", FIRST)),
        CHAT(SAY("user", "x") "," SAY("assistant", "y") "," SAY("user", SECOND)),
        CHAT(SAY("user", "ses") "," SAY("user", "ame-")),
        CHAT(SAY("user", "ame-") "," SAY("user", SECOND)),
    };
    static const char *const both[] = {
        CHAT(SAY("user", FIRST) "," SAY("user", SECOND)),
        CHAT(SAY("user", "x") "," SAY("assistant", "y") "," SAY("user", FIRST) "," SAY("user", SECOND)),
        CHAT(SAY("user", "ses") "," SAY("user", "ame-") "," SAY("user", SECOND)),
    };
    struct fixture f;
    (void)state;

    begin(&f, "");
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < COUNT(clean); i++) {
            (void)judge_surveyed(&f, clean[i]);
            assert_int_equal(f.x.action, ACTION_ALLOW);
        }
        for (size_t i = 0; i < COUNT(both); i++) {
            struct span up = judge_surveyed(&f, both[i]);
            if (f.x.action != ACTION_REDACT || has(up, SECOND) || has(up, "ame-")) {
                fail_msg("%s: " SPAN_FMT, both[i], SPAN_ARG(up));
            }
        }
    }
    end(&f);
}

/* Behind a prefix that is known as one. */
static void a_known_prefix_ends_where_a_message_goes_on(void **state)
{
    struct fixture f;
    struct buf body CLEANUP(buf_deinit);
    struct error err;
    (void)state;

    begin(&f, "");
    buf_init(&body, 1 << 16);
    assert_true(buf_append_str(&body, "{\"messages\":[", &err));
    for (unsigned i = 0; i < 12; i++) {
        assert_true(buf_appendf(&body, &err, "%s" SAY("%s", "turn %u " FIRST), i == 0 ? "" : ",", i % 2 == 0 ? "assistant" : "user", i));
    }
    size_t len = body.len;
    for (unsigned turn = 0; turn < 3; turn++) {
        body.len = len;
        assert_true(buf_append(&body, span_str("]}\0"), &err) && buf_append_char(&body, '\0', &err));
        (void)judge_surveyed(&f, body.data);
        assert_int_equal(f.x.action, ACTION_ALLOW);
    }
    body.len = len;
    assert_true(buf_append_str(&body, "," SAY("user", SECOND) "]}", &err) && buf_append_char(&body, '\0', &err));
    for (unsigned turn = 0; turn < 3; turn++) {
        struct span up = judge_surveyed(&f, body.data);
        assert_int_equal(f.x.action, ACTION_REDACT);
        assert_false(has(up, SECOND));
        assert_true(has(up, "turn 9 " FIRST) && !has(up, "turn 11 " FIRST));
    }
    end(&f);
}

/* All of one role, without and with a finding: no more is judged than what is new and the joint before it. */
static void a_turn_costs_what_is_new_where_all_are_of_one_role(void **state)
{
    struct fixture f;
    struct buf body CLEANUP(buf_deinit);
    size_t second = 0;
    struct error err;
    (void)state;

    begin(&f, "");
    buf_init(&body, 1 << 20);
    for (unsigned n = 1; n <= 50; n++) {
        buf_clear(&body);
        assert_true(buf_append_str(&body, "{\"messages\":[", &err));
        for (unsigned i = 0; i < n; i++) {
            assert_true(buf_appendf(&body, &err, "%s" SAY("user", "turn %02u: no word of it is one that any rule finds"), i == 0 ? "" : ",", i));
        }
        assert_true(buf_append_str(&body, "]}", &err) && buf_append_char(&body, '\0', &err));
        (void)judge_surveyed(&f, body.data);
        assert_int_equal(f.x.action, ACTION_ALLOW);
        second = n == 2 ? f.x.judged : second;
        assert_true(n <= 2 || f.x.judged <= second);
    }
    end(&f);
}

static int set_up(void **state)
{
    (void)state;
    return sodium_init() >= 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_one_message_are_masked_each),
        cmocka_unit_test(neighbours_of_one_role_are_read_as_one),
        cmocka_unit_test(words_before_a_joint_name_nothing_behind_it),
        cmocka_unit_test(pieces_come_back_exactly),
        cmocka_unit_test(what_is_not_said_stands_between_no_halves),
        cmocka_unit_test(the_last_message_goes_on_from_a_known_history),
        cmocka_unit_test(halves_that_are_known_apart_are_no_known_whole),
        cmocka_unit_test(a_known_prefix_ends_where_a_message_goes_on),
        cmocka_unit_test(a_turn_costs_what_is_new_where_all_are_of_one_role),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
