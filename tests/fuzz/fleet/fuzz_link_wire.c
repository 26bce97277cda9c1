/* fuzz_link_wire.c - messages of any bytes from filterd-link: what is taken has texts that end, are UTF-8, and numbers within bounds. */
#include <math.h>
#include <stdlib.h>

#include "link/wire.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void is_text(const char *text, size_t size)
{
    size_t len = strnlen(text, size);

    must(len < size && (len == 0 || utf8_valid_prefix(span_of(text, len)) == len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct link_message m;
    char cut[LINK_WIRE_NODE];

    memset(&m, 0, sizeof(m));
    memcpy(&m, data, size < sizeof(m) ? size : sizeof(m));
    if (link_message_is_valid(&m)) {
        is_text(m.tenant, sizeof(m.tenant));
        is_text(m.agent, sizeof(m.agent));
        is_text(m.node, sizeof(m.node));
        is_text(m.by, sizeof(m.by));
        is_text(m.text, sizeof(m.text));
        is_text(m.note, sizeof(m.note));
        must(isfinite(m.score) && m.score >= 0 && m.score <= LINK_SCORE_MAX && m.at_ns >= 0 && m.survivors >= 0);
        must(m.kind >= LINK_HELLO && m.kind < LINK_KINDS);
        must(m.kind != LINK_ORDER || (m.agent[0] != '\0' && link_what_name(m.what) != NULL));
    }
    (void)link_text_set(cut, sizeof(cut), span_of((const char *)data, size));
    is_text(cut, sizeof(cut));
    unsigned what = link_what_find(span_of((const char *)data, size));
    must(what == 0 || link_what_name(what) != NULL);
    return 0;
}
