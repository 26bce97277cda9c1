#include "view/pending.h"

#include "view/transform.h"

struct pending pending_find(struct span text, size_t first)
{
    struct pending found = {.from = text.len, .altered = SIZE_MAX};
    size_t n;
    const struct transform *const *transforms = transforms_all(&n);

    for (size_t i = 0; i < n; i++) {
        struct pending p = transforms[i]->pending(text, first);
        found.from = p.from < found.from ? p.from : found.from;
        found.altered = p.altered < found.altered ? p.altered : found.altered;
    }
    found.from = found.from > first ? found.from : first;
    found.altered = found.altered > first ? found.altered : first;
    return found;
}
