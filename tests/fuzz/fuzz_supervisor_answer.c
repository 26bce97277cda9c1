/* fuzz_supervisor_answer.c - what a supervisor answers is never taken for more than it is.
 *
 * Up to the first newline the input is the text that was judged, the rest is the answer's body. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "supervisor-llm/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct prompt_marks marks = {.boundary = "00112233445566778899aabbccddeeff",
                                          .canary = "ffeeddccbbaa99887766554433221100"};

static void check(const struct answer_question *q, const struct supervision *s)
{
    assert(s->outcome == SUPERVISION_ANSWERED || (!s->is_violation && s->n_evidence == 0 && s->confidence == 0));
    assert(s->confidence >= 0 && s->confidence <= 1);
    assert(s->n_evidence <= SUPERVISION_EVIDENCE_MAX && s->is_violation == (s->n_evidence > 0));
    assert(!s->is_violation || (q->categories >> s->category & 1U) != 0);
    assert(strstr(s->reason, marks.canary) == NULL && strstr(s->reason, marks.boundary) == NULL);
    for (size_t i = 0; i < s->n_evidence; i++) {
        assert(s->evidence[i].from < s->evidence[i].to && s->evidence[i].to <= q->text.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span input = span_of((const char *)data, size);
    const char *end = size == 0 ? NULL : memchr(data, '\n', size);
    size_t len = end == NULL ? 0 : (size_t)(end - input.ptr);
    const struct answer_question q = {.marks = &marks, .categories = 0x55, .text = span_slice(input, 0, len)};
    struct supervision out = {0};
    struct arena a;

    arena_init(&a, 0, 16 * 1024 * 1024);
    answer_read(&a, span_slice(input, end == NULL ? 0 : len + 1, size), &q, &out);
    check(&q, &out);
    arena_deinit(&a);
    return 0;
}
