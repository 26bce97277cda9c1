#include "index/index_line.h"

#include <sodium.h>

#include "index/line_scan.h"
#include "query/timestamp.h"
#include "record/log_files.h"

/* New ones go to the end: their numbers are in files. */
static const char *const types[] = {"",      "decision", "second-look", "agent",     "recovery", "rotation", "loss",    "log",   "review",
                                    "access", "reveal",   "exception",   "admin",     "hold",     "erasure",  "rewrap",  "prune",
                                    "scan"};
static const char *const severities[] = {"", "low", "medium", "high", "critical"};
static const char *const actions[] = {"allow", "redact", "block"};

static unsigned number_of(const char *const *names, unsigned n, struct span name)
{
    for (unsigned i = 1; i < n; i++) {
        if (span_is(name, names[i])) {
            return i;
        }
    }
    return 0;
}

unsigned index_type_number(struct span name)
{
    return number_of(types, COUNT(types), name);
}

unsigned index_severity_number(struct span name)
{
    return number_of(severities, COUNT(severities), name);
}

int index_action_number(struct span name)
{
    for (size_t i = 0; i < COUNT(actions); i++) {
        if (span_is(name, actions[i])) {
            return (int)i;
        }
    }
    return INDEX_NO_ACTION;
}

const char *index_action_name(int action)
{
    return action >= 0 && (size_t)action < COUNT(actions) ? actions[action] : "";
}

/* --- keys --------------------------------------------------------------------- */

static int hex_value(char c)
{
    static const int8_t values[256] = {
        ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
        ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    };

    return values[(unsigned char)c] - 1;
}

/* The same in every process: it is in files. */
uint64_t index_filter_key(struct span text)
{
    static const uint8_t no_secret[crypto_shorthash_KEYBYTES];
    uint8_t hash[crypto_shorthash_BYTES];
    uint64_t key = 0;

    (void)crypto_shorthash(hash, (const uint8_t *)(text.len == 0 ? "" : text.ptr), text.len, no_secret);
    for (size_t i = 0; i < sizeof(hash); i++) {
        key = key << 8 | hash[i];
    }
    return key;
}

int64_t index_req_key(struct span req_id)
{
    static const char shape[] = "xxxxxxxx-xxxx-xxxx"; /* of the first half of a UUID */
    uint64_t key = 0;
    bool is_uuid = req_id.len == 36;

    for (size_t i = 0; is_uuid && i < sizeof(shape) - 1; i++) {
        int digit = hex_value(req_id.ptr[i]);
        is_uuid = shape[i] == 'x' ? digit >= 0 : req_id.ptr[i] == '-';
        key = shape[i] == 'x' ? key << 4 | (unsigned)digit : key;
    }
    return (int64_t)(is_uuid ? key : index_filter_key(req_id));
}

