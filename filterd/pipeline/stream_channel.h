/* stream_channel.h - one text that comes in pieces, and the part of it that is kept. For stream.c alone.
 *
 * Kept is a window [base, base + window.len) of the text: what is held, and before it what look-behind and words
 * nearby can reach. All before `frontier` is released. The window begins at a clean cut (judge/hold.h), so
 * judging it alone finds behind that cut what judging the whole text would find there.
 *
 * Invariants, of offsets in the text:
 * - base <= next_base <= frontier <= base + window.len, and none of them ever falls;
 * - frontier is at the beginning of a character of the repaired text, and no redaction reaches over it: a step that would release one in part
 *   fails, and the stream is blocked;
 * - what was released before frontier is what the whole text's redaction has there, whatever comes;
 * - a step judges the whole window and releases [from, frontier) of it, so that each finding is new in one step only;
 * - asked, holder and held_at only save work: without them the same is released, by more looks. */
#ifndef FILTERD_PIPELINE_STREAM_CHANNEL_H
#define FILTERD_PIPELINE_STREAM_CHANNEL_H

#include "pipeline/stream.h"

struct stream_channel {
    struct span path;
    uint32_t index;
    struct buf window;
    size_t base;     /* offset in the text of the window's first byte */
    size_t frontier; /* offset of the first byte that is held */
    size_t next_base;
    size_t unit;     /* offset where the unit begins that had not ended; with classifiers alone (stream_unit.h) */
    size_t taken, released; /* by the rules */
    size_t marked;          /* what had left at the last mark (stream_inquiry.h) */
    struct stream_gate *gate; /* what the rules released, waiting for the end of its unit; NULL: nothing */
    size_t asked;         /* bytes that were held when last nothing could be released */
    uint32_t holder;      /* the pattern that held them, or HOLD_VIEW */
    size_t held_at;       /* offset in the text where it began; meaningless while asked is 0 */
    size_t label_end;     /* where what was redacted last ends in the text */
    const struct rule *region; /* at the frontier: its label is released, its end is not known */
    bool has_label, has_ended;
    bool is_apart; /* no other text of that path is its text */
};

/* What a channel needs of its stream. */
struct stream_window {
    const struct stream_options *options;
    const uint64_t *patterns; /* that may hold a text back */
    const struct live_table *table, *regions; /* of these and of rules that are regions, scan/liveness.h */
    const struct span *replacements; /* how what redaction puts in place of text begins */
    size_t n_replacements;
    size_t reach;             /* bytes before the frontier that count */
    struct spending *spending; /* of the stream; NULL: its policy has no budgets */
    const struct system_prompt *prompt; /* whose parts hold a text back; NULL: none */
    bool has_units; /* what the rules release waits for its unit's end, with all that was found in it */
};

/* A chunk has come, or the text has ended. */
enum stream_event { STREAM_EVENT_CHUNK, STREAM_EVENT_CUT_OFF, STREAM_EVENT_END };

/* What came of a step: `judged` is set when findings behind the old frontier are final now. */
struct stream_step {
    struct exchange judged; /* of the window; its findings' offsets are the window's */
    struct channel channel;
    size_t from, to;        /* findings in [from, to) of the window are new */
    bool is_judged;
    struct redacted_places places; /* what became another text in its output */
    struct finding cut_off; /* what the end cut off; no rule: nothing */
    bool may_move, is_plain; /* the window may be moved (stream_channel_move); nothing was found in it */
    const char *failure;    /* static; the stream is to be blocked */
};

void stream_channel_step(struct stream_channel *c, const struct stream_window *w, struct worker *worker,
                         enum stream_event event, struct stream_step *step, struct buf *out);

/* After a step that may move the window: gives back what no rule can look back to. What `judged` refers to is gone then. */
MUST_CHECK bool stream_channel_move(struct stream_channel *c, size_t reach, bool is_plain, struct error *err);

#endif
