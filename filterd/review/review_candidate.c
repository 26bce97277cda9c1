#include "review/review_candidate.h"

#include <sodium.h>

#include "base/json.h"
#include "index/index_line.h"
#include "query/timestamp.h"
#include "record/log_files.h"
#include "record/note_text.h"

static const char *const whys[REVIEW_WHYS] = {"", "action", "severity", "band", "event", "sample", "rule_sample"};

enum { DUE_MAX_S = 366 * 86400, WHOLE = 10000, CRITICAL = 4 };

const char *review_why_name(unsigned why)
{
    return why < REVIEW_WHYS ? whys[why] : "";
}

unsigned review_why_of(struct span name)
{
    for (unsigned i = 1; i < REVIEW_WHYS; i++) {
        if (span_is(name, whys[i])) {
            return i;
        }
    }
    return REVIEW_NOT;
}

/* --- members ------------------------------------------------------------------ */

struct finding {
    struct span rule, path, token;
    unsigned score;
};

struct parts {
    struct review_candidate *out;
    struct arena *memory;
    struct json_value findings;
    struct span event, sampled; /* sampled: the rule of a rule sample */
    struct finding leading;
    uint64_t due_s;
    bool has_failed;
};

static struct span text_of(struct parts *p, struct json_value value)
{
    struct span text = {NULL, 0};
    struct error ignored;

    p->has_failed |= value.kind == JSON_KIND_STRING && !json_unquote(p->memory, value, &text, &ignored);
    return span_of(text.ptr, text.len == 0 ? 0 : strnlen(text.ptr, text.len > REVIEW_WORD_MAX ? REVIEW_WORD_MAX : text.len));
}

/* "0.9" is 9000, more than 1 is 1. */
static unsigned share_of(struct json_value number)
{
    unsigned value = 0, scale = WHOLE;
    bool is_behind = false;

    for (size_t i = 0; number.kind == JSON_KIND_NUMBER && i < number.raw.len && scale > 0; i++) {
        char c = number.raw.ptr[i];
        if (c == '.') {
            is_behind = true;
        } else if (c < '0' || c > '9') {
            return 0;
        } else {
            scale = is_behind ? scale / 10 : scale;
            value += (unsigned)(c - '0') * scale;
            if (value >= WHOLE) {
                return WHOLE;
            }
        }
    }
    return value;
}

static uint64_t number_of(struct json_value value)
{
    uint64_t number = 0;

    return value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, &number) ? number : 0;
}

static void take_review(struct parts *p, struct json_value review)
{
    struct json_iterator it = json_iterate(review);
    struct json_value value;
    struct span name;

    while (review.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        if (span_is(name, "why")) {
            p->out->why = (enum review_why)review_why_of(text_of(p, value));
        } else if (span_is(name, "rule")) {
            p->sampled = text_of(p, value);
        } else if (span_is(name, "due_s")) {
            p->due_s = number_of(value);
        } else if (span_is(name, "reviewers")) {
            p->out->reviewers = number_of(value) == ITEM_REVIEWERS_MAX ? ITEM_REVIEWERS_MAX : 1;
        } else if (span_is(name, "agent_share")) {
            p->out->agent_share = share_of(value);
        }
    }
}

static void take_policy(struct parts *p, struct json_value policy)
{
    struct json_iterator it = json_iterate(policy);
    struct json_value value;
    struct span name;

    while (policy.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        if (span_is(name, "name")) {
            p->out->policy = text_of(p, value);
        } else if (span_is(name, "digest")) {
            p->out->digest = text_of(p, value);
        }
    }
}

static void take_finding(struct parts *p, struct json_value finding, struct finding *out)
{
    struct json_iterator it = json_iterate(finding);
    struct json_value value;
    struct span name;

    *out = (struct finding){.score = 0};
    while (finding.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        if (span_is(name, "rule")) {
            out->rule = text_of(p, value);
        } else if (span_is(name, "path")) {
            out->path = text_of(p, value);
        } else if (span_is(name, "value_tok")) {
            out->token = text_of(p, value);
        } else if (span_is(name, "score")) {
            out->score = share_of(value);
        } else if (span_is(name, "severity")) {
            unsigned severity = index_severity_number(text_of(p, value));
            p->out->severity = severity > p->out->severity ? severity : p->out->severity;
        }
    }
}

