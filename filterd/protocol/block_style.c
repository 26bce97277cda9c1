#include "protocol/block_style.h"

#include "protocol/protocol_table.h"
#include "protocol/translation.h"

/* --- whether the text is a value ---------------------------------------------------- */

/* A member of a request that asks for text of a form; `plain` is its value that does not. */
struct format_row {
    const char *route; /* begins so */
    const char *at, *plain;
};

static const struct format_row formats[] = {
    {"openai-chat", "response_format/type", "text"},
    {"openai-completions", "response_format/type", "text"},
    {"openai-responses", "text/format/type", "text"},
    {"anthropic-messages", "output_format/type", NULL},
    {"anthropic-messages", "output_config/format/type", NULL},
    {"gemini-", "generationConfig/responseMimeType", "text/plain"},
    {"gemini-", "generationConfig/responseSchema", NULL},
    {"gemini-", "generationConfig/responseJsonSchema", NULL},
    {"gemini-", "generation_config/response_mime_type", "text/plain"},
    {"gemini-", "generation_config/response_schema", NULL},
    {"gemini-", "generation_config/response_json_schema", NULL},
    {"ollama-", "format", ""},
    {"cohere-chat", "response_format/type", "text"},
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool asks_for_structure(const struct asked_answer *asked)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        const struct format_row *row = &formats[i];
        const struct node *n = begins(asked->route, row->route) ? node_at(asked->in, row->at) : NULL;
        bool is_plain = n == NULL || n->kind == JSON_KIND_NULL || (row->plain != NULL && node_is(n, row->plain));
        if (!is_plain) {
            return true;
        }
    }
    return false;
}

static bool begins_with_step(const char *path, struct span step)
{
    return strncmp(path, step.ptr, step.len) == 0 && (path[step.len] == '/' || path[step.len] == '\0');
}

