/* test_stream_data.c - cells of a table and copies of documents: a stream releases what the whole text's redaction delivers. */
#include "testing.h"

#include "dataset/copies_build.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/random.h"
#include "unit/dataset/dataset_testing.h"

enum { OUTPUT_MAX = 1 << 20, TEXTS = 120, CUTTINGS = 4 };

static const char customers[] = "name,email,phone,customer,city\n"
                                "Zoë Brandströmer,zoe.brand@mail.example,+49 170 5550123,KD-4711-9920,Wuppertal\n"
                                "Иван Петровский,ivan_p@post.example,0211 5550188,KD-4712-0031,Düsseldorf\n"
                                "山田太郎,yamada@post.example,+81 3 5550 0199,KD-4713-7777,Osaka\n"
                                "Zoë Brand,k.oduro@mail.example,+233 30 555 0142,KD-4714-1234,Accra\n";
static const char document[] = "The turbine's third stage is to be inspected after nine hundred hours of operation, or sooner when the "
                               "vibration exceeds four millimetres per second. Inspectors record the clearance of each blade in the "
                               "logbook, together with the serial number of the gauge. A blade whose clearance is below half a "
                               "millimetre is replaced; its neighbours are measured again before the casing is closed. Quarterly reports "
                               "go to the plant manager, who compares them with those of the sister plant on the other side of the river.";
/* Shorter than the run that is asked for. */
static const char *const notes[] = {"Kettle repairs are paid for by the tenants of the upper floor, never by the owner.",
                                    "Night shift: the keys of gate 7 lie under the green bench, behind the pump house.",
                                    "Zwölf große Straßenkühe äßen süße Grütze, wüßten die Züge nach Köln früh genug Bescheid."};
static const char data_rules[] =
    "rules:\n"
    "  - {id: customers, title: t, category: pii, severity: high, confidence: 0.9, exact_data: {file: set.edm, key: key, "
    "cells: [email, phone, customer], columns: 2, within: 120}}\n"
    "  - {id: papers, title: t, category: content, severity: high, confidence: 0.9, documents: {file: set.idm, key: key, run: 120}}\n"
    "  - {id: notes, title: t, category: content, severity: high, confidence: 0.9, documents: {file: one.idm, key: key, share: 80}}\n"
    "  - {id: aws, title: t, category: secret, severity: high, confidence: 0.9, pattern: 'AKIA[A-Z2-7]{16}', match: [AKIAQ3EGR7KJ2MXW5TZB], no_match: [AKIA]}\n";
static const char data_policy[] = "policies:\n  default:\n    rules: [customers, papers, notes, aws]\n    actions:\n"
                                  "      - {category: pii, action: redact}\n      - {category: content, action: redact}\n"
                                  "      - {category: secret, action: redact, with: remove}\n    notice: n\n";

static struct snapshot *snapshot;
static struct worker *worker;

static void build_documents(const char *name, const char *const *documents, size_t n_documents)
{
    struct dataset_key key;
    struct table_header header;
    struct error err;
    char path[128];
    size_t n;

    make_key("key", &key);
    (void)snprintf(path, sizeof(path), "%s", path_of(name));
    struct copies_build *b = copies_build_new(path, &key, &err);
    assert_non_null(b);
    for (size_t i = 0; i < n_documents; i++) {
        assert_true(copies_build_add(b, span_str(documents[i]), false, &n, &err));
    }
    assert_true(copies_build_finish(b, 1, &header, &err));
    copies_build_free(b);
}

static int set_up_data(void **state)
{
    struct cells_built built;
    struct error err = {0};
    char path[128];

    (void)make_folder(state);
    assert_true(build_cells(customers, "name:name,email:email,phone:phone+49,customer:id,city:free", &built, &err));
    build_documents("set.idm", (const char *const[]){document}, 1);
    build_documents("one.idm", notes, COUNT(notes));
    (void)snprintf(path, sizeof(path), "%s", path_of("rules.yaml"));
    const struct rule_file file = {.path = path, .content = span_str(data_rules)};
    const struct rule_set_options options = {.cache_directory = NULL};
    struct rule_set *set = rule_set_load(&file, 1, &options, &err);
    snapshot = set != NULL ? snapshot_load(set, "policy.yaml", span_str(data_policy), &err) : NULL;
    if (snapshot == NULL) {
        fail_msg("%s", err.text);
    }
    rule_set_unref(set);
    const struct worker_limits limits = worker_limits_default();
    worker = worker_new(&limits, NULL, &err);
    return worker != NULL ? 0 : -1;
}

