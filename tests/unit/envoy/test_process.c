#include "testing.h"

#include "envoy/process.h"

static struct error err;
static struct buf message;

static int set_up(void **state)
{
    (void)state;
    buf_init(&message, 4096);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&message);
    return 0;
}

static void put_header(const char *name, const char *value, uint32_t value_field)
{
    size_t header = 0;

    assert_true(wire_begin(&message, 1, &header, &err) && wire_put_bytes(&message, 1, span_str(name), &err) &&
                wire_put_bytes(&message, value_field, span_str(value), &err) && wire_end(&message, header, &err));
}

static void each_part_is_read(void **state)
{
    (void)state;
    struct process_message m;
    struct process_header h;
    size_t part = 0, map = 0;

    for (uint32_t field = PROCESS_REQUEST_HEADERS; field <= PROCESS_RESPONSE_TRAILERS; field++) {
        bool is_body = field == PROCESS_REQUEST_BODY || field == PROCESS_RESPONSE_BODY;
        buf_clear(&message);
        assert_true(wire_begin(&message, field, &part, &err));
        if (is_body) {
            assert_true(wire_put_bytes(&message, 1, span_str("text"), &err) && wire_put_number(&message, 2, 1, &err));
        } else {
            assert_true(wire_begin(&message, 1, &map, &err));
            put_header(":path", "/a", 3);
            put_header("x", "old form", 2);
            assert_true(wire_end(&message, map, &err));
        }
        assert_true(wire_end(&message, part, &err));
        assert_true(process_read(buf_span(&message), &m, &err));
        assert_int_equal(field, m.part);
        if (is_body) {
            assert_true(span_is(m.body, "text") && m.is_last);
            continue;
        }
        assert_int_equal(WIRE_FIELD, process_next_header(&m.headers, &h));
        assert_true(span_is(h.name, ":path") && span_is(h.value, "/a"));
        assert_int_equal(WIRE_FIELD, process_next_header(&m.headers, &h));
        assert_true(span_is(h.value, "old form"));
        assert_int_equal(WIRE_END, process_next_header(&m.headers, &h));
    }
}

static void modes_are_those_of_the_first_message(void **state)
{
    (void)state;
    struct process_message m;
    size_t config = 0;

    assert_true(wire_put_bytes(&message, PROCESS_REQUEST_HEADERS, span_str(""), &err));
    assert_true(process_read(buf_span(&message), &m, &err) && !m.has_modes && !m.is_observed);
    assert_true(wire_begin(&message, 11, &config, &err) && wire_put_number(&message, 1, BODY_BUFFERED, &err) &&
                wire_put_number(&message, 2, BODY_FULL_DUPLEX, &err) && wire_end(&message, config, &err) &&
                wire_put_number(&message, 10, 1, &err) && wire_put_bytes(&message, 99, span_str("unknown"), &err));
    assert_true(process_read(buf_span(&message), &m, &err));
    assert_true(m.has_modes && m.is_observed && m.request_mode == BODY_BUFFERED && m.response_mode == BODY_FULL_DUPLEX);
}

/* Only one of two would be judged. */
static void what_is_given_twice_is_malformed(void **state)
{
    (void)state;
    static const uint32_t second[] = {PROCESS_REQUEST_BODY, PROCESS_RESPONSE_BODY};
    struct process_message m;
    size_t part = 0;

    for (size_t i = 0; i < COUNT(second); i++) {
        buf_clear(&message);
        assert_true(wire_put_bytes(&message, PROCESS_REQUEST_BODY, span_str(""), &err) &&
                    wire_put_bytes(&message, second[i], span_str(""), &err));
        assert_false(process_read(buf_span(&message), &m, &err));
    }
    buf_clear(&message);
    assert_true(wire_begin(&message, PROCESS_RESPONSE_BODY, &part, &err) && wire_put_bytes(&message, 1, span_str("a"), &err) &&
                wire_put_bytes(&message, 1, span_str("b"), &err) && wire_end(&message, part, &err));
    assert_false(process_read(buf_span(&message), &m, &err));
    buf_clear(&message);
    assert_false(process_read(buf_span(&message), &m, &err)); /* nothing at all */
}

static void a_header_with_two_values_is_malformed(void **state)
{
    (void)state;
    struct process_header h;
    size_t header = 0;

    assert_true(wire_begin(&message, 1, &header, &err) && wire_put_bytes(&message, 1, span_str("x"), &err) &&
                wire_put_bytes(&message, 2, span_str("a"), &err) && wire_put_bytes(&message, 3, span_str("b"), &err) &&
                wire_end(&message, header, &err));
    struct span rest = buf_span(&message);
    assert_int_equal(WIRE_MALFORMED, process_next_header(&rest, &h));
}

/* What a path of field numbers leads to; the last of a repeated one. */
static struct span at(struct span in, const uint32_t *path, size_t n)
{
    struct wire_field f;

    for (size_t i = 0; i < n; i++) {
        struct span found = {.ptr = NULL};
        while (wire_next(&in, &f) == WIRE_FIELD) {
            found = f.number == path[i] ? f.bytes : found;
        }
        in = found;
    }
    return in;
}

static void responses_have_the_published_form(void **state)
{
    (void)state;
    static const uint32_t body[] = {4, 1, 3, 1}, piece[] = {4, 1, 3, 3, 1}, removed[] = {2, 1, 2, 2}, set[] = {2, 1, 2, 1, 1, 3},
                          trailer[] = {6, 1, 2}, text[] = {7, 3}, none[] = {4, 1, 3};
    const struct process_header header = {span_str("a"), span_str("1")};
    const struct span name = span_str("cookie");
    const struct process_changes c = {&header, 1, &name, 1};

    assert_true(process_put_body(&message, PROCESS_RESPONSE_BODY, CHANGE_REPLACED, span_str("new"), false, &err));
    assert_true(span_is(at(buf_span(&message), body, COUNT(body)), "new"));
    buf_clear(&message);
    assert_true(process_put_body(&message, PROCESS_RESPONSE_BODY, CHANGE_STREAMED, span_str("part"), true, &err));
    assert_true(span_is(at(buf_span(&message), piece, COUNT(piece)), "part"));
    buf_clear(&message);
    assert_true(process_put_body(&message, PROCESS_RESPONSE_BODY, CHANGE_NONE, span_str("x"), true, &err));
    assert_null(at(buf_span(&message), none, COUNT(none)).ptr);
    buf_clear(&message);
    assert_true(process_put_headers(&message, PROCESS_RESPONSE_HEADERS, &c, &err));
    assert_true(span_is(at(buf_span(&message), removed, COUNT(removed)), "cookie"));
    assert_true(span_is(at(buf_span(&message), set, COUNT(set)), "1"));
    buf_clear(&message);
    put_header("x-sum", "1", 3);
    struct buf trailers = message;
    buf_init(&message, 4096);
    assert_true(process_put_trailers(&message, PROCESS_RESPONSE_TRAILERS, buf_span(&trailers), &err));
    assert_true(span_is(at(buf_span(&message), trailer, COUNT(trailer)), "x-sum"));
    buf_deinit(&trailers);
    buf_clear(&message);
    assert_true(process_put_immediate(&message, 403, &c, span_str("no"), &err));
    assert_true(span_is(at(buf_span(&message), text, COUNT(text)), "no"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_part_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modes_are_those_of_the_first_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_twice_is_malformed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_header_with_two_values_is_malformed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(responses_have_the_published_form, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
