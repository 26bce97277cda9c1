/* test_prompt_known.c - what was found in a message is found again without judging it, and nothing else changes. */
#include "prompt_testing.h"

#include "support/random.h"

/* --- what is known of messages with findings -------------------------------------- */

/* A turn of a user with a secret and a name, and an answer with pseudonyms of other turns. */
static void write_found_turns(struct buf *body, unsigned n)
{
    struct error err;

    buf_clear(body);
    assert_true(buf_append_str(body, "{\"messages\":[", &err));
    for (unsigned i = 0; i < n; i++) {
        assert_true(buf_appendf(body, &err, "%s{\"role\":\"user\",\"content\":\"turn %u: open " SECRET " for " NAME " once more\"}",
                                i == 0 ? "" : ",", i));
        if (i + 1 < n) {
            assert_true(buf_appendf(body, &err, ",{\"role\":\"assistant\",\"content\":\"answer %u: " NAME " may use " SECRET " now\"}", i));
        }
    }
    assert_true(buf_append_str(body, "]}", &err) && buf_append_char(body, '\0', &err));
}

static void a_turn_costs_what_is_new_where_every_message_has_findings(void **state)
{
    struct fixture f;
    struct buf body;
    size_t second = 0;

    (void)state;
    begin(&f, "{actions: [{category: secret, action: mask}]}");
    buf_init(&body, 1 << 20);
    for (unsigned n = 1; n <= 50; n++) {
        write_found_turns(&body, n);
        struct span up = judge(&f, "openai-chat", body.data);
        assert_int_equal(f.x.action, ACTION_REDACT);
        assert_false(has(up, SECRET));
        assert_int_equal(f.x.n_findings, 2 * (2 * n - 1));
        second = n == 2 ? f.x.judged : second;
        assert_true(n <= 2 || f.x.judged <= second + 8);
    }
    assert_int_equal(masking_count(f.masking), 1);
    buf_deinit(&body);
    end(&f);
}

/* --- the same with and without a history ------------------------------------------------ */

enum { REQUESTS = 3000, CONVERSATIONS = 3, MESSAGES_MAX = 6, LONG = 24 /* messages, after which a conversation begins anew */ };

struct told {
    struct fixture f;
    struct masking *maskings[CONVERSATIONS];
    struct random random;
    struct buf body, without;
    struct buf messages[CONVERSATIONS];
    size_t n_messages[CONVERSATIONS];
    struct history *unsurveyed; /* which knows the same, but for what one of both has displaced */
    size_t differences;
    struct arena memory;
    struct prompt_survey survey;
    char pseudonyms[CONVERSATIONS][64];
};

/* One conversation has hardly a finding. */
static void add_piece(struct told *t, struct buf *out, size_t conversation)
{
    static const char *const pieces[] = {SECRET, NAME, ORDER, "c2VzYW1lLTdRMlg=", "sesame\\u002d7Q2X", "ssesame-7Q2XX", "fine", "[key]",
                                         "a longer text in which nothing is found, by any of the rules of this test",
                                         "[key-0000]", "  ", "Mal\\u200blory"};
    size_t k = random_below(&t->random, COUNT(pieces) + 1);
    const char *piece = k < COUNT(pieces) ? pieces[k] : t->pseudonyms[random_below(&t->random, 4) == 0 ? random_below(&t->random, CONVERSATIONS) : conversation];
    struct error err;

    if (conversation == 0 && random_below(&t->random, 64) != 0) {
        piece = random_below(&t->random, 2) == 0 ? "fine" : "a longer text in which nothing is found";
    }
    assert_true(buf_appendf(out, &err, "%s ", piece));
}

/* Nothing but pieces of the secret, which may go on in the next one. */
static void add_halves(struct told *t, struct buf *out)
{
    static const char *const halves[] = {"sesame-", "7Q2X", "ses", "ame-7Q", "2X", "ame-"};
    bool are_parts = random_below(&t->random, 2) == 0;
    struct error err;

    assert_true(buf_append_str(out, are_parts ? "[" : "\"", &err));
    for (size_t n = 1 + (are_parts ? random_below(&t->random, 3) : 0); n > 0; n--) {
        const char *half = halves[random_below(&t->random, COUNT(halves))];
        assert_true(buf_appendf(out, &err, are_parts ? "{\"type\":\"text\",\"text\":\"%s\"}%s" : "%s%s", half, n > 1 ? "," : ""));
    }
    assert_true(buf_append_str(out, are_parts ? "]}" : "\"}", &err));
}

