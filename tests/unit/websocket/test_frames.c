/* Two ends in memory: messages in any cutting, what is refused with which code, and room that is taken before the memory. */
#include "websocket/frames.h"

#include "testing.h"

enum { MESSAGE_MAX = 1000 };

struct end {
    struct frames *frames;
    struct buf in; /* bytes for it */
    size_t in_at, step;
    struct end *peer;
    struct buf got; /* messages, each with a '|' */
    bool is_cut;
};

static struct error err;
static struct end server, client;
static uint64_t held, held_most, room;

static ssize_t receive(void *context, char *out, size_t max)
{
    struct end *e = context;
    size_t left = e->in.len - e->in_at, n = left < max ? left : max;

    n = n < e->step ? n : e->step;
    if (n > 0) {
        memcpy(out, e->in.data + e->in_at, n);
    }
    e->in_at += n;
    return n > 0 ? (ssize_t)n : e->is_cut ? FRAMES_BROKEN : FRAMES_AGAIN;
}

static ssize_t send_bytes(void *context, struct span bytes, bool has_more)
{
    struct end *e = context;
    size_t n = bytes.len < e->step ? bytes.len : e->step;

    (void)has_more;
    assert_true(buf_append(&e->peer->in, span_of(bytes.ptr, n), &err));
    return (ssize_t)n;
}

static bool message(void *context, struct span text)
{
    struct end *e = context;

    return buf_append(&e->got, text, &err) && buf_append_char(&e->got, '|', &err);
}

static bool hold(void *context, uint64_t n)
{
    (void)context;
    if (held + n > room) {
        return false;
    }
    held += n;
    held_most = held > held_most ? held : held_most;
    return true;
}

static void release(void *context, uint64_t n)
{
    (void)context;
    held -= n;
}

static void open_end(struct end *e, bool is_client, size_t step)
{
    const struct frames_options options = {.is_client = is_client, .message_max = MESSAGE_MAX, .context = e, .receive = receive,
                                           .send = send_bytes, .message = message, .hold = hold, .release = release};

    *e = (struct end){.step = step, .peer = e == &server ? &client : &server};
    buf_init(&e->in, 1 << 20);
    buf_init(&e->got, 1 << 20);
    assert_true(frames_new(&options, &e->frames, &err));
}

static void open_both(size_t step)
{
    held = held_most = 0;
    room = 1 << 20;
    open_end(&server, false, step);
    open_end(&client, true, step);
}

static void close_end(struct end *e)
{
    frames_free(e->frames);
    buf_deinit(&e->in);
    buf_deinit(&e->got);
}

static void close_both(void)
{
    close_end(&server);
    close_end(&client);
    assert_int_equal(0, held);
}

static void exchange(void)
{
    for (unsigned i = 0; i < 200; i++) {
        (void)!frames_flush(client.frames);
        (void)!frames_receive(server.frames);
        (void)!frames_flush(server.frames);
        (void)!frames_receive(client.frames);
    }
}

static void give(struct end *e, const char *bytes, size_t n)
{
    assert_true(buf_append(&e->in, span_of(bytes, n), &err));
}

static void messages_pass_in_both_directions_in_any_cutting(void **state)
{
    (void)state;
    static const size_t steps[] = {1, 2, 7, 100000};

    for (size_t i = 0; i < COUNT(steps); i++) {
        open_both(steps[i]);
        assert_true(frames_text(client.frames, span_str("to the server")));
        assert_true(frames_text(client.frames, span_str("")));
        assert_true(frames_text(server.frames, span_str("to the client, \xc3\xa9")));
        exchange();
        assert_true(span_is(buf_span(&server.got), "to the server||"));
        assert_true(span_is(buf_span(&client.got), "to the client, \xc3\xa9|"));
        assert_int_equal(0, held);
        close_both();
    }
}

static void fragments_are_one_message_and_pings_between_them_are_answered(void **state)
{
    (void)state;
    open_both(100000);
    give(&client, "\x01\x02wh\x89\x01p\x80\x03ole", 12);
    exchange();
    assert_true(span_is(buf_span(&client.got), "whole|"));
    assert_int_equal(0, frames_peer_code(client.frames));
    assert_true(server.in.len > 0); /* the pong */
    close_both();
}

/* Each ping takes memory until its answer is sent. */
static void a_peer_that_takes_no_answers_falls_behind(void **state)
{
    (void)state;
    open_both(100000);
    for (unsigned i = 0; i < 1023; i++) {
        give(&client, "\x89\x01p", 3);
    }
    assert_true(frames_receive(client.frames));
    assert_false(frames_is_behind(client.frames));
    give(&client, "\x89\x01p", 3);
    assert_true(frames_receive(client.frames));
    assert_true(frames_is_behind(client.frames));
    assert_true(frames_flush(client.frames));
    assert_false(frames_is_behind(client.frames));
    close_both();
}