/* The first of the rule that decided, without one the first; they are in the order of their actions. */
static void take_findings(struct parts *p)
{
    struct json_iterator it = json_iterate(p->findings);
    struct json_value value;
    struct span none;
    bool is_found = false;
    unsigned n = 0;

    while (p->findings.kind == JSON_KIND_ARRAY && n < INDEX_FINDINGS_MAX && json_next(&it, &none, &value)) {
        struct finding f;
        take_finding(p, value, &f);
        bool is_leading = span_equal(f.rule, p->out->rule);
        if (n == 0 || (is_leading && !is_found)) {
            p->leading = f;
        }
        is_found |= is_leading;
        n++;
    }
}

static void take_time(struct parts *p, struct json_value value)
{
    int64_t ns = 0;

    (void)timestamp_parse(text_of(p, value), 0, &ns);
    p->out->ts_ms = ns / 1000000;
}

static void take_member(struct parts *p, struct span name, struct json_value value)
{
    struct review_candidate *c = p->out;
    const struct {
        const char *name;
        struct span *text;
    } texts[] = {{"tenant", &c->tenant}, {"app", &c->app}, {"agent", &c->agent}, {"rule", &c->rule}, {"event", &p->event}};

    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i].text = span_is(name, texts[i].name) ? text_of(p, value) : *texts[i].text;
    }
    if (span_is(name, "ts")) {
        take_time(p, value);
    } else if (span_is(name, "action")) {
        c->action = index_action_number(text_of(p, value));
    } else if (span_is(name, "policy")) {
        take_policy(p, value);
    } else if (span_is(name, "findings")) {
        p->findings = value;
    } else if (span_is(name, "review")) {
        take_review(p, value);
    }
}

/* --- groups ------------------------------------------------------------------- */

static void add_part(crypto_hash_sha256_state *state, struct span part)
{
    uint64_t len = part.len;

    (void)crypto_hash_sha256_update(state, (const uint8_t *)&len, sizeof(len));
    (void)crypto_hash_sha256_update(state, (const uint8_t *)(part.len == 0 ? "" : part.ptr), part.len);
}

static void make_group(struct review_candidate *c, const struct finding *f)
{
    const struct span by_value[] = {span_str("value"), c->tenant, c->rule, f->token};
    const struct span by_place[] = {span_str("place"), c->tenant, c->rule, c->agent, f->path};
    bool has_token = f->token.len > 0;
    const struct span *parts = has_token ? by_value : by_place;
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;

    (void)crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < (has_token ? COUNT(by_value) : COUNT(by_place)); i++) {
        add_part(&state, parts[i]);
    }
    (void)crypto_hash_sha256_final(&state, hash);
    memcpy(c->group, hash, REVIEW_GROUP);
    c->has_group = true;
}

/* Events are named apart from rules. */
static bool name_event(struct parts *p)
{
    static const char prefix[] = "agent.";
    struct error ignored;

    if (p->event.len == 0 || p->out->rule.len > 0) {
        return true;
    }
    char *name = arena_alloc(p->memory, sizeof(prefix) + p->event.len, &ignored);
    if (name == NULL) {
        return false;
    }
    memcpy(name, prefix, sizeof(prefix) - 1);
    memcpy(name + sizeof(prefix) - 1, p->event.ptr, p->event.len);
    p->out->rule = span_of(name, sizeof(prefix) - 1 + p->event.len);
    return true;
}

bool review_candidate_read(struct span line, struct arena *memory, struct review_candidate *out)
{
    static const char member[] = "\"review\":{";
    struct parts p = {.out = out, .memory = memory, .findings = {.kind = JSON_KIND_NULL}};
    struct json_value value;
    struct error ignored;
    struct span name;

    *out = (struct review_candidate){.action = INDEX_NO_ACTION, .reviewers = 1};
    /* No text of a line reads like that, as its quotes are escaped; most lines end here. */
    if (memmem(line.ptr, line.len, member, sizeof(member) - 1) == NULL || !log_line_seq(line, &out->seq) ||
        !json_validate(line, &ignored)) {
        return false;
    }
    struct json_iterator it = json_iterate(json_root(line));
    while (!p.has_failed && json_next(&it, &name, &value)) {
        take_member(&p, name, value);
    }
    if (out->why == REVIEW_RULE_SAMPLE) {
        out->rule = p.sampled;
    }
    take_findings(&p);
    out->severity = out->why == REVIEW_EVENT ? CRITICAL : out->severity;
    if (out->why == REVIEW_NOT || p.has_failed || !name_event(&p)) {
        return false;
    }
    out->due_ms = out->ts_ms + (int64_t)(p.due_s > DUE_MAX_S ? DUE_MAX_S : p.due_s) * 1000;
    out->confidence = p.leading.score;
    if (!review_why_is_blind(out->why)) {
        make_group(out, &p.leading);
    }
    return true;
}
