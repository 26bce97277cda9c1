/* bodies.c - the requests that the service benchmark posts, with the size of filterd's answer.
 *
 * Benign messages of 2 KiB as {"text": …} bodies, one a line, each led by the number of bytes that
 * filterd answers: found by judging it, as the service would. The mix "allow" leaves out what is not
 * allowed; "redact" puts an e-mail address into each and leaves out what is not redacted.
 *
 * usage: bodies allow|redact N CACHE-DIRECTORY */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/bench.h"
#include "service/filter_judge.h"
#include "pipeline/load.h"

enum { MESSAGE = 2048, BYTES = 16 * 1024 * 1024, BODY_MAX = 64 * 1024 };

struct mix {
    const char *name;
    enum action action;
    const char *end; /* replaces the end of the message */
};

static const struct mix mixes[] = {
    {"allow", ACTION_ALLOW, ""},
    {"redact", ACTION_REDACT, " Please write to maria.keller@brightwater-labs.io about it."},
};

struct maker {
    const struct mix *mix;
    struct service service;
    struct worker *worker;
    struct buf text, body, answer, record;
};

/* An address cut in two, or a character, would be another text. */
static struct span without_last_word(struct span text, size_t room)
{
    size_t len = text.len > room ? text.len - room : 0;

    while (len > 0 && text.ptr[len - 1] != ' ') {
        len--;
    }
    return span_slice(text, 0, len > 0 ? len - 1 : 0);
}

static bool make_body(struct maker *m, struct span text, struct error *err)
{
    const char *end = m->mix->end;

    buf_clear(&m->text);
    buf_clear(&m->body);
    return buf_append(&m->text, without_last_word(text, strlen(end)), err) &&
           buf_append_str(&m->text, end, err) && buf_append_str(&m->body, "{\"text\": ", err) &&
           json_append_string(&m->body, buf_span(&m->text), err) && buf_append_char(&m->body, '}', err);
}

static bool is_of_mix(struct maker *m)
{
    struct inquiry *inquiry = NULL; /* stays so: the service has no supervisor */
    const struct filter_job job = {.service = &m->service,
                                   .snapshot = m->service.snapshot,
                                   .body = buf_span(&m->body),
                                   .started_ns = clock_monotonic_ns(),
                                   .inquiry = &inquiry};
    struct filter_outcome outcome;
    struct filter_fault fault;

    buf_clear(&m->answer);
    return filter_judge(&job, m->worker, &outcome, &m->answer, &m->record, &fault) &&
           outcome.action == m->mix->action;
}

static bool write_bodies(struct maker *m, size_t wanted)
{
    struct messages messages;
    struct error err;
    size_t n = 0, left_out = 0;

    if (!messages_load(MESSAGE, BYTES, &messages)) {
        return false;
    }
    /* From all over the corpus: each source writes in its own way. */
    size_t step = messages.n / (wanted * 2) + 1;
    for (size_t first = 0; first < step && n < wanted; first++) {
        for (size_t i = first; i < messages.n && n < wanted; i += step) {
            if (messages.items[i].len < MESSAGE - 4 || !make_body(m, messages.items[i], &err)) {
                continue;
            }
            if (is_of_mix(m)) {
                printf("%zu " SPAN_FMT "\n", m->answer.len, SPAN_ARG(buf_span(&m->body)));
                n++;
            } else {
                left_out++;
            }
        }
    }
    (void)fprintf(stderr, "bodies: mix=%s written=%zu left_out=%zu\n", m->mix->name, n, left_out);
    messages_free(&messages);
    return n == wanted;
}

static bool open_maker(struct maker *m, const char *cache, struct error *err)
{
    const struct rule_set_options rules = {.cache_directory = cache};
    static struct service_options options;
    const struct worker_limits limits = worker_limits_default();

    options.text_max = limits.text_max;
    m->service.options = &options;
    m->service.token_keys = token_keys_open(NULL, clock_utc_ns(), err);
    m->service.snapshot = snapshot_open(NULL, NULL, &rules, err);
    m->worker = m->service.snapshot == NULL || m->service.token_keys == NULL ? NULL : worker_new(&limits, NULL, err);
    buf_init(&m->text, BODY_MAX);
    buf_init(&m->body, BODY_MAX);
    buf_init(&m->answer, BODY_MAX);
    buf_init(&m->record, DECISION_RECORD_MAX);
    return m->worker != NULL;
}

static void close_maker(struct maker *m)
{
    worker_free(m->worker);
    token_keys_close(m->service.token_keys);
    snapshot_unref(m->service.snapshot);
    buf_deinit(&m->text);
    buf_deinit(&m->body);
    buf_deinit(&m->answer);
    buf_deinit(&m->record);
}

int main(int argc, char **argv)
{
    static struct maker m;
    struct error err;

    for (size_t i = 0; argc == 4 && i < COUNT(mixes); i++) {
        m.mix = strcmp(argv[1], mixes[i].name) == 0 ? &mixes[i] : m.mix;
    }
    if (m.mix == NULL) {
        (void)fprintf(stderr, "usage: bodies allow|redact N CACHE-DIRECTORY\n");
        return 2;
    }
    if (!open_maker(&m, argv[3], &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    bool is_written = write_bodies(&m, strtoul(argv[2], NULL, 10));
    close_maker(&m);
    return is_written ? 0 : 1;
}
