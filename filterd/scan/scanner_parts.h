/* scanner_parts.h - what scanner_build.c makes and scanner.c uses; no other file includes it. */
#ifndef FILTERD_SCAN_SCANNER_PARTS_H
#define FILTERD_SCAN_SCANNER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "regex/keywords.h"
#include "scan/hint_literals.h"
#include "scan/prefilter.h"
#include "scan/scanner.h"
#include "scan/start_filter.h"
#include "regex/trigger.h"

enum { SCANNER_EXPRESSION_MAX = 64 * 1024 }; /* bytes */

struct scanner_entry {
    struct regex *regex;
    _Atomic(struct start_filter *) starts; /* NULL: not made yet */
    struct span pattern; /* borrowed: as the rule says it */
    uint32_t lead;       /* a match starts at most this many bytes before a trigger's end */
    uint32_t max_width;  /* TRIGGER_WIDTH_UNBOUNDED when the pattern has no bound */
    uint32_t max_length; /* of a match within the rule's limits */
    unsigned views;
    bool has_secret; /* the group that marks the span */
    bool starts_free;
};

/* Patterns with the same triggers and lead share their windows: members[first .. first + n). Of several, `starts` admits what one of
 * them does. */
struct scanner_group {
    uint32_t first, n;
    uint32_t lead;
    _Atomic(struct start_filter *) starts; /* NULL: not made yet */
};

/* Groups that a trigger opens windows for: uses[first .. first + n). The first n_word_lists are lists of words, the others
 * expressions. */
struct scanner_trigger {
    uint32_t first, n;
    bool is_inside; /* a list of words that are anywhere in a match, at most the group's lead behind its start */
    bool starts_free; /* so do all patterns of its groups */
    uint32_t lead;    /* the longest of theirs */
};

struct scanner {
    struct scanner_entry *entries;
    uint32_t n;
    struct scanner_trigger *triggers;
    uint32_t *uses;
    uint32_t n_triggers, n_word_lists;
    struct scanner_group *groups;
    uint32_t *members;
    uint32_t n_groups;
    struct prefilter *prefilter;
    struct keywords *keywords;
    struct hint_literals *hints;
    struct scanner_live *live; /* liveness.c */
    bool without_prefilter;    /* its hits open no windows: every start of every text is one */
    uint64_t serial;
};

/* Starts [from, to) that PCRE2 must try for the patterns of one group; a list per group, newest first. */
struct scanner_window {
    uint32_t from, to;
    uint32_t next; /* UINT32_MAX: none */
};

/* Sorts a list by where its windows begin and returns the first; scanner_windows.c. */
uint32_t scanner_windows_sort(struct scanner_window *windows, uint32_t list);

/* Windows from `used` on are free. */
struct scanner_windows {
    struct scanner_window *items;
    uint32_t used, max;
};
/* The starts of a sorted list that the group's filter admits, as a sorted list of free windows; scanner_narrow.c. */
uint32_t scanner_windows_narrow(struct scanner_windows *w, const struct start_filter *starts, const struct view *view, uint32_t list);
/* The filter of a group of several patterns; NULL when there is none. */
const struct start_filter *scanner_group_starts(const struct scanner *s, struct scanner_group *group);
/* What is asked first about a group has left the cache since the last text. It is fetched while the groups before are searched, in two
 * steps, as an entry says where the rest is. */
void scanner_fetch_entries(const struct scanner *s, const struct scanner_group *g);
void scanner_fetch_filters(const struct scanner *s, const struct scanner_group *g);
void scanner_fetch_automata(const struct scanner *s, const struct scanner_group *g);
/* The same of the members behind the one at hand. */
void scanner_fetch_behind(const struct scanner *s, const struct scanner_group *g, uint32_t at);

/* While building: one row per use of an expression; equal expressions become one trigger. A list of words is
 * written as an expression that sorts before all others (scanner_words.c). */
struct scanner_use {
    char *expression;
    uint32_t pattern, trigger;
};

/* Fills groups, members and uses from what the triggers are used for; reorders `uses`. */
MUST_CHECK bool scanner_make_groups(struct scanner *s, struct scanner_use *uses, size_t n_uses, struct error *err);

/* The words that every match of a pattern, whose core is given, or every occurrence of a trigger begins with, as expressions:
 * keywords as a list, the rest for Hyperscan, an expression with a NUL behind it for each: fifty words beyond ASCII in one take it
 * twelve times as long to compile. `words` or `rest` stays empty when there is none. False in *is_listed when they cannot be
 * listed, or need not be where keywords do. */
MUST_CHECK bool scanner_words_of_pattern(const struct scanner_pattern *pattern, struct span core, struct buf *words,
                                         struct buf *rest, bool *is_listed, struct error *err);
MUST_CHECK bool scanner_words_of_trigger(struct span trigger, struct buf *words, struct buf *rest, bool *is_listed,
                                         struct error *err);
/* Makes keywords of the n lists; the id of each is the list's number. */
struct keywords *scanner_words_make(const char *const *lists, uint32_t n, struct error *err);
/* Whether an expression is such a list, and one of a trigger's words. */
bool scanner_words_are(const char *expression);
bool scanner_words_are_inside(const char *expression);

#define SCANNER_EMPTY_MATCH "pattern: must not match the empty text"

/* The patterns in PCRE2, by a thread of their own while the triggers are made and loaded; scanner_patterns.c. */
struct scanner_compilation {
    const struct scanner_pattern *patterns;
    struct scanner_entry *entries; /* sets regex and has_secret; the other thread sets the rest */
    uint32_t n, bad;               /* bad: the first at fault, or n */
    struct error err;
    pthread_t thread;
    bool has_thread;
};

/* False when it is known already that a pattern is at fault. */
bool scanner_patterns_start(struct scanner_compilation *c);
/* Waits. What PCRE2 says about a pattern is the better text where a trigger of it is at fault, too. */
MUST_CHECK bool scanner_patterns_end(struct scanner_compilation *c, uint32_t *bad, struct error *err);

/* `hints` may be NULL. */
void scanner_hint_add(struct scanner_hints *hints, struct span text, enum view_hint_kind kind, uint32_t end);
void scanner_hints_order(struct scanner_hints *hints);

struct scanner_live *scanner_live_new(void);
void scanner_live_free(struct scanner_live *live);
struct regex_scratch *scanner_scratch_regex(struct scanner_scratch *s);
struct prefilter_scratch *scanner_scratch_prefilter(struct scanner_scratch *s);
/* Made at the first call. NULL without memory. */
const struct start_filter *scanner_entry_starts(struct scanner_entry *entry);

extern const struct span scanner_secret_group;

#endif
