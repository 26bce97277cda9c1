/* exceptions_scope.c - resolves a proposal: its line, its finding, its limits. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "decision_log/value_token.h"
#include "query/timestamp.h"
#include "review/preview.h"
#include "service/review/exceptions_parts.h"

enum { LINE_MAX_BYTES = 65536, DATE = 10 };

/* Members of the line, decoded. */
struct decision {
    struct span type, tenant, app, rule, findings, value_tok;
};

static bool text_of(struct arena *memory, struct json_value value, struct span *out, struct error *err)
{
    return value.kind != JSON_KIND_STRING || json_unquote(memory, value, out, err);
}

/* The requested token among those of the rule's findings, or the first if none is requested; *has_rule: the rule has a finding. */
static bool find_token(const struct exception_request *r, struct json_value list, struct span rule, struct span *token,
                       bool *has_rule, struct error *err)
{
    const struct span wanted = r->proposal->value_tok;
    struct json_iterator findings = json_iterate(list);
    struct json_value finding, value;
    struct span name;

    while (list.kind == JSON_KIND_ARRAY && json_next(&findings, &name, &finding)) {
        struct json_iterator it = json_iterate(finding);
        struct span its_rule = {NULL, 0}, its_token = {NULL, 0};
        while (finding.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
            struct span *to = span_is(name, "rule") ? &its_rule : span_is(name, "value_tok") ? &its_token : NULL;
            if (to != NULL && !text_of(r->memory, value, to, err)) {
                return false;
            }
        }
        if (span_equal(its_rule, rule)) {
            *has_rule = true;
            bool is_wanted = wanted.len == 0 || span_equal(its_token, wanted);
            *token = token->len == 0 && is_wanted ? its_token : *token;
        }
    }
    return true;
}

static bool read_decision(struct span line, struct arena *memory, struct decision *d, struct json_value *findings, struct error *err)
{
    struct json_value value;
    struct span name;

    if (!json_validate(line, err)) {
        return error_set(err, ERROR_NOT_FOUND, "no decision with that number");
    }
    struct json_iterator it = json_iterate(json_root(line));
    while (json_next(&it, &name, &value)) {
        struct span *to = span_is(name, "type")     ? &d->type
                          : span_is(name, "tenant") ? &d->tenant
                          : span_is(name, "app")    ? &d->app
                          : span_is(name, "rule")   ? &d->rule
                                                    : NULL;
        if (to != NULL && !text_of(memory, value, to, err)) {
            return false;
        }
        *findings = span_is(name, "findings") ? value : *findings;
    }
    return span_is(d->type, "decision") || error_set(err, ERROR_NOT_FOUND, "no decision with that number");
}

static bool copy(char *to, struct span from)
{
    if (from.len > EXCEPTION_TEXT || (from.len > 0 && memchr(from.ptr, '\0', from.len) != NULL)) {
        return false;
    }
    (void)snprintf(to, EXCEPTION_TEXT + 1, SPAN_FMT, SPAN_ARG(from));
    return true;
}

/* The record shows a token in place of a name that policies compare. */
static bool is_comparable(struct span name)
{
    return !span_starts_with(name, span_str(VALUE_TOKEN_MARK));
}

static bool take_text(const struct exception_request *r, const struct decision *d, struct exception_scope *scope)
{
    const struct exception_proposal *p = r->proposal;
    struct exception_answer *out = r->out;
    const struct span texts[EXCEPTION_WIDTHS] = {[EXCEPTION_VALUE] = d->value_tok, [EXCEPTION_APP] = d->app,
                                                 [EXCEPTION_PATTERN] = p->matches};

    if (p->width == EXCEPTION_NO_WIDTH || p->width >= EXCEPTION_WIDTHS || texts[p->width].len == 0) {
        return exceptions_refuse(out, 422, "scope: value, app or pattern expected, and one that the decision has; matches for a pattern");
    }
    if (!is_comparable(d->tenant) || !is_comparable(d->app)) {
        return exceptions_refuse(out, 422, "the record has a token in place of this tenant or application: an exception cannot refer to it");
    }
    scope->width = p->width;
    return (copy(scope->tenant, d->tenant) && copy(scope->text, texts[p->width])) ||
           exceptions_refuse(out, 422, "texts of at most 128 bytes expected");
}