/* Seldom one that is no object. */
static void add_message(struct told *t, struct buf *out, size_t conversation)
{
    static const char *const roles[] = {"system", "user", "assistant", "tool"};
    bool is_text = random_below(&t->random, 64) == 0;
    struct error err;

    assert_true(buf_append_str(out, out->len == 0 ? "" : random_below(&t->random, 2) == 0 ? "," : " , ", &err));
    if (!is_text) {
        assert_true(buf_appendf(out, &err, "{\"role\":\"%s\",\"content\":", roles[random_below(&t->random, COUNT(roles))]));
    }
    if (!is_text && random_below(&t->random, conversation == 0 ? 16 : 4) == 0) {
        add_halves(t, out);
        return;
    }
    assert_true(buf_append_char(out, '"', &err));
    for (size_t k = random_below(&t->random, 3); k > 0; k--) {
        add_piece(t, out, conversation);
    }
    assert_true(buf_append_str(out, is_text ? "\"" : "\"}", &err));
}

/* The messages of the conversation's request before and new ones, or new ones alone. */
static void make_request(struct told *t, size_t conversation)
{
    struct buf *messages = &t->messages[conversation];
    size_t n = 1 + random_below(&t->random, MESSAGES_MAX);
    struct error err;

    if (t->n_messages[conversation] > LONG || random_below(&t->random, 6) == 0) {
        buf_clear(messages);
        t->n_messages[conversation] = 0;
    }
    t->n_messages[conversation] += n;
    for (; n > 0; n--) {
        add_message(t, messages, conversation);
    }
    buf_clear(&t->body);
    assert_true(buf_appendf(&t->body, &err, "{\"messages\":[" SPAN_FMT "]}", SPAN_ARG(buf_span(messages))) && buf_append_char(&t->body, '\0', &err));
}

/* As the proxy does: messages that are known are not read. */
static bool survey(struct told *t, const char *route, struct history *history)
{
    const struct policy *policy = snapshot_policy(t->f.judge.snapshot, span_of("", 0), span_of("", 0));
    const struct identity who = {.route = span_str(route)};
    struct span body = span_str(t->body.data);
    struct history_scope scope;
    struct error err;

    prompt_scope(history, policy, &who, "openai-chat", &scope);
    arena_reset(&t->memory);
    assert_true(prompt_survey(&t->memory, history, &scope, "openai-chat", body, &t->survey, &err));
    return json_validate_known(body, prompt_survey_valid(&t->survey), &err);
}

static void judge_for(struct told *t, size_t conversation, const char *route, struct history *history, bool is_surveyed)
{
    const struct prompt_input q = {.route = "openai-chat",
                                   .body = span_str(t->body.data),
                                   .history = history,
                                   .is_valid = is_surveyed && survey(t, route, history),
                                   .survey = is_surveyed ? &t->survey : NULL};

    assert_true(q.is_valid == is_surveyed);
    t->f.x = (struct exchange){.snapshot = t->f.judge.snapshot,
                               .policy = snapshot_policy(t->f.judge.snapshot, span_of("", 0), span_of("", 0)),
                               .who = {.route = span_str(route)},
                               .masking = t->maskings[conversation]};
    prompt_judge(t->f.judge.worker, &q, &t->f.x, &t->f.out, &t->f.outcome);
}

