#include "fleet/status.h"

#include "base/clock.h"

static void learn_node(struct status *s, const struct link_message *m)
{
    s->next.n_nodes = m->id == 0 ? 0 : s->next.n_nodes;
    if (s->next.n_nodes < FLEET_NODES_MAX) {
        struct fleet_node *n = &s->next.nodes[s->next.n_nodes++];
        *n = (struct fleet_node){.at_ns = m->at_ns, .lease_ns = m->lease_ns, .lines = m->lines, .copied = m->copied, .covered = m->covered,
                                 .bundle = m->order, .expires_ns = m->until_ns, .refused = m->refused};
        memcpy(n->name, m->node, sizeof(n->name));
        memcpy(n->why, m->text, sizeof(n->why));
        n->state = strcmp(m->by, "alive") == 0 ? FLEET_NODE_ALIVE : strcmp(m->by, "left") == 0 ? FLEET_NODE_LEFT : FLEET_NODE_LOST;
        (void)link_text_set(n->version, sizeof(n->version), span_str(m->note));
    }
    if (m->is_done) {
        memcpy(s->now.nodes, s->next.nodes, sizeof(s->now.nodes));
        s->now.n_nodes = s->next.n_nodes;
        s->now.heard_ns = clock_utc_ns();
    }
}

static void learn_bundle(struct status *s, const struct link_message *m)
{
    s->next.n_bundles = m->id == 0 ? 0 : s->next.n_bundles;
    if (s->next.n_bundles < FLEET_BUNDLES_MAX) {
        struct fleet_bundle *b = &s->next.bundles[s->next.n_bundles++];
        *b = (struct fleet_bundle){.version = m->order, .stage = m->nodes, .stages = m->missing};
        b->state = strcmp(m->by, "done") == 0 ? FLEET_BUNDLE_DONE : strcmp(m->by, "staged") == 0 ? FLEET_BUNDLE_STAGED : FLEET_BUNDLE_STOPPED;
        memcpy(b->why, m->text, sizeof(b->why));
    }
    if (m->is_done) {
        memcpy(s->now.bundles, s->next.bundles, sizeof(s->now.bundles));
        s->now.n_bundles = s->next.n_bundles;
    }
}

void status_learn(struct status *s, const struct link_message *m)
{
    (void)pthread_mutex_lock(&s->lock);
    if (m->kind == LINK_NODE) {
        learn_node(s, m);
    } else if (m->kind == LINK_BUNDLE) {
        learn_bundle(s, m);
    } else {
        memcpy(s->now.name, m->node, sizeof(s->now.name));
    }
    (void)pthread_mutex_unlock(&s->lock);
}
