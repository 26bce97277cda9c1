/* scanner_parts.h - what scanner_build.c makes and scanner.c uses; nobody else includes it. */
#ifndef FILTERD_SCAN_SCANNER_PARTS_H
#define FILTERD_SCAN_SCANNER_PARTS_H

#include "scan/prefilter.h"
#include "scan/scanner.h"
#include "scan/trigger.h"

struct scanner_entry {
    struct regex *regex;
    uint32_t lead;       /* a match starts at most this many bytes before a trigger's end */
    uint32_t max_width;  /* TRIGGER_WIDTH_UNBOUNDED when the pattern has no bound */
    uint32_t max_length; /* of a match within the rule's limits */
    unsigned views;
    bool has_secret; /* the group that marks the span */
};

/* Patterns that a trigger opens windows for: uses[first .. first + n). */
struct scanner_trigger {
    uint32_t first, n;
    bool is_hint;
    enum view_hint_kind hint;
};

struct scanner {
    struct scanner_entry *entries;
    uint32_t n;
    struct scanner_trigger *triggers;
    uint32_t *uses;
    uint32_t n_triggers;
    struct prefilter *prefilter;
    bool without_prefilter; /* its hits open no windows: every start of every text is one */
    uint64_t serial;
};

extern const struct span scanner_secret_group;

#endif
