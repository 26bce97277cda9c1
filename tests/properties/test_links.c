/* test_links.c - no form of a link that loads or leads elsewhere is left, links to permitted hosts are, and a stream delivers
 * what the whole text does.
 *
 * tests/rules/link_forms.txt has the forms, after CommonMark, the HTML Standard and the URL Standard, between lines of %%; each
 * carries the letters of `data` to another host than ok.example. The forms of load_forms.txt load from ok.example. How many of them
 * are left by the real program is in tests/accuracy/links.sh. */
#include "testing.h"

#include "base/file.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/random.h"
#include "support/shipped.h"

enum { FORMS_MIN = 150, CUTTINGS = 4, LONG_TEXT = 60000, ROOM = 1 << 20 };

static const char data[] = "K7QDATA", between[] = "\n%%\n";

static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [links]\n"
                             "    links: {allow: [ok.example, '*.cdn.example', 'b\u00fccher.example'], load: allowed}\n"
                             "    actions:\n"
                             "      - {tag: link, action: redact, with: text}\n"
                             "  nothing-loads:\n"
                             "    rules: [links]\n"
                             "    links: {allow: [ok.example]}\n"
                             "    actions:\n"
                             "      - {tag: link, action: redact, with: text}\n";

static struct snapshot *snapshot;
static struct worker *worker;
static struct buf forms;         /* of tests/rules/link_forms.txt */
static struct buf loading_forms; /* of tests/rules/load_forms.txt */
static struct channel channel;
static struct exchange exchange;

