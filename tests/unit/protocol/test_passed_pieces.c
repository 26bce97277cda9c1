/* Texts that answers of passed routes say once more in pieces. */
#include "unit/protocol/answer.h"

#define CARD_LABEL "[payment-card]"
/* KEY in two pieces, neither of which is a finding. */
#define HALF_A "AKIAQWB5PD"
#define HALF_B "KHX6PYGPAN"

static struct answer_request body_of(const char *path, const char *upstream)
{
    return (struct answer_request){.protocol = "openai", .path = path, .type = "application/json", .body = "{}", .upstream = upstream};
}

static void assert_answer(struct answer_request r, const char *expected)
{
    for (r.cut = 0; r.cut < 8; r.cut++) {
        assert_string_equal(translate(&r), expected);
    }
}

/* KEY. */
#define CODES "\"65\",\"75\",\"73\",\"65\",\"81\",\"87\",\"66\",\"53\",\"80\",\"68\",\"75\",\"72\",\"88\",\"54\",\"80\",\"89\",\"71\",\"80\",\"65\",\"78\""

static void codes_of_characters_in_quotes_are_no_pieces(void **state)
{
    (void)state;
    assert_answer(body_of("/v1/audio/transcriptions", "{\"segments\":[{\"text\":\"a\",\"tokens\":[" CODES "]}]}"),
                  "{\"segments\":[{\"text\":\"a\",\"tokens\":\"" KEY_LABEL "\"}]}");
}

static void what_goes_on_in_the_next_segment_is_found(void **state)
{
    (void)state;
    assert_answer(body_of("/v1/audio/transcriptions", "{\"segments\":[{\"id\":0,\"text\":\" is " HALF_A "\",\"tokens\":[1,2]},"
                                                      "{\"id\":1,\"text\":\"" HALF_B " now\"},{\"id\":2,\"text\":\" done\"}]}"),
                  "{\"segments\":[{\"id\":0,\"text\":\" is " KEY_LABEL "\",\"tokens\":[]},"
                  "{\"id\":1,\"text\":\" now\"},{\"id\":2,\"text\":\" done\"}]}");
    assert_int_equal(last.action, ACTION_REDACT);
    assert_string_equal(last.finding_path, "/segments");
}

static void a_number_in_words_is_found_and_other_words_keep_their_times(void **state)
{
    (void)state;
    assert_answer(body_of("/v1/audio/transcriptions",
                          "{\"words\":[{\"word\":\"my\",\"start\":0.5},{\"word\":\"card\"},{\"word\":\"number\"},{\"word\":\"4111\"},"
                          "{\"word\":\"1111\"},{\"word\":\"1111\"},{\"word\":\"1111,\"},{\"word\":\"ok\",\"start\":9}]}"),
                  "{\"words\":[{\"word\":\"my\",\"start\":0.5},{\"word\":\"card\"},{\"word\":\"number\"},{\"word\":\"" CARD_LABEL "\"},"
                  "{\"word\":\"\"},{\"word\":\"\"},{\"word\":\",\"},{\"word\":\"ok\",\"start\":9}]}");
}

