/* stream_window.c - what of a channel's text is given back. */
#include "base/ascii.h"
#include "base/locked_pages.h"
#include "pipeline/stream_channel.h"

enum {
    LINE_MAX = 1024,         /* a window begins with a line, if there is one so near */
    WINDOW_LONG = 16 * 1024, /* one so long is cut where something was found, too */
    WINDOW_KEPT = 4096,      /* memory beyond it is given back when little is held: stream.h promises it of idle channels */
};

/* Gives back what no rule can look back to any more. A window that is to begin in the middle of a line begins
 * behind white space. */
bool stream_channel_move(struct stream_channel *c, size_t reach, bool is_plain, struct error *err)
{
    size_t behind = c->frontier - c->base;
    char last = (char)(behind > 0 ? c->window.data[behind - 1] : '\n');
    size_t len = c->frontier - c->next_base;
    bool is_place = last == '\n' || (len > LINE_MAX && ascii_is(last, ASCII_SPACE));

    if (!is_place || len < reach || (!is_plain && len < WINDOW_LONG)) {
        return true;
    }
    size_t dropped = c->next_base - c->base;
    struct span kept = span_slice(buf_span(&c->window), dropped, c->window.len);
    if (c->window.cap > WINDOW_KEPT && kept.len < WINDOW_KEPT / 2) {
        struct buf smaller;
        buf_init_text(&smaller, c->window.max);
        if (!buf_reserve_tight(&smaller, kept.len, err) || !buf_append(&smaller, kept, err)) {
            return false;
        }
        buf_deinit(&c->window);
        c->window = smaller;
    } else {
        memmove(c->window.data, kept.ptr, kept.len);
        c->window.len = kept.len;
    }
    c->base = c->next_base;
    c->next_base = c->frontier;
    return true;
}
