#include "record/log_policy.h"

#include "record/note_text.h"

enum { WORDS_MAX = 3 + LOG_POLICY_MEMBERS_MAX };

struct words {
    size_t n;
    struct span list[WORDS_MAX];
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* False: more words than any line has. */
static bool split(struct span line, struct words *out)
{
    size_t i = 0;

    for (out->n = 0;;) {
        while (i < line.len && is_blank(line.ptr[i])) {
            i++;
        }
        if (i == line.len) {
            return true;
        }
        size_t from = i;
        while (i < line.len && !is_blank(line.ptr[i])) {
            i++;
        }
        if (out->n == WORDS_MAX) {
            return false;
        }
        out->list[out->n++] = span_slice(line, from, i);
    }
}

static const struct log_policy_member *find(const struct log_policy *p, struct span name)
{
    for (size_t i = 0; i < p->n_members; i++) {
        if (span_equal(p->members[i].name, name)) {
            return &p->members[i];
        }
    }
    return NULL;
}

static bool expected(struct error *err, const char *what)
{
    return error_set(err, ERROR_INVALID, "%s expected", what);
}

static bool read_key(struct span vkey, enum note_key_type type, struct note_key *out, struct error *err)
{
    return note_key_parse(vkey, out, err) &&
           (out->type == type || expected(err, type == NOTE_ED25519 ? "a log's key of type 1" : "a witness's key of type 4"));
}

/* --- lines ------------------------------------------------------------------ */

static bool read_log(struct log_policy *p, const struct words *w, struct error *err)
{
    struct log_policy_log log = {.url = w->n == 3 ? w->list[2] : span_of(NULL, 0)};

    if (w->n < 2 || w->n > 3) {
        return expected(err, "\"log <vkey> [<url>]\"");
    }
    if (p->n_logs == LOG_POLICY_LOGS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d logs expected", LOG_POLICY_LOGS_MAX);
    }
    if (!read_key(w->list[1], NOTE_ED25519, &log.key, err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_logs; i++) {
        if (note_key_same(&p->logs[i].key, &log.key)) {
            return expected(err, "each log's key once");
        }
    }
    p->logs[p->n_logs++] = log;
    return true;
}

/* Room for a member of that name, which nothing else has. */
static bool new_member(struct log_policy *p, struct span name, struct log_policy_member **out, struct error *err)
{
    if (p->n_members == LOG_POLICY_MEMBERS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d witnesses and groups expected", LOG_POLICY_MEMBERS_MAX);
    }
    if (span_is(name, "none") || find(p, name) != NULL) {
        return expected(err, "a name that is not defined yet");
    }
    *out = &p->members[p->n_members];
    **out = (struct log_policy_member){.name = name};
    return true;
}

static bool read_witness(struct log_policy *p, const struct words *w, struct error *err)
{
    struct log_policy_member *m;

    if (w->n < 3 || w->n > 4) {
        return expected(err, "\"witness <name> <vkey> [<url>]\"");
    }
    if (!new_member(p, w->list[1], &m, err) || !read_key(w->list[2], NOTE_COSIGNATURE, &m->key, err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_members; i++) {
        if (!p->members[i].is_group && note_key_same(&p->members[i].key, &m->key)) {
            return expected(err, "each witness's key once");
        }
    }
    m->url = w->n == 4 ? w->list[3] : span_of(NULL, 0);
    p->n_members++;
    return true;
}

static bool read_threshold(struct span text, size_t n, unsigned *out)
{
    uint64_t k = span_is(text, "any") ? 1 : n;

    if (!span_is(text, "any") && !span_is(text, "all") && !note_read_number(text, &k)) {
        return false;
    }
    *out = (unsigned)k;
    return k >= 1 && k <= n;
}

static bool read_group(struct log_policy *p, const struct words *w, struct error *err)
{
    struct log_policy_member *group;

    if (w->n < 4) {
        return expected(err, "\"group <name> all|any|<k> <name>...\"");
    }
    if (!new_member(p, w->list[1], &group, err)) {
        return false;
    }
    group->is_group = true;
    if (!read_threshold(w->list[2], w->n - 3, &group->threshold)) {
        return expected(err, "all, any or a number from 1 to that of the members");
    }
    for (size_t i = 3; i < w->n; i++) {
        const struct log_policy_member *m = find(p, w->list[i]);
        if (m == NULL || m->is_used) {
            return expected(err, "members that are defined before and in no group yet");
        }
        p->members[m - p->members].is_used = true;
        group->members |= UINT64_C(1) << (m - p->members);
    }
    p->n_members++;
    return true;
}

static bool read_quorum(struct log_policy *p, const struct words *w, bool *is_read, struct error *err)
{
    if (w->n != 2 || *is_read) {
        return expected(err, "\"quorum <name>\", once");
    }
    *is_read = true;
    if (span_is(w->list[1], "none")) {
        return true;
    }
    const struct log_policy_member *m = find(p, w->list[1]);
    if (m == NULL) {
        return expected(err, "none or a name that is defined before");
    }
    p->has_quorum = true;
    p->quorum = (size_t)(m - p->members);
    return true;
}

static bool read_line(struct log_policy *p, struct span line, bool *has_quorum, struct error *err)
{
    struct words w;

    for (size_t i = 0; i < line.len; i++) {
        if (((uint8_t)line.ptr[i] < ' ' && line.ptr[i] != '\t') || line.ptr[i] == 0x7F) {
            return expected(err, "text without control characters");
        }
    }
    bool is_short = split(line, &w);
    if (w.n == 0 || w.list[0].ptr[0] == '#') {
        return true;
    }
    if (!is_short) {
        return error_set(err, ERROR_LIMIT, "at most %d words expected", WORDS_MAX);
    }
    struct span word = w.list[0];
    return span_is(word, "log")       ? read_log(p, &w, err)
           : span_is(word, "witness") ? read_witness(p, &w, err)
           : span_is(word, "group")   ? read_group(p, &w, err)
           : span_is(word, "quorum")  ? read_quorum(p, &w, has_quorum, err)
                                      : expected(err, "log, witness, group or quorum");
}

bool log_policy_parse(struct span text, struct log_policy *out, struct error *err)
{
    struct span rest = text, line;
    bool has_quorum = false;
    unsigned number = 0;

    if (text.len > LOG_POLICY_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d bytes expected", LOG_POLICY_MAX);
    }
    memset(out, 0, sizeof(*out));
    while (note_take_line(&rest, &line)) {
        number++;
        if (!read_line(out, line, &has_quorum, err)) {
            return error_wrap(err, "line %u", number);
        }
    }
    if (rest.len > 0) {
        return error_set(err, ERROR_INVALID, "line %u: a newline at its end expected", number + 1);
    }
    return has_quorum || error_set(err, ERROR_INVALID, "line %u: \"quorum <name>\" expected", number + 1);
}

/* --- verifying -------------------------------------------------------------- */

static bool find_log(const struct log_policy *p, const struct checkpoint *c, const struct log_policy_log **out,
                     struct error *err)
{
    error_set(err, ERROR_INVALID, "checkpoint: the origin of a log of the policy expected");
    for (size_t i = 0; i < p->n_logs; i++) {
        if (!span_is(c->origin, p->logs[i].key.name)) {
            continue;
        }
        if (checkpoint_verify(c, &p->logs[i].key, err)) {
            *out = &p->logs[i];
            return true;
        }
    }
    return false;
}

/* Members are defined before the groups that have them, so one pass in their order is enough. */
static bool find_witnesses(const struct log_policy *p, const struct checkpoint *c, struct log_policy_result *r,
                           struct error *err)
{
    for (size_t i = 0; i < p->n_members; i++) {
        const struct log_policy_member *m = &p->members[i];
        uint64_t time = 0;
        if (m->is_group) {
            bool is_enough = (unsigned)__builtin_popcountll(m->members & r->witnesses) >= m->threshold;
            r->witnesses |= (uint64_t)is_enough << i;
            continue;
        }
        enum note_verdict verdict = note_verify(&c->note, &m->key, &time);
        if (verdict == NOTE_BAD) {
            return error_set(err, ERROR_INVALID, "checkpoint: the cosignature of %s does not hold", m->key.name);
        }
        if (verdict == NOTE_GOOD) {
            r->witnesses |= UINT64_C(1) << i;
            r->earliest = r->earliest == 0 || time < r->earliest ? time : r->earliest;
        }
    }
    return true;
}

bool log_policy_witnesses(const struct log_policy *policy, const struct checkpoint *checkpoint,
                          struct log_policy_result *out, bool *is_quorum, struct error *err)
{
    struct log_policy_result r = {.log = NULL};

    if (!find_witnesses(policy, checkpoint, &r, err)) {
        return false;
    }
    *is_quorum = !policy->has_quorum || (r.witnesses >> policy->quorum & 1) != 0;
    *out = r;
    return true;
}

bool log_policy_verify(const struct log_policy *policy, const struct checkpoint *checkpoint, struct log_policy_result *out,
                       struct error *err)
{
    const struct log_policy_log *log = NULL;
    struct log_policy_result r;
    bool is_quorum;

    if (!find_log(policy, checkpoint, &log, err) || !log_policy_witnesses(policy, checkpoint, &r, &is_quorum, err)) {
        return false;
    }
    if (!is_quorum) {
        return error_set(err, ERROR_INVALID, "checkpoint: cosignatures of the quorum expected");
    }
    *out = r;
    out->log = log;
    return true;
}