static void words_are_pieces_in_each_segment(void **state)
{
    const char *clean = "{\"segments\":[{\"text\":\"a b\",\"words\":[{\"word\":\"a\"},{\"word\":\"b\"}],\"tokens\":[7]},"
                        "{\"text\":\"c\",\"words\":[{\"word\":\"c\"}],\"tokens\":[8]}]}";
    (void)state;
    assert_answer(body_of("/v1/audio/transcriptions", clean), clean);
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void tokens_with_their_bytes_say_nothing_of_what_was_taken_out(void **state)
{
    (void)state;
    assert_answer(body_of("/v1/audio/transcriptions",
                          "{\"text\":\"" KEY "\",\"logprobs\":[{\"token\":\"AKIA\",\"bytes\":[65,75],\"logprob\":-0.5},{\"token\":\"QWB5PDK\"},"
                          "{\"token\":\"HX6PYGPAN\",\"bytes\":[ 72 ],\"top_logprobs\":[{\"token\":\"x\",\"bytes\":[72]}]}]}"),
                  "{\"text\":\"" KEY_LABEL "\",\"logprobs\":[{\"token\":\"" KEY_LABEL "\",\"bytes\":[],\"logprob\":-0.5},"
                  "{\"token\":\"\"},{\"token\":\"\",\"bytes\":[],\"top_logprobs\":[]}]}");
    struct answer_request r = body_of("/v1/files/f/content", "{\"text\":\"" KEY "\",\"tokens\":[1]}\n{\"text\":\"a\",\"tokens\":[1]}\n");
    r.type = "application/jsonl";
    r.method = "GET";
    assert_answer(r, "{\"text\":\"" KEY_LABEL "\",\"tokens\":[]}\n{\"text\":\"a\",\"tokens\":[1]}\n");
}

static void the_tokens_of_a_completion_are_one_text(void **state)
{
    struct answer_request r = body_of("/v1/batches/b", "{\"logprobs\":{\"tokens\":[\"is \",\"" HALF_A "\",\"" HALF_B "\",\".\"]}}");

    (void)state;
    r.method = "GET";
    assert_answer(r, "{\"logprobs\":{\"tokens\":[]}}");
    assert_int_equal(last.action, ACTION_REDACT);
}

static void chunks_of_a_document_are_one_text(void **state)
{
    struct answer_request r = body_of("/v1/vector_stores/v/files/f/content",
                                      "{\"data\":[{\"type\":\"text\",\"text\":\"is " HALF_A "\"},{\"type\":\"text\",\"text\":\"" HALF_B "\"}]}");

    (void)state;
    r.method = "GET";
    assert_answer(r, "{\"data\":[{\"type\":\"text\",\"text\":\"is " KEY_LABEL "\"},{\"type\":\"text\",\"text\":\"\"}]}");
}

static void cues_of_subtitles_are_one_text(void **state)
{
    struct answer_request r = body_of("/v1/audio/transcriptions", "1\r\n00:00:01,000 --> 00:00:02,000\r\nmy card number is 4111 1111\r\n\r\n"
                                                                  "2\r\n00:00:02,000 --> 00:00:03,000\r\n1111 1111\r\nthanks\r\n");

    (void)state;
    r.type = "application/x-subrip";
    assert_answer(r, "1\r\n00:00:01,000 --> 00:00:02,000\r\nmy card number is " CARD_LABEL "\r\n\r\n"
                     "2\r\n00:00:02,000 --> 00:00:03,000\r\n\r\nthanks\r\n");
}

static void long_whole_numbers_of_files_are_judged(void **state)
{
    struct answer_request r = body_of("/v1/files/f/content", "{\"card number\":4111111111111111,\"card\":4111111111111111.0,\"v\":[0.4111111111111111]}");

    (void)state;
    r.method = "GET";
    r.type = "application/jsonl";
    assert_answer(r, "{\"card number\":\"" CARD_LABEL "\",\"card\":\"" CARD_LABEL "\",\"v\":[0.4111111111111111]}");
}

static void a_block_in_pieces_blocks(void **state)
{
    struct answer_request r =
        body_of("/v1/audio/transcriptions", "{\"segments\":[{\"text\":\"-----BEGIN RSA PRI\"},{\"text\":\"VATE KEY-----\\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r\\n-----END RSA PRIVATE KEY-----\"}]}");

    (void)state;
    (void)translate(&r);
    assert_true(last.is_blocked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_on_in_the_next_segment_is_found),
        cmocka_unit_test(a_number_in_words_is_found_and_other_words_keep_their_times),
        cmocka_unit_test(words_are_pieces_in_each_segment),
        cmocka_unit_test(tokens_with_their_bytes_say_nothing_of_what_was_taken_out),
        cmocka_unit_test(the_tokens_of_a_completion_are_one_text),
        cmocka_unit_test(codes_of_characters_in_quotes_are_no_pieces),
        cmocka_unit_test(chunks_of_a_document_are_one_text),
        cmocka_unit_test(cues_of_subtitles_are_one_text),
        cmocka_unit_test(long_whole_numbers_of_files_are_judged),
        cmocka_unit_test(a_block_in_pieces_blocks),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