static int tear_down_data(void **state)
{
    worker_free(worker);
    snapshot_unref(snapshot);
    return remove_folder(state);
}

/* --- texts ------------------------------------------------------------------------ */

static void append(struct buf *out, struct span text)
{
    struct error err;

    assert_true(buf_append(out, text, &err));
}

/* Nearly all of a note, or all, or half. */
static void append_note(struct random *r, struct buf *out)
{
    const char *note = notes[random_below(r, COUNT(notes))];
    size_t from = random_below(r, 2) * random_below(r, 20), to = strlen(note) - random_below(r, 2) * random_below(r, 40);

    while (((unsigned char)note[from] & 0xc0) == 0x80) {
        from++;
    }
    while (((unsigned char)note[to] & 0xc0) == 0x80) {
        to--;
    }
    append(out, span_of(note + from, to - from));
}

/* A part of the document, on character boundaries; rewritten so that only folding finds it. */
static void append_copy(struct random *r, struct buf *out)
{
    size_t from = random_below(r, sizeof(document) / 2), n = 40 + random_below(r, sizeof(document) / 2 - 40);
    bool is_loud = random_below(r, 3) == 0;

    for (size_t i = from; i < from + n && i + 1 < sizeof(document); i++) {
        char c = document[i];
        c = is_loud && c >= 'a' && c <= 'z' ? (char)(c - 32) : c == ' ' && random_below(r, 8) == 0 ? '\n' : c;
        append(out, span_of(&c, 1));
        for (size_t gap = random_below(r, 150) == 0 ? random_below(r, 180) : 0; gap > 0; gap--) {
            append(out, span_str(" "));
        }
    }
}

static void append_piece(struct random *r, struct buf *out)
{
    static const char *const pieces[] = {
        "Zoë", "Brandströmer", "ZOE BRANDSTRÖMER", "Brand", "Zoe\xcc\x88 Brand", "zoe.brand@mail.example", "ZOE.BRAND@mail.example", "zoe.brand@mail.",
        "+49 (0)170 5550123", "0170/5550123", "0049-170", "5550123", "KD-4711-9920", "kd 4711 9920", "kd", "4711", "9920", "KD",
        "Wuppertal", "wuppertal", "Düsseldorf", "Иван", "ИВАН ПЕТРОВСКИЙ", "山田太郎", "山田", "Osaka", "Accra", "k.oduro@mail.example",
        "W\xe2\x80\x8buppertal", "Zo\\u00eb", "V3VwcGVydGFs", "Wm/DqyBCcmFuZHN0csO2bWVyLCBXdXBwZXJ0YWw=", "AKIAQ3EGR7KJ2MXW5TZB", "AKIA",
        "the", "is", "a", "report of the customer", "in", "lives", "(", "\"", "blade", "millimetre",
    };
    static const char *const gaps[] = {" ", " ", " ", ", ", "\n", "-", ".", "", " ; ", "\n\n", ": ", "                              ", "/", "@"};

    const size_t kind = random_below(r, 28);

    if (kind < 2) {
        append_copy(r, out);
    } else if (kind == 2) {
        append_note(r, out);
    } else {
        append(out, span_str(pieces[random_below(r, COUNT(pieces))]));
    }
    append(out, span_str(gaps[random_below(r, COUNT(gaps))]));
}

/* --- whole and streamed ----------------------------------------------------------- */

static enum action judge_whole(struct span text, struct buf *out)
{
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = snapshot, .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                         .channels = &channel, .n_channels = 1};

    (void)worker_begin(worker);
    pipeline_judge(worker, &x);
    if (x.unjudged_reason != NULL) {
        fail_msg("unjudged: %s", x.unjudged_reason);
    }
    append(out, channel.output);
    return x.action;
}

static void stream_through(struct random *r, struct span text, size_t most, struct buf *out)
{
    const struct stream_options options = {.snapshot = snapshot,
                                           .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                           .text_max = OUTPUT_MAX,
                                           .hold_max = OUTPUT_MAX};
    struct error err;
    struct stream *stream = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(stream, span_str("/text"), &err);

    assert_non_null(c);
    for (size_t at = 0; at < text.len;) {
        size_t n = 1 + random_below(r, most);
        n = n < text.len - at ? n : text.len - at;
        stream_feed(stream, c, worker, span_of(text.ptr + at, n), out);
        at += n;
    }
    stream_end(stream, c, worker, STREAM_COMPLETE, out);
    if (stream_action(stream) == ACTION_BLOCK) {
        struct exchange x;
        stream_exchange(stream, &x);
        append(out, span_str("<BLOCKED>"));
        append(out, span_str(x.unjudged_reason != NULL ? x.unjudged_reason : ""));
    }
    stream_free(stream);
}

