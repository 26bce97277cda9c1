#include "jail/egress/authority.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { SERIAL = 16, HOUR = 3600, DAYS = 24 * HOUR, LIFE_DAYS = 31, CERTIFICATE_MAX = 4096 };

struct egress_authority {
    pthread_mutex_t lock; /* around signing: the library does not say that a key may be used by two at once */
    gnutls_x509_privkey_t key, host_key;
    gnutls_x509_crt_t certificate;
};

static bool fail(struct error *err, const char *what, int code)
{
    return error_set(err, ERROR_INTERNAL, "certificate authority: %s: %s", what, gnutls_strerror(code));
}

static int make_key(gnutls_x509_privkey_t *key)
{
    int code = gnutls_x509_privkey_init(key);

    return code < 0 ? code
                    : gnutls_x509_privkey_generate(*key, GNUTLS_PK_ECDSA,
                                                   GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
}

/* What all certificates have. An hour of the past, for clocks that do not agree. */
static int begin_certificate(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, const char *name)
{
    unsigned char serial[SERIAL];
    time_t now = time(NULL);
    int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

    serial[0] = (unsigned char)((serial[0] & 0x7f) | 0x40); /* positive, and never shorter */
    code = code < 0 ? code : gnutls_x509_crt_set_version(crt, 3);
    code = code < 0 ? code : gnutls_x509_crt_set_serial(crt, serial, sizeof(serial));
    code = code < 0 ? code : gnutls_x509_crt_set_dn(crt, name, NULL);
    code = code < 0 ? code : gnutls_x509_crt_set_activation_time(crt, now - HOUR);
    code = code < 0 ? code : gnutls_x509_crt_set_expiration_time(crt, now + (time_t)LIFE_DAYS * DAYS);
    return code < 0 ? code : gnutls_x509_crt_set_key(crt, key);
}

static int make_own(struct egress_authority *a)
{
    unsigned char id[32];
    size_t size = sizeof(id);
    int code = gnutls_x509_crt_init(&a->certificate);

    code = code < 0 ? code : begin_certificate(a->certificate, a->key, "CN=Egress of this jail");
    code = code < 0 ? code : gnutls_x509_crt_set_basic_constraints(a->certificate, 1, 0);
    code = code < 0 ? code : gnutls_x509_crt_set_key_usage(a->certificate, GNUTLS_KEY_KEY_CERT_SIGN);
    code = code < 0 ? code : gnutls_x509_crt_get_key_id(a->certificate, GNUTLS_KEYID_USE_SHA1, id, &size);
    code = code < 0 ? code : gnutls_x509_crt_set_subject_key_id(a->certificate, id, size);
    return code < 0 ? code : gnutls_x509_crt_sign2(a->certificate, a->certificate, a->key, GNUTLS_DIG_SHA256, 0);
}

struct egress_authority *egress_authority_new(struct error *err)
{
    struct egress_authority *a = calloc(1, sizeof(*a));

    if (a == NULL) {
        error_set(err, ERROR_NO_MEMORY, "certificate authority: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&a->lock, NULL);
    int code = make_key(&a->key);
    code = code < 0 ? code : make_key(&a->host_key);
    code = code < 0 ? code : make_own(a);
    if (code < 0) {
        fail(err, "start", code);
        egress_authority_free(a);
        return NULL;
    }
    return a;
}

void egress_authority_free(struct egress_authority *a)
{
    if (a == NULL) {
        return;
    }
    gnutls_x509_crt_deinit(a->certificate);
    gnutls_x509_privkey_deinit(a->key);
    gnutls_x509_privkey_deinit(a->host_key);
    (void)pthread_mutex_destroy(&a->lock);
    free(a);
}

bool egress_authority_print(const struct egress_authority *a, struct buf *out, struct error *err)
{
    char pem[CERTIFICATE_MAX];
    size_t size = sizeof(pem);
    int code = gnutls_x509_crt_export(a->certificate, GNUTLS_X509_FMT_PEM, pem, &size);

    return code < 0 ? fail(err, "export", code) : buf_append(out, span_of(pem, size), err);
}

static int sign_host(const struct egress_authority *a, gnutls_x509_crt_t crt, const struct egress_host *host)
{
    unsigned char id[32];
    size_t size = sizeof(id);
    int code = begin_certificate(crt, a->host_key, "CN=Opened by the egress of this jail");

    code = code < 0 ? code
                    : gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, host->text,
                                                           (unsigned)strlen(host->text), GNUTLS_FSAN_SET);
    code = code < 0 ? code : gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
    code = code < 0 ? code : gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
    code = code < 0 ? code : gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
    code = code < 0 ? code : gnutls_x509_crt_get_key_id(a->certificate, GNUTLS_KEYID_USE_SHA1, id, &size);
    code = code < 0 ? code : gnutls_x509_crt_set_authority_key_id(crt, id, size);
    return code < 0 ? code : gnutls_x509_crt_sign2(crt, a->certificate, a->key, GNUTLS_DIG_SHA256, 0);
}

bool egress_authority_vouch(struct egress_authority *a, const struct egress_host *host,
                            gnutls_certificate_credentials_t *out, struct error *err)
{
    gnutls_certificate_credentials_t credentials = NULL;
    gnutls_x509_crt_t crt = NULL;
    int code = gnutls_x509_crt_init(&crt);

    if (code < 0) {
        return fail(err, "certificate", code);
    }
    (void)pthread_mutex_lock(&a->lock);
    code = sign_host(a, crt, host);
    code = code < 0 ? code : gnutls_certificate_allocate_credentials(&credentials);
    code = code < 0 ? code : gnutls_certificate_set_x509_key(credentials, &crt, 1, a->host_key);
    (void)pthread_mutex_unlock(&a->lock);
    gnutls_x509_crt_deinit(crt);
    if (code < 0) {
        if (credentials != NULL) {
            gnutls_certificate_free_credentials(credentials);
        }
        return fail(err, "certificate", code);
    }
    *out = credentials;
    return true;
}
