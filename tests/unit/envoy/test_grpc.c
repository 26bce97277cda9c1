#include "testing.h"

#include <nghttp2/nghttp2.h>

#include "envoy/grpc.h"

/* A client in memory: nghttp2's, on the other side of the connection. */
enum { CALLS = 8, MESSAGE_MAX = 1000 };

struct seen {
    struct grpc_call *call;
    char text[4096]; /* of messages, each with a '|' */
    size_t len;
    bool is_busy; /* takes none */
    bool has_ended, is_closed;
    unsigned n_drained;
};

static struct error err;
static struct grpc *server;
static nghttp2_session *client;
static struct seen seen[CALLS];
static size_t n_seen;
static uint64_t held;
static enum grpc_status refusal;
static char path[GRPC_PATH_MAX], authorization[GRPC_AUTHORIZATION_MAX];
/* What the client got: of the last stream. */
static struct buf got;
static char status[16];
static uint32_t reset;

static enum grpc_status opened(void *context, struct grpc_call *call, const struct grpc_head *head, void **state)
{
    (void)context;
    (void)snprintf(path, sizeof(path), "%s", head->path);
    (void)snprintf(authorization, sizeof(authorization), "%s", head->authorization);
    seen[n_seen % CALLS] = (struct seen){.call = call};
    *state = &seen[n_seen++ % CALLS];
    return refusal;
}

static bool received(void *state, struct span message)
{
    struct seen *s = state;

    if (s->is_busy) {
        return false;
    }
    s->len += (size_t)snprintf(s->text + s->len, sizeof(s->text) - s->len, SPAN_FMT "|", SPAN_ARG(message));
    return true;
}

static void ended(void *state)
{
    ((struct seen *)state)->has_ended = true;
}

static void closed(void *state)
{
    ((struct seen *)state)->is_closed = true;
}

static void drained(void *state)
{
    ((struct seen *)state)->n_drained++;
}

static bool hold(void *context, uint64_t n)
{
    (void)context;
    held += n;
    return held < 1024 * 1024;
}

static void release(void *context, uint64_t n)
{
    (void)context;
    held -= n;
}

static const struct grpc_events events = {opened, received, ended, drained, closed, hold, release};

static int on_data(nghttp2_session *s, uint8_t flags, int32_t id, const uint8_t *bytes, size_t n, void *context)
{
    (void)s;
    (void)flags;
    (void)id;
    (void)context;
    return buf_append(&got, span_of((const char *)bytes, n), &err) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int on_header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name, size_t name_len, const uint8_t *value,
                     size_t value_len, uint8_t flags, void *context)
{
    (void)s;
    (void)frame;
    (void)flags;
    (void)context;
    if (span_is(span_of((const char *)name, name_len), "grpc-status")) {
        (void)snprintf(status, sizeof(status), "%.*s", (int)value_len, (const char *)value);
    }
    return 0;
}

static int on_close(nghttp2_session *s, int32_t id, uint32_t code, void *context)
{
    (void)s;
    (void)id;
    (void)context;
    reset = code;
    return 0;
}

static int set_up(void **state)
{
    const struct grpc_limits limits = {.message_max = MESSAGE_MAX, .send_max = 64 * 1024, .calls = 4};
    nghttp2_session_callbacks *callbacks = NULL;

    (void)state;
    n_seen = 0;
    refusal = GRPC_OK;
    status[0] = '\0';
    held = 0;
    buf_init(&got, 1024 * 1024);
    assert_int_equal(0, nghttp2_session_callbacks_new(&callbacks));
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    assert_int_equal(0, nghttp2_session_client_new(&client, callbacks, NULL));
    nghttp2_session_callbacks_del(callbacks);
    assert_int_equal(0, nghttp2_submit_settings(client, 0, NULL, 0));
    server = grpc_new(&events, &limits, NULL, &err);
    return server == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    grpc_free(server);
    nghttp2_session_del(client);
    buf_deinit(&got);
    assert_int_equal(0, held);
    return 0;
}

/* Bytes of both sides, in pieces of that size, until neither has any. False: the server closes the connection. */
static bool exchange_in(size_t piece)
{
    bool is_moving = true;

    while (is_moving) {
        const uint8_t *bytes = NULL;
        struct span answer = {0};
        ssize_t n = nghttp2_session_mem_send(client, &bytes);
        is_moving = n > 0;
        for (ssize_t at = 0; at < n; at += (ssize_t)piece) {
            size_t left = (size_t)(n - at);
            if (!grpc_feed(server, span_of((const char *)bytes + at, left < piece ? left : piece))) {
                return false;
            }
        }
        if (!grpc_pull(server, &answer)) {
            return false;
        }
        is_moving |= answer.len > 0;
        if (answer.len > 0) {
            assert_int_equal(answer.len, nghttp2_session_mem_recv(client, (const uint8_t *)answer.ptr, answer.len));
        }
    }
    return true;
}

static ssize_t read_body(nghttp2_session *s, int32_t id, uint8_t *out, size_t max, uint32_t *flags, nghttp2_data_source *source,
                         void *context)
{
    struct span *body = source->ptr;
    size_t n = body->len < max ? body->len : max;

    (void)s;
    (void)id;
    (void)context;
    memcpy(out, body->ptr, n);
    *body = span_slice(*body, n, body->len);
    *flags |= body->len == 0 ? NGHTTP2_DATA_FLAG_EOF : 0;
    return (ssize_t)n;
}

static nghttp2_nv field(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}