static int set_up(void **state)
{
    const struct worker_limits limits = worker_limits_default();
    struct error err = {0};

    if (shipped_open(state) != 0) {
        return -1;
    }
    buf_init(&forms, ROOM);
    buf_init(&loading_forms, ROOM);
    snapshot = snapshot_load(shipped->rules, "policy.yaml", span_str(policy), &err);
    worker = snapshot == NULL ? NULL : worker_new(&limits, NULL, &err);
    if (worker == NULL || !file_read("tests/rules/link_forms.txt", &forms, &err) ||
        !file_read("tests/rules/load_forms.txt", &loading_forms, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    worker_free(worker);
    snapshot_unref(snapshot);
    buf_deinit(&forms);
    buf_deinit(&loading_forms);
    return shipped_close(state);
}

static struct span judged_by(const char *name, struct span text)
{
    (void)worker_begin(worker);
    channel = (struct channel){.text = text};
    exchange = (struct exchange){.snapshot = snapshot,
                                 .policy = snapshot_policy(snapshot, span_str(name), (struct span){0}),
                                 .channels = &channel,
                                 .n_channels = 1};
    pipeline_judge(worker, &exchange);
    assert_null(exchange.unjudged_reason);
    return channel.output;
}

static struct span judged(struct span text)
{
    return judged_by("default", text);
}

static bool has(struct span text, const char *part)
{
    return text.len > 0 && memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

/* The next form; false: there is none. */
static bool next_form(const struct buf *of, size_t *at, struct span *form)
{
    struct span rest = span_slice(buf_span(of), *at, of->len);
    const char *end = rest.len == 0 ? NULL : memmem(rest.ptr, rest.len, between, strlen(between));

    *form = end == NULL ? rest : span_of(rest.ptr, (size_t)(end - rest.ptr));
    *at += end == NULL ? rest.len : form->len + strlen(between);
    return rest.len > 0;
}

static void no_form_is_left(void **state)
{
    struct span form;
    size_t n = 0, left = 0;

    (void)state;
    for (size_t at = 0; next_form(&forms, &at, &form); n++) {
        assert_true(has(form, data));
        struct span output = judged(form);
        if (exchange.action != ACTION_REDACT || has(output, data)) {
            print_error("left: " SPAN_FMT "\n  as: " SPAN_FMT "\n", SPAN_ARG(form), SPAN_ARG(output));
            left++;
        }
    }
    assert_true(n >= FORMS_MIN);
    assert_int_equal(left, 0);
}

static void assert_redacted_for_good(const struct buf *of, const char *policy_name)
{
    struct buf once;
    struct span form;
    struct error err;

    buf_init(&once, ROOM);
    for (size_t at = 0; next_form(of, &at, &form);) {
        buf_clear(&once);
        assert_true(buf_append(&once, judged_by(policy_name, form), &err));
        assert_int_equal(exchange.action, ACTION_REDACT);
        struct span twice = judged_by(policy_name, buf_span(&once));
        assert_int_equal(exchange.action, ACTION_ALLOW);
        assert_true(span_equal(twice, buf_span(&once)));
    }
    buf_deinit(&once);
}

static void a_redacted_form_is_redacted_for_good(void **state)
{
    (void)state;
    assert_redacted_for_good(&forms, "default");
    assert_redacted_for_good(&forms, "nothing-loads");
    assert_redacted_for_good(&loading_forms, "nothing-loads");
}

/* Streams the text in chunks of at most `most` bytes. */
static void stream_in_chunks(struct random *r, const char *policy_name, size_t most, struct span text, struct buf *out)
{
    const struct stream_options options = {.snapshot = snapshot,
                                           .policy = snapshot_policy(snapshot, span_str(policy_name), (struct span){0}),
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct error err;
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str(""), &err);

    buf_clear(out);
    for (size_t at = 0; at < text.len;) {
        size_t len = 1 + random_below(r, most < text.len - at ? most : text.len - at);
        stream_feed(s, c, worker, span_slice(text, at, at + len), out);
        at += len;
    }
    stream_end(s, c, worker, STREAM_COMPLETE, out);
    assert_int_not_equal(stream_action(s), ACTION_BLOCK);
    stream_free(s);
}

static void assert_streamed_as_whole(const struct buf *of, const char *policy_name)
{
    static const size_t most[CUTTINGS] = {1, 3, 17, 100};
    struct random r = {.state = 11};
    struct buf whole, streamed;
    struct span form;
    struct error err;

    buf_init(&whole, ROOM);
    buf_init(&streamed, ROOM);
    for (size_t at = 0; next_form(of, &at, &form);) {
        buf_clear(&whole);
        assert_true(buf_append(&whole, judged_by(policy_name, form), &err));
        for (size_t i = 0; i < CUTTINGS && form.len < 1000; i++) {
            stream_in_chunks(&r, policy_name, most[i], form, &streamed);
            if (!span_equal(buf_span(&whole), buf_span(&streamed))) {
                print_error("form: " SPAN_FMT "\nwhole: " SPAN_FMT "\nstreamed: " SPAN_FMT "\n", SPAN_ARG(form),
                            SPAN_ARG(buf_span(&whole)), SPAN_ARG(buf_span(&streamed)));
            }
            assert_true(span_equal(buf_span(&whole), buf_span(&streamed)));
        }
    }
    buf_deinit(&whole);
    buf_deinit(&streamed);
}

static void a_stream_delivers_what_the_whole_does(void **state)
{
    (void)state;
    assert_streamed_as_whole(&forms, "default");
    assert_streamed_as_whole(&loading_forms, "nothing-loads");
}

/* Longer than a window: where one begins does not count. */
static void a_long_stream_delivers_what_the_whole_does(void **state)
{
    static const char *const prose[] = {"The quick brown fox jumps over the lazy dog. ", "\n\n- One [x] and a[1](2) two.\n",
                                        "See https://ok.example/guide for (more).\n", "if (a < b) { c = d[0]; }\n"};
    struct random r = {.state = 23};
    struct buf text, whole, streamed;
    struct error err;

    (void)state;
    buf_init(&text, ROOM);
    buf_init(&whole, ROOM);
    buf_init(&streamed, ROOM);
    while (text.len < LONG_TEXT) {
        size_t at = random_below(&r, forms.len);
        struct span form;
        (void)next_form(&forms, &at, &form); /* the rest of one */
        form.len = form.len < 300 ? form.len : 300;
        assert_true(buf_append_str(&text, prose[random_below(&r, COUNT(prose))], &err) &&
                    (random_below(&r, 3) > 0 || buf_append(&text, form, &err)));
    }
    assert_true(buf_append(&whole, judged(buf_span(&text)), &err));
    for (size_t i = 0; i < CUTTINGS; i++) {
        stream_in_chunks(&r, "default", 40 + 40 * i, buf_span(&text), &streamed);
        assert_true(span_equal(buf_span(&whole), buf_span(&streamed)));
    }
    buf_deinit(&text);
    buf_deinit(&whole);
    buf_deinit(&streamed);
}

static void permitted_links_are_not_changed(void **state)
{
    static const char *const texts[] = {
        "See [the guide](https://ok.example/guide?x=1#y), or ![chart](https://ok.example/c.png \"Chart\").",
        "Open https://ok.example, https://OK.example/a. and (https://ok.example/b) or <https://ok.example/c>; **https://ok.example/d**!",
        "[a][1] and ![b][1]\n\n[1]: https://ok.example/x \"title\"",
        "<img src=\"https://ok.example/a.png\" srcset='https://a.cdn.example/b.png 2x'> <a href=https://ok.example>x</a>",
        "<div style=\"background: url('https://ok.example/a.png')\"></div><link rel=icon href=/favicon.ico>",
        "[mail](mailto:help@other.example), [phone](tel:+441632960961), [there](../other/page.md#top), [here](#here)",
        "https://b\u00fccher.example/ and https://xn--bcher-kva.example/ and https://x.y.cdn.example:8443/",
        "array[0](x), `a[b]: c`, [x] done, [1, 2, 3], vector<int> v; a <b> c; x = y //comment\n ![no image, [^1]: a note",
        "https://[email\u00a0protected], http:// alone, https:/ and www. alone",
        "arr[j], arr[j+1] = arr[j+1], arr[j]; if a[i] in [2, 3]:\n    try:\n // [x, y]: z\n vec![0; n]; vec![a, b]; (?![a-z]|[^\\w]) DEST=//NAS/x",
        "<Button onClick={() => add(1)} /> <button\n onClick={(e) => set(e.target.value)}>a</button> <xs:element/> <soap:Body>",
        "<meta charset=utf-8><meta name=viewport content=\"width=device-width, initial-scale=1\"><option value=\"a: b\">",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct span output = judged(span_str(texts[i]));
        if (!span_is(output, texts[i])) {
            print_error("changed: %s\n     as: " SPAN_FMT "\n", texts[i], SPAN_ARG(output));
        }
        assert_true(span_is(output, texts[i]));
        assert_int_equal(exchange.n_findings, 0);
    }
}

static void code_is_no_image(void **state)
{
    static const char *const texts[] = {
        "let mut a = vec![true; limit + 1]; let b = vec![]; let c = vec![vec![0u8; 3]; 4]; let d = vec![\n    1,\n    2,\n];",
        "s.split(r',(?![^[]*\\])', data); r = /(?<![a-zA-Z0-9])x(?![A-Z])(?![\\w.])/",
        "if arr[j] > arr[j+1]:\n    arr[j], arr[j+1] = arr[j+1], arr[j]\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_true(span_is(judged_by("nothing-loads", span_str(texts[i])), texts[i]));
    }
}

static void a_reader_keeps_the_text_of_links_and_images(void **state)
{
    static const char *const cases[][2] = {
        {"a [report](https://evil.example/x) b", "a report b"},
        {"a ![the *chart*](https://evil.example/x) b", "a the *chart* b"},
        {"<img alt=\"a chart\" src=\"https://evil.example/x\">", "a chart"},
        {"<a href=\"https://evil.example/x\">here</a>", "here</a>"},
        {"a [https://evil.example/y](https://evil.example/x) b", "a [link-outside] b"},
        {"a https://evil.example/x b", "a [link-outside] b"},
        {"[r]\n\n[r]: https://evil.example/x", "[r]\n\n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span output = judged(span_str(cases[i][0]));
        if (!span_is(output, cases[i][1])) {
            print_error("%s\n  as: " SPAN_FMT "\n", cases[i][0], SPAN_ARG(output));
        }
        assert_true(span_is(output, cases[i][1]));
        assert_int_equal(exchange.n_findings, 1);
    }
}

static void with_load_none_no_host_may_be_loaded_from(void **state)
{
    (void)state;
    assert_true(span_is(judged_by("nothing-loads", span_str("![a](https://ok.example/x.png)[b](https://ok.example/)")),
                        "a[b](https://ok.example/)"));
    assert_true(span_is(judged_by("nothing-loads", span_str("![a][r] <img src=/x.png alt=b>")), "a b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_form_is_left),
        cmocka_unit_test(a_redacted_form_is_redacted_for_good),
        cmocka_unit_test(a_stream_delivers_what_the_whole_does),
        cmocka_unit_test(a_long_stream_delivers_what_the_whole_does),
        cmocka_unit_test(permitted_links_are_not_changed),
        cmocka_unit_test(code_is_no_image),
        cmocka_unit_test(a_reader_keeps_the_text_of_links_and_images),
        cmocka_unit_test(with_load_none_no_host_may_be_loaded_from),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
