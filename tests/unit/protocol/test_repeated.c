#include "unit/protocol/answer.h"

#include "support/random.h"

/* Events that differ in a text alone are taken by what was found out about one of them. What leaves and what is on record is the same as when
 * each is read by itself, which white space that grows from event to event makes sure of: none is then like another. */

enum { ANSWERS = 600, EVENTS = 24, CHOICES = 2 };

static const char *const pieces[] = {
    "Good ", "morning, ", "\\n\\n", "\\\"quoted\\\" ", "gr\xc3\xbc\xc3\x9f", "\\u00e4", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\xe2\x82", "\xac",
    "", " AKIAQWB5PDKH", "X6PYGPAN ", " AKIAQWB5PDKHX6PYGPAN ", "write to eve@my-company.org ", "x", "\\/", "\\u0000", "DE38 3704 0044 ", "0532 0136 27.",
};

/* Members of an event beside the text: most events have none, or the same. */
static const char *const others[] = {
    "", ",\"obfuscation\":\"%s\"", ",\"usage\":null", ",\"system_fingerprint\":\"fp_1\"", ",\"note\":\"new %s\"", ",\"service_tier\":\"AKIAQWB5PDKHX6PYGPAN\"",
    ",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}", ",\"card_number\":4539148803436467",
};

/* Deltas; the text is at %s. */
static const char *const deltas[] = {
    "\"delta\":{\"content\":\"%s\"}", "\"delta\":{\"reasoning_content\":\"%s\"}", "\"delta\":{\"role\":\"assistant\",\"content\":\"%s\"}",
    "\"logprobs\":null,\"delta\":{\"content\":\"%s\"}",
    "\"delta\":{\"content\":\"x\"},\"logprobs\":{\"content\":[{\"token\":\"x\",\"logprob\":-1,\"bytes\":[120],\"top_logprobs\":[]}]}",
    "\"delta\":{\"content\":\"%s\",\"content\":\"twice\"}", "\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}",
    "\"message\":{\"content\":\"%s\"},\"delta\":{\"content\":\"again\"}", "\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
};

static const char *const completions[] = {
    "\"text\":\"%s\"", "\"text\":\"%s\",\"logprobs\":null",
    "\"text\":\"x\",\"logprobs\":{\"tokens\":[\"x\"],\"token_logprobs\":[-1],\"top_logprobs\":null,\"text_offset\":[0]}",
};

/* Blocks 0, 1 and 3 are texts, 2 is thinking, which is held: the client knows block 3 by another number. */
#define DELTA(index, rest) "\"index\":" index ",\"delta\":{" rest "}"
#define SAYS "\"type\":\"text_delta\",\"text\":\"%s\""
static const char *const blocks[] = {
    DELTA("0", SAYS), DELTA("3", SAYS), DELTA("1", SAYS), DELTA("0", "\"text\":\"%s\",\"type\":\"text_delta\""), DELTA("0", SAYS ",\"text\":\"twice\""),
    DELTA("2", "\"type\":\"thinking_delta\",\"thinking\":\"%s\""), DELTA("0", "\"type\":\"new_delta\",\"text\":\"%s\""), DELTA("1", SAYS ",\"n\":1"),
};

#define START(index, block) "data: {\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":{" block "}}\n\n"
#define CHAT_END "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

/* An answer of one kind: what is around its events, and the event that may come among them. */
static const struct form {
    const char *protocol, *path, *start, *id, *choice, *tail, *among, *end, *late, *done;
    const char *const *texts;
    size_t n;
} forms[] = {
    {"openai", "/v1/chat/completions", "", "\"id\":\"chatcmpl-%s\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",", "\"choices\":[{\"index\":%s,",
     ",\"finish_reason\":null}]", "", CHAT_END, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"late\"}}]}\n\n", "data: [DONE]\n\n", deltas, COUNT(deltas)},
    {"openai", "/v1/completions", "", "\"id\":\"cmpl-%s\",\"object\":\"text_completion\",\"created\":1,\"model\":\"m\",", "\"choices\":[{\"index\":%s,",
     ",\"finish_reason\":null}]", "", CHAT_END, "", "data: [DONE]\n\n", completions, COUNT(completions)},
    {"anthropic", "/v1/messages",
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,"
     "\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n" START("0", "\"type\":\"text\",\"text\":\"\"") START("1", "\"type\":\"text\",\"text\":\"\"")
         START("2", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"") START("3", "\"type\":\"text\",\"text\":\"\""),
     "\"type\":\"content_block_delta\",", "", "", "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\n",
     "data: {\"type\":\"content_block_delta\"," DELTA("0", "\"type\":\"text_delta\",\"text\":\"late\"") "}\n\n", "data: {\"type\":\"message_stop\"}\n\n", blocks, COUNT(blocks)},
};

/* The first ones are the most frequent. */
static size_t choose(struct random *r, size_t n)
{
    size_t most = random_below(r, 8) == 0 ? n : 1;

    return random_below(r, most);
}

