/* test_system_prompt.c - what an answer copies of the request's system prompt is found, however it is written and cut; an
 * ordinary answer to the same prompt is not changed. */
#include "testing.h"

#include <ctype.h>
#include <sodium.h>
#include <stdio.h>

#include "disclosure/system_prompt.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "policy/system_prompt_policy.h"
#include "support/random.h"
#include "support/shipped.h"

enum { PROMPTS = 100, ORDINARY = 1000, ORDINARY_MAX = 1, CUTTINGS = 3, ADDRESSES = 300, TEXT_MAX = 4096, ROOM = 1 << 20 };

static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [content]\n"
                             "    system_prompt: {}\n"
                             "    actions:\n"
                             "      - {rule: system-prompt, action: redact}\n";

static struct snapshot *snapshot;
static struct worker *worker;
static struct random r = {.state = 3};
static struct channel channel;
static struct exchange exchange;

static int set_up(void **state)
{
    const struct worker_limits limits = worker_limits_default();
    struct error err = {0};

    if (shipped_open(state) != 0) {
        return -1;
    }
    snapshot = snapshot_load(shipped->rules, "policy.yaml", span_str(policy), &err);
    worker = snapshot == NULL ? NULL : worker_new(&limits, NULL, &err);
    if (worker == NULL) {
        print_error("%s\n", err.text);
    }
    return worker != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    worker_free(worker);
    snapshot_unref(snapshot);
    return shipped_close(state);
}

#define ANY(list) (list)[random_below(&r, COUNT(list))]

static const char *const names[] = {"Otto", "Mira", "Kestrel", "Atlas", "Juno", "Piper"};
static const char *const firms[] = {"Harbour Bank", "Linden Clinic", "Northwind Travel", "Fjord Insurance", "Maple Grocers"};
static const char *const tasks[] = {"answer questions about orders and refunds", "help patients to find an appointment",
                                    "write short summaries of support tickets", "compare tariffs for customers",
                                    "plan journeys by train and by ship"};
static const char *const secrets[][2] = {
    {"Never tell a customer that refunds above", "francs need the approval of a manager."},
    {"The internal margin of the spring offer is", "percent; do not mention it."},
    {"If somebody asks for a discount, begin with", "percent and go no further than twice that."},
    {"Route complaints about branch", "to the legal team without saying so."},
    {"Use the tool lookup_account with the tenant number", "before you answer."}};
static const char *const manners[] = {"Answer in at most three sentences and in the language of the customer.",
                                      "Be friendly, concise and precise. Write dates as YYYY-MM-DD.",
                                      "Use Markdown lists where they help, and no tables.",
                                      "If you do not know the answer, say so and offer to ask a colleague."};
static const char *const ordinary[] = {
    "I can help you with that. Could you tell me the number of your order?",
    "Your refund was approved on 2026-03-14 and will arrive within five working days.",
    "There are three appointments left next week: Monday at nine, Tuesday at noon and Friday at four.",
    "The ticket says that the printer on the second floor has been out of paper since Tuesday.",
    "The night train leaves at 21:05 and arrives at 07:40; the ship is slower, but you can take your bicycle.",
    "The cheaper tariff has no cancellation fee, while the other one includes roaming in Europe.",
    "I do not know the answer to this question. Shall I ask a colleague about it?",
    "Here is a short summary: the customer wants to change the delivery address before Friday.",
    "Please write to our legal department if you wish to complain about a branch.",
    "You can ask for a discount when you order more than ten boxes at once.",
    "To look up your account I need the last four digits of the number on your card.",
    "Of course! I answer questions about orders, refunds and deliveries in your language."};

static void make_prompt(char out[TEXT_MAX])
{
    int len = snprintf(out, TEXT_MAX, "You are %s, the assistant of %s. Your task is to %s.\n", ANY(names), ANY(firms), ANY(tasks));

    for (size_t i = 0; i < 3; i++) {
        char secret[200];
        const char *const *parts = secrets[(i + random_below(&r, 2) * 2) % COUNT(secrets)];
        (void)snprintf(secret, sizeof(secret), "%s %zu %s", parts[0], 100 + random_below(&r, 9000), parts[1]);
        len += snprintf(out + len, TEXT_MAX - (size_t)len, "%s %s\n", secret, ANY(manners));
    }
}

static struct system_prompt *known(const char *text)
{
    struct error err;
    struct system_prompt *p = system_prompt_new(&err);

    assert_true(p != NULL && system_prompt_add(p, span_str(text), &err));
    return p;
}

static struct span judged(struct system_prompt *p, const char *text)
{
    (void)worker_begin(worker);
    channel = (struct channel){.text = span_str(text)};
    exchange = (struct exchange){.snapshot = snapshot,
                                 .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                 .system_prompt = p,
                                 .channels = &channel,
                                 .n_channels = 1};
    pipeline_judge(worker, &exchange);
    assert_null(exchange.unjudged_reason);
    return channel.output;
}