bool index_token_bytes(struct span token, uint8_t out[INDEX_TOKEN])
{
    const char *colon = token.len == 0 ? NULL : memchr(token.ptr, ':', token.len);

    if (colon == NULL || (size_t)(token.ptr + token.len - colon) != 1 + 2 * INDEX_TOKEN) {
        return false;
    }
    for (size_t i = 0; i < INDEX_TOKEN; i++) {
        int high = hex_value(colon[1 + 2 * i]), low = hex_value(colon[2 + 2 * i]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* --- members ------------------------------------------------------------------ */

struct line_parts {
    struct index_line *out;
    struct arena *memory;
    struct error *err;
    bool has_failed;
    size_t next; /* of `members` */
};

static struct span text_of(struct line_parts *r, struct json_value value)
{
    struct span text = {NULL, 0};

    r->has_failed |= !line_scan_text(r->memory, value, &text, r->err);
    return text;
}

/* "0.9" is 9000. */
static unsigned ten_thousandths(struct json_value number)
{
    unsigned value = 0, digits = 0;
    bool is_behind = false;

    for (size_t i = 0; number.kind == JSON_KIND_NUMBER && i < number.raw.len && digits < 4; i++) {
        char c = number.raw.ptr[i];
        if (c < '0' || c > '9') {
            is_behind = c == '.';
            if (!is_behind) {
                return 0;
            }
            continue;
        }
        value = value * 10 + (unsigned)(c - '0');
        digits += is_behind;
        if (value > 1000000) {
            return 0;
        }
    }
    for (; digits < 4; digits++) {
        value *= 10;
    }
    return value;
}

static void add_key(struct line_parts *r, struct span text)
{
    if (text.len > 0 && r->out->n_keys < INDEX_KEYS_MAX) {
        r->out->keys[r->out->n_keys++] = index_filter_key(text);
    }
}

static void take_finding(struct line_parts *r, struct json_value finding)
{
    struct line_scan it = line_scan_begin(finding.raw);
    struct json_value value;
    struct span name;

    if (finding.kind != JSON_KIND_OBJECT || r->out->n_findings == INDEX_FINDINGS_MAX) {
        return;
    }
    struct index_finding *f = &r->out->findings[r->out->n_findings++];
    *f = (struct index_finding){.action = INDEX_NO_ACTION};
    while (line_scan_next(&it, &name, &value)) {
        if (span_is(name, "rule")) {
            f->rule = index_name_cut(text_of(r, value));
        } else if (span_is(name, "action")) {
            f->action = index_action_number(text_of(r, value));
        } else if (span_is(name, "score")) {
            f->score = ten_thousandths(value);
        } else if (span_is(name, "value_tok")) {
            f->has_token = index_token_bytes(text_of(r, value), f->token);
        } else if (span_is(name, "severity")) {
            unsigned severity = index_severity_number(text_of(r, value));
            r->out->severity = severity > r->out->severity ? severity : r->out->severity;
        }
    }
}

static void take_findings(struct line_parts *r, struct json_value list)
{
    struct line_scan it = line_scan_begin(list.raw);
    struct json_value finding;
    struct span none;

    while (list.kind == JSON_KIND_ARRAY && line_scan_next(&it, &none, &finding)) {
        take_finding(r, finding);
    }
}

static void take_policy(struct line_parts *r, struct json_value policy)
{
    struct line_scan it = line_scan_begin(policy.raw);
    struct json_value value;
    struct span name;

    while (policy.kind == JSON_KIND_OBJECT && line_scan_next(&it, &name, &value)) {
        if (span_is(name, "name")) {
            r->out->words[INDEX_POLICY] = index_name_cut(text_of(r, value));
        }
    }
}

static void take_word(struct line_parts *r, enum index_word word, struct json_value value)
{
    r->out->words[word] = index_name_cut(text_of(r, value));
}

static void take_tenant(struct line_parts *r, struct json_value v)
{
    take_word(r, INDEX_TENANT, v);
}

static void take_app(struct line_parts *r, struct json_value v)
{
    take_word(r, INDEX_APP, v);
}

static void take_agent(struct line_parts *r, struct json_value v)
{
    take_word(r, INDEX_AGENT, v);
}

static void take_rule(struct line_parts *r, struct json_value v)
{
    take_word(r, INDEX_RULE, v);
}

static void take_key(struct line_parts *r, struct json_value v)
{
    add_key(r, text_of(r, v));
}

static void take_type(struct line_parts *r, struct json_value v)
{
    r->out->type = index_type_number(text_of(r, v));
}

static void take_action(struct line_parts *r, struct json_value v)
{
    r->out->action = index_action_number(text_of(r, v));
}

static void take_time(struct line_parts *r, struct json_value value)
{
    int64_t ns = 0;

    r->out->has_time = timestamp_parse(text_of(r, value), 0, &ns);
    r->out->ts_ms = ns / 1000000 - (ns % 1000000 < 0);
}

static void take_req(struct line_parts *r, struct json_value value)
{
    struct span text = text_of(r, value);

    r->out->has_req = text.len > 0;
    r->out->req = r->out->has_req ? index_req_key(text) : 0;
}

/* Those of query_match.c that a line is looked up by, in the order in which filterd writes them. */
#define MEMBER(text) {text, sizeof(text) - 1}
static const struct {
    struct span name;
    void (*take)(struct line_parts *r, struct json_value value);
} members[] = {
    {MEMBER("type"), take_type},
    {MEMBER("ts"), take_time},
    {MEMBER("req_id"), take_req},
    {MEMBER("tenant"), take_tenant},
    {MEMBER("app"), take_app},
    {MEMBER("agent"), take_agent},
    {MEMBER("session"), take_key},
    {MEMBER("trace_id"), take_key},
    {MEMBER("policy"), take_policy},
    {MEMBER("action"), take_action},
    {MEMBER("rule"), take_rule},
    {MEMBER("findings"), take_findings},
    {MEMBER("input_tok"), take_key},
    {MEMBER("group"), take_key},
    {MEMBER("note_tok"), take_key},
    {MEMBER("ip_tok"), take_key},
    {MEMBER("subject_tok"), take_key},
    {MEMBER("user_tok"), take_key},
};

/* Lengths of the names that begin with a letter, as bits: other members, of which a line has as many, are passed over at once. */
static const uint16_t lengths[256] = {
    ['a'] = 1U << 3 | 1U << 5 | 1U << 6,
    ['f'] = 1U << 8,
    ['g'] = 1U << 5,
    ['i'] = 1U << 6 | 1U << 9,
    ['n'] = 1U << 8,
    ['p'] = 1U << 6,
    ['r'] = 1U << 4 | 1U << 6,
    ['s'] = 1U << 7 | 1U << 11,
    ['t'] = 1U << 2 | 1U << 4 | 1U << 6 | 1U << 8,
};

static inline bool may_be_member(struct span name)
{
    return name.len > 0 && name.len < 16 && (lengths[(unsigned char)name.ptr[0]] >> name.len & 1) != 0;
}

static inline bool is_member(size_t i, struct span name)
{
    return name.len == members[i].name.len && memcmp(name.ptr, members[i].name.ptr, name.len) == 0;
}

/* Begins behind the member that was found last: it is the next one, as a rule. */
static void take_member(struct line_parts *r, struct span name, struct json_value value)
{
    for (size_t n = may_be_member(name) ? 0 : COUNT(members), i = r->next; n < COUNT(members); n++, i = i + 1 == COUNT(members) ? 0 : i + 1) {
        if (is_member(i, name)) {
            r->next = i + 1 == COUNT(members) ? 0 : i + 1;
            members[i].take(r, value);
            return;
        }
    }
}

/* Findings are behind what is cleared: they are many, and most lines have none. */
static void clear(struct index_line *out)
{
    memset(out, 0, offsetof(struct index_line, findings));
    out->action = INDEX_NO_ACTION;
}

bool index_line_read(struct span line, struct arena *memory, struct index_line *out, struct error *err)
{
    struct line_parts r = {.out = out, .memory = memory, .err = err};
    struct line_scan it = line_scan_begin(line);
    struct json_value value;
    struct span name;
    uint64_t seq;

    if (!log_line_seq(line, &seq)) {
        return error_set(err, ERROR_INVALID, "index: a record expected");
    }
    clear(out);
    while (!r.has_failed && line_scan_next(&it, &name, &value)) {
        take_member(&r, name, value);
    }
    if (it.has_failed) {
        clear(out); /* a row by which it can be looked at */
    }
    out->seq = seq;
    return !r.has_failed;
}
