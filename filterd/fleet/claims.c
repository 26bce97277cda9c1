#include "fleet/claims.h"

#include "base/clock.h"

void claims_init(struct claims *c)
{
    (void)pthread_mutex_init(&c->lock, NULL);
}

void claims_deinit(struct claims *c)
{
    (void)pthread_mutex_destroy(&c->lock);
}

static void copy_name(char to[LEDGER_NAME_MAX + 1], struct span name)
{
    size_t len = name.len < LEDGER_NAME_MAX ? name.len : LEDGER_NAME_MAX;

    if (len > 0) {
        memcpy(to, name.ptr, len);
    }
    to[len] = '\0';
}

static void fill(struct claim *item, const struct claim_order *order, const struct agent_event *e)
{
    *item = (struct claim){.stage = CLAIM_QUEUED,
                           .is_recorded = order->is_recorded,
                           .what = order->what,
                           .level = order->level,
                           .until_ns = order->until_ns,
                           .late_ms = clock_monotonic_ms() + CLAIM_LATE_MS,
                           .has_exchange = e->exchange != NULL,
                           .now_ns = e->now_ns,
                           .by = e->by};
    if (e->account != NULL) {
        item->account = *e->account;
    }
    copy_name(item->account.tenant, e->key.tenant);
    copy_name(item->account.agent, e->key.agent);
    if (e->exchange != NULL) {
        item->exchange = *e->exchange;
    }
    (void)link_text_set(item->why, sizeof(item->why), e->why);
}

bool claims_add(struct claims *c, const struct claim_order *order, const struct agent_event *e)
{
    struct claim *found = NULL;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < CLAIMS_MAX && found == NULL; i++) {
        found = c->items[i].stage == CLAIM_NONE ? &c->items[i] : NULL;
    }
    if (found != NULL) {
        fill(found, order, e);
        found->id = ++c->last_id;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return found != NULL;
}

static struct claim *find(struct claims *c, uint64_t id)
{
    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        if (c->items[i].stage != CLAIM_NONE && c->items[i].id == id) {
            return &c->items[i];
        }
    }
    return NULL;
}

static void put(const struct claim *item, struct link_message *m)
{
    link_message_init(m, LINK_CLAIM);
    m->id = item->id;
    m->what = item->what;
    m->score = item->level;
    m->order = item->account.order;
    m->at_ns = item->now_ns;
    m->until_ns = item->until_ns;
    (void)link_text_set(m->tenant, sizeof(m->tenant), span_str(item->account.tenant));
    (void)link_text_set(m->agent, sizeof(m->agent), span_str(item->account.agent));
    (void)link_text_set(m->by, sizeof(m->by), span_str(item->by));
    (void)link_text_set(m->text, sizeof(m->text), span_str(item->why));
}

bool claims_next(struct claims *c, struct link_message *m)
{
    const struct claim *oldest = NULL;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        const struct claim *item = &c->items[i];
        if (item->stage == CLAIM_QUEUED && (oldest == NULL || item->id < oldest->id)) {
            oldest = item;
        }
    }
    if (oldest != NULL) {
        put(oldest, m);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return oldest != NULL;
}

void claims_set_sent(struct claims *c, uint64_t id)
{
    (void)pthread_mutex_lock(&c->lock);
    struct claim *item = find(c, id);
    if (item != NULL) {
        item->stage = CLAIM_SENT;
    }
    (void)pthread_mutex_unlock(&c->lock);
}

void claims_queue_again(struct claims *c)
{
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        c->items[i].stage = c->items[i].stage == CLAIM_SENT ? CLAIM_QUEUED : c->items[i].stage;
    }
    (void)pthread_mutex_unlock(&c->lock);
}

bool claims_take(struct claims *c, uint64_t id, struct claim *out)
{
    (void)pthread_mutex_lock(&c->lock);
    struct claim *item = find(c, id);
    if (item != NULL) {
        *out = *item;
        item->stage = CLAIM_NONE;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return item != NULL;
}

bool claims_next_unrecorded(struct claims *c, bool is_lost, int64_t now_ms, struct claim *out)
{
    struct claim *found = NULL;

    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < CLAIMS_MAX && found == NULL; i++) {
        struct claim *item = &c->items[i];
        bool is_due = item->stage != CLAIM_NONE && !item->is_recorded && (is_lost || now_ms >= item->late_ms);
        found = is_due ? item : NULL;
    }
    if (found != NULL) {
        found->is_recorded = true;
        *out = *found;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return found != NULL;
}

int claims_wait_ms(struct claims *c, int64_t now_ms, int other)
{
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < CLAIMS_MAX; i++) {
        const struct claim *item = &c->items[i];
        if (item->stage != CLAIM_NONE && !item->is_recorded && item->late_ms - now_ms < other) {
            other = item->late_ms > now_ms ? (int)(item->late_ms - now_ms) : 0;
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return other;
}
