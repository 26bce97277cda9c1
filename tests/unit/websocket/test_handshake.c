/* RFC 6455, section 4: its example, and answers that are no agreement. */
#include "websocket/handshake.h"

#include "testing.h"

static struct error err;

#define ACCEPT "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
#define AGREED "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, upgrade\r\nSec-WebSocket-Accept: " ACCEPT "\r\n"

static void the_answer_to_a_key_is_that_of_the_rfc(void **state)
{
    (void)state;
    char accept[HANDSHAKE_ACCEPT + 1];

    handshake_accept(span_str("dGhlIHNhbXBsZSBub25jZQ=="), accept);
    assert_string_equal(ACCEPT, accept);
}

static void a_request_needs_every_part(void **state)
{
    (void)state;
    struct span key = span_str("dGhlIHNhbXBsZSBub25jZQ=="), websocket = span_str("websocket"), upgrade = span_str("keep-alive, Upgrade");

    assert_true(handshake_is_request(websocket, upgrade, span_str("13"), key));
    assert_false(handshake_is_request(span_str("h2c"), upgrade, span_str("13"), key));
    assert_false(handshake_is_request(websocket, span_str("close"), span_str("13"), key));
    assert_false(handshake_is_request(websocket, upgrade, span_str("8"), key));
    assert_false(handshake_is_request(websocket, upgrade, span_str("13"), span_str("short")));
    assert_false(handshake_is_request(websocket, upgrade, span_str("13"), span_str("")));
    assert_false(handshake_is_request(websocket, upgrade, span_str("13"), span_str("dGhlIHNhbXBsZSBub25jZQ=*")));
}

static void a_key_is_new_each_time_and_of_its_form(void **state)
{
    (void)state;
    char a[HANDSHAKE_KEY + 1], b[HANDSHAKE_KEY + 1];

    handshake_make_key(a);
    handshake_make_key(b);
    assert_string_not_equal(a, b);
    assert_true(handshake_is_request(span_str("websocket"), span_str("upgrade"), span_str("13"), span_str(a)));
}

static void a_request_has_the_client_s_headers_but_those_of_the_handshake(void **state)
{
    (void)state;
    static const char *const headers[] = {"Authorization: Bearer k", "Sec-WebSocket-Extensions: permessage-deflate", "Content-Type:",
                                          "OpenAI-Beta: realtime=v1", "X-Empty;"};
    const struct handshake_request q = {.target = span_str("/v1/realtime?model=m"), .host = span_str("h:1"), .headers = headers,
                                        .n_headers = COUNT(headers), .key = "k", .subprotocols = span_str("realtime")};
    struct buf out;

    buf_init(&out, 4096);
    assert_true(handshake_write_request(&q, &out, &err));
    assert_true(span_is(buf_span(&out),
                        "GET /v1/realtime?model=m HTTP/1.1\r\nHost: h:1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: k\r\nSec-WebSocket-Protocol: realtime\r\n"
                        "Authorization: Bearer k\r\nOpenAI-Beta: realtime=v1\r\nX-Empty:\r\n\r\n"));
    buf_deinit(&out);
}

static enum handshake_state read_text(const char *text, const char *offered, struct handshake_answer *a)
{
    return handshake_read_answer(span_str(text), ACCEPT, span_str(offered), a);
}

static void an_agreement_is_read_whatever_its_cutting(void **state)
{
    (void)state;
    static const char text[] = AGREED "Sec-WebSocket-Protocol: realtime\r\n\r\n";
    struct handshake_answer a;

    for (size_t n = 0; n < sizeof(text) - 1; n++) {
        assert_int_equal(HANDSHAKE_MORE, handshake_read_answer(span_of(text, n), ACCEPT, span_str("x, realtime"), &a));
    }
    assert_int_equal(HANDSHAKE_OK, read_text(AGREED "Sec-WebSocket-Protocol: realtime\r\n\r\n\x81\x02{}", "x, realtime", &a));
    assert_int_equal(101, a.status);
    assert_int_equal(sizeof(text) - 1, a.len);
    assert_string_equal("realtime", a.subprotocol);
}

static void another_status_is_an_answer_too(void **state)
{
    (void)state;
    struct handshake_answer a;

    assert_int_equal(HANDSHAKE_OK, read_text("HTTP/1.1 401 Unauthorized\r\nX: y\r\n\r\n{}", "", &a));
    assert_int_equal(401, a.status);
}

static void what_is_no_agreement_is_broken(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "HTTP/1.1 101 x\r\n\r\n",
        "HTTP/1.0 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
        "SSH-2.0\r\n\r\n",
        "HTTP/1.1 1x1 x\r\n\r\n",
        "\r\n\r\n",
        "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: other\r\n\r\n",
        AGREED "Sec-WebSocket-Accept: " ACCEPT "\r\n\r\n",
        AGREED "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
        AGREED "Sec-WebSocket-Protocol: of-nobody\r\n\r\n",
        AGREED "no colon\r\n\r\n",
    };
    struct handshake_answer a;

    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(HANDSHAKE_BROKEN, read_text(texts[i], "realtime", &a));
    }
}

static void a_head_without_end_is_broken(void **state)
{
    (void)state;
    static char text[HANDSHAKE_HEAD_MAX];
    struct handshake_answer a;

    memset(text, 'a', sizeof(text));
    assert_int_equal(HANDSHAKE_MORE, handshake_read_answer(span_of(text, sizeof(text) - 1), ACCEPT, span_str(""), &a));
    assert_int_equal(HANDSHAKE_BROKEN, handshake_read_answer(span_of(text, sizeof(text)), ACCEPT, span_str(""), &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_to_a_key_is_that_of_the_rfc),
        cmocka_unit_test(a_request_needs_every_part),
        cmocka_unit_test(a_key_is_new_each_time_and_of_its_form),
        cmocka_unit_test(a_request_has_the_client_s_headers_but_those_of_the_handshake),
        cmocka_unit_test(an_agreement_is_read_whatever_its_cutting),
        cmocka_unit_test(another_status_is_an_answer_too),
        cmocka_unit_test(what_is_no_agreement_is_broken),
        cmocka_unit_test(a_head_without_end_is_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