static int32_t begin(struct span *body, const char *type, const char *token)
{
    const nghttp2_nv head[] = {field(":method", "POST"),     field(":scheme", "http"), field(":path", "/a.B/C"),
                               field(":authority", "x"),     field("content-type", type), field("authorization", token)};
    const nghttp2_data_provider data = {.source.ptr = body, .read_callback = read_body};

    return nghttp2_submit_request(client, NULL, head, COUNT(head), &data, NULL);
}

static void messages_arrive_however_their_bytes_are_cut(void **state)
{
    (void)state;
    static const char wire[] = "\0\0\0\0\3one\0\0\0\0\0\0\0\0\0\5three";

    for (size_t piece = 1; piece < 40; piece++) {
        struct span body = span_of(wire, sizeof(wire) - 1);
        size_t n = n_seen;
        assert_true(begin(&body, "application/grpc", "Bearer x") > 0);
        assert_true(exchange_in(piece));
        assert_int_equal(n + 1, n_seen);
        assert_string_equal("one||three|", seen[n % CALLS].text);
        assert_true(seen[n % CALLS].has_ended);
        assert_string_equal("/a.B/C", path);
        assert_string_equal("Bearer x", authorization);
        assert_true(grpc_send(seen[n % CALLS].call, span_str("yes"), &err));
        grpc_finish(seen[n % CALLS].call, GRPC_OK);
        buf_clear(&got);
        assert_true(exchange_in(piece));
        assert_true(span_equal(buf_span(&got), span_of("\0\0\0\0\3yes", 8)));
        assert_int_equal(1, seen[n % CALLS].n_drained);
        assert_string_equal("0", status);
        assert_true(seen[n % CALLS].is_closed);
    }
}

static void a_message_that_is_not_taken_comes_again(void **state)
{
    (void)state;
    struct span body = span_of("\0\0\0\0\1a", 6);

    assert_true(begin(&body, "application/grpc", "") > 0);
    assert_true(exchange_in(27)); /* its head alone is whole, perhaps */
    struct seen *s = &seen[0];
    s->is_busy = true;
    struct span more = span_of("\0\0\0\0\1b\0\0\0\0\1c", 12);
    assert_true(begin(&more, "application/grpc+proto", "") > 0);
    seen[1].is_busy = true;
    assert_true(exchange_in(1));
    seen[1].is_busy = false;
    grpc_resume(seen[1].call);
    assert_string_equal("b|c|", seen[1].text);
    assert_true(seen[1].has_ended);
}

static void what_is_no_call_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *type, *token, *expected;
        size_t len;
        enum grpc_status refusal;
    } rows[] = {
        {"\0\0\0\0\1a", "text/plain", "", "3", 6, GRPC_OK},
        {"\0\0\0\0\1a", "application/grpcx", "", "3", 6, GRPC_OK},
        {"\0\0\0\0\1a", "application/grpc", "", "16", 6, GRPC_UNAUTHENTICATED},
        {"\1\0\0\0\1a", "application/grpc", "", "12", 6, GRPC_OK},      /* compressed */
        {"\0\0\0\4\0a", "application/grpc", "", "8", 6, GRPC_OK},       /* longer than the limit */
        {"\0\xff\xff\xff\xff", "application/grpc", "", "8", 5, GRPC_OK}, /* by far */
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span body = span_of(rows[i].body, rows[i].len);
        refusal = rows[i].refusal;
        assert_true(begin(&body, rows[i].type, rows[i].token) > 0);
        assert_true(exchange_in(100));
        assert_string_equal(rows[i].expected, status);
    }
}

static void more_calls_than_the_limit_are_refused(void **state)
{
    (void)state;
    struct span bodies[6];

    assert_true(exchange_in(100)); /* so that the client knows the limit of 4 */
    for (size_t i = 0; i < COUNT(bodies); i++) {
        bodies[i] = span_of("\0\0\0\0\1a", 6);
        assert_true(begin(&bodies[i], "application/grpc", "") > 0);
    }
    assert_true(exchange_in(100));
    assert_int_equal(4, grpc_calls(server));
}

static void a_flood_of_resets_closes_the_connection(void **state)
{
    (void)state;
    bool is_open = true;
    size_t n = 0;

    for (; n < 200000 && is_open; n++) {
        struct span body = span_of("\0\0\0\0\1a", 6);
        int32_t id = begin(&body, "application/grpc", "");
        is_open = exchange_in(4096);
        (void)nghttp2_submit_rst_stream(client, 0, id, NGHTTP2_CANCEL);
        is_open = is_open && exchange_in(4096) && !grpc_is_over(server);
    }
    assert_false(is_open);
    assert_true(n > 1000);
    assert_true(grpc_calls(server) <= 4);
}

static void what_is_no_http2_closes_the_connection(void **state)
{
    (void)state;
    assert_false(grpc_feed(server, span_str("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")));
}

static void a_connection_that_closes_takes_its_calls_along(void **state)
{
    (void)state;
    const struct grpc_limits limits = {.message_max = MESSAGE_MAX, .send_max = 1024, .calls = 4};
    struct span body = span_of("\0\0\0\0\2a", 6);

    assert_true(begin(&body, "application/grpc", "") > 0);
    assert_true(exchange_in(100));
    grpc_free(server);
    assert_true(seen[0].is_closed);
    server = grpc_new(&events, &limits, NULL, &err);
    assert_non_null(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_arrive_however_their_bytes_are_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_that_is_not_taken_comes_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_call_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_calls_than_the_limit_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_flood_of_resets_closes_the_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_http2_closes_the_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_connection_that_closes_takes_its_calls_along, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