static void describe(struct told *t, struct buf *out)
{
    const struct exchange *x = &t->f.x;
    struct error err;

    buf_clear(out);
    assert_true(buf_appendf(out, &err, "%d " SPAN_FMT " %zu %d %d\n", x->action, SPAN_ARG(x->rule), x->bytes + x->known, t->f.outcome.is_changed,
                            t->f.outcome.has_line));
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        assert_true(buf_appendf(out, &err, SPAN_FMT " " SPAN_FMT " %zu %zu %zu %s %d %d %d %f '" SPAN_FMT "'\n", SPAN_ARG(f->rule->id),
                                SPAN_ARG(x->channels[f->channel].path), f->from, f->to, f->match_from, finding_view(f), f->action, f->is_shadow,
                                f->role, f->confidence, SPAN_ARG(f->value)));
    }
    assert_true(buf_append(out, t->f.outcome.is_changed ? buf_span(&t->f.out) : span_of("", 0), &err) && buf_append_char(out, '\0', &err));
}

static void tell(struct told *t, struct buf *with)
{
    size_t conversation = random_below(&t->random, CONVERSATIONS), known = 0;
    const char *route = random_below(&t->random, 2) == 0 ? "strict" : "lax";

    make_request(t, conversation);
    judge_for(t, conversation, route, NULL, false);
    describe(t, &t->without);
    judge_for(t, conversation, route, t->unsurveyed, false);
    known = t->f.x.known;
    size_t judged = t->f.x.judged, bytes = t->f.x.bytes;
    judge_for(t, conversation, route, t->f.history, true);
    t->differences += t->f.x.known != known || t->f.x.judged != judged || t->f.x.bytes != bytes;
    describe(t, with);
    if (strcmp(with->data, t->without.data) != 0) {
        fail_msg("%s\nwithout: %s\nwith %zu known: %s", t->body.data, t->without.data, known, with->data);
    }
    const char *issued = strstr(with->data, "[key-");
    if (issued != NULL && strchr(issued, ']') != NULL) {
        (void)snprintf(t->pseudonyms[conversation], sizeof(t->pseudonyms[conversation]), "%.*s", (int)(strchr(issued, ']') + 1 - issued), issued);
    }
}

static void a_history_changes_no_verdict(void **state)
{
    static struct told t;
    struct buf with;
    size_t known = 0, judged = 0, unread = 0, valid = 0, prefixes = 0;

    (void)state;
    begin(&t.f, "{actions: [{category: secret, action: mask}, {category: pii, route: strict, action: redact},"
                " {category: pii, role: system, shadow: true, action: block}], tool_results: [{category: injection, action: withhold}]}");
    t.random = (struct random){.state = 20261128};
    arena_init(&t.memory, 1 << 16, 1 << 20);
    history_free(t.f.history);
    t.f.history = history_new(HISTORY_ENTRIES_DEFAULT, &t.f.judge.err);
    t.unsurveyed = history_new(HISTORY_ENTRIES_DEFAULT, &t.f.judge.err);
    assert_true(t.f.history != NULL && t.unsurveyed != NULL);
    buf_init(&t.body, 1 << 20);
    buf_init(&t.without, 1 << 20);
    buf_init(&with, 1 << 20);
    for (size_t i = 0; i < CONVERSATIONS; i++) {
        buf_init(&t.messages[i], 1 << 20);
        t.maskings[i] = masking_new(NULL, &masking_limits_default, &t.f.judge.err);
        assert_non_null(t.maskings[i]);
    }
    for (unsigned i = 0; i < REQUESTS; i++) {
        tell(&t, &with);
        known += t.f.x.known;
        judged += t.f.x.judged;
        unread += t.survey.n_known;
        valid += t.survey.n_valid - t.survey.n_known;
        prefixes += t.survey.prefix > 0;
    }
    assert_true(known > judged && unread > REQUESTS && valid > REQUESTS / 10 && prefixes > REQUESTS / 20); /* else nothing was tried */
    assert_true(t.differences < REQUESTS / 100);
    history_free(t.unsurveyed);
    arena_deinit(&t.memory);
    for (size_t i = 0; i < CONVERSATIONS; i++) {
        masking_unref(t.maskings[i]);
        buf_deinit(&t.messages[i]);
    }
    buf_deinit(&with);
    buf_deinit(&t.without);
    buf_deinit(&t.body);
    end(&t.f);
}

static int set_up(void **state)
{
    (void)state;
    return sodium_init() >= 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_costs_what_is_new_where_every_message_has_findings),
        cmocka_unit_test(a_history_changes_no_verdict),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