static void put(struct buf *out, const char *format, const char *text)
{
    const char *at = strstr(format, "%s");
    struct error err;

    assert_true(buf_append(out, span_of(format, at == NULL ? strlen(format) : (size_t)(at - format)), &err));
    assert_true(at == NULL || (buf_append_str(out, text, &err) && buf_append_str(out, at + 2, &err)));
}

/* What is around a text. */
struct frame {
    const char *delta, *other;
    unsigned choice, id;
};

static struct frame choose_frame(struct random *r, const struct form *form)
{
    return (struct frame){.delta = form->texts[choose(r, form->n)],
                          .other = others[choose(r, COUNT(others))],
                          .choice = random_below(r, 12) == 0 ? CHOICES - 1 : 0,
                          .id = random_below(r, 12) == 0};
}

/* One event, twice: as it is, and with `n` spaces in it. */
static void put_event(struct random *r, const struct form *form, const struct frame *f, struct buf *plain, struct buf *spaced, size_t n)
{
    char spaces[EVENTS + 2] = "";
    const char *piece = pieces[random_below(r, COUNT(pieces))], *noise = random_below(r, 2) == 0 ? "aB3" : "\\u0041q";

    memset(spaces, ' ', n + 1);
    for (int i = 0; i < 2; i++) {
        struct buf *out = i == 0 ? plain : spaced;
        put(out, "data: {%s", i == 0 ? "" : spaces);
        put(out, form->id, f->id == 0 ? "0" : "1");
        put(out, form->choice, f->choice == 0 ? "0" : "1");
        put(out, f->delta, piece);
        put(out, form->tail, "");
        put(out, f->other, noise);
        put(out, "}\n\n", "");
    }
}

static void put_both(struct buf *plain, struct buf *spaced, const char *events)
{
    put(plain, events, "");
    put(spaced, events, "");
}

static void compare(struct random *r, const struct form *form, bool is_late)
{
    static char text[ANSWER_MAX], record[DECISION_LINE_MAX];
    struct buf plain, spaced;
    struct frame frame;
    struct error err;

    buf_init(&plain, ANSWER_MAX);
    buf_init(&spaced, ANSWER_MAX);
    put_both(&plain, &spaced, form->start);
    for (size_t i = 0; i < EVENTS; i++) {
        frame = i == 0 || random_below(r, 4) == 0 ? choose_frame(r, form) : frame; /* most come several times */
        put_event(r, form, &frame, &plain, &spaced, i);
        put_both(&plain, &spaced, random_below(r, EVENTS) == 0 ? form->among : "");
    }
    put_both(&plain, &spaced, form->end);
    put_both(&plain, &spaced, is_late ? form->late : "");
    put_both(&plain, &spaced, form->done);
    assert_true(buf_append_char(&plain, '\0', &err) && buf_append_char(&spaced, '\0', &err));
    struct answer_request request = {.protocol = form->protocol, .path = form->path, .body = "{\"stream\":true}", .upstream = spaced.data};
    (void)snprintf(text, sizeof(text), "%s", translate(&request));
    (void)snprintf(record, sizeof(record), "%s", last.record);
    enum action action = last.action;
    bool is_read = last.is_read;
    request.upstream = plain.data;
    assert_string_equal(translate(&request), text);
    assert_string_equal(last.record, record);
    assert_int_equal(last.action, action);
    assert_int_equal(last.is_read, is_read);
    buf_deinit(&plain);
    buf_deinit(&spaced);
}

static void an_event_like_another_leaves_as_if_it_were_read(void **state)
{
    struct random r = {.state = 23};

    (void)state;
    for (size_t i = 0; i < ANSWERS; i++) {
        compare(&r, &forms[i % 8 == 0 ? 1 : i % 8 < 4 ? 2 : 0], i % 7 == 0);
    }
}

#define CHUNK(text, more) "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"},\"finish_reason\":null}]" more "}\n\n"
#define NOISY(text, noise) CHUNK(text, ",\"obfuscation\":\"" noise "\"")

/* Nothing is held here, so that each event leaves by itself. */
static void each_piece_leaves_in_its_own_event(void **state)
{
    const struct answer_request request = {
        .protocol = "openai", .path = "/v1/chat/completions", .body = "{\"stream\":true}",
        .upstream = NOISY("One. ", "a") NOISY("Two. ", "bc") NOISY("Three. ", "def") NOISY("\\tFour. ", "gh") NOISY("F\xc3\xbcnf. ", "i")};
    const char *text = translate(&request);

    (void)state;
    assert_holds(text, CHUNK("Three. ", "") CHUNK("\\tFour. ", "") CHUNK("F\xc3\xbcnf. ", ""));
    assert_lacks(text, "obfuscation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_like_another_leaves_as_if_it_were_read),
        cmocka_unit_test(each_piece_leaves_in_its_own_event),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
