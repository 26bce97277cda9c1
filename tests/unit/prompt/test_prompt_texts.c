#include "testing.h"

#include "prompt/prompt_data.h"
#include "prompt/prompt_texts.h"

enum { MEMORY_MAX = 64 * 1024 * 1024 };

struct fixture {
    struct arena arena;
    struct prompt_texts texts;
    struct error err;
};

static bool read_body(struct fixture *f, const char *route, const char *body)
{
    arena_init(&f->arena, 0, MEMORY_MAX);
    return prompt_texts_read(&f->arena, route, span_str(body), &f->texts, &f->err);
}

/* The value with that text. */
static size_t find(const struct fixture *f, const char *text)
{
    for (size_t i = 0; i < f->texts.document.n; i++) {
        const struct channel *c = &f->texts.document.channels[i];
        if (!c->is_member_name && span_is(c->text, text)) {
            return i;
        }
    }
    fail_msg("no text '%s'", text);
    return 0;
}

struct expected {
    const char *text, *path;
    enum text_role role;
    enum prompt_use use;
};

static void assert_texts(const char *route, const char *body, const struct expected *expected, size_t n)
{
    struct fixture f;

    if (!read_body(&f, route, body)) {
        fail_msg("%s: %s", route, f.err.text);
    }
    for (size_t i = 0; i < n; i++) {
        size_t at = find(&f, expected[i].text);
        const struct channel *c = &f.texts.document.channels[at];
        if (!span_is(c->path, expected[i].path) || c->role != expected[i].role || f.texts.use[at] != expected[i].use) {
            fail_msg("%s '%s': " SPAN_FMT " %s %d", route, expected[i].text, SPAN_ARG(c->path), text_role_names[c->role],
                     f.texts.use[at]);
        }
    }
    arena_deinit(&f.arena);
}

#define CHECK(route, body, ...)                                                                                            \
    do {                                                                                                                   \
        static const struct expected expected[] = {__VA_ARGS__};                                                           \
        assert_texts(route, body, expected, COUNT(expected));                                                              \
    } while (0)

/* A PNG of one pixel. */
#define PNG                                                                                                                \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/* "metadata" and "messages" are alike in length and beginning, as are "content" and "context", and a kept step of one must not
 * be taken for the other; nor that of a name for the same name at another depth. */
static void names_alike_are_different_places(void **state)
{
    (void)state;
    CHECK("openai-chat",
          "{\"metadata\":[{\"role\":\"tool\",\"content\":\"m1\"}],\"messages\":[{\"role\":\"tool\",\"context\":\"x1\",\"content\":\"t1\"},"
          "{\"messages\":[{\"role\":\"tool\",\"content\":\"n1\"}],\"role\":\"user\"},{\"content\":\"u1\",\"role\":\"user\"}]}",
          {"m1", "/metadata/0/content", TEXT_ROLE_OTHER, PROMPT_TEXT}, {"t1", "/messages/0/content", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"x1", "/messages/0/context", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"n1", "/messages/1/messages/0/content", TEXT_ROLE_USER, PROMPT_TEXT},
          {"u1", "/messages/2/content", TEXT_ROLE_USER, PROMPT_TEXT});
    CHECK("openai-chat",
          "{\"messages\":[{\"role\":\"user\",\"content\":\"u1\"}],\"metadata\":[{\"role\":\"user\",\"content\":\"m1\"}]}",
          {"m1", "/metadata/0/content", TEXT_ROLE_OTHER, PROMPT_TEXT}, {"u1", "/messages/0/content", TEXT_ROLE_USER, PROMPT_TEXT});
}

