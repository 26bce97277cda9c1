/* link.h - links, images and loading elements of Markdown, HTML and CSS: their URLs, and what of them a reader reads.
 *
 * A construct is what one of the patterns of the rules `link-load` and `link-outside` matches (rules/links): an inline link
 * or image, a reference, the definition of one, a tag, a url() of CSS, or a bare URL. This is the only place that knows
 * what is a URL in them. It reads generously: what any renderer may take for a URL is one. */
#ifndef FILTERD_FORMATS_LINK_H
#define FILTERD_FORMATS_LINK_H

#include "base/arena.h"

enum link_use {
    LINK_NONE,
    LINK_LOADS, /* a renderer fetches it by itself */
    LINK_LEADS, /* a reader may follow it */
};

struct link_url {
    struct span text;   /* escapes of Markdown, HTML and CSS undone; in the arena, or borrowed */
    enum link_use use;
    bool is_value;      /* perhaps no URL: it counts when it names a host */
};

/* Calls take for each URL, until it returns false. */
typedef bool link_take_fn(void *context, const struct link_url *url, struct error *err);
MUST_CHECK bool link_each_url(struct arena *a, struct span construct, link_take_fn *take, void *context, struct error *err);

/* What a reader sees of the construct: the text of a link, the alternative text of an image, nothing of other tags and of
 * definitions. False when there is no such text, as for a bare URL, or when it could itself be read as a link. */
bool link_text(struct span construct, struct span *text);

#endif
