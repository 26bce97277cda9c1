/* leaf.h - the leaves of a message: a table gives the use of each, and each is treated by its row. */
#ifndef FILTERD_PROTOCOL_LEAF_H
#define FILTERD_PROTOCOL_LEAF_H

#include "judge/exchange.h"
#include "protocol/wire/tree.h"

struct dialect;
struct translation;

/* Zero is the use of an unknown place. */
enum leaf_use {
    LEAF_JUDGED, /* a text: judged at once; in a stream also joined with others at its place, and held until then: values.c */
    LEAF_TEXT,   /* a piece of a channel's text */
    LEAF_SAFE,   /* an id, a word of the protocol, a number; a container: all in it. Must have a closed form in streams: ids.c */
    LEAF_OPAQUE, /* encrypted: only the upstream can read it; also of a closed form */
    LEAF_DROP,
    LEAF_MEDIA, /* an image or speech in base64, which nothing here can judge: it passes and counts as unread; any other text is judged */
    LEAF_NULL, /* replaced by null, because the shape requires the member */
};

/* Whether events that the engine builds from an upstream's event repeat it. */
enum leaf_kept { KEPT_NOT, KEPT, KEPT_NULL };

struct leaf_row {
    const char *path; /* "/choices/" "*" "/index": a star is any element or member */
    enum leaf_use use;
    enum leaf_kept kept;
    const char *type; /* only if the root has this type; NULL: any */
    uint8_t path_len;
    char first, last; /* of the path, behind the slash and at its end: most rows differ in them */
};

/* A row of a table; its path is a literal. */
#define LEAF_ROW(path, use, kept, type) {path, use, kept, type, sizeof(path) - 1, path[1], path[sizeof(path) - 2]}

const struct leaf_row *leaf_find(const struct dialect *d, const struct node *root,
                                 const struct node *n);
bool leaf_is_id(struct span text);
bool leaf_is_base64(struct span text);
bool leaf_is_at(const struct node *root, const struct node *n, const char *path);
/* The path to it (judge/path.h); only the name, or nothing, if the path would be long. */
MUST_CHECK bool leaf_path(struct translation *t, const struct node *root, const struct node *n,
                          struct span *path, struct error *err);
/* Treats every leaf according to its row. is_whole: texts end here, and a value is the only one at its place. Otherwise, in
 * a stream, parts with values are released at the end of their part: emit omits them. */
MUST_CHECK bool leaves_judge(struct translation *t, struct node *root, bool is_whole,
                             struct error *err);
/* Whether it has waiting texts, and no text with content. */
bool leaves_say_nothing(const struct translation *t, const struct node *root);
/* Removes texts of which nothing was released, and waiting parts. */
MUST_CHECK bool leaves_prune(struct translation *t, struct node *root, struct error *err);

/* --- ids: ids.c, ids_words.c --- */
enum { CLEAN_MAX = 64, KNOWN_IDS_MAX = 16 };

/* A short text that was judged without a finding. */
struct clean {
    bool is_name;
    size_t len, key_len;
    char text[48], key[48];
};

/* An id that was judged, and its replacement in the output. */
struct known_id {
    size_t len, out_len;
    char text[128], out[128];
};

/* Judges the strings at safe and opaque places, before any other use of the message. */
MUST_CHECK bool ids_judge(struct translation *t, struct node *root, struct error *err);
/* The same where each was judged before, and is still known; false: one is not. */
MUST_CHECK bool ids_recall(struct translation *t, struct node *root, struct error *err);
/* The same as ids_judge for one string; `use` is SAFE or OPAQUE. */
MUST_CHECK bool id_judge(struct translation *t, const struct node *root, struct node *n,
                         enum leaf_use use, struct error *err);
/* Whether it is a word of an API, such as "assistant", which need not be judged. */
bool id_is_word(struct span text);

/* --- a cache of clean texts --- */
bool clean_knows(const struct translation *t, const struct channel *c);
void clean_keep(struct translation *t, const struct channel *c);

#endif