static void chat_completions_have_roles(void **state)
{
    (void)state;
    CHECK("openai-chat",
          "{\"model\":\"gpt-4.1\",\"messages\":["
          "{\"role\":\"system\",\"content\":\"s1\"},{\"content\":\"d1\",\"role\":\"developer\"},"
          "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"u1\"},"
          "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64," PNG "\"}},"
          "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/a.png\"}},"
          "{\"type\":\"file\",\"file\":{\"filename\":\"notes.txt\",\"file_data\":\"data:text/plain;base64,aGVsbG8gd29ybGQ=\"}}]},"
          "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\","
          "\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"q\\\":\\\"a1\\\"}\"}}]},"
          "{\"role\":\"tool\",\"tool_call_id\":\"call_2\",\"content\":\"t1\"},{\"role\":\"critic\",\"content\":\"o1\"}],"
          "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"find\",\"description\":\"w1\"}}],"
          "\"user\":\"jo@example.com\",\"unknown\":{\"deep\":[\"x1\"]}}",
          {"gpt-4.1", "/model", TEXT_ROLE_OTHER, PROMPT_ID}, {"s1", "/messages/0/content", TEXT_ROLE_SYSTEM, PROMPT_TEXT},
          {"d1", "/messages/1/content", TEXT_ROLE_DEVELOPER, PROMPT_TEXT},
          {"u1", "/messages/2/content/0/text", TEXT_ROLE_USER, PROMPT_TEXT},
          {"data:image/png;base64," PNG, "/messages/2/content/1/image_url/url", TEXT_ROLE_ATTACHMENT, PROMPT_DATA},
          {"https://example.com/a.png", "/messages/2/content/2/image_url/url", TEXT_ROLE_ATTACHMENT, PROMPT_TEXT},
          {"notes.txt", "/messages/2/content/3/file/filename", TEXT_ROLE_ATTACHMENT, PROMPT_TEXT},
          {"data:text/plain;base64,aGVsbG8gd29ybGQ=", "/messages/2/content/3/file/file_data", TEXT_ROLE_ATTACHMENT,
           PROMPT_TEXT},
          {"{\"q\":\"a1\"}", "/messages/3/tool_calls/0/function/arguments", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"call_1", "/messages/3/tool_calls/0/id", TEXT_ROLE_ASSISTANT, PROMPT_ID},
          {"t1", "/messages/4/content", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"o1", "/messages/5/content", TEXT_ROLE_OTHER, PROMPT_TEXT},
          {"w1", "/tools/0/function/description", TEXT_ROLE_TOOLS, PROMPT_TEXT},
          {"jo@example.com", "/user", TEXT_ROLE_OTHER, PROMPT_TEXT},
          {"x1", "/unknown/deep/0", TEXT_ROLE_OTHER, PROMPT_TEXT});
}

static void other_openai_routes_have_roles(void **state)
{
    (void)state;
    CHECK("openai-responses",
          "{\"instructions\":\"s1\",\"input\":[{\"role\":\"user\",\"content\":\"u1\"},"
          "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"a1\"}]},"
          "{\"type\":\"function_call\",\"call_id\":\"c_1\",\"name\":\"f\",\"arguments\":\"a2\"},"
          "{\"type\":\"function_call_output\",\"call_id\":\"c_2\",\"output\":\"t1\"},"
          "{\"role\":\"user\",\"type\":\"custom_tool_call_output\",\"output\":[{\"type\":\"input_text\",\"text\":\"t2\"}]}]}",
          {"s1", "/instructions", TEXT_ROLE_SYSTEM, PROMPT_TEXT}, {"u1", "/input/0/content", TEXT_ROLE_USER, PROMPT_TEXT},
          {"a1", "/input/1/content/0/text", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"a2", "/input/2/arguments", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"t1", "/input/3/output", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT}, {"c_2", "/input/3/call_id", TEXT_ROLE_TOOL_RESULT, PROMPT_ID},
          {"t2", "/input/4/output/0/text", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT});
    CHECK("openai-responses", "{\"input\":\"u1\"}", {"u1", "/input", TEXT_ROLE_USER, PROMPT_TEXT});
    CHECK("openai-completions", "{\"prompt\":[\"u1\",\"u2\"]}", {"u2", "/prompt/1", TEXT_ROLE_USER, PROMPT_TEXT});
    CHECK("openai-completions", "{\"prompt\":[\"hello one\",\"hello two\"]}",
          {"\"hello one\", \"hello two\"", "/prompt", TEXT_ROLE_USER, PROMPT_TEXT});
    CHECK("openai-completions", "{\"prompt\":[[464,262,287,318,257,290,284,286]]}",
          {"464, 262, 287, 318, 257, 290, 284, 286", "/prompt", TEXT_ROLE_USER, PROMPT_DATA});
    CHECK("openai-embeddings", "{\"input\":\"" PNG "\"}", {PNG, "/input", TEXT_ROLE_USER, PROMPT_TEXT});
}

