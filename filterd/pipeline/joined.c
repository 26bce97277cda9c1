#include "pipeline/joined.h"

#include "mask/masking.h"

/* The parts of a message are channels that follow each other, others may lie between them. */
struct message {
    const struct exchange *x;
    size_t first, end;
    size_t *starts; /* of each channel's text in the joined one; of those that are no parts, of the next part */
    struct span text;
};

/* The channels from `first` on that are of its message. */
static size_t end_of(const struct exchange *x, size_t first, size_t *n, size_t *len)
{
    size_t end = first + 1;

    *n = 1;
    *len = x->channels[first].text.len;
    for (size_t i = first + 1; i < x->n_channels; i++) {
        if (x->channels[i].message == x->channels[first].message) {
            end = i + 1;
            ++*n;
            *len += x->channels[i].text.len;
        } else if (x->channels[i].message != 0) {
            break;
        }
    }
    return end;
}

static bool join(struct finder *f, struct message *m, size_t len, struct error *err)
{
    char *text = arena_alloc(f->arena, len + 1, err);
    size_t at = 0;

    m->starts = text == NULL ? NULL : arena_array(f->arena, m->end - m->first, sizeof(*m->starts), err);
    if (m->starts == NULL) {
        return false;
    }
    for (size_t i = m->first; i < m->end; i++) {
        const struct channel *c = &m->x->channels[i];
        m->starts[i - m->first] = at;
        if (c->message == m->x->channels[m->first].message && c->text.len > 0) {
            memcpy(text + at, c->text.ptr, c->text.len);
            at += c->text.len;
        }
    }
    m->text = span_of(text, len);
    return true;
}

/* The finding, in each part that it reaches into; nothing when that is one. */
static bool add_parts(struct finder *f, const struct message *m, const struct finding *found, struct finding_list *list, struct error *err)
{
    for (size_t i = m->first; i < m->end; i++) {
        const struct channel *c = &m->x->channels[i];
        size_t from = m->starts[i - m->first], to = from + c->text.len;
        if (c->message != m->x->channels[m->first].message || found->from >= to || found->to <= from) {
            continue;
        }
        if (found->from >= from && found->to <= to) {
            return true;
        }
        struct finding part = *found;
        part.channel = (uint32_t)i;
        part.role = c->role;
        part.from = found->from > from ? found->from - from : 0;
        part.to = (found->to < to ? found->to : to) - from;
        part.match_from = found->match_from > from ? found->match_from - from : 0;
        if (!finding_list_add(f, list, &part, err)) {
            return false;
        }
    }
    return true;
}

static bool add_found(struct finder *f, const struct message *m, const struct finding_list *found, struct finding_list *list,
                      struct error *err)
{
    struct masking *masking = m->x->masking;

    for (size_t i = 0; i < found->n; i++) {
        const struct finding *one = &found->items[i];
        bool is_pseudonym = masking != NULL && masking_covers(masking, m->text, one->from, one->to);
        if (!is_pseudonym && !add_parts(f, m, one, list, err)) {
            return false;
        }
    }
    return true;
}

/* Without the classifiers, which judge units of a text. */
static struct find_request request_for(struct exchange *x, const struct message *m)
{
    return (struct find_request){.rules = x->snapshot->rules,
                                 .has_rule = x->policy->has_rule,
                                 .channel = (uint32_t)m->first,
                                 .text = m->text,
                                 .stage_ns = x->stage_ns,
                                 .classify = {.is_off = true},
                                 .links = x->policy->links};
}

bool joined_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err)
{
    for (size_t i = 0; i < x->n_channels && !x->is_request;) {
        struct message m = {.x = x, .first = i, .end = i + 1};
        struct finding_list found = {0};
        size_t n = 1, len = 0;
        if (x->channels[i].message != 0) {
            m.end = end_of(x, i, &n, &len);
        }
        if (n > 1 && !join(f, &m, len, err)) {
            return false;
        }
        const struct find_request request = request_for(x, &m);
        if (n > 1 && !(find_in_text(f, &request, &found, err) && add_found(f, &m, &found, list, err))) {
            return false;
        }
        i = m.end;
    }
    return true;
}
