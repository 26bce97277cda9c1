#include "testing.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/wire.h"
#include "policy/violations.h"
#include "unit/socket_pair.h"

static struct link_message an_order(void)
{
    struct link_message m;

    link_message_init(&m, LINK_ORDER);
    m.order = 7;
    m.what = REACTION_KILL;
    (void)link_text_set(m.agent, sizeof(m.agent), span_str("one"));
    return m;
}

static void a_message_arrives_as_it_was_sent(void **state)
{
    struct link_message sent = an_order(), got;

    (void)state;
    assert_int_equal(link_message_receive(ends[1], &got), LINK_NOTHING);
    assert_int_equal(link_message_send(ends[0], &sent), LINK_SENT);
    assert_int_equal(link_message_receive(ends[1], &got), LINK_RECEIVED);
    assert_memory_equal(&sent, &got, offsetof(struct link_message, note) + 1);
}

static void a_note_is_sent_up_to_its_end(void **state)
{
    struct link_message sent, got;

    (void)state;
    link_message_init(&sent, LINK_REVIEW_PLACE);
    assert_true(link_text_set(sent.note, sizeof(sent.note), span_str("filterd review order\n")));
    assert_int_equal(link_message_send(ends[0], &sent), LINK_SENT);
    assert_int_equal(recv(ends[1], &got, sizeof(got), MSG_PEEK), (ssize_t)offsetof(struct link_message, note) + 22);
    assert_int_equal(link_message_receive(ends[1], &got), LINK_RECEIVED);
    assert_string_equal(got.note, "filterd review order\n");
    memset(sent.note, 'x', sizeof(sent.note) - 1);
    sent.note[sizeof(sent.note) - 1] = '\0';
    assert_int_equal(link_message_send(ends[0], &sent), LINK_SENT);
    assert_int_equal(link_message_receive(ends[1], &got), LINK_RECEIVED);
    assert_string_equal(got.note, sent.note);
}

static void what_is_no_message_ends_the_connection(void **state)
{
    const size_t note_at = offsetof(struct link_message, note);
    /* Without its note; with more behind the note's end; with a note that does not end; longer than any. */
    const size_t sizes[] = {note_at, note_at + 2, note_at + 5, sizeof(struct link_message) + 1};
    struct link_message m;

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        char bytes[sizeof(m) + 1] = {0};
        m = an_order();
        memcpy(bytes, &m, note_at + 1);
        if (i == 2) {
            memset(bytes + note_at, 'x', 5);
        }
        assert_int_equal(send(ends[0], bytes, sizes[i], 0), (ssize_t)sizes[i]);
        assert_int_equal(link_message_receive(ends[1], &m), LINK_CLOSED);
    }
}

static void a_peer_that_does_not_read_is_distinguished_from_one_that_left(void **state)
{
    struct link_message m = an_order();
    enum link_sent sent = LINK_SENT;

    (void)state;
    for (int i = 0; i < 100000 && sent == LINK_SENT; i++) {
        sent = link_message_send(ends[0], &m);
    }
    assert_int_equal(sent, LINK_FULL);
    (void)close(ends[1]);
    assert_int_equal(link_message_send(ends[0], &m), LINK_BROKEN);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
}

static void values_out_of_bounds_are_refused(void **state)
{
    struct link_message m = an_order();

    (void)state;
    assert_true(link_message_is_valid(&m));
#define BAD(member, value)                                                                                                       \
    m = an_order();                                                                                                              \
    m.member = value;                                                                                                            \
    assert_false(link_message_is_valid(&m));
    BAD(version, 0)
    BAD(kind, 0)
    BAD(kind, LINK_KINDS)
    BAD(what, 0)
    BAD(what, REACTION_KILL | REACTION_ALERT)
    BAD(score, NAN)
    BAD(score, INFINITY)
    BAD(score, -1)
    BAD(score, 2e12)
    BAD(at_ns, -1)
    BAD(order, UINT64_MAX)
    BAD(agent[0], '\0')
    BAD(text[0], '\xff')
    BAD(note[0], '\xff')
#undef BAD
    m = an_order();
    memset(m.text, 'x', sizeof(m.text)); /* without an end */
    assert_false(link_message_is_valid(&m));
}

static void texts_are_cut_between_characters(void **state)
{
    char text[5];

    (void)state;
    assert_true(link_text_set(text, sizeof(text), span_str("abcd")));
    assert_false(link_text_set(text, sizeof(text), span_str("abcde")));
    assert_string_equal(text, "abcd");
    assert_false(link_text_set(text, sizeof(text), span_str("abc\xc3\xa4")));
    assert_string_equal(text, "abc");
    assert_false(link_text_set(text, sizeof(text), span_str("a\xff")));
    assert_string_equal(text, "a");
    assert_false(link_text_set(text, sizeof(text), span_of("a\0b", 3)));
    assert_string_equal(text, "a");
}

static void names_of_what_is_done_go_both_ways(void **state)
{
    (void)state;
    for (unsigned what = 1; what <= LINK_REVIVE; what <<= 1) {
        const char *name = link_what_name(what);
        assert_true(name == NULL || link_what_find(span_str(name)) == what);
    }
    assert_int_equal(link_what_find(span_str("nothing")), 0);
    assert_true(link_what_lasts(REACTION_KILL) && link_what_lasts(LINK_REVIVE));
    assert_false(link_what_lasts(REACTION_ALERT) || link_what_lasts(REACTION_THROTTLE) || link_what_lasts(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_arrives_as_it_was_sent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_note_is_sent_up_to_its_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_message_ends_the_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_peer_that_does_not_read_is_distinguished_from_one_that_left, set_up, tear_down),
        cmocka_unit_test(values_out_of_bounds_are_refused),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(names_of_what_is_done_go_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