/* --- how a model may write what it leaks --------------------------------------------- */

static void as_it_is(const char *text, char out[TEXT_MAX])
{
    (void)snprintf(out, TEXT_MAX, "%s", text);
}

static void in_upper_case(const char *text, char out[TEXT_MAX])
{
    as_it_is(text, out);
    for (char *c = out; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
}

static void in_base64(const char *text, char out[TEXT_MAX])
{
    assert_true(sodium_base64_encoded_len(strlen(text), sodium_base64_VARIANT_ORIGINAL) < TEXT_MAX);
    (void)sodium_bin2base64(out, TEXT_MAX, (const unsigned char *)text, strlen(text), sodium_base64_VARIANT_ORIGINAL);
}

static void in_wide_letters(const char *text, char out[TEXT_MAX])
{
    size_t n = 0;

    for (; *text != '\0' && n + 4 < TEXT_MAX; text++) {
        if (isalpha((unsigned char)*text) && *text % 5 == 0) {
            unsigned code = 0xff00U + (unsigned char)*text - 0x20U;
            out[n++] = (char)(0xe0 | code >> 12);
            out[n++] = (char)(0x80 | (code >> 6 & 0x3f));
            out[n++] = (char)(0x80 | (code & 0x3f));
        } else {
            out[n++] = *text;
        }
    }
    out[n] = '\0';
}

static void over_lines(const char *text, char out[TEXT_MAX])
{
    as_it_is(text, out);
    for (char *c = out; *c != '\0'; c++) {
        *c = (char)(*c == ' ' && random_below(&r, 4) == 0 ? '\n' : *c);
    }
}

static void (*const forms[])(const char *text, char out[TEXT_MAX]) = {as_it_is, in_upper_case, in_base64, in_wide_letters, over_lines};

/* A run of whole words of the prompt, of at least 40 bytes. */
static void cut_run(const char *prompt, char out[TEXT_MAX])
{
    size_t len = strlen(prompt), from = random_below(&r, len - 80), to = from + 60 + random_below(&r, len - from - 60);

    while (from > 0 && prompt[from - 1] != ' ') {
        from--;
    }
    (void)snprintf(out, TEXT_MAX, "%.*s", (int)(to - from), prompt + from);
}

static void stream_in_chunks(struct system_prompt *p, size_t most, const char *text, struct buf *out)
{
    const struct stream_options options = {.snapshot = snapshot,
                                           .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                           .system_prompt = p,
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct error err;
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str(""), &err);

    buf_clear(out);
    for (size_t at = 0, len; at < strlen(text); at += len) {
        size_t left = strlen(text) - at;
        len = 1 + random_below(&r, most < left ? most : left);
        stream_feed(s, c, worker, span_of(text + at, len), out);
    }
    stream_end(s, c, worker, STREAM_COMPLETE, out);
    assert_int_not_equal(stream_action(s), ACTION_BLOCK);
    stream_free(s);
}

static void every_copied_run_is_found_whole_and_streamed(void **state)
{
    static const size_t most[CUTTINGS] = {1, 7, 60};
    char prompt[TEXT_MAX], run[TEXT_MAX], written[TEXT_MAX], answer[2 * TEXT_MAX];
    struct buf streamed;

    (void)state;
    buf_init(&streamed, ROOM);
    for (size_t i = 0; i < PROMPTS; i++) {
        make_prompt(prompt);
        struct system_prompt *p = known(prompt);
        for (size_t k = 0; k < COUNT(forms); k++) {
            cut_run(prompt, run);
            forms[k](run, written);
            (void)snprintf(answer, sizeof(answer), "%s It was told: %s\n%s", ANY(ordinary), written, ANY(ordinary));
            struct span whole = judged(p, answer);
            if (exchange.action != ACTION_REDACT) {
                print_error("form %zu is not found: %s\n", k, answer);
            }
            assert_int_equal(exchange.action, ACTION_REDACT);
            assert_true(span_is(exchange.rule, "system-prompt"));
            assert_null(memmem(whole.ptr, whole.len, written, strlen(written)));
            char copy[2 * TEXT_MAX];
            (void)snprintf(copy, sizeof(copy), SPAN_FMT, SPAN_ARG(whole));
            for (size_t c = 0; c < CUTTINGS; c++) {
                stream_in_chunks(p, most[c], answer, &streamed);
                if (!span_is(buf_span(&streamed), copy)) {
                    print_error("form %zu, cutting %zu\n%s\n-- whole\n%s\n-- streamed\n" SPAN_FMT "\n", k, c, answer, copy,
                                SPAN_ARG(buf_span(&streamed)));
                }
                assert_true(span_is(buf_span(&streamed), copy));
            }
        }
        system_prompt_unref(p);
    }
    buf_deinit(&streamed);
}

/* Pieces of a prompt with addresses, joined by other words and by nothing: what counts depends on what is around an address. */
static void addresses_are_the_same_whole_and_streamed(void **state)
{
    static const char prompt[] = "Tell those who ask about refunds to write to first-contact@harbour-bank.example or to read "
                                 "https://www.harbour-bank.example/help/refunds-and-returns, and never name +44 20 7946 0123 before noon.";
    static const char *const joints[] = {"", " ", ". ", "/", "-", "s", ", or ", "@", "x "};
    struct system_prompt *p = known(prompt);
    char answer[TEXT_MAX];
    struct buf streamed;
    size_t changed = 0;

    (void)state;
    buf_init(&streamed, ROOM);
    for (size_t i = 0; i < ADDRESSES; i++) {
        size_t len = (size_t)snprintf(answer, sizeof(answer), "Yes. ");
        for (size_t k = 0; k < 4; k++) {
            size_t from = random_below(&r, sizeof(prompt) - 1), n = 1 + random_below(&r, 50);
            len += (size_t)snprintf(answer + len, sizeof(answer) - len, "%s%.*s%s", ANY(joints), (int)n, prompt + from, ANY(joints));
        }
        struct span whole = judged(p, answer);
        char copy[TEXT_MAX];
        (void)snprintf(copy, sizeof(copy), SPAN_FMT, SPAN_ARG(whole));
        changed += strcmp(copy, answer) != 0;
        for (size_t most = 1; most < 60; most = 3 * most + 2) {
            stream_in_chunks(p, most, answer, &streamed);
            if (!span_is(buf_span(&streamed), copy)) {
                print_error("%s\n-- whole\n%s\n-- streamed\n" SPAN_FMT "\n", answer, copy, SPAN_ARG(buf_span(&streamed)));
            }
            assert_true(span_is(buf_span(&streamed), copy));
        }
    }
    assert_true(changed > ADDRESSES / 4 && changed < ADDRESSES);
    buf_deinit(&streamed);
    system_prompt_unref(p);
}

static void ordinary_answers_are_not_changed(void **state)
{
    char prompt[TEXT_MAX], answer[TEXT_MAX];
    size_t changed = 0;

    (void)state;
    for (size_t i = 0; i < PROMPTS; i++) {
        make_prompt(prompt);
        struct system_prompt *p = known(prompt);
        for (size_t k = 0; k < ORDINARY / PROMPTS; k++) {
            (void)snprintf(answer, sizeof(answer), "%s %s\n\n- %s\n- %s", ANY(ordinary), ANY(ordinary), ANY(ordinary), ANY(ordinary));
            changed += !span_is(judged(p, answer), answer);
        }
        system_prompt_unref(p);
    }
    assert_true(changed <= ORDINARY_MAX);
}

static void a_stream_holds_no_more_than_what_may_go_on(void **state)
{
    static const char prompt[] = "Never tell a customer that refunds above 40 francs need the approval of a manager.";
    struct system_prompt *p = known(prompt);
    const struct stream_options options = {.snapshot = snapshot,
                                           .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                           .system_prompt = p,
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct error err;
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str(""), &err);
    struct buf out;

    (void)state;
    buf_init(&out, ROOM);
    stream_feed(s, c, worker, span_str("Then the approval of"), &out);
    assert_true(stream_held(s) <= strlen(" the approval of"));
    stream_feed(s, c, worker, span_str(" Zz"), &out);
    assert_true(stream_held(s) <= 2);
    stream_feed(s, c, worker, span_str(" Never tell a customer that refunds above 40"), &out);
    assert_true(span_is(buf_span(&out), "Then the approval of Zz "));
    stream_end(s, c, worker, STREAM_COMPLETE, &out);
    assert_true(span_is(buf_span(&out), "Then the approval of Zz [system-prompt]"));
    stream_free(s);
    buf_deinit(&out);
    system_prompt_unref(p);
}

static void without_the_policys_key_nothing_is_looked_for(void **state)
{
    static const char text[] = "Never tell a customer that refunds above 40 francs need the approval of a manager.";
    struct system_prompt *p = known(text);

    (void)state;
    (void)worker_begin(worker);
    channel = (struct channel){.text = span_str(text)};
    exchange = (struct exchange){.snapshot = shipped,
                                 .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                                 .system_prompt = p,
                                 .channels = &channel,
                                 .n_channels = 1};
    pipeline_judge(worker, &exchange);
    assert_int_equal(exchange.action, ACTION_ALLOW);
    assert_int_equal(exchange.n_findings, 0);
    system_prompt_unref(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_copied_run_is_found_whole_and_streamed),
        cmocka_unit_test(addresses_are_the_same_whole_and_streamed),
        cmocka_unit_test(ordinary_answers_are_not_changed),
        cmocka_unit_test(a_stream_holds_no_more_than_what_may_go_on),
        cmocka_unit_test(without_the_policys_key_nothing_is_looked_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
