#include "review/item_priority.h"

#include <math.h>

enum { WHOLE = 10000 };

unsigned item_lower_bound(uint64_t hits, uint64_t n)
{
    const double z = 1.959963984540054;

    if (n == 0 || hits > n) {
        return 0;
    }
    double count = (double)n, share = (double)hits / count;
    double middle = share + z * z / (2 * count);
    double half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    double bound = (middle - half) / (1 + z * z / count);
    return bound <= 0 ? 0 : (unsigned)(bound * WHOLE);
}

struct item_priority item_priority_of(const struct item_circumstances *c)
{
    unsigned confidence = c->confidence > WHOLE ? WHOLE : c->confidence;
    unsigned distance = confidence > WHOLE / 2 ? 2 * confidence - WHOLE : WHOLE - 2 * confidence;
    unsigned bound = item_lower_bound(c->true_positives, c->true_positives + c->false_positives);
    struct item_priority p = {
        .severity = 100 * c->severity,
        .agent = 40 * (c->agent > WHOLE ? WHOLE : c->agent) / WHOLE,
        .novelty = c->is_new ? 30 : 0,
        .uncertainty = 20 * (WHOLE - distance) / WHOLE,
        .precision = c->has_rule ? 20 * (WHOLE - bound) / WHOLE : 0,
    };

    p.total = p.severity + p.agent + p.novelty + p.uncertainty + p.precision;
    return p;
}