static void anthropic_requests_have_roles(void **state)
{
    (void)state;
    CHECK("anthropic-messages",
          "{\"system\":[{\"type\":\"text\",\"text\":\"s1\"}],\"messages\":["
          "{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{\"type\":\"text\",\"media_type\":\"text/plain\","
          "\"data\":\"AKIAQ3EGRVZ7MXK2PLWT\"}},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"" PNG "\"}}]},"
          "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"look\",\"input\":{\"q\":\"a1\","
          "\"role\":\"system\"}}]},"
          "{\"role\":\"user\",\"content\":[{\"tool_use_id\":\"toolu_2\",\"content\":[{\"type\":\"text\",\"text\":\"t1\"},"
          "{\"type\":\"document\",\"title\":\"t2\"}],\"type\":\"tool_result\"},{\"type\":\"text\",\"text\":\"u1\"}]}],"
          "\"metadata\":{\"user_id\":\"m1\"}}",
          {"s1", "/system/0/text", TEXT_ROLE_SYSTEM, PROMPT_TEXT},
          {"AKIAQ3EGRVZ7MXK2PLWT", "/messages/0/content/0/source/data", TEXT_ROLE_ATTACHMENT, PROMPT_TEXT},
          {PNG, "/messages/0/content/1/source/data", TEXT_ROLE_ATTACHMENT, PROMPT_DATA},
          {"a1", "/messages/1/content/0/input/q", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"t1", "/messages/2/content/0/content/0/text", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"t2", "/messages/2/content/0/content/1/title", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"u1", "/messages/2/content/1/text", TEXT_ROLE_USER, PROMPT_TEXT},
          {"m1", "/metadata/user_id", TEXT_ROLE_OTHER, PROMPT_TEXT});
}