bool is_asked_by(struct span name)
{
    static const char *const others[] = {"stream", "stream_options", "n", "prompt", "generationConfig", "generation_config"};

    for (size_t i = 0; i < COUNT(others); i++) {
        if (span_is(name, others[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (name.len > 0 && begins_with_step(formats[i].at, name)) {
            return true;
        }
    }
    return false;
}

/* --- how many -------------------------------------------------------------------------- */

static size_t number_at(const struct node *in, const char *at)
{
    size_t n = 1;

    return node_index(node_at(in, at), &n) && n > 1 ? n : 1;
}

/* The number of choices requested, which a blocked answer also has: 1 to CHOICES_MAX. */
static size_t choices_asked(const struct asked_answer *asked)
{
    static const struct {
        const char *route, *at;
    } rows[] = {
        {"openai-chat", "n"},
        {"openai-completions", "n"},
        {"gemini-", "generationConfig/candidateCount"},
        {"gemini-", "generation_config/candidate_count"},
    };
    const struct node *prompts = node_member(asked->in, "prompt");
    size_t n = 1;

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t each = begins(asked->route, rows[i].route) ? number_at(asked->in, rows[i].at) : 1;
        n = each > n ? each : n;
    }
    /* Of a list of questions each has its answers; a list of numbers is one question, in tokens. */
    if (begins(asked->route, "openai-completions") && prompts != NULL && prompts->first != NULL &&
        prompts->first->kind != JSON_KIND_NUMBER) {
        n *= node_count(prompts);
    }
    return n < CHOICES_MAX ? n : CHOICES_MAX;
}

/* --- whether it tells its cost ---------------------------------------------------------- */

static bool asks_for_usage(const struct asked_answer *asked)
{
    bool has_option = begins(asked->route, "openai-chat") || begins(asked->route, "openai-completions");

    return has_option && asked->is_streaming && node_is_truthy(node_at(asked->in, "stream_options/include_usage"));
}

/* --- who asks ----------------------------------------------------------------------- */

enum client { CLIENT_ANY, CLIENT_CODEX, CLIENT_CLAUDE_CODE, CLIENT_AGENTS_SDK, CLIENT_AI_SDK, CLIENT_OPENCODE };

/* The beginning of a product in a User-Agent. */
static const struct {
    const char *product;
    enum client client;
} products[] = {
    {"codex_", CLIENT_CODEX},
    {"codex-", CLIENT_CODEX},
    {"claude-cli/", CLIENT_CLAUDE_CODE},
    {"Agents/", CLIENT_AGENTS_SDK},
    {"opencode/", CLIENT_OPENCODE}, /* before the AI SDK, which it names, too */
    {"ai-sdk/", CLIENT_AI_SDK},
    {"ai-sdk-", CLIENT_AI_SDK}, /* version 7: ai-sdk-openai/4.0.118 */
};

static bool names(struct span agent, const char *product)
{
    size_t n = strlen(product);

    for (size_t at = 0; at + n <= agent.len; at++) {
        bool is_start = at == 0 || agent.ptr[at - 1] == ' ';
        if (is_start && memcmp(agent.ptr + at, product, n) == 0) {
            return true;
        }
    }
    return false;
}

static enum client client_of(struct span agent)
{
    for (size_t i = 0; i < COUNT(products); i++) {
        if (names(agent, products[i].product)) {
            return products[i].client;
        }
    }
    return CLIENT_ANY;
}

/* --- the ending ----------------------------------------------------------------------- */

enum asks { EITHER, YES, NO };

/* The first row that fits decides. */
static const struct {
    enum client client; /* ANY: all */
    const char *route;  /* begins so */
    enum asks structure, stream;
    enum block_style style;
} styles[] = {
    /* Codex asks again when a response is incomplete, and shows no refusal. */
    {CLIENT_CODEX, "openai-responses", EITHER, EITHER, BLOCK_END_TURN},
    /* Claude Code explains a refusal as its vendor's. */
    {CLIENT_CLAUDE_CODE, "anthropic-messages", EITHER, EITHER, BLOCK_END_TURN},
    /* opencode shows a sentence of its own in place of the notice. */
    {CLIENT_OPENCODE, "", NO, EITHER, BLOCK_END_TURN},
    /* The AI SDK joins a refusal to the text, within the value. */
    {CLIENT_AI_SDK, "", YES, EITHER, BLOCK_SOFT},
    {CLIENT_ANY, "openai-chat", YES, EITHER, BLOCK_REFUSAL},
    {CLIENT_ANY, "openai-responses", YES, EITHER, BLOCK_REFUSAL},
    {CLIENT_ANY, "anthropic-messages", YES, EITHER, BLOCK_REFUSAL},
    /* Without response.completed the Agents SDKs, and helpers of others, raise an error without the notice. */
    {CLIENT_AGENTS_SDK, "openai-responses", NO, EITHER, BLOCK_END_TURN},
    {CLIENT_ANY, "openai-responses", NO, YES, BLOCK_END_TURN},
};

static enum block_style choose(const struct asked_answer *asked, bool is_structured)
{
    enum client client = client_of(asked->client);

    for (size_t i = 0; i < COUNT(styles); i++) {
        bool is_client = styles[i].client == CLIENT_ANY || styles[i].client == client;
        bool is_form = styles[i].structure == EITHER || (styles[i].structure == YES) == is_structured;
        bool is_way = styles[i].stream == EITHER || (styles[i].stream == YES) == asked->is_streaming;
        if (is_client && is_form && is_way && begins(asked->route, styles[i].route)) {
            return styles[i].style;
        }
    }
    return BLOCK_SOFT;
}

static bool has_refusals(const char *route)
{
    return begins(route, "openai-chat") || begins(route, "openai-responses") || begins(route, "anthropic-messages");
}

/* Whether a notice is a message or block of its own, that no value runs into. */
static bool has_own_place(const char *route)
{
    return begins(route, "openai-responses") || begins(route, "anthropic-messages");
}

enum block_style block_style_of(const struct asked_answer *asked, enum block_style wanted)
{
    bool is_structured = asks_for_structure(asked);
    enum block_style style = wanted == BLOCK_AUTO || wanted == BLOCK_HARD ? choose(asked, is_structured) : wanted;

    /* Half a value that ends like a whole one would go unnoticed. */
    if (style == BLOCK_END_TURN && is_structured && !has_own_place(asked->route)) {
        style = BLOCK_REFUSAL;
    }
    return style == BLOCK_REFUSAL && !has_refusals(asked->route) ? BLOCK_SOFT : style;
}

void block_style_set(struct translation *t, const struct translation_request *request, const struct node *body)
{
    const struct asked_answer asked = {.route = t->route->name,
                                       .in = body,
                                       .client = request->client,
                                       .is_streaming = translation_is_streaming(t)};
    t->asked.style = block_style_of(&asked, request->block);
    t->asked.n_choices = choices_asked(&asked);
    t->asked.is_structured = asks_for_structure(&asked);
    t->asked.wants_cost = request->block != BLOCK_HARD && asks_for_usage(&asked);
}
