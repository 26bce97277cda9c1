#include "testing.h"

#include <gnutls/x509.h>

#include "jail/egress/authority.h"

static gnutls_x509_crt_t import(gnutls_datum_t text, gnutls_x509_crt_fmt_t format)
{
    gnutls_x509_crt_t crt = NULL;

    assert_int_equal(gnutls_x509_crt_init(&crt), 0);
    assert_int_equal(gnutls_x509_crt_import(crt, &text, format), 0);
    return crt;
}

static gnutls_x509_crt_t own_certificate(const struct egress_authority *a)
{
    struct error err = {0};
    struct buf pem;

    buf_init(&pem, 16 * 1024);
    assert_true(egress_authority_print(a, &pem, &err));
    gnutls_x509_crt_t crt = import((gnutls_datum_t){(unsigned char *)pem.data, (unsigned)pem.len}, GNUTLS_X509_FMT_PEM);
    buf_deinit(&pem);
    return crt;
}

static gnutls_x509_crt_t host_certificate(struct egress_authority *a, const char *name)
{
    gnutls_certificate_credentials_t credentials = NULL;
    struct egress_host host;
    struct error err = {0};
    gnutls_datum_t der = {0};

    assert_true(egress_host_read(span_str(name), &host, &err));
    assert_true(egress_authority_vouch(a, &host, &credentials, &err));
    assert_int_equal(gnutls_certificate_get_crt_raw(credentials, 0, 0, &der), 0);
    gnutls_x509_crt_t crt = import(der, GNUTLS_X509_FMT_DER);
    gnutls_certificate_free_credentials(credentials);
    return crt;
}

static unsigned verify(gnutls_x509_crt_t crt, gnutls_x509_crt_t authority)
{
    unsigned status = 0;

    assert_int_equal(gnutls_x509_crt_list_verify(&crt, 1, &authority, 1, NULL, 0, 0, &status), 0);
    return status;
}

static void it_vouches_for_one_host(void **state)
{
    struct error err = {0};
    struct egress_authority *a = egress_authority_new(&err);

    (void)state;
    assert_non_null(a);
    gnutls_x509_crt_t own = own_certificate(a), host = host_certificate(a, "api.example");
    assert_int_equal(verify(host, own), 0);
    assert_int_equal(gnutls_x509_crt_check_hostname(host, "api.example"), 1);
    assert_int_equal(gnutls_x509_crt_check_hostname(host, "other.example"), 0);
    assert_int_equal(gnutls_x509_crt_get_ca_status(host, NULL), 0);
    assert_int_equal(gnutls_x509_crt_get_ca_status(own, NULL), 1);
    gnutls_x509_crt_deinit(own);
    gnutls_x509_crt_deinit(host);
    egress_authority_free(a);
}

static void long_names_have_certificates_too(void **state)
{
    static const char name[] = "a-label-that-is-rather-long-for-one.and-another-one-of-that-length.example";
    struct error err = {0};
    struct egress_authority *a = egress_authority_new(&err);

    (void)state;
    gnutls_x509_crt_t host = host_certificate(a, name);
    assert_int_equal(gnutls_x509_crt_check_hostname(host, name), 1);
    gnutls_x509_crt_deinit(host);
    egress_authority_free(a);
}

static void each_jail_has_an_authority_of_its_own(void **state)
{
    struct error err = {0};
    struct egress_authority *a = egress_authority_new(&err), *b = egress_authority_new(&err);

    (void)state;
    gnutls_x509_crt_t host = host_certificate(a, "api.example"), other = own_certificate(b);
    assert_int_not_equal(verify(host, other), 0);
    gnutls_x509_crt_deinit(host);
    gnutls_x509_crt_deinit(other);
    egress_authority_free(a);
    egress_authority_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_vouches_for_one_host),
        cmocka_unit_test(long_names_have_certificates_too),
        cmocka_unit_test(each_jail_has_an_authority_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