static void show_difference(struct span whole, struct span released)
{
    size_t at = 0;

    while (at < whole.len && at < released.len && whole.ptr[at] == released.ptr[at]) {
        at++;
    }
    size_t from = at > 100 ? at - 100 : 0;
    (void)fprintf(stderr, "whole, about byte %zu:\n%.*s\nstreamed:\n%.*s\n", at, (int)(whole.len - from < 300 ? whole.len - from : 300), whole.ptr + from,
                  (int)(released.len - from < 300 ? released.len - from : 300), released.ptr + from);
}

static void every_cutting_releases_what_the_whole_text_does(void **state)
{
    static const size_t most[CUTTINGS] = {2, 9, 40, 300};
    struct buf text CLEANUP(buf_deinit), whole CLEANUP(buf_deinit), released CLEANUP(buf_deinit);
    size_t n_redacted = 0;

    (void)state;
    buf_init(&text, OUTPUT_MAX);
    buf_init(&whole, OUTPUT_MAX);
    buf_init(&released, OUTPUT_MAX);
    for (unsigned i = 0; i < TEXTS; i++) {
        struct random r = {.state = 20261123 + i};
        for (unsigned k = 0; k < 8; k++) { /* like seeds begin alike */
            (void)random_next(&r);
        }
        buf_clear(&text);
        buf_clear(&whole);
        for (size_t n = 5 + random_below(&r, 60); n > 0; n--) {
            append_piece(&r, &text);
        }
        n_redacted += judge_whole(buf_span(&text), &whole) == ACTION_REDACT;
        for (unsigned k = 0; k < CUTTINGS; k++) {
            buf_clear(&released);
            stream_through(&r, buf_span(&text), most[k], &released);
            if (!span_equal(buf_span(&whole), buf_span(&released))) {
                (void)fprintf(stderr, "TEXT<<%.*s>>\n", (int)text.len, text.data);
                show_difference(buf_span(&whole), buf_span(&released));
                fail_msg("text %u, cutting %u of seed 20261123", i, k);
            }
        }
    }
    assert_true(n_redacted > TEXTS / 2);
}

static void copies_and_cells_are_redacted_in_place(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"Ask zoe.brand@MAIL.example now.", "Ask [customers] now."},
        {"Zoë Brandströmer of Wuppertal; Osaka", "[customers] of [customers]; Osaka"},
        {"Zoë Brandströmer of Osaka", "Zoë Brandströmer of Osaka"},
        {"it's Zm9yIEtELTQ3MTEtOTkyMA== he", "it's Zm9y[customers] he"},
        {"{\"n\": \"Zo\\u00eb Brandstr\\u00f6mer\", \"c\": \"wuppertal\"}", "{\"n\": \"[customers]\", \"c\": \"[customers]\"}"},
    };
    struct buf out CLEANUP(buf_deinit);

    (void)state;
    buf_init(&out, OUTPUT_MAX);
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_clear(&out);
        (void)judge_whole(span_str(rows[i].text), &out);
        if (!span_is(buf_span(&out), rows[i].expected)) {
            fail_msg("%s:\n" SPAN_FMT, rows[i].text, SPAN_ARG(buf_span(&out)));
        }
    }
}

/* Of its first letters up to 15 may be delivered, which depends on the key. */
static void short_documents_are_redacted_by_a_share(void **state)
{
    struct buf text CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&text, OUTPUT_MAX);
    buf_init(&out, OUTPUT_MAX);
    for (size_t i = 0; i < COUNT(notes); i++) {
        buf_clear(&text);
        buf_clear(&out);
        assert_true(buf_appendf(&text, &err, "Yes: %s OK?", notes[i]));
        assert_int_equal(judge_whole(buf_span(&text), &out), ACTION_REDACT);
        assert_non_null(memmem(out.data, out.len, "[notes]", 7));
        buf_clear(&out);
        text.len = 5 + 50; /* less than the share */
        assert_int_equal(judge_whole(buf_span(&text), &out), ACTION_ALLOW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_cells_are_redacted_in_place),
        cmocka_unit_test(short_documents_are_redacted_by_a_share),
        cmocka_unit_test(every_cutting_releases_what_the_whole_text_does),
    };
    return cmocka_run_group_tests(tests, set_up_data, tear_down_data);
}
