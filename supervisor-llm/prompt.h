/* prompt.h - the supervisor's own prompt: what it is asked, and in which words.
 *
 * The words are files, supervisor-llm/prompts/<version>/: frame.txt and one per category. They are
 * built in; a directory can replace them, whole. Their digest goes into the record. The judged text
 * is quoted between two lines that carry a boundary of 128 random bits, drawn for each request, so
 * that no text can end its quotation; a canary of as many, which the supervisor must never write,
 * tells when a text has talked it round all the same. */
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

/* From the directory, or with NULL those that are built in. */
struct prompts *prompts_load(const char *directory, struct error *err);
void prompts_free(struct prompts *p);

/* Drawn anew for each request. */
struct prompt_marks {
    char boundary[PROMPT_MARK + 1], canary[PROMPT_MARK + 1];
};
MUST_CHECK bool prompt_marks_draw(struct prompt_marks *m, struct error *err);

/* How an endpoint can be held to the shape of an answer. */
enum prompt_format {
    PROMPT_JSON_SCHEMA, /* response_format, as OpenAI, vLLM, Ollama and llama.cpp take it */
    PROMPT_JSON_OBJECT, /* likewise, any object */
    PROMPT_GRAMMAR,     /* llama.cpp: a grammar in GBNF */
    PROMPT_FREE         /* by the prompt alone */
};

struct prompt_request {
    const struct prompts *prompts;
    const struct prompt_marks *marks;
    unsigned categories;     /* bit per enum supervisor_category, at least one */
    struct span text;        /* as it is judged; quoted here */
    const char *model;
    enum prompt_format format;
    unsigned answer_tokens;  /* the answer's ceiling */
    bool is_completion_named; /* the ceiling goes by max_completion_tokens */
};

/* Appends the body of a request to /chat/completions. Ill-formed UTF-8 becomes U+FFFD. LIMIT when
 * the text holds one of the marks, which no text can know. */
MUST_CHECK bool prompt_write(const struct prompt_request *r, struct buf *out, struct error *err);

/* The two messages alone, for tests and for people. */
MUST_CHECK bool prompt_write_system(const struct prompt_request *r, struct buf *out, struct error *err);
MUST_CHECK bool prompt_write_user(const struct prompt_request *r, struct buf *out, struct error *err);

#endif
