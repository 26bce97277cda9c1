/* translation_exchange.c - an answer as one exchange, for the record: what the stream found, and what was judged outside it. */
#include <stdlib.h>

#include "judge/originals.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/aside.h"
#include "protocol/calls.h"
#include "protocol/translation.h"

static void set_verdict(const struct translation *t, struct exchange *out)
{
    const struct beside *b = &t->beside;

    if (out->action == ACTION_ALLOW && b->redacted.is_set) {
        out->action = ACTION_REDACT;
        out->rule = span_str(b->redacted.rule);
    }
    if (b->withheld.is_set && out->action != ACTION_BLOCK) {
        out->action = ACTION_BLOCK;
        out->rule = span_str(b->withheld.rule);
        out->notice = call_notice(t);
        out->unjudged_reason = b->withheld.reason;
    }
}

/* Those of the stream, with room for n more of each. */
static bool copy_shown(struct beside *b, const struct exchange *x, size_t n)
{
    free(b->shown_channels);
    free(b->shown_findings);
    b->shown_channels = calloc(x->n_channels + n, sizeof(*b->shown_channels));
    b->shown_findings = calloc(x->n_findings + n, sizeof(*b->shown_findings));
    if (n == 0 || b->shown_channels == NULL || b->shown_findings == NULL) {
        return false;
    }
    if (x->n_channels > 0) {
        memcpy(b->shown_channels, x->channels, x->n_channels * sizeof(*b->shown_channels));
    }
    if (x->n_findings > 0) {
        memcpy(b->shown_findings, x->findings, x->n_findings * sizeof(*b->shown_findings));
    }
    return true;
}

static void add_aside(struct beside *b, const struct aside *a, struct exchange *out)
{
    b->shown_findings[out->n_findings] = a->finding;
    b->shown_findings[out->n_findings].channel = (uint32_t)out->n_channels;
    b->shown_channels[out->n_channels] = (struct channel){.path = span_of(a->path, a->path_len),
                                                          .text = span_of(NULL, a->text_len),
                                                          .output = span_of(NULL, a->output_len),
                                                          .is_member_name = a->is_member_name,
                                                          .judged = a->judged};
    out->n_findings++;
    out->n_channels++;
    out->bytes += a->text_len;
    out->judged += a->judged;
}

/* All of it as one channel, of which nothing was judged. */
static void add_unread(struct beside *b, struct exchange *out)
{
    size_t passed = out->action == ACTION_BLOCK ? 0 : b->unread;

    b->shown_channels[out->n_channels++] = (struct channel){.text = span_of(NULL, b->unread), .output = span_of(NULL, passed)};
    out->bytes += b->unread;
}

void translation_exchange(struct translation *t, struct exchange *out)
{
    struct beside *b = &t->beside;

    stream_exchange(t->stream, out);
    out->restored = t->down.shown.restored;
    set_verdict(t, out);
    out->left_out = b->left_out + t->up.framer.left_out;
    out->has_findings_in_names = b->has_findings_in_names;
    size_t n_channels = out->n_channels;
    /* Without memory the verdict is still valid; the findings outside the stream are missing. */
    if (!copy_shown(b, out, b->n_aside + (b->unread > 0))) {
        return;
    }
    out->channels = b->shown_channels;
    out->findings = b->shown_findings;
    for (size_t i = 0; i < b->n_aside; i++) {
        add_aside(b, &b->aside[i], out);
    }
    if (b->unread > 0) {
        add_unread(b, out);
    }
    originals_place(stream_originals(t->stream), n_channels);
}
