#include "prompt/prompt_table.h"

#include "base/ascii.h"

#define TEXT(path, role)    {path, PLACE_TEXT, TEXT_ROLE_##role}
#define ID(path)            {path, PLACE_ID, TEXT_ROLE_OTHER}
#define FILE_DATA(path)     {path, PLACE_DATA, TEXT_ROLE_ATTACHMENT}
#define MESSAGE(path, role) {path, PLACE_MESSAGE, TEXT_ROLE_##role}
#define PART(path)          {path, PLACE_PART, TEXT_ROLE_OTHER}

#define OPENAI_CONTENT(part)                                                                                               \
    PART(part), ID(part "/type"), FILE_DATA(part "/image_url"), FILE_DATA(part "/image_url/url"), ID(part "/image_url/detail"), \
        ID(part "/detail"), FILE_DATA(part "/input_audio/data"), ID(part "/input_audio/format"),                           \
        FILE_DATA(part "/file/file_data"), FILE_DATA(part "/file_data"), ID(part "/file/file_id"), ID(part "/file_id"),    \
        FILE_DATA(part "/video_url/url")

static const struct prompt_row openai_chat[] = {
    ID("/model"),
    ID("/reasoning_effort"),
    ID("/service_tier"),
    MESSAGE("/messages/*", OTHER),
    ID("/messages/*/role"),
    ID("/messages/*/tool_call_id"),
    ID("/messages/*/tool_calls/*/id"),
    ID("/messages/*/tool_calls/*/type"),
    ID("/messages/*/tool_calls/*/function/name"),
    OPENAI_CONTENT("/messages/*/content/*"),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tools/*/function/name"),
    TEXT("/functions", TOOLS),
    TEXT("/response_format", SYSTEM),
    ID("/response_format/type"),
    ID("/tool_choice"),
    TEXT("/prediction", USER),
};

static const struct prompt_row openai_completions[] = {
    ID("/model"),
    {"/prompt", PLACE_TOKENS, TEXT_ROLE_USER},
    {"/prompt/*", PLACE_TOKENS, TEXT_ROLE_USER},
    TEXT("/suffix", USER),
};

static const struct prompt_row openai_embeddings[] = {
    ID("/model"),
    ID("/encoding_format"),
    {"/input", PLACE_TOKENS, TEXT_ROLE_USER},
    {"/input/*", PLACE_TOKENS, TEXT_ROLE_USER},
};

/* Items of the Responses API, in the array at that path. */
#define OPENAI_ITEMS(items)                                                                                                \
    MESSAGE(items, OTHER), ID(items "/type"), ID(items "/role"), ID(items "/id"), ID(items "/call_id"), ID(items "/status"), \
        ID(items "/name"), TEXT(items "/output", TOOL_RESULT), OPENAI_CONTENT(items "/output/*"),                          \
        TEXT(items "/outputs", TOOL_RESULT), TEXT(items "/results", TOOL_RESULT), OPENAI_CONTENT(items "/content/*"),      \
        FILE_DATA(items "/result")

static const struct prompt_row openai_conversations[] = {
    OPENAI_ITEMS("/items/*"),
};

static const struct prompt_row openai_responses[] = {
    ID("/model"),
    ID("/previous_response_id"),
    ID("/include/*"),
    ID("/service_tier"),
    ID("/reasoning/effort"),
    TEXT("/instructions", SYSTEM),
    TEXT("/prompt/variables", USER),
    TEXT("/input", USER),
    ID("/type"), /* of an event of a WebSocket */
    OPENAI_ITEMS("/input/*"),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tools/*/name"),
    ID("/tool_choice"),
    TEXT("/text", SYSTEM),
    ID("/text/format/type"),
};

/* Events of the client. */
static const struct prompt_row openai_realtime[] = {
    ID("/type"),
    ID("/event_id"),
    ID("/previous_item_id"),
    ID("/item_id"),
    ID("/response_id"),
    FILE_DATA("/audio"),
    TEXT("/session/instructions", SYSTEM),
    TEXT("/session/tools", TOOLS),
    ID("/session/tools/*/type"),
    ID("/session/tools/*/name"),
    ID("/session/type"),
    ID("/session/model"),
    ID("/session/output_modalities/*"),
    MESSAGE("/item", USER),
    ID("/item/id"),
    ID("/item/type"),
    ID("/item/role"),
    ID("/item/call_id"),
    ID("/item/name"),
    TEXT("/item/output", TOOL_RESULT),
    OPENAI_CONTENT("/item/content/*"),
    FILE_DATA("/item/content/*/audio"),
    TEXT("/response/instructions", SYSTEM),
    TEXT("/response/tools", TOOLS),
    ID("/response/tools/*/type"),
    ID("/response/tools/*/name"),
    MESSAGE("/response/input/*", USER),
    ID("/response/input/*/type"),
    ID("/response/input/*/id"),
    OPENAI_CONTENT("/response/input/*/content/*"),
};

static const struct prompt_row openai_media[] = {
    ID("/model"),
    TEXT("/prompt", USER),
    TEXT("/input", USER),
    TEXT("/instructions", SYSTEM),
    ID("/voice"),
    ID("/response_format"),
    ID("/size"),
    ID("/quality"),
};

static const struct prompt_row openai_threads[] = {
    ID("/model"),
    ID("/assistant_id"),
    TEXT("/instructions", SYSTEM),
    TEXT("/additional_instructions", SYSTEM),
    MESSAGE("/messages/*", OTHER),
    ID("/messages/*/role"),
    OPENAI_CONTENT("/messages/*/content/*"),
    MESSAGE("/additional_messages/*", OTHER),
    OPENAI_CONTENT("/additional_messages/*/content/*"),
    MESSAGE("/thread/messages/*", OTHER),
    OPENAI_CONTENT("/thread/messages/*/content/*"),
    OPENAI_CONTENT("/content/*"),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tool_outputs/*/tool_call_id"),
    TEXT("/tool_outputs/*/output", TOOL_RESULT),
};

#define ANTHROPIC_PART(part)                                                                                               \
    PART(part), ID(part "/type"), ID(part "/cache_control/type"), ID(part "/source/type"), ID(part "/source/media_type"),  \
        FILE_DATA(part "/source/data")

static const struct prompt_row anthropic[] = {
    ID("/model"),
    TEXT("/system", SYSTEM),
    ID("/system/*/type"),
    ID("/system/*/cache_control/type"),
    MESSAGE("/messages/*", OTHER),
    ID("/messages/*/role"),
    ANTHROPIC_PART("/messages/*/content/*"),
    ID("/messages/*/content/*/id"),
    ID("/messages/*/content/*/name"),
    ID("/messages/*/content/*/tool_use_id"),
    ANTHROPIC_PART("/messages/*/content/*/content/*"),
    ANTHROPIC_PART("/messages/*/content/*/source/content/*"),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tools/*/name"),
    ID("/tool_choice/type"),
    ID("/tool_choice/name"),
    ID("/thinking/type"),
    ID("/service_tier"),
    TEXT("/output_config", SYSTEM),
    TEXT("/output_format", SYSTEM),
};

#define GEMINI_PART(part)                                                                                                  \
    PART(part), FILE_DATA(part "/inlineData/data"), ID(part "/inlineData/mimeType"), ID(part "/fileData/mimeType"),        \
        TEXT(part "/functionResponse", TOOL_RESULT), ID(part "/functionResponse/name"), ID(part "/functionResponse/id"),   \
        TEXT(part "/functionCall", ASSISTANT), ID(part "/functionCall/name"), ID(part "/functionCall/id"),                 \
        TEXT(part "/codeExecutionResult", TOOL_RESULT)

static const struct prompt_row gemini[] = {
    ID("/model"),
    TEXT("/systemInstruction", SYSTEM),
    ID("/systemInstruction/role"),
    MESSAGE("/contents/*", USER),
    ID("/contents/*/role"),
    GEMINI_PART("/contents/*/parts/*"),
    FILE_DATA("/contents/*/parts/*/functionResponse/parts/*/inlineData/data"),
    TEXT("/content", USER),
    GEMINI_PART("/content/parts/*"),
    TEXT("/requests/*/content", USER),
    ID("/requests/*/model"),
    ID("/requests/*/taskType"),
    TEXT("/generateContentRequest/systemInstruction", SYSTEM),
    MESSAGE("/generateContentRequest/contents/*", USER),
    ID("/generateContentRequest/contents/*/role"),
    GEMINI_PART("/generateContentRequest/contents/*/parts/*"),
    TEXT("/generateContentRequest/tools", TOOLS),
    TEXT("/tools", TOOLS),
    TEXT("/generationConfig", SYSTEM),
    ID("/generationConfig/responseMimeType"),
    ID("/safetySettings/*/category"),
    ID("/safetySettings/*/threshold"),
};

static const struct prompt_row ollama[] = {
    ID("/model"),
    MESSAGE("/messages/*", OTHER),
    ID("/messages/*/role"),
    ID("/messages/*/tool_calls/*/function/name"),
    FILE_DATA("/messages/*/images/*"),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tools/*/function/name"),
    TEXT("/system", SYSTEM),
    TEXT("/template", SYSTEM),
    TEXT("/prompt", USER),
    TEXT("/suffix", USER),
    TEXT("/input", USER),
    FILE_DATA("/images/*"),
    {"/context", PLACE_TOKENS, TEXT_ROLE_USER},
    TEXT("/format", SYSTEM),
    ID("/keep_alive"),
};

static const struct prompt_row cohere[] = {
    ID("/model"),
    MESSAGE("/messages/*", OTHER),
    ID("/messages/*/role"),
    ID("/messages/*/tool_call_id"),
    ID("/messages/*/tool_calls/*/id"),
    ID("/messages/*/tool_calls/*/type"),
    ID("/messages/*/tool_calls/*/function/name"),
    OPENAI_CONTENT("/messages/*/content/*"),
    TEXT("/documents", ATTACHMENT),
    TEXT("/tools", TOOLS),
    ID("/tools/*/type"),
    ID("/tools/*/function/name"),
    TEXT("/response_format", SYSTEM),
    ID("/safety_mode"),
    MESSAGE(PROMPT_LAST_MESSAGE, USER), /* from here to /tool_results: of version 1 */
    MESSAGE("/chat_history/*", OTHER),
    ID("/chat_history/*/role"),
    TEXT("/preamble", SYSTEM),
    TEXT("/tool_results", TOOL_RESULT),
    TEXT("/texts", USER),
    FILE_DATA("/images/*"),
    TEXT("/inputs", USER),
    FILE_DATA("/inputs/*/content/*/image_url/url"),
    ID("/input_type"),
    ID("/embedding_types/*"),
    TEXT("/query", USER),
};

#define TABLE(route, rows) {route, rows, COUNT(rows)}

static const struct prompt_table tables[] = {
    TABLE("openai-chat", openai_chat),
    TABLE("openai-completions", openai_completions),
    TABLE("openai-embeddings", openai_embeddings),
    TABLE("openai-responses", openai_responses),
    TABLE("openai-conversations", openai_conversations),
    TABLE("openai-realtime", openai_realtime),
    TABLE("openai-audio", openai_media),
    TABLE("openai-images", openai_media),
    TABLE("openai-threads", openai_threads),
    TABLE("openai-assistants", openai_threads),
    TABLE("anthropic-", anthropic),
    TABLE("gemini-", gemini),
    TABLE("ollama-", ollama),
    TABLE("cohere-", cohere),
    {"", NULL, 0},
};

_Static_assert(COUNT(openai_chat) <= PROMPT_ROWS_MAX && COUNT(openai_responses) <= PROMPT_ROWS_MAX &&
                   COUNT(openai_realtime) <= PROMPT_ROWS_MAX && COUNT(openai_threads) <= PROMPT_ROWS_MAX &&
                   COUNT(anthropic) <= PROMPT_ROWS_MAX && COUNT(gemini) <= PROMPT_ROWS_MAX &&
                   COUNT(cohere) <= PROMPT_ROWS_MAX,
               "a bit for each row");

const struct prompt_table *prompt_table_of(const char *route)
{
    const struct prompt_table *t = tables;

    while (strncmp(route, t->route, strlen(t->route)) != 0) {
        t++;
    }
    return t;
}

bool prompt_table_has_last(const struct prompt_table *table)
{
    size_t i = 0;

    while (i < table->n && strcmp(table->rows[i].path, PROMPT_LAST_MESSAGE) != 0) {
        i++;
    }
    return i < table->n;
}

enum text_role prompt_role_of(struct span role)
{
    static const struct {
        const char *word;
        enum text_role role;
    } rows[] = {
        {"system", TEXT_ROLE_SYSTEM},      {"developer", TEXT_ROLE_DEVELOPER}, {"user", TEXT_ROLE_USER},
        {"assistant", TEXT_ROLE_ASSISTANT}, {"model", TEXT_ROLE_ASSISTANT},    {"chatbot", TEXT_ROLE_ASSISTANT},
        {"tool", TEXT_ROLE_TOOL_RESULT},   {"function", TEXT_ROLE_TOOL_RESULT},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (prompt_name_is(role, span_str(rows[i].word))) {
            return rows[i].role;
        }
    }
    return TEXT_ROLE_OTHER;
}

static bool ends_with(struct span text, const char *with)
{
    size_t n = strlen(with);

    return text.len >= n && memcmp(text.ptr + text.len - n, with, n) == 0;
}

enum text_role prompt_role_of_type(struct span type)
{
    static const struct {
        const char *ends;
        enum text_role role;
    } rows[] = {
        {"tool_result", TEXT_ROLE_TOOL_RESULT},
        {"_output", TEXT_ROLE_TOOL_RESULT}, /* function_call_output and its like */
        {"_call", TEXT_ROLE_ASSISTANT},
        {"reasoning", TEXT_ROLE_ASSISTANT},
        {"document", TEXT_ROLE_ATTACHMENT},
        {"file", TEXT_ROLE_ATTACHMENT}, /* input_file, too */
        {"image", TEXT_ROLE_ATTACHMENT},
        {"image_url", TEXT_ROLE_ATTACHMENT},
        {"audio", TEXT_ROLE_ATTACHMENT},
        {"search_result", TEXT_ROLE_ATTACHMENT},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (ends_with(type, rows[i].ends)) {
            return rows[i].role;
        }
    }
    return TEXT_ROLE_OTHER;
}

/* The next character that counts, in lower case; 0 at the end. */
static char next_letter(struct span name, size_t *at)
{
    while (*at < name.len && name.ptr[*at] == '_') {
        *at += 1;
    }
    return *at < name.len ? ascii_lower(name.ptr[(*at)++]) : '\0';
}

bool prompt_name_is(struct span name, struct span in_table)
{
    size_t i = 0, k = 0;
    char a, b;

    if (span_equal(name, in_table)) { /* as nearly all are spelt */
        return true;
    }
    do {
        a = next_letter(name, &i);
        b = next_letter(in_table, &k);
    } while (a == b && b != '\0');
    return a == b && i == name.len;
}