static void gemini_ollama_and_cohere_have_roles(void **state)
{
    (void)state;
    CHECK("gemini-generate",
          "{\"system_instruction\":{\"parts\":[{\"text\":\"s1\"}]},\"contents\":[{\"parts\":[{\"text\":\"u1\"},"
          "{\"inline_data\":{\"mime_type\":\"image/png\",\"data\":\"" PNG "\"}}]},"
          "{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{\"q\":\"a1\"}}}]},"
          "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"g\",\"response\":{\"out\":\"t1\"}}}]}],"
          "\"tools\":[{\"functionDeclarations\":[{\"description\":\"w1\"}]}]}",
          {"s1", "/system_instruction/parts/0/text", TEXT_ROLE_SYSTEM, PROMPT_TEXT},
          {"u1", "/contents/0/parts/0/text", TEXT_ROLE_USER, PROMPT_TEXT},
          {PNG, "/contents/0/parts/1/inline_data/data", TEXT_ROLE_ATTACHMENT, PROMPT_DATA},
          {"a1", "/contents/1/parts/0/functionCall/args/q", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"t1", "/contents/2/parts/0/functionResponse/response/out", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"w1", "/tools/0/functionDeclarations/0/description", TEXT_ROLE_TOOLS, PROMPT_TEXT});
    CHECK("ollama-chat",
          "{\"Messages\":[{\"Role\":\"user\",\"content\":\"u1\",\"images\":[\"" PNG "\"]},{\"role\":\"tool\",\"content\":\"t1\"},"
          "{\"role\":\"user\",\"Role\":\"system\",\"content\":\"o1\"}]}",
          {"u1", "/Messages/0/content", TEXT_ROLE_USER, PROMPT_TEXT}, {PNG, "/Messages/0/images/0", TEXT_ROLE_ATTACHMENT, PROMPT_DATA},
          {"t1", "/Messages/1/content", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"o1", "/Messages/2/content", TEXT_ROLE_OTHER, PROMPT_TEXT});
    CHECK("ollama-generate", "{\"system\":\"s1\",\"prompt\":\"u1\"}", {"s1", "/system", TEXT_ROLE_SYSTEM, PROMPT_TEXT},
          {"u1", "/prompt", TEXT_ROLE_USER, PROMPT_TEXT});
    CHECK("cohere-chat",
          "{\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":[{\"type\":\"document\",\"document\":{\"data\":\"t1\"}}]},"
          "{\"role\":\"assistant\",\"tool_plan\":\"a1\"}],\"documents\":[{\"data\":{\"snippet\":\"f1\"}}]}",
          {"t1", "/messages/0/content/0/document/data", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"a1", "/messages/1/tool_plan", TEXT_ROLE_ASSISTANT, PROMPT_TEXT},
          {"f1", "/documents/0/data/snippet", TEXT_ROLE_ATTACHMENT, PROMPT_TEXT});
    CHECK("cohere-rerank", "{\"query\":\"u1\",\"documents\":[\"f1\"]}", {"u1", "/query", TEXT_ROLE_USER, PROMPT_TEXT},
          {"f1", "/documents/0", TEXT_ROLE_ATTACHMENT, PROMPT_TEXT});
}

/* An id's place that holds something else is a text; so is a file that is none. */
static void what_has_no_closed_form_is_text(void **state)
{
    (void)state;
    CHECK("openai-chat",
          "{\"model\":\"say this aloud\",\"messages\":[{\"role\":\"tool\",\"tool_call_id\":\"a b\",\"content\":[{\"type\":\"image_url\","
          "\"image_url\":\"data:image/png;base64," PNG " and more\"}]}]}",
          {"say this aloud", "/model", TEXT_ROLE_OTHER, PROMPT_TEXT},
          {"a b", "/messages/0/tool_call_id", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT},
          {"data:image/png;base64," PNG " and more", "/messages/0/content/0/image_url", TEXT_ROLE_TOOL_RESULT, PROMPT_TEXT});
    assert_true(prompt_is_data(span_str("JVBERi0xLjcKJeLjz9MKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoK")));
    assert_false(prompt_is_data(span_str("VGhpcyBpcyBhIGxvbmcgdGV4dCB3aXRoIG1vcmUgdGhhbiBmb3J0eSBlaWdodCBieXRlcyBpbiBpdCEh")));
    assert_false(prompt_is_data(span_str("data:image/svg+xml,<svg/>")));
    assert_false(prompt_is_data(span_str("")));
}

static void messages_are_units_with_their_own_bytes(void **state)
{
    static const char body[] = "{\"model\": \"m\", \"messages\": [ {\"role\":\"user\",\"content\":\"one\"} , {\"content\":[],"
                               "\"role\":\"assistant\"}], \"n\": 1}";
    static const char *const json[] = {"\"model\": \"m\"", "\"messages\"", "{\"role\":\"user\",\"content\":\"one\"}",
                                       "{\"content\":[],\"role\":\"assistant\"}", "\"n\": 1"};
    struct fixture f;

    (void)state;
    assert_true(read_body(&f, "openai-chat", body));
    assert_int_equal(f.texts.n_units, COUNT(json));
    assert_int_equal(f.texts.n_messages, 2);
    for (size_t i = 0, at = 0; i < COUNT(json); i++) {
        const struct prompt_unit *u = &f.texts.units[i];
        assert_true(span_is(u->json, json[i]));
        assert_int_equal(u->from, at);
        assert_int_equal(u->is_message, i == 2 || i == 3);
        at = u->to;
    }
    assert_int_equal(f.texts.units[3].message, 1);
    assert_int_equal(f.texts.units[2].role, TEXT_ROLE_USER);
    assert_int_equal(f.texts.units[3].role, TEXT_ROLE_ASSISTANT);
    assert_int_equal(f.texts.units[4].to, f.texts.document.n);
    arena_deinit(&f.arena);
}

static void tokens_in_place_of_text_are_counted(void **state)
{
    struct fixture f;

    (void)state;
    assert_true(read_body(&f, "openai-embeddings", "{\"input\":[[9906,11,1917],[15339]],\"dimensions\":256}"));
    assert_int_equal(f.texts.n_tokens, 4);
    arena_deinit(&f.arena);
    assert_true(read_body(&f, "ollama-generate", "{\"prompt\":\"x\",\"context\":[1,2,3,4,5,6,7,8,9]}"));
    assert_int_equal(f.texts.n_tokens, 9);
    arena_deinit(&f.arena);
}

static void what_two_readers_could_read_differently_is_refused(void **state)
{
    static const char *const bodies[] = {
        "{\"messages\":[],\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\",\"cont\\u0065nt\":\"b\"}]}",
        "{\"tools\":[{\"a\":{\"b\":{},\"b\":1}}]}",
        "[]",
        "\"text\"",
        "{\"a\":1}{\"a\":2}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":'b'}",
        "",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct fixture f;
        assert_false(read_body(&f, "openai-chat", bodies[i]));
        assert_true(f.err.kind == ERROR_INVALID || f.err.kind == ERROR_MALFORMED);
        arena_deinit(&f.arena);
    }
    struct fixture f;
    assert_true(read_body(&f, "openai-chat", "{\"a\":{\"x\":1},\"b\":{\"x\":1},\"c\":[{\"x\":1},{\"x\":1}]}"));
    arena_deinit(&f.arena);
}

static void an_unchanged_body_is_written_as_it_came(void **state)
{
    static const char body[] = "{ \"messages\" :[{\"content\":\"\\u0041\\/b\",\n\"role\":\"user\"}],\"x\":1e3,\"y\":[ ]}";
    struct fixture f;
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    assert_true(read_body(&f, "openai-chat", body));
    for (size_t i = 0; i < f.texts.document.n; i++) {
        f.texts.document.channels[i].output = f.texts.document.channels[i].text;
    }
    assert_true(document_write(&f.texts.document, &out, &f.err));
    assert_true(span_is(buf_span(&out), body));
    buf_clear(&out);
    f.texts.document.channels[find(&f, "A/b")].output = span_str("[x]");
    assert_true(document_write(&f.texts.document, &out, &f.err));
    assert_true(span_is(buf_span(&out), "{ \"messages\" :[{\"content\":\"[x]\",\n\"role\":\"user\"}],\"x\":1e3,\"y\":[ ]}"));
    buf_deinit(&out);
    arena_deinit(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_alike_are_different_places),
        cmocka_unit_test(chat_completions_have_roles),
        cmocka_unit_test(other_openai_routes_have_roles),
        cmocka_unit_test(anthropic_requests_have_roles),
        cmocka_unit_test(gemini_ollama_and_cohere_have_roles),
        cmocka_unit_test(what_has_no_closed_form_is_text),
        cmocka_unit_test(messages_are_units_with_their_own_bytes),
        cmocka_unit_test(tokens_in_place_of_text_are_counted),
        cmocka_unit_test(what_two_readers_could_read_differently_is_refused),
        cmocka_unit_test(an_unchanged_body_is_written_as_it_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
