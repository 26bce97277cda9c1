#include "ctl/replay/replay_sum.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/plural.h"

/* Names of the members of "skipped", and what they are in a sentence. */
static const struct {
    const char *member, *text;
} skips[REPLAY_SKIPS] = {
    [REPLAY_IN_PART] = {"in_part", "kept in part"},
    [REPLAY_REMOVED] = {"removed", "not there any more"},
    [REPLAY_ERASED] = {"erased", "erased"},
    [REPLAY_OTHER] = {"no_policy", "not decided by a policy"},
};

void replay_sum_deinit(struct replay_sum *s)
{
    free(s->rules);
    free(s->changes);
    *s = (struct replay_sum){0};
}

bool replay_is_change(const struct replay_verdict *before, const struct replay_verdict *after)
{
    return before->action != after->action || strcmp(before->rule, after->rule) != 0;
}

/* NULL with err when there is no room for another rule. */
static struct replay_rule *find_rule(struct replay_sum *s, const char *rule, struct error *err)
{
    for (size_t i = 0; i < s->n_rules; i++) {
        if (strcmp(s->rules[i].rule, rule) == 0) {
            return &s->rules[i];
        }
    }
    if (s->rules == NULL) {
        s->rules = calloc(REPLAY_RULES_MAX, sizeof(*s->rules));
    }
    if (s->rules == NULL || s->n_rules == REPLAY_RULES_MAX) {
        error_set(err, ERROR_LIMIT, "policy replay: at most %d rules expected, and memory for them", REPLAY_RULES_MAX);
        return NULL;
    }
    struct replay_rule *made = &s->rules[s->n_rules++];
    (void)snprintf(made->rule, sizeof(made->rule), "%s", rule);
    return made;
}

static bool count_rules(struct replay_sum *s, const struct replay_change *c, struct error *err)
{
    if (c->before.rule[0] != '\0') {
        struct replay_rule *r = find_rule(s, c->before.rule, err);
        if (r == NULL) {
            return false;
        }
        r->before++;
    }
    if (c->after.rule[0] != '\0') {
        struct replay_rule *r = find_rule(s, c->after.rule, err);
        if (r == NULL) {
            return false;
        }
        r->after++;
    }
    return true;
}

bool replay_sum_add(struct replay_sum *s, const struct replay_change *c, struct error *err)
{
    if (s->changes == NULL) {
        s->changes = calloc(REPLAY_CHANGES_MAX, sizeof(*s->changes));
    }
    if (s->changes == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "policy replay: no memory");
    }
    if (!count_rules(s, c, err)) {
        return false;
    }
    s->n++;
    s->moves[c->before.action][c->after.action]++;
    if (replay_is_change(&c->before, &c->after)) {
        s->n_changed++;
        if (s->n_changes < REPLAY_CHANGES_MAX) {
            s->changes[s->n_changes++] = *c;
        }
    }
    return true;
}

/* --- text --------------------------------------------------------------------- */

static bool append_verdict(struct buf *out, const struct replay_verdict *v, struct error *err)
{
    bool has_rule = v->rule[0] != '\0';

    return buf_appendf(out, err, "%s%s%s%s", action_name(v->action), has_rule ? " (" : "", v->rule, has_rule ? ")" : "");
}

bool replay_append_change(struct buf *out, const struct replay_change *c, struct error *err)
{
    return buf_appendf(out, err, "%" PRIu64 ": ", c->seq) && append_verdict(out, &c->before, err) &&
           buf_append_str(out, " -> ", err) && append_verdict(out, &c->after, err);
}

static bool append_moves(struct buf *out, const struct replay_sum *s, struct error *err)
{
    for (int from = ACTION_ALLOW; from >= 0; from--) {
        for (int to = ACTION_ALLOW; to >= 0; to--) {
            if (from != to && s->moves[from][to] > 0 &&
                !buf_appendf(out, err, "  %s -> %s: %zu\n", action_name((enum action)from), action_name((enum action)to),
                             s->moves[from][to])) {
                return false;
            }
        }
    }
    return true;
}

/* Rules that decide more or fewer verdicts than before. */
static bool append_rules(struct buf *out, const struct replay_sum *s, struct error *err)
{
    for (size_t i = 0; i < s->n_rules; i++) {
        const struct replay_rule *r = &s->rules[i];
        if (r->before != r->after && !buf_appendf(out, err, "  %s decides %zu, before %zu\n", r->rule, r->after, r->before)) {
            return false;
        }
    }
    return true;
}

