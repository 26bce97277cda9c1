#include "view/pending.h"

#include "view/transform.h"

/* Without the transform `ended`; NULL: with all. */
static struct pending find(struct span text, size_t first, const struct transform *ended)
{
    struct pending found = {.from = text.len, .altered = SIZE_MAX};
    size_t n;
    const struct transform *const *transforms = transforms_all(&n);

    for (size_t i = 0; i < n; i++) {
        if (transforms[i] == ended) {
            continue;
        }
        struct pending p = transforms[i]->pending(text, first);
        found.from = p.from < found.from ? p.from : found.from;
        found.altered = p.altered < found.altered ? p.altered : found.altered;
    }
    found.from = found.from > first ? found.from : first;
    found.altered = found.altered > first ? found.altered : first;
    return found;
}

struct pending pending_find(struct span text, size_t first)
{
    return find(text, first, NULL);
}

struct pending pending_find_before_word(struct span text, size_t first)
{
    return find(text, first, &spaced_transform); /* two letters side by side end each row of single characters */
}
