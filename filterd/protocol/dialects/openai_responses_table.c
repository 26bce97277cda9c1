#include "protocol/dialects/openai.h"

/* What is where in events and bodies of the Responses API. */

#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)
#define ITEM(at)                                                                                   \
    ANY(at "/id", LEAF_SAFE), ANY(at "/type", LEAF_SAFE), ANY(at "/status", LEAF_SAFE),            \
        ANY(at "/role", LEAF_SAFE), ANY(at "/call_id", LEAF_SAFE),                                 \
        ANY(at "/encrypted_content", LEAF_OPAQUE), ANY(at "/content/*/type", LEAF_SAFE),           \
        ANY(at "/content/*/logprobs", LEAF_DROP), ANY(at "/content/*/audio", LEAF_DROP), ANY(at "/object", LEAF_SAFE), ANY(at "/summary/*/type", LEAF_SAFE),            \
        ANY(at "/content/*/annotations/*/type", LEAF_SAFE),                                        \
        ANY(at "/content/*/annotations/*/file_id", LEAF_SAFE), ANY(at "/container_id", LEAF_SAFE)
#define RESPONSE(at)                                                                               \
    LEAF_ROW(at "/id", LEAF_SAFE, KEPT, NULL), LEAF_ROW(at "/object", LEAF_SAFE, KEPT, NULL),                      \
        LEAF_ROW(at "/created_at", LEAF_SAFE, KEPT, NULL), LEAF_ROW(at "/model", LEAF_SAFE, KEPT, NULL),           \
        ANY(at "/completed_at", LEAF_SAFE), ANY(at "/status", LEAF_SAFE),                          \
        ANY(at "/usage", LEAF_SAFE), ANY(at "/incomplete_details/reason", LEAF_SAFE),              \
        ANY(at "/error/code", LEAF_SAFE), ANY(at "/error/message", LEAF_JUDGED),                   \
        ANY(at "/previous_response_id", LEAF_SAFE), ANY(at "/conversation/id", LEAF_SAFE),         \
        ANY(at "/reasoning", LEAF_SAFE), ANY(at "/service_tier", LEAF_SAFE),                       \
        ANY(at "/tool_choice", LEAF_SAFE), ANY(at "/tools", LEAF_JUDGED),                          \
        ANY(at "/truncation", LEAF_SAFE), ANY(at "/text/format/type", LEAF_SAFE),                  \
        ANY(at "/text/verbosity", LEAF_SAFE), ANY(at "/prompt_cache_key", LEAF_JUDGED),            \
        ANY(at "/safety_identifier", LEAF_JUDGED), ANY(at "/metadata", LEAF_JUDGED),               \
        ANY(at "/user", LEAF_JUDGED), ANY(at "/parallel_tool_calls", LEAF_JUDGED),                 \
        ANY(at "/max_output_tokens", LEAF_SAFE), ANY(at "/max_tool_calls", LEAF_SAFE),             \
        ANY(at "/temperature", LEAF_SAFE), ANY(at "/top_p", LEAF_SAFE),                            \
        ANY(at "/top_logprobs", LEAF_SAFE), ANY(at "/store", LEAF_SAFE),                           \
        ANY(at "/background", LEAF_SAFE), ANY(at "/instructions", LEAF_JUDGED),                    \
        ANY(at "/prompt", LEAF_JUDGED), ITEM(at "/output/*")
#define DELTA(stem) LEAF_ROW("/delta", LEAF_TEXT, KEPT_NOT, stem ".delta")

const struct leaf_row openai_responses_rows[] = {
    LEAF_ROW("/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/sequence_number", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/item_id", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/response_id", LEAF_SAFE, KEPT, NULL), /* from here to /previous_item_id: of the Realtime API */
    ANY("/event_id", LEAF_SAFE),
    ANY("/call_id", LEAF_SAFE),
    ANY("/previous_item_id", LEAF_SAFE),
    LEAF_ROW("/output_index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/content_index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/summary_index", LEAF_SAFE, KEPT, NULL),
    ANY("/obfuscation", LEAF_DROP),
    ANY("/logprobs", LEAF_DROP),
    DELTA("response.output_text"),
    DELTA("response.text"),
    DELTA("response.audio_transcript"),
    DELTA("response.refusal"),
    DELTA("response.reasoning_text"),
    DELTA("response.reasoning_summary_text"),
    DELTA("response.output_audio_transcript"),
    DELTA("response.code_interpreter_call_code"),
    ANY("/delta", LEAF_JUDGED),
    ANY("/text", LEAF_JUDGED),
    ANY("/refusal", LEAF_JUDGED),
    ANY("/transcript", LEAF_JUDGED),
    ANY("/code", LEAF_JUDGED),
    ANY("/name", LEAF_JUDGED),
    ANY("/arguments", LEAF_JUDGED),
    ANY("/input", LEAF_JUDGED),
    ANY("/message", LEAF_JUDGED),
    ANY("/param", LEAF_JUDGED),
    ANY("/annotation_index", LEAF_SAFE),
    ANY("/annotation/type", LEAF_SAFE),
    ANY("/annotation/url", LEAF_JUDGED),
    ANY("/annotation/title", LEAF_JUDGED),
    ANY("/annotation/start_index", LEAF_SAFE),
    ANY("/annotation/end_index", LEAF_SAFE),
    ANY("/part/type", LEAF_SAFE),
    ANY("/part/annotations", LEAF_JUDGED),
    ANY("/part/logprobs", LEAF_DROP),
    ANY("/part/audio", LEAF_DROP),
    ITEM("/item"),
    RESPONSE("/response"),
    RESPONSE(""),
};
_Static_assert(COUNT(openai_responses_rows) == OPENAI_RESPONSES_ROWS, "as openai.h says");