bool replay_append_text(struct buf *out, const struct replay_sum *s, struct error *err)
{
    if (!buf_appendf(out, err, "%zu exchange%s judged again, %zu %s\n", s->n, plural_s(s->n), s->n_changed,
                     plural(s->n_changed, "verdict changes", "verdicts change")) ||
        !append_moves(out, s, err) || !append_rules(out, s, err)) {
        return false;
    }
    if (!buf_appendf(out, err, "compared with the policy in force: %zu, with the verdict on record: %zu\n", s->n_by_policy,
                     s->n - s->n_by_policy) ||
        (s->n_unlike_record > 0 &&
         !buf_appendf(out, err, "the policy in force differs from the verdict on record: %zu\n", s->n_unlike_record))) {
        return false;
    }
    for (size_t i = 0; i < REPLAY_SKIPS; i++) {
        if (s->skipped[i] > 0 && !buf_appendf(out, err, "passed over, %s: %zu\n", skips[i].text, s->skipped[i])) {
            return false;
        }
    }
    return true;
}

/* --- JSON --------------------------------------------------------------------- */

static bool put_text(struct buf *out, const char *name, struct span text, struct error *err)
{
    return buf_appendf(out, err, "\"%s\":", name) && json_append_string(out, text, err);
}

static bool put_verdict(struct buf *out, const char *name, const struct replay_verdict *v, struct error *err)
{
    if (!buf_appendf(out, err, ",\"%s\":{\"action\":\"%s\"", name, action_name(v->action))) {
        return false;
    }
    if (v->rule[0] != '\0' && (!buf_append_char(out, ',', err) || !put_text(out, "rule", span_str(v->rule), err))) {
        return false;
    }
    return buf_append_char(out, '}', err);
}

static bool put_moves(struct buf *out, const struct replay_sum *s, struct error *err)
{
    const char *comma = "";

    for (int from = ACTION_ALLOW; from >= 0; from--) {
        for (int to = ACTION_ALLOW; to >= 0; to--) {
            if (from == to || s->moves[from][to] == 0) {
                continue;
            }
            if (!buf_appendf(out, err, "%s{\"from\":\"%s\",\"to\":\"%s\",\"n\":%zu}", comma, action_name((enum action)from),
                             action_name((enum action)to), s->moves[from][to])) {
                return false;
            }
            comma = ",";
        }
    }
    return true;
}

static bool put_rules(struct buf *out, const struct replay_sum *s, struct error *err)
{
    for (size_t i = 0; i < s->n_rules; i++) {
        const struct replay_rule *r = &s->rules[i];
        if (!buf_append_str(out, i > 0 ? ",{" : "{", err) || !put_text(out, "rule", span_str(r->rule), err) ||
            !buf_appendf(out, err, ",\"before\":%zu,\"after\":%zu}", r->before, r->after)) {
            return false;
        }
    }
    return true;
}

static bool put_changes(struct buf *out, const struct replay_sum *s, struct error *err)
{
    for (size_t i = 0; i < s->n_changes; i++) {
        const struct replay_change *c = &s->changes[i];
        if (!buf_appendf(out, err, "%s{\"seq\":%" PRIu64, i > 0 ? "," : "", c->seq) ||
            !put_verdict(out, "before", &c->before, err) || !put_verdict(out, "after", &c->after, err) ||
            !buf_append_char(out, '}', err)) {
            return false;
        }
    }
    return true;
}

static bool put_skips(struct buf *out, const struct replay_sum *s, struct error *err)
{
    for (size_t i = 0; i < REPLAY_SKIPS; i++) {
        if (!buf_appendf(out, err, "%s\"%s\":%zu", i > 0 ? "," : "", skips[i].member, s->skipped[i])) {
            return false;
        }
    }
    return true;
}

bool replay_append_json(struct buf *out, const struct replay_head *head, const struct replay_sum *s, struct error *err)
{
    return buf_append_str(out, "{\"v\":1,\"candidate\":{", err) && put_text(out, "file", span_str(head->candidate), err) &&
           buf_append_char(out, ',', err) && put_text(out, "digest", head->candidate_digest, err) &&
           buf_appendf(out, err,
                       "},\"judged\":%zu,\"changed\":%zu,\"by_policy\":%zu,\"by_record\":%zu,\"unlike_record\":%zu,"
                       "\"failed\":%zu,\"skipped\":{",
                       s->n, s->n_changed, s->n_by_policy, s->n - s->n_by_policy, s->n_unlike_record, s->n_failed) &&
           put_skips(out, s, err) && buf_append_str(out, "},\"moves\":[", err) && put_moves(out, s, err) &&
           buf_append_str(out, "],\"rules\":[", err) && put_rules(out, s, err) &&
           buf_append_str(out, "],\"changes\":[", err) && put_changes(out, s, err) &&
           buf_appendf(out, err, "],\"changes_more\":%zu}\n", s->n_changed - s->n_changes);
}
