/* A position is read as it was written, and what cannot be read is a lag without end. */
#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "ship/position.h"
#include "ship/shipment.h"

static char folder[] = "/tmp/filterd-shipment-XXXXXX";
static const struct ship_position whole = {
    .file = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", .file_ns = 5, .seq = UINT64_MAX, .offset = 9,
    .as_of_ns = 1000000000000};

static void a_written_position_is_read_back(void **state)
{
    struct ship_position p = {.seq = 0};
    const struct ship_position none = {.as_of_ns = 0};
    char path[PATH_MAX];
    struct error err;

    (void)state;
    assert_true(ship_position_path(folder, span_str("siem"), path, &err));
    assert_false(ship_position_read(path, &p, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_true(ship_position_write(path, &whole, &err));
    assert_true(ship_position_read(path, &p, &err));
    assert_memory_equal(p.file, whole.file, sizeof(p.file));
    assert_int_equal(p.seq, whole.seq);
    assert_int_equal(p.offset, 9);
    assert_int_equal(p.as_of_ns, whole.as_of_ns);
    assert_true(ship_position_write(path, &none, &err));
    assert_true(ship_position_read(path, &p, &err));
    assert_string_equal(p.file, "");
}

static void what_is_no_position_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "{}", "{\"v\":1}", "[1]", "{\"v\":1,\"file\":\"\",\"file_ns\":0,\"seq\":0,\"offset\":0",
        "{\"v\":2,\"file\":\"\",\"file_ns\":0,\"seq\":0,\"offset\":0,\"as_of_ns\":1}",
        "{\"v\":1,\"file\":\"zz\",\"file_ns\":0,\"seq\":0,\"offset\":0,\"as_of_ns\":1}",
        "{\"v\":1,\"file\":\"\",\"file_ns\":0,\"seq\":-1,\"offset\":0,\"as_of_ns\":1}",
        "{\"v\":1,\"file\":\"\",\"file_ns\":0,\"seq\":0,\"offset\":1.5,\"as_of_ns\":1}",
        "{\"v\":1,\"file\":\"\",\"file_ns\":0,\"seq\":0,\"offset\":0,\"as_of_ns\":18446744073709551615}",
        "{\"v\":1,\"file\":\"\",\"file_ns\":0,\"seq\":0,\"offset\":0,\"as_of_ns\":99999999999999999999}",
    };
    struct ship_position p;
    char path[PATH_MAX];
    struct error err;

    (void)state;
    assert_true(ship_position_path(folder, span_str("siem"), path, &err));
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_true(file_write_atomic(path, span_str(texts[i]), 0600, &err));
        if (ship_position_read(path, &p, &err)) {
            fail_msg("taken: %s", texts[i]);
        }
    }
}

static void a_lag_without_a_position_has_no_end(void **state)
{
    struct shipments s;
    struct span late;
    char path[PATH_MAX];
    struct error err;

    (void)state;
    assert_true(shipments_init(&s, "siem,lake", folder, NULL, 5000, &err));
    assert_int_equal(s.n, 2);
    assert_true(ship_position_path(folder, span_str("siem"), path, &err));
    assert_true(ship_position_write(path, &whole, &err));
    assert_int_equal(shipments_lag(&s, 0, whole.as_of_ns + 3000000000), 3000);
    assert_int_equal(shipments_lag(&s, 0, whole.as_of_ns - 1000000000), 0);
    assert_int_equal(shipments_lag(&s, 0, whole.as_of_ns - 3600000000000), SHIPMENT_UNKNOWN); /* from the future */
    assert_int_equal(shipments_lag(&s, 1, whole.as_of_ns), SHIPMENT_UNKNOWN);
    assert_false(shipments_are_on_time(&s, whole.as_of_ns, &late));
    assert_true(span_is(late, "lake"));
    s.n = 1;
    assert_true(shipments_are_on_time(&s, whole.as_of_ns + 5000000000, &late));
    assert_false(shipments_are_on_time(&s, whole.as_of_ns + 5001000000, &late));
    assert_true(file_write_atomic(path, span_str("{"), 0600, &err));
    assert_false(shipments_are_on_time(&s, whole.as_of_ns, &late));
    (void)unlink(path);
}

static void names_of_sinks_are_checked(void **state)
{
    static const char *const wrong[] = {"", ",", "a,", "../a", "a b", "A", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q"};
    struct shipments s;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(shipments_init(&s, wrong[i], NULL, "/s", 1, &err));
    }
    assert_true(shipments_init(&s, NULL, NULL, NULL, 1, &err));
    assert_int_equal(s.n, 0);
    assert_true(shipments_init(&s, "a-1,b_2", NULL, "/s", 1, &err));
    assert_string_equal(s.directory, "/s/ship");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_position_is_read_back),
        cmocka_unit_test(what_is_no_position_is_refused),
        cmocka_unit_test(a_lag_without_a_position_has_no_end),
        cmocka_unit_test(names_of_sinks_are_checked),
    };

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/siem.json", folder);
    (void)unlink(path);
    (void)rmdir(folder);
    return failed;
}
