#include "protocol/dialects/openai.h"

/* What is where in chat completions, and in the legacy completions. */

#define CHOICE           "/choices/*"
#define IN_DELTA(rest)   CHOICE "/delta" rest
#define IN_MESSAGE(rest) CHOICE "/message" rest
#define BOTH(rest, use, kept) LEAF_ROW(IN_DELTA(rest), use, kept, NULL), LEAF_ROW(IN_MESSAGE(rest), use, kept, NULL)
/* Of both kinds of answer. */
#define ANSWER \
    LEAF_ROW("/id", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/object", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/created", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/model", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/system_fingerprint", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/service_tier", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW("/usage", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW("/x_groq", LEAF_DROP, KEPT_NOT, NULL), \
    LEAF_ROW("/obfuscation", LEAF_DROP, KEPT_NOT, NULL), \
    LEAF_ROW("/prompt_filter_results", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW("/timings", LEAF_SAFE, KEPT_NOT, NULL), /* of llama.cpp, with each token, and its progress */ \
    LEAF_ROW("/prompt_progress", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW(CHOICE "/index", LEAF_SAFE, KEPT, NULL), \
    LEAF_ROW(CHOICE "/finish_reason", LEAF_SAFE, KEPT_NULL, NULL), \
    LEAF_ROW(CHOICE "/native_finish_reason", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW(CHOICE "/stop_reason", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW(CHOICE "/logprobs", LEAF_NULL, KEPT_NULL, NULL), \
    LEAF_ROW(CHOICE "/token_ids", LEAF_DROP, KEPT_NOT, NULL), \
    LEAF_ROW("/prompt_token_ids", LEAF_DROP, KEPT_NOT, NULL), \
    LEAF_ROW("/prompt_logprobs", LEAF_DROP, KEPT_NOT, NULL), \
    LEAF_ROW(CHOICE "/content_filter_results", LEAF_SAFE, KEPT_NOT, NULL), \
    LEAF_ROW(CHOICE "/content_filter_offsets", LEAF_DROP, KEPT_NOT, NULL)

const struct leaf_row openai_chat_rows[] = {
    ANSWER,
    BOTH("/role", LEAF_SAFE, KEPT_NOT),
    BOTH("/content", LEAF_TEXT, KEPT_NOT),
    BOTH("/content/*/text", LEAF_TEXT, KEPT_NOT),
    BOTH("/content/*/type", LEAF_SAFE, KEPT),
    /* Thinking as some vendors put it into the content, and as gateways repeat it. */
    BOTH("/content/*/thinking", LEAF_TEXT, KEPT_NOT),
    BOTH("/content/*/thinking/*/text", LEAF_TEXT, KEPT_NOT),
    BOTH("/content/*/thinking/*/type", LEAF_SAFE, KEPT),
    BOTH("/thinking_blocks/*/thinking", LEAF_TEXT, KEPT_NOT),
    BOTH("/thinking_blocks/*/type", LEAF_SAFE, KEPT),
    BOTH("/thinking_blocks/*/signature", LEAF_OPAQUE, KEPT_NOT),
    BOTH("/thinking_blocks/*/data", LEAF_OPAQUE, KEPT_NOT),
    BOTH("/reasoning_text", LEAF_TEXT, KEPT_NOT),
    BOTH("/refusal", LEAF_TEXT, KEPT_NOT),
    BOTH("/reasoning_content", LEAF_TEXT, KEPT_NOT),
    BOTH("/reasoning", LEAF_TEXT, KEPT_NOT),
    BOTH("/thinking", LEAF_TEXT, KEPT_NOT),
    BOTH("/reasoning_details/*/text", LEAF_TEXT, KEPT_NOT),
    BOTH("/reasoning_details/*/summary", LEAF_TEXT, KEPT_NOT),
    BOTH("/reasoning_details/*/type", LEAF_SAFE, KEPT),
    BOTH("/reasoning_details/*/format", LEAF_SAFE, KEPT),
    BOTH("/reasoning_details/*/index", LEAF_SAFE, KEPT),
    BOTH("/reasoning_details/*/id", LEAF_SAFE, KEPT),
    BOTH("/reasoning_details/*/data", LEAF_OPAQUE, KEPT_NOT),
    BOTH("/reasoning_details/*/signature", LEAF_OPAQUE, KEPT_NOT),
    BOTH("/audio/transcript", LEAF_TEXT, KEPT_NOT),
    BOTH("/audio/id", LEAF_SAFE, KEPT_NOT),
    BOTH("/audio/expires_at", LEAF_SAFE, KEPT_NOT),
    BOTH("/audio/data", LEAF_DROP, KEPT_NOT), /* speech: nothing here can judge it */
    BOTH("/annotations/*/type", LEAF_SAFE, KEPT_NOT),
    /* Offsets into a text that redaction may have changed. */
    BOTH("/annotations/*/url_citation/start_index", LEAF_DROP, KEPT_NOT),
    BOTH("/annotations/*/url_citation/end_index", LEAF_DROP, KEPT_NOT),
    BOTH("/tool_calls/*/id", LEAF_SAFE, KEPT_NOT),
    BOTH("/tool_calls/*/type", LEAF_SAFE, KEPT_NOT),
    BOTH("/tool_calls/*/index", LEAF_SAFE, KEPT_NOT),
};
_Static_assert(COUNT(openai_chat_rows) == OPENAI_CHAT_ROWS, "as openai.h says");

const struct leaf_row openai_completions_rows[] = {
    ANSWER,
    LEAF_ROW(CHOICE "/text", LEAF_TEXT, KEPT_NOT, NULL),
};
_Static_assert(COUNT(openai_completions_rows) == OPENAI_COMPLETIONS_ROWS, "as openai.h says");
