/* prompt.h - writes the supervisor's prompt.
 *
 * Its texts are the files supervisor-llm/prompts/<version>/: frame.txt and one per category. They are
 * built in; a directory can replace them completely. The record has their digest. The judged text
 * is quoted between two lines with a boundary of 128 random bits, drawn for each request, so
 * that no text can end its quotation. A canary of 128 bits, which the supervisor must never write,
 * detects a text that has manipulated the model. */
#ifndef FILTERD_SUPERVISOR_LLM_PROMPT_H
#define FILTERD_SUPERVISOR_LLM_PROMPT_H

#include "base/arena.h"
#include "base/buf.h"
#include "judge/supervision.h"
#include "policy/supervisor.h"

enum { PROMPT_MARK = 32 }; /* hexadecimal digits of 128 bits */

/* Immutable; any thread. */
struct prompts {
    struct arena memory;
    struct span frame, categories[SUPERVISOR_CATEGORY_COUNT];
    char digest[SUPERVISION_DIGEST + 1]; /* "sha256:…" */
};

/* Loads them from the directory; NULL: the built-in ones. */
struct prompts *prompts_load(const char *directory, struct error *err);
void prompts_free(struct prompts *p);

/* Drawn anew for each request. */
struct prompt_marks {
    char boundary[PROMPT_MARK + 1], canary[PROMPT_MARK + 1];
};
MUST_CHECK bool prompt_marks_draw(struct prompt_marks *m, struct error *err);

/* How a request prescribes the shape of the answer. */
enum prompt_format {
    PROMPT_JSON_SCHEMA, /* response_format with a schema: OpenAI, vLLM, Ollama, llama.cpp */
    PROMPT_JSON_OBJECT, /* response_format, any object */
    PROMPT_GRAMMAR,     /* llama.cpp: a grammar in GBNF */
    PROMPT_FREE         /* only in the prompt */
};

struct prompt_request {
    const struct prompts *prompts;
    const struct prompt_marks *marks;
    unsigned categories;     /* bit per enum supervisor_category, at least one */
    struct span text;        /* the judged text, which prompt_write quotes */
    const char *model;
    enum prompt_format format;
    unsigned answer_tokens;  /* token limit of the answer */
    bool is_completion_named; /* the limit's name is max_completion_tokens */
};

/* Appends the body of a request to /chat/completions. Ill-formed UTF-8 becomes U+FFFD. LIMIT when
 * the text contains one of the marks, which no text can know. */
MUST_CHECK bool prompt_write(const struct prompt_request *r, struct buf *out, struct error *err);

/* Append only one of the two messages, for tests and for display. */
MUST_CHECK bool prompt_write_system(const struct prompt_request *r, struct buf *out, struct error *err);
MUST_CHECK bool prompt_write_user(const struct prompt_request *r, struct buf *out, struct error *err);

#endif
