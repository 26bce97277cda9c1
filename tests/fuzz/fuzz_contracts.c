/* fuzz_contracts.c - bodies of other products' guardrail APIs: read within the limits, every answer is JSON, no error has the
 * input. The first byte chooses the contract, the second the verdict and the limit of the text. */
#include <stdlib.h>

#include "base/json.h"
#include "contracts/contracts.h"
#include "contracts/presidio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_MAX = 64 << 20, ANSWER_MAX = 64 << 20 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static struct span header(const void *context, const char *name)
{
    (void)context;
    (void)name;
    return span_str("filterd");
}

/* The corpus plants a mark where an error could be tempted to quote. */
static void quotes_nothing(struct span answer, struct span body)
{
    static const char mark[] = "CANARY-4f2b91";

    if (memmem(body.ptr, body.len, mark, sizeof(mark) - 1) != NULL) {
        must(memmem(answer.ptr, answer.len, mark, sizeof(mark) - 1) == NULL);
    }
}

static bool is_json(struct span text)
{
    struct error err;

    return json_validate(text, &err);
}

static void answer(const struct contract *contract, const struct contract_call *call, struct contract_exchange *c, unsigned verdict)
{
    static const struct policy policy = {.notice = {"Withheld.", 9}};
    struct exchange x = {.policy = &policy, .channels = c->channels, .n_channels = c->n_channels, .action = (enum action)(verdict % 3)};
    struct buf out;
    struct error err;
    struct writer w = {.out = &out, .err = &err, .is_ok = true};

    if (x.action == ACTION_REDACT && c->takes_no_change) {
        x.action = ACTION_BLOCK; /* as its caller does */
    }
    for (size_t i = 0; i < c->n_channels; i++) {
        c->channels[i].output = x.action == ACTION_BLOCK ? (struct span){0} : c->channels[i].text;
    }
    buf_init(&out, ANSWER_MAX);
    unsigned status = contract->write(&w, call, c, &x);
    must(status >= 200 && status < 600 && (!w.is_ok || is_json(buf_span(&out))));
    /* The first repeats the event's id, the second the shape of a tool's response: its member names, which the agent has already. */
    bool may_quote = contract == contract_find("/v1/evaluate") || contract == contract_find("/v1/hooks/claude-code");
    if (x.action == ACTION_BLOCK && !may_quote) {
        quotes_nothing(buf_span(&out), call->body);
    }
    buf_deinit(&out);
}

static void judge(const struct contract *contract, const struct contract_call *call, unsigned verdict)
{
    struct contract_exchange c = {0};
    struct filter_fault fault = {0};

    if (contract->read(call, &c, &fault)) {
        must(c.bytes <= call->text_max);
        answer(contract, call, &c, verdict);
        return;
    }
    struct buf out;
    struct error err;
    struct writer w = {.out = &out, .err = &err, .is_ok = true};
    buf_init(&out, ANSWER_MAX);
    contract->refuse(&w, &fault);
    must(fault.status >= 400 && w.is_ok && is_json(buf_span(&out)));
    quotes_nothing(buf_span(&out), call->body);
    buf_deinit(&out);
}

static void operate(const struct contract_call *call, bool is_reverse)
{
    struct buf out;
    struct error err;
    struct writer w = {.out = &out, .err = &err, .is_ok = true};

    buf_init(&out, ANSWER_MAX);
    unsigned status = is_reverse ? presidio_deanonymize(call, &w) : presidio_anonymize(call, &w);
    must(status >= 200 && status < 600 && (!w.is_ok || is_json(buf_span(&out))));
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"/v1/moderations", "/analyze", "/api/v1/text/contents", "/api/v1/text/generation",
                                        "/api/v1/text/chat", "/api/v1/text/context/doc", "/request", "/response", "/portkey",
                                        "/v1/evaluate", "/analyze/output", "/scan/prompt", "/guardrail/{version...}/apply",
                                        "/v1/guardrail/checks", "/guards/{name}/validate", "/llm/v1/sanitize",
                                        "/v1/hooks/claude-code"};
    struct arena arena;

    if (size < 2) {
        return 0;
    }
    arena_init(&arena, 0, MEMORY_MAX);
    const struct contract_call call = {.parameter = span_str("a/b"), .arena = &arena,
                                       .body = span_of((const char *)data + 2, size - 2),
                                       .text_max = (data[1] & 4) != 0 ? 16 : 1 << 20,
                                       .header = header};
    size_t which = data[0] % (COUNT(paths) + 2);
    if (which < COUNT(paths)) {
        judge(contract_find(paths[which]), &call, data[1] & 3U);
    } else {
        operate(&call, which == COUNT(paths));
    }
    arena_deinit(&arena);
    return 0;
}
