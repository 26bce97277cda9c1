#include "http/tls.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"

enum { PEM_MAX = 1024 * 1024, CHAIN_MAX = 16 };

static const uint64_t retire_ns = 300 * 1000000000ULL;

struct certificate {
    gnutls_pcert_st chain[CHAIN_MAX];
    unsigned n_chain;
    gnutls_privkey_t key;
    uint64_t retired_ns;
    struct certificate *next; /* older ones */
};

struct tls {
    const char *certificate_path, *key_path;
    struct buf client_ca; /* NUL-terminated; no data when there is none */
    pthread_mutex_t lock; /* guards current and what hangs on it */
    struct certificate *current;
};

/* Read by handshakes; written once, before the listener starts. */
static struct tls *served;

static void certificate_free(struct certificate *c)
{
    if (c == NULL) {
        return;
    }
    for (unsigned i = 0; i < c->n_chain; i++) {
        gnutls_pcert_deinit(&c->chain[i]);
    }
    if (c->key != NULL) {
        gnutls_privkey_deinit(c->key);
    }
    free(c);
}

static bool read_pem(const char *path, struct buf *out, gnutls_datum_t *pem, struct error *err)
{
    if (!file_read(path, out, err)) {
        return false;
    }
    *pem = (gnutls_datum_t){.data = (unsigned char *)out->data, .size = (unsigned)out->len};
    return true;
}

static bool load_chain(struct certificate *c, const char *path, struct error *err)
{
    struct buf text;
    gnutls_datum_t pem = {0};

    buf_init(&text, PEM_MAX);
    bool is_read = read_pem(path, &text, &pem, err);
    if (is_read) {
        c->n_chain = CHAIN_MAX;
        int status =
            gnutls_pcert_list_import_x509_raw(c->chain, &c->n_chain, &pem, GNUTLS_X509_FMT_PEM, 0);
        if (status < 0) {
            c->n_chain = 0;
            is_read = error_set(err, ERROR_INVALID, "%s: a certificate chain in PEM expected: %s",
                                path, gnutls_strerror(status));
        }
    }
    buf_deinit(&text);
    return is_read;
}

static bool load_key(struct certificate *c, const char *path, struct error *err)
{
    struct buf text;
    gnutls_datum_t pem = {0};

    buf_init(&text, PEM_MAX);
    bool is_read = read_pem(path, &text, &pem, err);
    if (is_read) {
        int status = gnutls_privkey_init(&c->key);
        if (status >= 0) {
            status = gnutls_privkey_import_x509_raw(c->key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
        }
        if (status < 0) {
            is_read = error_set(err, ERROR_INVALID, "%s: a private key in PEM expected: %s", path,
                                gnutls_strerror(status));
        }
        explicit_bzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return is_read;
}

/* A certificate that does not belong to the key would fail every handshake. */
static bool check_pair(const struct certificate *c, const char *path, struct error *err)
{
    unsigned char of_chain[64], of_key[64];
    size_t n_chain = sizeof(of_chain), n_key = sizeof(of_key);
    gnutls_pubkey_t public = NULL;

    bool matches = gnutls_pubkey_init(&public) >= 0 &&
                   gnutls_pubkey_import_privkey(public, c->key, 0, 0) >= 0 &&
                   gnutls_pubkey_get_key_id(public, 0, of_key, &n_key) >= 0 &&
                   gnutls_pubkey_get_key_id(c->chain[0].pubkey, 0, of_chain, &n_chain) >= 0 &&
                   n_key == n_chain && memcmp(of_key, of_chain, n_key) == 0;
    if (public != NULL) {
        gnutls_pubkey_deinit(public);
    }
    return matches ||
           error_set(err, ERROR_INVALID, "%s: the key of the certificate expected", path);
}

static struct certificate *certificate_load(const struct tls *t, struct error *err)
{
    struct certificate *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        error_set(err, ERROR_NO_MEMORY, "certificate: no memory");
        return NULL;
    }
    if (!load_chain(c, t->certificate_path, err) || !load_key(c, t->key_path, err) ||
        !check_pair(c, t->key_path, err)) {
        certificate_free(c);
        return NULL;
    }
    return c;
}

static void free_retired(struct certificate *newest)
{
    uint64_t now = clock_monotonic_ns();

    for (struct certificate **link = &newest->next; *link != NULL;) {
        struct certificate *c = *link;
        if (now - c->retired_ns > retire_ns) {
            *link = c->next;
            certificate_free(c);
        } else {
            link = &c->next;
        }
    }
}

bool tls_reload(struct tls *t, struct error *err)
{
    struct certificate *c = certificate_load(t, err);

    if (c == NULL) {
        return false;
    }
    (void)pthread_mutex_lock(&t->lock);
    c->next = t->current;
    if (t->current != NULL) {
        t->current->retired_ns = clock_monotonic_ns();
    }
    t->current = c;
    free_retired(c);
    (void)pthread_mutex_unlock(&t->lock);
    return true;
}

struct tls *tls_new(const char *certificate_path, const char *key_path, const char *client_ca_path,
                    struct error *err)
{
    struct tls *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "certificate: no memory");
        return NULL;
    }
    t->certificate_path = certificate_path;
    t->key_path = key_path;
    (void)pthread_mutex_init(&t->lock, NULL);
    buf_init(&t->client_ca, PEM_MAX);
    if ((client_ca_path != NULL && (!file_read(client_ca_path, &t->client_ca, err) ||
                                    !buf_append_char(&t->client_ca, '\0', err))) ||
        !tls_reload(t, err)) {
        tls_free(t);
        return NULL;
    }
    return t;
}

void tls_free(struct tls *t)
{
    if (t == NULL) {
        return;
    }
    for (struct certificate *c = t->current; c != NULL;) {
        struct certificate *next = c->next;
        certificate_free(c);
        c = next;
    }
    buf_deinit(&t->client_ca);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}

const char *tls_client_ca(const struct tls *t)
{
    return t->client_ca.data;
}

void tls_serve(struct tls *t)
{
    served = t;
}

/* NOLINTNEXTLINE(readability-function-size): GnuTLS dictates the parameters */
int tls_choose_certificate(gnutls_session_t session, const gnutls_datum_t *authorities,
                           int n_authorities, const gnutls_pk_algorithm_t *algorithms,
                           int n_algorithms, gnutls_pcert_st **chain, unsigned int *n_chain,
                           gnutls_privkey_t *key)
{
    (void)session;
    (void)authorities;
    (void)n_authorities;
    (void)algorithms;
    (void)n_algorithms;
    (void)pthread_mutex_lock(&served->lock);
    *chain = served->current->chain;
    *n_chain = served->current->n_chain;
    *key = served->current->key;
    (void)pthread_mutex_unlock(&served->lock);
    return 0;
}

bool tls_is_peer_trusted(gnutls_session_t session)
{
    unsigned status = 0;

    return gnutls_certificate_verify_peers2(session, &status) >= 0 && status == 0;
}

bool tls_peer_has_name(gnutls_session_t session, const char *name)
{
    unsigned n = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &n);
    gnutls_x509_crt_t leaf;

    if (chain == NULL || n == 0 || gnutls_x509_crt_init(&leaf) < 0) {
        return false;
    }
    bool has_name = gnutls_x509_crt_import(leaf, &chain[0], GNUTLS_X509_FMT_DER) >= 0 &&
                    gnutls_x509_crt_check_hostname2(leaf, name, GNUTLS_VERIFY_DO_NOT_ALLOW_WILDCARDS) != 0;
    gnutls_x509_crt_deinit(leaf);
    return has_name;
}
