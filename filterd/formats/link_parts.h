/* link_parts.h - the readers of single syntaxes; for link*.c alone. */
#ifndef FILTERD_FORMATS_LINK_PARTS_H
#define FILTERD_FORMATS_LINK_PARTS_H

#include "formats/link.h"

struct link_reading {
    struct arena *arena;
    link_take_fn *take;
    void *context;
    unsigned depth; /* of HTML in attributes */
};

/* Which escapes are undone in a URL, beside the references of HTML. */
enum link_escapes { LINK_ESCAPES_HTML, LINK_ESCAPES_MARKDOWN, LINK_ESCAPES_CSS };

MUST_CHECK bool link_unescape(struct arena *a, struct span text, enum link_escapes escapes, struct span *out,
                              struct error *err);

/* Undoes the escapes and calls take. */
MUST_CHECK bool link_give(const struct link_reading *r, struct span text, enum link_escapes escapes, enum link_use use,
                          bool is_value, struct error *err);

/* Tags, one after another, from the first < on. */
MUST_CHECK bool link_read_tags(const struct link_reading *r, struct span html, struct error *err);
/* Each url(), @import and string of an image-set(). */
MUST_CHECK bool link_read_css(const struct link_reading *r, struct span text, struct error *err);

/* The value of the attribute of the first tag; false: it has none. */
bool link_attribute(struct span tag, const char *name, struct span *value);

#endif
