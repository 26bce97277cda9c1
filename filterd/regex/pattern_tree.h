/* pattern_tree.h - a pattern's core as a tree of characters, sequences and alternatives.
 *
 * What the core (trigger.h) matches, the tree matches; anchors are left out. Items and branches are numbers from 1 on, 0 is none. */
#ifndef FILTERD_REGEX_PATTERN_TREE_H
#define FILTERD_REGEX_PATTERN_TREE_H

#include "regex/pattern_element.h"

enum {
    PATTERN_SETS_MAX = 255,
    PATTERN_MANY = UINT16_MAX, /* of a repeat: as often as it goes on */
};

/* Of characters: ASCII ones, and with is_wide each other one. */
struct pattern_set {
    struct byte_set ascii;
    bool is_wide;
};

/* A character of a set, or a group; and the next item of its sequence. */
struct pattern_item {
    uint16_t next;
    uint16_t min, max; /* times */
    uint16_t branches; /* of a group: the first one; 0: a character */
    uint8_t set;
};

/* An alternative of a group, and the next one. */
struct pattern_branch {
    uint16_t item, next;
};

struct pattern_tree {
    struct pattern_set sets[PATTERN_SETS_MAX];
    struct pattern_item *items;
    struct pattern_branch *branches; /* from 1 on those of the pattern itself */
    uint16_t n_sets, n_items, n_branches;
};

/* `core` is the output of trigger_core. False without memory, when it is too large, or has something whose meaning is not known here;
 * the tree is to be freed nevertheless. */
bool pattern_tree_read(struct span core, struct pattern_tree *tree);
void pattern_tree_deinit(struct pattern_tree *tree);

#endif
