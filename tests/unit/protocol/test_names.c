/* test_names.c - member names of an answer: the model chooses those of a tool's arguments, an upstream all others. None
 * of them carries content into the record. */
#include "unit/protocol/answer.h"

#include "decision_log/path_words.h"
#include "judge/path.h"
#include "protocol/dialect.h"

/* Made up; half of each is no finding. */
#define FIRST  "AKIAQWB5PD"
#define SECOND "KHX6PYGPAN"

static struct answer_request chat_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/chat/completions",
                                   .body = "{}",
                                   .type = "application/json",
                                   .upstream = upstream};
}

#define CHAT(member)                                                                                                     \
    "{\"id\":\"c\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":"      \
    "\"assistant\",\"content\":\"x\"," member "},\"finish_reason\":\"stop\"}]}"
#define CALL(arguments)                                                                                                  \
    CHAT("\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"send\",\"arguments\":\"" arguments \
         "\"}}]")

static void a_secret_in_a_name_is_not_on_record(void **state)
{
    static const char *const answers[] = {
        CALL("{\\\"" KEY "\\\":1}"),
        CALL("{\\\"env\\\":[{\\\"" KEY "\\\":{\\\"to\\\":\\\"x\\\"}}]}"),
        CALL("{\\\"" KEY "\\\":\\\"" KEY "\\\"}"),
        CHAT("\"" KEY "\":1"),
        CHAT("\"extra\":{\"" KEY "\":{\"text\":\"" KEY "\"}}"),
    };

    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct answer_request r = chat_of(answers[i]);
        (void)translate(&r);
        assert_int_equal(last.action, ACTION_BLOCK);
        assert_holds(last.record, "\"rule\":\"aws-access-key-id\"");
    }
}

/* Of many findings the one in the name may find no room in the record. */
static void a_finding_in_a_name_hides_names_wherever_it_is(void **state)
{
    static char upstream[1 << 16];
    size_t n = (size_t)snprintf(upstream, sizeof(upstream), "{\"choices\":[{\"message\":{\"content\":\"x\",\"text\":[");

    (void)state;
    for (int i = 0; i < 80; i++) {
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "%s\"%s\"", i == 0 ? "" : ",", KEY);
    }
    (void)snprintf(upstream + n, sizeof(upstream) - n, "],\"" KEY "\":1}}]}");
    struct answer_request r = chat_of(upstream);
    (void)translate(&r);
    assert_int_equal(last.action, ACTION_BLOCK);
    assert_lacks(last.record, "/text/");
    assert_lacks(last.record, "choices");
}

static void half_a_secret_as_a_name_is_not_on_record(void **state)
{
    struct answer_request r = chat_of(CALL("{\\\"" FIRST "\\\":\\\"" SECOND " " KEY "\\\",\\\"to\\\":\\\"" KEY "\\\"}"));

    (void)state;
    (void)translate(&r);
    assert_lacks(last.record, FIRST);
    assert_lacks(last.record, SECOND);
    assert_holds(last.record, "\"/arguments/to\"");
}

/* Of a way that is long its end alone is kept. */
static void a_long_way_carries_no_name_either(void **state)
{
    static const char *const names[] = {"x/4111111", "4111111", FIRST};
    char upstream[4096];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t n = (size_t)snprintf(upstream, sizeof(upstream), "{\"choices\":[{\"message\":{\"content\":\"x\",");
        for (int k = 0; k < 40; k++) {
            n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "\"%s\":{", names[i]);
        }
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "\"%s\":\"%s\"", names[i], KEY);
        for (int k = 0; k < 40; k++) {
            n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "}");
        }
        (void)snprintf(upstream + n, sizeof(upstream) - n, "}}]}");
        struct answer_request r = chat_of(upstream);
        (void)translate(&r);
        /* Once by its own rule; at most twice more, by the name in front of it and as a value alone on its line. */
        assert_in_range(last.n_findings, 1, 3);
        assert_holds(last.record, "\"rule\":\"aws-access-key-id\"");
        assert_lacks(last.record, "4111111");
        assert_lacks(last.record, FIRST);
    }
}

/* Else records of ordinary answers could not be read. */
static void names_that_the_apis_know_are_made_of_known_words(void **state)
{
    static const struct protocol *const protocols[] = {&protocol_openai, &protocol_anthropic, &protocol_ollama,
                                                       &protocol_gemini, &protocol_cohere};

    (void)state;
    for (size_t i = 0; i < COUNT(protocols); i++) {
        for (size_t k = 0; k < protocols[i]->n_routes; k++) {
            const struct dialect *d = protocols[i]->routes[k].dialect;
            for (size_t row = 0; d != NULL && row < d->n_rows; row++) {
                struct span rest = span_str(d->rows[row].path);
                struct path_step step;
                while (path_next(&rest, &step)) {
                    if (!span_is(step.text, "*") && !path_words_make(step.text)) {
                        fail_msg("%s: not made of known words", d->rows[row].path);
                    }
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_secret_in_a_name_is_not_on_record),
        cmocka_unit_test(a_finding_in_a_name_hides_names_wherever_it_is),
        cmocka_unit_test(half_a_secret_as_a_name_is_not_on_record),
        cmocka_unit_test(a_long_way_carries_no_name_either),
        cmocka_unit_test(names_that_the_apis_know_are_made_of_known_words),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
