/* scanner_groups.c - which patterns share their windows. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "scan/scanner_parts.h"

/* By pattern, then trigger: the run of a pattern is its list of triggers. */
static int compare_by_pattern(const void *a, const void *b)
{
    const struct scanner_use *x = a, *y = b;

    if (x->pattern != y->pattern) {
        return x->pattern < y->pattern ? -1 : 1;
    }
    return x->trigger < y->trigger ? -1 : x->trigger > y->trigger;
}

/* One pattern's list of triggers, and what else must be equal for windows to be shared. */
struct signature {
    const struct scanner_use *uses;
    size_t n;
    uint32_t lead, pattern;
};

static int compare_signatures(const void *a, const void *b)
{
    const struct signature *x = a, *y = b;

    if (x->lead != y->lead) {
        return x->lead < y->lead ? -1 : 1;
    }
    if (x->n != y->n) {
        return x->n < y->n ? -1 : 1;
    }
    for (size_t i = 0; i < x->n; i++) {
        if (x->uses[i].trigger != y->uses[i].trigger) {
            return x->uses[i].trigger < y->uses[i].trigger ? -1 : 1;
        }
    }
    return 0;
}

static int compare_groups(const void *a, const void *b)
{
    const struct signature *x = a, *y = b;
    int order = compare_signatures(a, b);

    return order != 0 ? order : (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static size_t make_signatures(const struct scanner *s, struct scanner_use *uses, size_t n_uses, struct signature *signatures)
{
    size_t n = 0;

    if (n_uses > 0) {
        qsort(uses, n_uses, sizeof(*uses), compare_by_pattern);
    }
    for (size_t i = 0; i < n_uses; i++) {
        const struct scanner_use *use = &uses[i];
        if (i == 0 || use->pattern != uses[i - 1].pattern) {
            signatures[n++] = (struct signature){.uses = use, .lead = s->entries[use->pattern].lead, .pattern = use->pattern};
        }
        signatures[n - 1].n++;
    }
    if (n > 0) {
        qsort(signatures, n, sizeof(*signatures), compare_groups);
    }
    return n;
}

/* Every trigger of the group's signature lists the group; the first pass counts, the second fills. */
static void list_group(struct scanner *s, const struct signature *signature, uint32_t group, bool starts_free,
                       bool is_counting)
{
    for (size_t i = 0; i < signature->n; i++) {
        struct scanner_trigger *t = &s->triggers[signature->uses[i].trigger];
        if (is_counting) {
            t->n++;
            t->starts_free &= starts_free;
            t->lead = signature->lead > t->lead ? signature->lead : t->lead;
        } else {
            s->uses[t->first + t->n++] = group;
        }
    }
}

static void list_groups(struct scanner *s, const struct signature *signatures, bool is_counting)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        bool starts_free = true;
        for (uint32_t i = 0; i < s->groups[g].n; i++) {
            starts_free &= s->entries[s->members[s->groups[g].first + i]].starts_free;
        }
        list_group(s, &signatures[s->groups[g].first], g, starts_free, is_counting);
    }
}

bool scanner_make_groups(struct scanner *s, struct scanner_use *uses, size_t n_uses, struct error *err)
{
    struct signature *signatures CLEANUP(cleanup_free) = calloc((size_t)s->n + 1, sizeof(*signatures));

    s->groups = calloc((size_t)s->n + 1, sizeof(*s->groups));
    s->members = calloc((size_t)s->n + 1, sizeof(*s->members));
    if (signatures == NULL || s->groups == NULL || s->members == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "triggers: no memory");
    }
    size_t n = make_signatures(s, uses, n_uses, signatures);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || compare_signatures(&signatures[i - 1], &signatures[i]) != 0) {
            s->groups[s->n_groups++] = (struct scanner_group){.first = i, .lead = signatures[i].lead};
        }
        s->members[i] = signatures[i].pattern;
        s->groups[s->n_groups - 1].n++;
    }
    list_groups(s, signatures, true);
    for (uint32_t t = 0, first = 0; t < s->n_triggers; t++) {
        s->triggers[t].first = first;
        first += s->triggers[t].n;
        s->triggers[t].n = 0;
    }
    list_groups(s, signatures, false);
    return true;
}