/* Frames of which nothing is left, as many as its peer can send, end a turn all the same. */
static void others_have_their_turn(void **state)
{
    (void)state;
    char pongs[2048];
    size_t before;

    for (size_t i = 0; i < sizeof(pongs); i += 2) {
        memcpy(pongs + i, "\x8a\x00", 2);
    }
    open_both(100000);
    for (unsigned i = 0; i < 100; i++) {
        give(&client, pongs, sizeof(pongs));
    }
    do {
        before = client.in_at;
        assert_true(frames_receive(client.frames));
        assert_true(client.in_at - before <= 72 * 1024);
    } while (frames_has_more(client.frames));
    assert_int_equal(client.in.len, client.in_at);
    close_both();
}

/* What the client end makes of bytes of its peer. */
static void is_refused_with(unsigned code, const char *bytes, size_t n)
{
    open_both(100000);
    give(&client, bytes, n);
    assert_false(frames_receive(client.frames));
    assert_true(frames_flush(client.frames));
    (void)!frames_receive(server.frames);
    assert_int_equal(code, frames_peer_code(server.frames));
    assert_int_equal(0, client.got.len);
    close_both();
}

static void what_is_no_text_ends_the_connection_with_its_code(void **state)
{
    (void)state;
    static char long_frame[MESSAGE_MAX + 8] = "\x81\x7e\x03\xe9";

    is_refused_with(FRAMES_UNSUPPORTED, "\x82\x01x", 3);
    is_refused_with(FRAMES_TOO_LONG, long_frame, sizeof(long_frame));
    is_refused_with(1007, "\x81\x02\xff\xfe", 4);
    is_refused_with(1007, "\x81\x01\xc3", 3);
    is_refused_with(FRAMES_PROTOCOL, "\xc1\x01x", 3); /* a bit of an extension */
    is_refused_with(FRAMES_PROTOCOL, "\x80\x01x", 3); /* a continuation of nothing */
    is_refused_with(FRAMES_PROTOCOL, "\x83\x01x", 3); /* an opcode that is reserved */
    is_refused_with(FRAMES_PROTOCOL, "\x81\x81kkkkx", 7); /* a server does not mask */
}

static void fragments_together_are_no_longer_than_a_message(void **state)
{
    (void)state;
    char frame[404] = "\x01\x7e\x01\x90";

    memset(frame + 4, 'a', 400);
    open_both(100000);
    give(&client, frame, sizeof(frame));
    frame[0] = 0;
    give(&client, frame, sizeof(frame));
    assert_true(frames_receive(client.frames));
    give(&client, frame, sizeof(frame));
    assert_false(frames_receive(client.frames));
    assert_true(held_most <= MESSAGE_MAX);
    close_both();
}

static void a_message_without_room_is_not_taken(void **state)
{
    (void)state;
    open_both(100000);
    room = 4;
    give(&client, "\x81\x05x", 3);
    assert_false(frames_receive(client.frames));
    assert_true(frames_flush(client.frames));
    assert_true(frames_is_closed(client.frames));
    assert_int_equal(0, client.got.len);
    assert_int_equal(0, held_most);
    close_both();
}

static void a_close_is_answered_and_its_code_known(void **state)
{
    (void)state;
    open_both(100000);
    frames_close(server.frames, 4001, "as told");
    exchange();
    assert_int_equal(4001, frames_peer_code(client.frames));
    assert_int_equal(4001, frames_peer_code(server.frames));
    assert_true(frames_is_closed(client.frames));
    assert_false(frames_text(client.frames, span_str("late")));
    close_both();
}

static void a_code_that_must_not_be_sent_becomes_1000(void **state)
{
    (void)state;
    static const unsigned codes[] = {0, 999, 1004, FRAMES_NO_CODE, FRAMES_ABNORMAL, 1015, 2999, 5000};

    for (size_t i = 0; i < COUNT(codes); i++) {
        open_both(100000);
        frames_close(server.frames, codes[i], "");
        exchange();
        assert_int_equal(FRAMES_NORMAL, frames_peer_code(client.frames));
        close_both();
    }
}

static void a_connection_that_breaks_off_is_abnormal(void **state)
{
    (void)state;
    open_both(100000);
    client.is_cut = true;
    assert_false(frames_receive(client.frames));
    assert_int_equal(FRAMES_ABNORMAL, frames_peer_code(client.frames));
    close_both();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_pass_in_both_directions_in_any_cutting),
        cmocka_unit_test(fragments_are_one_message_and_pings_between_them_are_answered),
        cmocka_unit_test(a_peer_that_takes_no_answers_falls_behind),
        cmocka_unit_test(others_have_their_turn),
        cmocka_unit_test(what_is_no_text_ends_the_connection_with_its_code),
        cmocka_unit_test(fragments_together_are_no_longer_than_a_message),
        cmocka_unit_test(a_message_without_room_is_not_taken),
        cmocka_unit_test(a_close_is_answered_and_its_code_known),
        cmocka_unit_test(a_code_that_must_not_be_sent_becomes_1000),
        cmocka_unit_test(a_connection_that_breaks_off_is_abnormal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
