/* scanner_bare.c - a scan that only counts, for benchmarks. */
#include "scan/scanner_parts.h"

static bool count_hit(void *context, uint32_t expression, uint32_t first, uint32_t last)
{
    uint64_t *hits = context;

    (void)expression;
    *hits += last - first + 1;
    return true;
}

static bool count_word(void *context, uint32_t list, uint32_t start)
{
    return count_hit(context, list, start, start);
}

static void count_hint(void *context, enum view_hint_kind kind, uint32_t end)
{
    (void)count_hit(context, (uint32_t)kind, end, end);
}

bool scanner_scan_bare(const struct scanner *s, struct scanner_scratch *scratch, struct span text, uint64_t *hits,
                       struct error *err)
{
    keywords_scan(s->keywords, text, count_word, hits);
    hint_literals_scan(s->hints, text, count_hint, hits);
    return prefilter_scan(s->prefilter, scanner_scratch_prefilter(scratch), text, count_hit, hits, err);
}