/* A pattern is recorded unchanged, so one that judging would redact is refused. */
static bool check_pattern(const struct exception_request *r)
{
    const struct span pattern = r->proposal->matches;
    struct exception_answer *out = r->out;
    struct filter_fault fault;
    struct span shown = pattern;
    struct error err;
    size_t at;

    if (!reviews_show_text(r->service, r->memory, &shown, &fault) || !span_equal(shown, pattern)) {
        return exceptions_refuse(out, 422, "matches: a text that may be recorded expected");
    }
    return regex_check(pattern, &at, &err) || exceptions_refuse(out, 422, "matches: a PCRE2 expression expected");
}

static bool take_rule(const struct exception_request *r, struct span rule, struct exception_scope *scope)
{
    struct snapshot *snapshot = service_snapshot(r->service);
    bool is_there = rule_set_find(snapshot->rules, rule) != NULL;

    snapshot_unref(snapshot);
    return (is_there && copy(scope->rule, rule)) || exceptions_refuse(r->out, 422, "rule: a rule of the service expected");
}

static bool take_decision(const struct exception_request *r, struct span line, struct exception_scope *scope)
{
    const struct exception_proposal *p = r->proposal;
    struct exception_answer *out = r->out;
    struct json_value findings = {.kind = JSON_KIND_NULL};
    struct decision d = {.type = {NULL, 0}};
    bool has_rule = false;
    struct error err;

    if (!read_decision(line, r->memory, &d, &findings, &err)) {
        return exceptions_refuse_error(out, &err);
    }
    if (!caller_sees(r->caller, d.tenant)) {
        return exceptions_refuse(out, 404, "no decision with that number");
    }
    struct span rule = p->rule.len > 0 ? p->rule : d.rule;
    if (!find_token(r, findings, rule, &d.value_tok, &has_rule, &err)) {
        return exceptions_refuse_error(out, &err);
    }
    if (!has_rule) {
        return exceptions_refuse(out, 422, "rule: one of the decision's findings expected");
    }
    return take_rule(r, rule, scope) && take_text(r, &d, scope) && (p->width != EXCEPTION_PATTERN || check_pattern(r));
}

static bool take_until(struct span until, struct exception_scope *scope, struct exception_answer *out)
{
    int64_t ns = 0;

    if (until.len != DATE || !timestamp_parse(until, 0, &ns)) {
        return exceptions_refuse(out, 422, "until: a date as 2027-01-31 expected");
    }
    scope->until_ms = ns / 1000000;
    return true;
}

/* Opens readers of both databases. */
static bool make_scope(const struct exception_request *r, struct index_reader *index, struct review_reader *review,
                       struct exception_scope *scope)
{
    const struct exception_proposal *p = r->proposal;
    struct buf line CLEANUP(buf_deinit);
    struct error err;

    buf_init(&line, LINE_MAX_BYTES + 1);
    if (!index_line_at(index, p->item, &line, &err)) {
        return exceptions_refuse_error(r->out, &err);
    }
    scope->item = p->item;
    if (!take_decision(r, buf_span(&line), scope) || !take_until(p->until, scope, r->out)) {
        return false;
    }
    return exception_preview(index, review, scope, clock_utc_ns() / 1000000, &scope->preview, &err) || exceptions_refuse_error(r->out, &err);
}

bool exceptions_scope(const struct exception_request *r, struct exception_scope *scope, struct span *why)
{
    const struct following *f = &r->service->following;
    struct filter_fault fault;
    struct error err;

    *scope = (struct exception_scope){.rule = ""};
    *why = r->proposal->why;
    if (!reviews_show_text(r->service, r->memory, why, &fault)) {
        return exceptions_refuse(r->out, fault.status, fault.detail);
    }
    struct review_reader *review = reviews_open(r->service, &err);
    struct index_reader *index = review == NULL ? NULL : index_reader_open(f->path, f->place.folder, &err);
    bool is_made = index == NULL ? exceptions_refuse_error(r->out, &err) : make_scope(r, index, review, scope);
    index_reader_close(index);
    review_reader_close(review);
    return is_made;
}
