#include "testing.h"

#include "page/frame.h"
#include "page/screens.h"

static struct buf out;
static struct error err;
static struct page page;

static int begin(void **state)
{
    (void)state;
    buf_init(&out, 1024 * 1024);
    page = (struct page){.caller = {.name = "<anna>", .roles = ROLE_OPERATOR, .how = CALLER_SESSION}, .key = {1}};
    html_init(&page.html, &out, LANGUAGE_ENGLISH, &err);
    return 0;
}

static int end(void **state)
{
    (void)state;
    buf_deinit(&out);
    return 0;
}

static const char *written(void)
{
    assert_true(buf_append_char(&out, '\0', &err));
    out.len--;
    return out.data;
}

static void a_token_is_of_one_key_and_one_path(void **state)
{
    (void)state;
    char a[PAGE_TOKEN_HEX + 1], b[PAGE_TOKEN_HEX + 1], other[PAGE_TOKEN_HEX + 1];

    assert_true(form_token(&page, "/agents/change", a) && form_token(&page, "/agents/change", b) &&
                form_token(&page, "/logout", other));
    assert_string_equal(a, b);
    assert_string_not_equal(a, other);
    page.key[5] ^= 1;
    assert_true(form_token(&page, "/agents/change", b));
    assert_string_not_equal(a, b);
}

static void a_part_of_a_path_cannot_leave_its_place(void **state)
{
    (void)state;
    page_address(&page, "/items/{seq}/claim", span_str("../../logout?x=\"&#"));
    assert_string_equal(written(), "/review/items/..%2F..%2Flogout%3Fx%3D%22%26%23/claim");
}

static void the_navigation_is_what_the_caller_may_see(void **state)
{
    (void)state;
    page_begin(&page, TEXT_AGENTS);
    page_end(&page);
    assert_non_null(strstr(written(), "href=\"/review/agents\""));
    assert_null(strstr(written(), "href=\"/review/access\""));
    assert_non_null(strstr(written(), "&lt;anna&gt;"));
    assert_null(strstr(written(), "<anna>"));
    buf_clear(&out);
    page.caller.roles = ROLE_AUDITOR;
    page_begin(&page, TEXT_ACCESS);
    assert_non_null(strstr(written(), "href=\"/review/access\""));
    buf_clear(&out);
    (void)snprintf(page.caller.tenant, sizeof(page.caller.tenant), "acme");
    page_begin(&page, TEXT_ACCESS);
    assert_null(strstr(written(), "href=\"/review/access\""));
    assert_non_null(strstr(written(), "tenant acme only"));
}

static void who_is_not_signed_in_sees_no_navigation(void **state)
{
    (void)state;
    page.caller = (struct caller){0};
    page_begin(&page, TEXT_SIGN_IN);
    page_end(&page);
    assert_null(strstr(written(), "href=\"/review/agents\""));
    assert_null(strstr(written(), "/review/logout"));
}

/* The strict value of each row is the one that shows least. */
static void screens_are_found_and_are_for_whom_they_say(void **state)
{
    (void)state;
    const struct caller nobody = {0}, limited = {.roles = ROLE_AUDITOR, .tenant = "acme", .how = CALLER_TOKEN},
                        auditor = {.roles = ROLE_AUDITOR, .how = CALLER_TOKEN}, admin = {.roles = ROLE_ADMIN, .how = CALLER_TOKEN};
    struct span part;

    for (size_t i = 0; i < n_screens; i++) {
        assert_non_null(screens[i].show != NULL ? (const void *)&screens[i] : screens[i].post != NULL ? (const void *)&screens[i] : NULL);
        assert_false(screen_is_for(&screens[i], &nobody));
        assert_int_equal(screen_is_for(&screens[i], &admin), screens[i].roles != 0);
        if (!screens[i].is_for_tenants) {
            assert_false(screen_is_for(&screens[i], &limited));
        }
    }
    assert_true(screen_is_for(screen_find(span_str("/access"), &part), &auditor));
    assert_null(screen_find(span_str("/nothing"), &part));
    assert_null(screen_find(span_str("/policies/a/b"), &part));
    assert_non_null(screen_find(span_str("/policies/abc"), &part));
    assert_true(span_is(part, "abc"));
    assert_null(screen_find(span_str("/policies/"), &part));
}

/* What four eyes are for; and no screen but these is open to a session that waits for its passkey. */
static void decisions_and_originals_need_a_fresh_passkey(void **state)
{
    static const char *const fresh[] = {"/exceptions/1", "/reveals/1", "/reveals/1/file", "/reveals/1/key", "/fleet/exceptions/1",
                                        "/fleet/reveals/1", "/passkeys/add", "/passkeys/remove", "/passkeys/reset"};
    static const char *const pending[] = {"/logout", "/confirm", "/passkeys/add"};
    size_t n_fresh = 0, n_pending = 0;
    struct span part;

    (void)state;
    for (size_t i = 0; i < COUNT(fresh); i++) {
        assert_true(screen_find(span_str(fresh[i]), &part)->needs_fresh);
    }
    for (size_t i = 0; i < COUNT(pending); i++) {
        assert_true(screen_find(span_str(pending[i]), &part)->accepts_pending);
    }
    for (size_t i = 0; i < n_screens; i++) {
        n_fresh += screens[i].needs_fresh;
        n_pending += screens[i].accepts_pending;
        assert_true(screens[i].roles != 0 || !screens[i].accepts_pending);
    }
    assert_int_equal(n_fresh, COUNT(fresh));
    assert_int_equal(n_pending, COUNT(pending));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_token_is_of_one_key_and_one_path),
        TEST(decisions_and_originals_need_a_fresh_passkey),
        TEST(a_part_of_a_path_cannot_leave_its_place),
        TEST(the_navigation_is_what_the_caller_may_see),
        TEST(who_is_not_signed_in_sees_no_navigation),
        TEST(screens_are_found_and_are_for_whom_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
