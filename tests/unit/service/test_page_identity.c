#include "testing.h"

#include <unistd.h>

#include "service/page_identity.h"

static struct error err;

static struct page_identity *load(const char *yaml)
{
    char path[] = "/tmp/page-identity.XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
    (void)close(fd);
    struct page_identity *i = page_identity_load(path, &err);
    (void)unlink(path);
    return i;
}

static const char whole[] = "user: X-Forwarded-User\n"
                            "groups: X-Forwarded-Groups\n"
                            "certificate: proxy.internal\n"
                            "map:\n"
                            "  sec-review: {role: reviewer}\n"
                            "  sec-approve: {role: approver}\n"
                            "  acme-review: {role: reviewer, tenant: acme}\n"
                            "  acme-approve: {role: approver, tenant: acme}\n"
                            "  beta: {role: auditor, tenant: beta}\n";

static void groups_become_roles_of_one_tenant(void **state)
{
    (void)state;
    static const struct {
        const char *user, *groups;
        unsigned roles; /* 0: nobody */
        const char *tenant;
    } cases[] = {
        {"anna", "sec-review", ROLE_REVIEWER, ""},
        {"anna", "staff, sec-review ,sec-approve", ROLE_REVIEWER | ROLE_APPROVER, ""},
        {"anna@acme.example", "acme-review,acme-approve", ROLE_REVIEWER | ROLE_APPROVER, "acme"},
        {"anna", "acme-review,beta", 0, ""},
        {"anna", "sec-review,acme-review", 0, ""},
        {"anna", "acme-review,sec-review", 0, ""},
        {"anna", "staff", 0, ""},
        {"anna", "", 0, ""},
        {"anna", "SEC-REVIEW", 0, ""},
        {"", "sec-review", 0, ""},
        {"uid 0", "sec-review", 0, ""},
        {"a:b", "sec-review", 0, ""},
        {"an\xe2\x80\x8bna", "sec-review", 0, ""},
        {"anna\xff", "sec-review", 0, ""},
        {"a-name-of-more-than-sixty-four-bytes-which-no-token-of-the-file-can-have", "sec-review", 0, ""},
    };
    struct page_identity *i = load(whole);

    assert_non_null(i);
    for (size_t n = 0; n < COUNT(cases); n++) {
        struct caller c = {0};
        bool is_known = page_identity_caller(i, span_str(cases[n].user), span_str(cases[n].groups), &c);
        if (is_known != (cases[n].roles != 0) || c.roles != cases[n].roles || strcmp(c.tenant, cases[n].tenant) != 0) {
            fail_msg("%s of %s", cases[n].user, cases[n].groups);
        }
        assert_string_equal(c.name, is_known ? cases[n].user : "");
        assert_int_equal(c.how, is_known ? CALLER_PROXY : CALLER_NONE);
    }
    page_identity_free(i);
}

static void a_file_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {"groups: G\nmap: {a: {role: reviewer}}\n", "user"},
        {"user: U\ngroups: G\n", "map"},
        {"user: U\ngroups: G\nmap: {}\n", "map"},
        {"user: U\ngroups: G\nmap: {a: {role: caller}}\n", "role"},
        {"user: U\ngroups: G\nmap: {a: {role: reviewer, tenants: x}}\n", "tenants"},
        {"user: U\ngroups: G\nmap: {a: {role: admin, tenant: x}}\n", "admin"},
        {"user: U\ngroups: G\nmap: {\"a,b\": {role: admin}}\n", "comma"},
        {"user: U\ngroups: G\nheaders: x\nmap: {a: {role: reviewer}}\n", "headers"},
    };

    for (size_t n = 0; n < COUNT(cases); n++) {
        struct page_identity *i = load(cases[n].yaml);
        if (i != NULL || strstr(err.text, cases[n].expected) == NULL) {
            fail_msg("%s: %s", cases[n].yaml, err.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_become_roles_of_one_tenant),
        cmocka_unit_test(a_file_is_read_strictly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
