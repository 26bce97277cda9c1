/* test_stream_inquiry_cuts.c - however a text is cut, the supervisor is asked the same. */
#include "inquiry_testing.h"

#include "support/random.h"

enum { TEXTS = 150, CUTTINGS = 6 };

static void make_text(struct random *r, struct buf *text)
{
    static const char *const pieces[] = {
        "A sentence. ",  "With a hint in it. ",     "KEY1234 ",       "KEY12",  "hint",       ".\n\n", "! ",  "\n",
        "An EVIL one. ", "An EVIL one with hint. ", "a HANG hint? ",  "GONE1234", "\xe3\x80\x82", "\xc3\xa4", " ",   ".",
        "from here ",    "to here ",                "word word word ", "x",      "(hint.) ",   "wordword",
    };
    struct error err;
    size_t n = 1 + random_below(r, 30);

    buf_clear(text);
    for (size_t i = 0; i < n; i++) {
        size_t times = random_below(r, 20) == 0 ? 60 : 1;
        const char *piece = pieces[random_below(r, COUNT(pieces))];
        for (size_t k = 0; k < times; k++) {
            assert_true(buf_append_str(text, piece, &err));
        }
    }
}

static void stream_through(struct delivery *d, struct random *r, struct span text, size_t most)
{
    begin(d);
    for (size_t at = 0; at < text.len;) {
        size_t n = 1 + random_below(r, most);
        n = n < text.len - at ? n : text.len - at;
        feed_span(d, span_slice(text, at, at + n));
        at += n;
    }
    end(d, STREAM_COMPLETE);
}

static void assert_same_for_every_cutting(const char *policy, uint64_t seed)
{
    static const size_t most[CUTTINGS] = {1, 3, 17, 100, 600, ROOM};
    struct random r = {.state = seed};
    struct delivery d;
    struct buf text, questions, delivered;
    struct error err;
    unsigned blocked = 0, asked = 0;

    open_with(&d, policy);
    buf_init(&text, ROOM);
    buf_init(&questions, ROOM);
    buf_init(&delivered, ROOM);
    for (int i = 0; i < TEXTS; i++) {
        make_text(&r, &text);
        enum action action = ACTION_ALLOW;
        for (size_t k = 0; k < CUTTINGS; k++) {
            stream_through(&d, &r, buf_span(&text), most[k]);
            if (k == 0) {
                buf_clear(&questions);
                buf_clear(&delivered);
                assert_true(buf_append(&questions, buf_span(&d.questions), &err));
                assert_true(buf_append(&delivered, buf_span(&d.delivered), &err));
                action = stream_action(d.stream);
                blocked += action == ACTION_BLOCK;
                asked += d.asked;
            }
            assert_int_equal(stream_action(d.stream), action);
            assert_true(span_equal(buf_span(&questions), buf_span(&d.questions)));
            assert_int_equal(stream_released(d.stream), d.delivered.len);
            /* Of a blocked one less may have left, when more of it came in one piece. */
            assert_true(span_starts_with(buf_span(&delivered), buf_span(&d.delivered)));
            assert_true(action == ACTION_BLOCK || d.delivered.len == delivered.len);
            finish(&d);
        }
    }
    assert_in_range(blocked, TEXTS / 20, TEXTS - TEXTS / 20); /* both kinds are among them */
    assert_in_range(asked, TEXTS / 10, (size_t)TEXTS * 48);
    buf_deinit(&text);
    buf_deinit(&questions);
    buf_deinit(&delivered);
    close_all(&d);
}

static void questions_and_verdict_are_the_same_for_every_cutting(void **state)
{
    (void)state;
    assert_same_for_every_cutting(POLICY(SENTENCES), 1);
    assert_same_for_every_cutting(POLICY(SENTENCES ", on_failure: allow, questions: 3"), 2);
    assert_same_for_every_cutting(POLICY("when: {category: content}, hold: paragraph"), 3);
    assert_same_for_every_cutting(POLICY("when: [{category: content}, {category: secret}], hold: sentence"), 4);
    assert_same_for_every_cutting(POLICY("when: always, hold: sentence, questions: 48"), 5);
    assert_same_for_every_cutting(POLICY("when: {category: content}, hold: all"), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_and_verdict_are_the_same_for_every_cutting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
