#include "pipeline/joined_texts.h"

#include "mask/masking.h"

size_t joined_texts_at(const struct joined_texts *j, size_t at)
{
    size_t low = 0, high = j->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->starts[middle + 1] > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The finding, in each text that it reaches into; nothing when that is one. */
static bool add_parts(struct finder *f, const struct joined_texts *j, size_t from, const struct finding *found, struct finding_list *list,
                      struct error *err)
{
    size_t begin = from + found->from, end = from + found->to, match = from + found->match_from;

    for (size_t i = joined_texts_at(j, begin); i < j->n && j->starts[i] < end; i++) {
        struct channel *c = &j->x->channels[j->channels[i]];
        size_t start = j->starts[i], stop = start + c->text.len;
        if (stop <= begin || start == stop) {
            continue;
        }
        if (begin >= start && end <= stop) {
            return true;
        }
        struct finding part = *found;
        part.channel = j->channels[i];
        c->is_cut = true;
        part.role = c->role;
        part.from = begin > start ? begin - start : 0;
        part.to = (end < stop ? end : stop) - start;
        part.match_from = match > start ? match - start : 0;
        if (!finding_list_add(f, list, &part, err)) {
            return false;
        }
    }
    return true;
}

/* What was found in a pseudonym depends on the conversation. */
static void note_pseudonym(const struct joined_texts *j, size_t begin, size_t end)
{
    for (size_t i = joined_texts_at(j, begin); i < j->n && j->starts[i] < end; i++) {
        j->x->channels[j->channels[i]].has_pseudonyms = true;
    }
}

bool joined_texts_add(struct finder *f, const struct joined_texts *j, struct span text, size_t from, const struct finding_list *found,
                      struct finding_list *list, struct error *err)
{
    struct masking *masking = j->x->masking;

    for (size_t i = 0; i < found->n; i++) {
        const struct finding *one = &found->items[i];
        if (masking != NULL && masking_covers(masking, text, one->from, one->to)) {
            note_pseudonym(j, from + one->from, from + one->to);
        } else if (!add_parts(f, j, from, one, list, err)) {
            return false;
        }
    }
    return true;
}
