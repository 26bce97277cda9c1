/* scanner.h - many patterns over one text: Hyperscan says where PCRE2 must look.
 *
 * The meaning of a pattern is PCRE2's: the matches of a left-to-right search over each piece of a
 * view, non-overlapping per pattern. A trigger is a Hyperscan expression that occurs inside every match
 * and ends at most `lead` bytes after the match begins. So each trigger hit at `end` opens the window
 * of starts [end - lead, end], and PCRE2 searches the union of the windows, each start once. The
 * findings equal those of PCRE2 alone (without_prefilter), byte for byte:
 *
 *   Let `end` be the first hit past the last match. A match that starts before end - lead would
 *   have a hit before `end`, past the last match: there is none. So the leftmost match among the
 *   starts of the window is the leftmost of all.
 *
 * Windows are kept merged, so a flood of hits costs memory in proportion to the gaps between
 * them, up to a ceiling past which neighbours are joined (which costs time, never a match).
 *
 * A pattern that begins with one of a list of words where a word or a part of a name starts needs no such window: the words
 * that are there are found by themselves (beginnings.h, keywords.h), and each opens a window of one start.
 *
 * A look-ahead sees at most SCANNER_LOOK_AHEAD bytes past the longest match of a bounded pattern.
 *
 * A scanner is immutable; the scratch belongs to one thread and adapts to the scanner at hand. */
#ifndef FILTERD_SCAN_SCANNER_H
#define FILTERD_SCAN_SCANNER_H

#include "scan/regex.h"
#include "view/view.h"

enum { SCANNER_PATTERNS_MAX = 1 << 16, SCANNER_MATCH_MAX = 64 * 1024, SCANNER_LOOK_AHEAD = 256, SCANNER_LEAD_DEFAULT_MAX = 4096 };

struct scanner_pattern {
    struct span pattern;         /* as the rule says it */
    struct span before, after;   /* look-arounds of its boundary; may be empty */
    const struct span *triggers; /* none: derived from the pattern */
    size_t n_triggers;
    uint32_t lead;       /* 0: computed from the widths */
    uint32_t max_length; /* bytes of a match; 0: the pattern's own bound, which must exist */
    unsigned views;      /* bit per enum view_kind it is searched in */
    bool starts_free;    /* `before` forbids an ASCII letter or digit in front of a match */
    bool starts_part;    /* it wants the start of a word, or of a part of a name (keywords.h); so it does when starts_free */
    bool prefers_words;  /* the words that a match begins with, if they can be listed, to the triggers */
    bool is_counting;    /* scanner_work tells what PCRE2 had to do; for reports, many times slower */
    bool is_bare;        /* nothing is confirmed: for scanner_scan_bare alone, and much faster to make */
    bool is_disguisable; /* look for its first letters in ROT13 and backwards, too */
};

struct scanner;
struct scanner_scratch;

/* On failure *bad_pattern is the index of the pattern at fault, or n when none is. cache_directory NULL: no cache. The
 * patterns' texts are borrowed until scanner_free. */
struct scanner *scanner_new(const struct scanner_pattern *patterns, uint32_t n, const char *cache_directory,
                            bool without_prefilter, uint32_t *bad_pattern, struct error *err);
void scanner_free(struct scanner *s);
/* Gives back what scans made on their way; later ones make it again. No scan may be under way. */
void scanner_trim(struct scanner *s);

struct scanner_scratch *scanner_scratch_new(struct error *err);
void scanner_scratch_free(struct scanner_scratch *s);

struct scanner_match {
    uint32_t pattern;
    size_t from, to;           /* the whole match in the view's text */
    size_t span_from, span_to; /* a group `secret`, or the whole match */
    bool is_over_limit;        /* longer than max_length, or the match limit was reached */
    const struct regex *regex; /* with `groups`: for regex_group_range, until found() returns */
    const struct regex_scratch *groups;
    size_t *behind; /* where the next match may begin; found() may set it to a place in (from, to] */
};

/* Stops the scan when it returns false. */
typedef bool scanner_found_fn(void *context, const struct scanner_match *match, struct error *err);

/* Two steps, so that their time can be measured apart. scanner_mark fills the scratch with windows; it also
 * collects hints for views (tokens in ROT13 or backwards) when `hints` is not NULL. scanner_confirm
 * calls found() for each match, in order of pattern, then position; for each group `secret` of it that took part. */
struct scanner_hints {
    struct view_hint *items;
    size_t n, max;
};
MUST_CHECK bool scanner_mark(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view,
                             struct scanner_hints *hints, struct error *err);
bool scanner_has_marks(const struct scanner_scratch *scratch);
MUST_CHECK bool scanner_confirm(const struct scanner *s, struct scanner_scratch *scratch, const struct view *view,
                                scanner_found_fn *found, void *context, struct error *err);

/* What PCRE2 had to do for patterns with is_counting, since the scratch was made. */
struct regex_work scanner_work(const struct scanner_scratch *scratch);

/* For reports: size of the compiled database and of the scratch in bytes. */
size_t scanner_database_size(const struct scanner *s);
/* One bare scan with database and words, counting hits: the floor that benchmarks compare with. */
MUST_CHECK bool scanner_scan_bare(const struct scanner *s, struct scanner_scratch *scratch, struct span text,
                                  uint64_t *hits, struct error *err);

#endif
