/* fuzz_prompt.c - the texts of a request: whatever the body is, each channel belongs to one unit, and a body in which nothing
 * changed is written byte for byte. The survey finds its messages, and when they are known the rest is read as before. What is valid
 * does not depend on messages that are known. The first byte chooses the route. */
#include <sodium.h>
#include <stdlib.h>

#include "prompt/survey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void units_are_in_order(const struct prompt_texts *t)
{
    size_t at = 0;

    for (size_t i = 0; i < t->n_units; i++) {
        const struct prompt_unit *u = &t->units[i];
        must(u->from == at && u->to >= u->from && u->role < TEXT_ROLES);
        must(u->json.ptr >= t->document.json.ptr &&
             u->json.ptr + u->json.len <= t->document.json.ptr + t->document.json.len);
        at = u->to;
    }
    must(at == t->document.n);
}

static void written_unchanged_it_is_the_same(struct document *d, size_t size)
{
    struct error err;
    struct buf out;

    buf_init(&out, size + 1);
    for (size_t i = 0; i < d->n; i++) {
        must(d->channels[i].role < TEXT_ROLES);
        d->channels[i].output = d->channels[i].text;
    }
    must(document_write(d, &out, &err) && span_equal(buf_span(&out), d->json));
    buf_deinit(&out);
}

/* The first messages of objects, up to the survey's bound. */
static void know_messages(struct history *h, const struct history_scope *scope, const struct prompt_texts *t)
{
    for (size_t i = 0; i < t->n_units; i++) {
        struct history_key key;
        if (t->units[i].is_message && t->units[i].json.ptr[0] == '{') {
            history_keys_of(h, scope, &t->units[i], 1, NULL, &key);
            history_add_texts(h, &key, t->units[i].json.len);
        }
    }
}

/* Of a valid body: units are the same whether messages are read or known. */
static void known_messages_are_the_same_units(const struct prompt_survey *s, const char *route, const struct prompt_texts *all,
                                              struct arena *a)
{
    struct prompt_texts rest;
    struct error err;

    if (!prompt_texts_read_known(a, route, all->document.json, prompt_survey_known(s), &rest, &err)) {
        must(err.kind == ERROR_LIMIT || err.kind == ERROR_NO_MEMORY);
        return;
    }
    must(rest.n_units == all->n_units && rest.n_messages == all->n_messages);
    for (size_t i = 0, at = 0; i < rest.n_units; i++) {
        const struct prompt_unit *u = &rest.units[i];
        bool is_known = at < s->n_known && s->known[at].ptr == u->json.ptr;
        must(span_equal(u->json, all->units[i].json) && u->place == all->units[i].place);
        must(is_known ? u->from == u->to : u->to - u->from == all->units[i].to - all->units[i].from);
        at += is_known;
        must(i + 1 < rest.n_units || at == s->n_known);
    }
}

static void survey(const char *route, struct span body, const struct prompt_texts *all, struct arena *a)
{
    static struct history *history;
    static const struct history_scope scope;
    struct prompt_survey s;
    struct error err;

    history = history != NULL ? history : (must(sodium_init() >= 0), history_new(1024, &err));
    must(history != NULL);
    if (all != NULL) {
        know_messages(history, &scope, all);
    }
    if (!prompt_survey(a, history, &scope, route, body, &s, &err)) {
        must(err.kind == ERROR_LIMIT || err.kind == ERROR_NO_MEMORY);
        return;
    }
    must(json_validate_known(body, prompt_survey_valid(&s), &err) == json_validate(body, &err));
    if (all != NULL) {
        known_messages_are_the_same_units(&s, route, all, a);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const routes[] = {
        "openai-chat",        "openai-completions", "openai-embeddings", "openai-responses",
        "anthropic-messages", "gemini-generate",    "ollama-chat",       "cohere-chat",
    };
    struct prompt_texts texts;
    struct error err;
    struct arena arena;

    if (size == 0) {
        return 0;
    }
    arena_init(&arena, 0, (size_t)1024 * 1024 + 4096 * size);
    const char *route = routes[data[0] % COUNT(routes)];
    struct span body = span_of((const char *)data + 1, size - 1);
    if (prompt_texts_read(&arena, route, body, &texts, &err)) {
        units_are_in_order(&texts);
        survey(route, body, &texts, &arena);
        written_unchanged_it_is_the_same(&texts.document, size);
    } else {
        must(err.kind == ERROR_LIMIT || err.kind == ERROR_INVALID || err.kind == ERROR_MALFORMED);
        survey(route, body, NULL, &arena);
    }
    arena_deinit(&arena);
    return 0;
}
