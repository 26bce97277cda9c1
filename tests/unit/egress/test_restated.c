#include "testing.h"

#include <ctype.h>

#include "jail/egress/wire/restated.h"

static const char *in_header(const char *name, const char *value)
{
    static char text[512];
    static struct egress_head head;
    struct error err;
    int n = snprintf(text, sizeof(text), "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\n%s: %s\r\n\r\n", name, value);

    assert_true(egress_request_read(span_of(text, (size_t)n), &head, &err));
    return egress_restated_in_head(&head);
}

static const char *in_query(const char *query)
{
    return egress_restated_in_pairs(span_str(query), span_str("POST"));
}

static const char *const restating[] = {
    "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Method", "X-Original-Method", "X-Forwarded-Method",
    "X-Original-URL", "X-Original-URI", "X-Rewrite-URL", "X-Rewrite-URI", "X-Forwarded-URI", "X-Forwarded-URL", "X-Forwarded-Path",
    "X-Forwarded-Prefix", "X-Script-Name", "Destination", "X-Forwarded-Host", "X-Original-Host", "X-Host", "X-Forwarded-Server",
    "X-HTTP-Host-Override", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Scheme"};

static void headers_that_restate_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(restating); i++) {
        const char *found = in_header(restating[i], "x");
        if (found == NULL || strcmp(found, restating[i]) != 0) {
            fail_msg("%s: %s", restating[i], found == NULL ? "nothing" : found);
        }
    }
}

/* CGI knows no letter case, and one mark between words. */
static void they_are_found_however_they_are_written(void **state)
{
    static const char marks[] = "-_.+~!";

    (void)state;
    for (size_t i = 0; i < COUNT(restating); i++) {
        for (size_t m = 0; m < sizeof(marks) - 1; m++) {
            char name[64];
            size_t n = 0;
            for (const char *at = restating[i]; *at != '\0'; at++, n++) {
                name[n] = (char)(*at == '-' ? marks[m] : (n + m) % 2 == 0 ? toupper(*at) : tolower(*at));
            }
            name[n] = '\0';
            assert_non_null(in_header(name, "x"));
        }
    }
}

static void one_among_many_is_found(void **state)
{
    (void)state;
    assert_non_null(in_header("X-Host: a\r\nX-Host", "b"));
    assert_non_null(in_header("A: b\r\nX-Original-URL: /admin\r\nC", "d"));
}

static void forwarded_restates_by_its_parameters(void **state)
{
    (void)state;
    assert_string_equal(in_header("Forwarded", "for=192.0.2.1;HOST=evil.test"), "Forwarded");
    assert_string_equal(in_header("Forwarded", "for=a, for=b;proto=http"), "Forwarded");
    assert_string_equal(in_header("forwarded", "host=\"evil.test\""), "Forwarded");
    assert_null(in_header("Forwarded", "for=192.0.2.1;by=192.0.2.2"));
}

static void ordinary_headers_restate_nothing(void **state)
{
    static const char *const names[] = {"X-Request-Id", "X-Api-Key", "X-Forwarded-For", "X-Requested-With", "X-Real-IP", "Origin",
                                        "Referer", "X-Hostname-Hint", "X-Methods", "XHost", "X-Original", "Content-Type", "X",
                                        "X-Goog-Api-Client", "anthropic-version", "X-Stainless-Lang", "Idempotency-Key"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        if (in_header(names[i], "host") != NULL) {
            fail_msg("%s", names[i]);
        }
    }
}

static void a_query_restates_by_its_parameters(void **state)
{
    static const char *const queries[] = {
        "_method=DELETE", "a=b&_method=put", "_METHOD=x", "%5fmethod=DELETE", "_meth%6Fd=DELETE", "a;_method=DELETE", "_method", "&&_method=",
        ".method=DELETE", "%20_method=DELETE", "+_method=x", "_method%00x=DELETE", "_method[]=DELETE", "_HttpMethod=PATCH",
        "x-http-method-override=DELETE", "X_HTTP_Method_Override=DELETE", "$httpMethod=DELETE", "%24httpHeaders=X-HTTP-Method-Override%3ADELETE",
        "method=DELETE", "method=delete", "a=b&method=%44ELETE", "method=PROPFIND", "%255fmethod=DELETE"};
    static const char *const others[] = {"", "a=b", "a=_method", "x_method=DELETE", "_methods=a", "method=flickr.photos.search", "method=",
                                         "method=POST", "method=post", "method=average", "a=b&c=method=DELETE", "q=%5fmethod", "%", "%5", "%zz=1"};

    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        if (in_query(queries[i]) == NULL) {
            fail_msg("%s", queries[i]);
        }
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        if (in_query(others[i]) != NULL) {
            fail_msg("%s", others[i]);
        }
    }
}

static void framing_is_not_restated_by_a_name_that_cgi_makes_the_same(void **state)
{
    (void)state;
    assert_string_equal(in_header("Content_Length", "1"), "Content-Length");
    assert_string_equal(in_header("TRANSFER_ENCODING", "chunked"), "Transfer-Encoding");
    assert_null(in_header("content-length", "1"));
}

static const char *in_body(const char *type, const char *body)
{
    static char text[512];
    static struct egress_head head;
    struct error err;
    int n = snprintf(text, sizeof(text), "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n%s\r\n\r\n", type);

    assert_true(egress_request_read(span_of(text, (size_t)n), &head, &err));
    return egress_restated_in_body(&head, span_str(body));
}

static void forms_restate_and_other_bodies_do_not(void **state)
{
    (void)state;
    assert_string_equal(in_body("Content-Type: application/x-www-form-urlencoded", "a=b&_method=DELETE"), "_method");
    assert_string_equal(in_body("content_type: Application/X-WWW-Form-Urlencoded; charset=utf-8", "%5Fmethod=DELETE"), "_method");
    assert_string_equal(in_body("Content-Type: multipart/form-data; boundary=b",
                                "--b\r\nContent-Disposition: form-data; name=\"_method\"\r\n\r\nDELETE\r\n--b--"), "_method");
    assert_null(in_body("Content-Type: multipart/form-data; boundary=b",
                        "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n_method=DELETE\r\n--b--"));
    assert_null(in_body("Content-Type: application/json", "{\"a\":\"&_method=DELETE\"}"));
    assert_null(in_body("Accept: application/x-www-form-urlencoded", "_method=DELETE"));
}

/* Names of any length end somewhere: what is longer than every entry is none. */
static void long_names_are_no_method_names(void **state)
{
    char name[300] = "", pairs[400];

    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    assert_null(in_header(name, "x"));
    (void)snprintf(pairs, sizeof(pairs), "%s=1&_method=DELETE", name);
    assert_non_null(in_query(pairs));
    (void)snprintf(pairs, sizeof(pairs), "_method%s=1", name);
    assert_null(in_query(pairs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_that_restate_are_named),
        cmocka_unit_test(they_are_found_however_they_are_written),
        cmocka_unit_test(one_among_many_is_found),
        cmocka_unit_test(forwarded_restates_by_its_parameters),
        cmocka_unit_test(ordinary_headers_restate_nothing),
        cmocka_unit_test(a_query_restates_by_its_parameters),
        cmocka_unit_test(framing_is_not_restated_by_a_name_that_cgi_makes_the_same),
        cmocka_unit_test(forms_restate_and_other_bodies_do_not),
        cmocka_unit_test(long_names_are_no_method_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
