#include "protocol/dialect.h"

/* The same few names and words come with every event of an answer: a judgement that found nothing
 * is not asked for again. It depends on nothing but the text, its key and the policy. */

static bool fits(const struct clean *known, const struct channel *c)
{
    return known->is_name == c->is_member_name &&
           span_equal(span_of(known->text, known->len), c->text) &&
           span_equal(span_of(known->key, known->key_len), c->key);
}

bool clean_knows(const struct translation *t, const struct channel *c)
{
    for (size_t i = 0; i < CLEAN_MAX && i < t->beside.n_clean; i++) {
        if (fits(&t->beside.clean[i], c)) {
            return true;
        }
    }
    return false;
}

void clean_keep(struct translation *t, const struct channel *c)
{
    struct clean *known = NULL;

    if (c->text.len == 0 || c->text.len > sizeof(known->text) || c->key.len > sizeof(known->key)) {
        return;
    }
    if (t->beside.n_clean < CLEAN_MAX) {
        struct clean *clean = list_room(t->beside.clean, t->beside.n_clean, sizeof(*clean));
        if (clean == NULL) {
            return; /* it is asked for again */
        }
        t->beside.clean = clean;
    }
    known = &t->beside.clean[t->beside.n_clean++ % CLEAN_MAX];
    *known =
        (struct clean){.is_name = c->is_member_name, .len = c->text.len, .key_len = c->key.len};
    memcpy(known->text, c->text.ptr, c->text.len);
    if (c->key.len > 0) {
        memcpy(known->key, c->key.ptr, c->key.len);
    }
}
