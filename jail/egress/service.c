#include "jail/egress/service.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/uuid.h"

enum { CA_MAX = 16 * 1024, CA_MODE = 0644 };

static bool has_judging_rule(const struct egress_policy *p)
{
    for (size_t i = 0; i < p->n_rules; i++) {
        if (p->rules[i].judge != EGRESS_JUDGE_NONE) {
            return true;
        }
    }
    return false;
}

static bool check_policies(const struct egress_service *s, struct error *err)
{
    for (size_t i = 0; i < s->policy->n_rules; i++) {
        const struct egress_rule *r = &s->policy->rules[i];
        if (r->judge != EGRESS_JUDGE_NONE && !egress_judge_has_policy(s->judge, r->policy)) {
            return error_set(err, ERROR_NOT_FOUND, "rule " SPAN_FMT ": filterd has no policy '" SPAN_FMT "'",
                             SPAN_ARG(r->name), SPAN_ARG(r->policy));
        }
    }
    return true;
}

static bool load_trust(const struct egress_rule *r, gnutls_certificate_credentials_t *out, struct error *err)
{
    int code = gnutls_certificate_allocate_credentials(out);

    code = code < 0         ? code
           : r->ca.len == 0 ? gnutls_certificate_set_x509_system_trust(*out)
                            : gnutls_certificate_set_x509_trust_file(*out, r->ca.ptr, GNUTLS_X509_FMT_PEM);
    if (code < 0) {
        return error_set(err, ERROR_INVALID, "rule " SPAN_FMT ": authorities: %s", SPAN_ARG(r->name),
                         gnutls_strerror(code));
    }
    return code > 0 || error_set(err, ERROR_INVALID, "rule " SPAN_FMT ": a file of authorities expected",
                                 SPAN_ARG(r->name));
}

/* What opening TLS needs, when a rule does. */
static bool init_tls(struct egress_service *s, struct error *err)
{
    bool is_needed = false;

    for (size_t i = 0; i < s->policy->n_rules; i++) {
        const struct egress_rule *r = &s->policy->rules[i];
        enum egress_scheme onward = egress_via_is_set(&r->via) ? r->via.scheme : r->scheme;
        is_needed |= r->scheme == EGRESS_HTTPS && egress_is_seen(r);
        if (onward == EGRESS_HTTPS && egress_is_seen(r) && !load_trust(r, &s->trust[i], err)) {
            return false;
        }
    }
    s->authority = is_needed ? egress_authority_new(err) : NULL;
    return !is_needed || s->authority != NULL;
}

bool egress_service_write_authority(const struct egress_service *s, const char *path, struct error *err)
{
    struct buf pem CLEANUP(buf_deinit);

    buf_init(&pem, CA_MAX);
    if (s->authority == NULL) {
        return true;
    }
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--ca-file expected, as a rule opens TLS");
    }
    return egress_authority_print(s->authority, &pem, err) && file_write_atomic(path, buf_span(&pem), CA_MODE, err);
}

static bool init_rules(struct egress_service *s, struct error *err)
{
    size_t n = s->policy->n_rules;

    s->accounts = calloc(n + 1, sizeof(*s->accounts));
    s->trust = calloc(n + 1, sizeof(*s->trust)); /* NOLINT(bugprone-sizeof-expression): handles are pointers */
    if (s->accounts == NULL || s->trust == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    for (size_t i = 0; i < n; i++) {
        egress_account_init(&s->accounts[i], &s->policy->rules[i], clock_monotonic_ns());
    }
    egress_account_init_rate(&s->dns, &s->policy->limits.dns, clock_monotonic_ns());
    return init_tls(s, err);
}

/* filterd's proxy keeps a conversation for each session: one for the life of the process. */
static bool name_caller(struct egress_service *s, struct error *err)
{
    uint8_t id[UUID_BYTES];

    if (!uuid_make(clock_utc_ns(), id, err)) {
        return false;
    }
    uuid_format(id, s->session);
    s->caller = (struct egress_caller){.agent = s->log.agent, .session = s->session};
    return egress_caller_check(&s->caller, err);
}

bool egress_service_init(struct egress_service *s, const struct egress_files *files, struct error *err)
{
    s->policy = egress_policy_load(files->policy, err);
    if (s->policy == NULL || !name_caller(s, err) || !egress_secrets_init(&s->secrets, s->policy, clock_monotonic_ns(), err) || !init_rules(s, err)) {
        return false;
    }
    if (!has_judging_rule(s->policy)) {
        return true;
    }
    s->judge = egress_judge_new(&files->judge, err);
    return s->judge != NULL && check_policies(s, err);
}

void egress_service_deinit(struct egress_service *s)
{
    for (size_t i = 0; s->trust != NULL && s->accounts != NULL && i < s->policy->n_rules; i++) {
        if (s->trust[i] != NULL) {
            gnutls_certificate_free_credentials(s->trust[i]);
        }
        egress_account_deinit(&s->accounts[i]);
    }
    egress_judge_free(s->judge);
    egress_authority_free(s->authority);
    free(s->accounts);
    free(s->trust);
    egress_secrets_deinit(&s->secrets);
    egress_policy_free(s->policy);
    egress_log_close(&s->log);
    cleanup_fd(&s->cut);
}
