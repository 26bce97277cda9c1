#include "classifiers/train/languages.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "text/script.h"

enum { FILE_MAX = 1024 * 1024, TEXT_MAX = 4096, LINES_MAX = 64, WORDS_MAX = 512, HELD = 5, OF_SENTENCES = 60, OF_WORDS = 40, OF_HELD = 12 };

static const uint64_t seed = 0x5eed1a96a6e5ULL;
static const char held_group[] = "other sentences", scripts[] = "scripts";
/* Of so much in another script, a text is not English; of so much, it is in another language. */
static const double some_share = 0.02, script_share = 0.2;

/* One section, as it is read. */
struct language {
    struct span name, group;
    struct span sentences[LINES_MAX];
    size_t n_sentences;
    struct span words[WORDS_MAX];
    size_t n_words;
};

struct maker {
    struct corpus *corpus;
    const char *path;
    uint64_t state;
    struct buf text;
    struct language language;
};

static size_t below(struct maker *m, size_t n)
{
    m->state ^= m->state >> 12;
    m->state ^= m->state << 25;
    m->state ^= m->state >> 27;
    return (size_t)((m->state * 0x2545f4914f6cdd1dULL >> 33) % n);
}

static const struct recipe *recipe_of(struct span group)
{
    for (unsigned i = 0; i < n_recipes; i++) {
        if (recipes[i].file[0] == '\0' && span_is(group, recipes[i].group)) {
            return &recipes[i];
        }
    }
    return NULL;
}

static bool put(struct maker *m, struct span text, struct error *err)
{
    return (m->text.len == 0 || buf_append(&m->text, span_str(" "), err)) && buf_append(&m->text, text, err);
}

/* Every fifth sentence is held back. */
static struct span sentence(struct maker *m, bool is_held)
{
    size_t held = (m->language.n_sentences + HELD - 1) / HELD, at = below(m, is_held ? held : m->language.n_sentences - held);

    return m->language.sentences[is_held ? at * HELD : at / (HELD - 1) * HELD + at % (HELD - 1) + 1];
}

static bool put_sentences(struct maker *m, bool is_held, struct error *err)
{
    for (size_t i = below(m, 4) + 1; i > 0; i--) {
        if (!put(m, sentence(m, is_held), err)) {
            return false;
        }
    }
    return true;
}

static struct span word_of(struct maker *m, struct span text)
{
    size_t at = below(m, text.len), to = at;

    while (at > 0 && text.ptr[at - 1] != ' ') {
        at--;
    }
    while (to < text.len && text.ptr[to] != ' ') {
        to++;
    }
    return span_slice(text, at, to);
}

static bool put_words(struct maker *m, struct error *err)
{
    for (size_t i = below(m, 40) + 10; i > 0; i--) {
        struct span word = below(m, 3) == 0 ? word_of(m, sentence(m, false)) : m->language.words[below(m, m->language.n_words)];
        if (!put(m, word, err)) {
            return false;
        }
    }
    return true;
}

static bool add_text(struct maker *m, const struct recipe *recipe, const char *also, struct error *err)
{
    if (!corpus_add(m->corpus, buf_span(&m->text), recipe, err)) {
        return false;
    }
    m->corpus->items[m->corpus->n - 1].also = also;
    buf_clear(&m->text);
    return true;
}

static bool add_scripts(struct maker *m, const struct recipe *recipe, struct error *err)
{
    for (size_t i = 0; i < m->language.n_sentences; i++) {
        if (!put(m, m->language.sentences[i], err) || !add_text(m, recipe, NULL, err)) {
            return false;
        }
    }
    return true;
}

/* What the section that was read makes. */
static bool add_language(struct maker *m, struct error *err)
{
    const struct language *l = &m->language;
    const struct recipe *own = recipe_of(span_is(l->group, scripts) ? span_str("other scripts") : l->group);
    const struct recipe *held = recipe_of(span_str(held_group));

    if (own == NULL || held == NULL || l->n_sentences < HELD || (l->n_words == 0 && !span_is(l->group, scripts))) {
        return error_set(err, ERROR_INVALID, "%s: \"" SPAN_FMT "\": a known group, five sentences and small words expected",
                         m->path, SPAN_ARG(l->name));
    }
    if (span_is(l->group, scripts)) {
        return add_scripts(m, own, err);
    }
    for (size_t i = 0; i < OF_SENTENCES + OF_WORDS + OF_HELD; i++) {
        bool is_held = i >= OF_SENTENCES + OF_WORDS, has_words = !is_held && i >= OF_SENTENCES;
        if (!(has_words ? put_words(m, err) : put_sentences(m, is_held, err)) ||
            !add_text(m, is_held ? held : own, is_held ? own->group : NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool begin(struct maker *m, struct span line, struct error *err)
{
    const char *space = memchr(line.ptr, ' ', line.len);

    if (m->language.name.len > 0 && !add_language(m, err)) {
        return false;
    }
    if (space == NULL) {
        return error_set(err, ERROR_INVALID, "%s: \"" SPAN_FMT "\": a language and its group expected", m->path, SPAN_ARG(line));
    }
    size_t at = (size_t)(space - line.ptr);
    m->language = (struct language){.name = span_slice(line, 0, at), .group = span_slice(line, at + 1, line.len)};
    return true;
}

static void add_small_words(struct language *l, struct span line)
{
    for (size_t at = 0; at < line.len && l->n_words < WORDS_MAX;) {
        const char *space = memchr(line.ptr + at, ' ', line.len - at);
        size_t to = space == NULL ? line.len : (size_t)(space - line.ptr);
        if (to > at) {
            l->words[l->n_words++] = span_slice(line, at, to);
        }
        at = to + 1;
    }
}

static bool add_line(struct maker *m, struct span line, struct error *err)
{
    if (line.len == 0 || span_starts_with(line, span_str("# "))) {
        return true;
    }
    if (span_starts_with(line, span_str("== "))) {
        return begin(m, span_slice(line, 3, line.len), err);
    }
    if (span_starts_with(line, span_str("> "))) {
        add_small_words(&m->language, span_slice(line, 2, line.len));
        return true;
    }
    if (m->language.n_sentences == LINES_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: \"" SPAN_FMT "\": too many sentences", m->path, SPAN_ARG(m->language.name));
    }
    m->language.sentences[m->language.n_sentences++] = line;
    return true;
}

bool languages_add(struct corpus *c, const char *path, struct error *err)
{
    CLEANUP(buf_deinit) struct buf file;
    struct maker m = {.corpus = c, .path = path, .state = seed};
    bool is_added = true;

    buf_init(&file, FILE_MAX);
    if (!file_read(path, &file, err)) {
        return false;
    }
    buf_init(&m.text, TEXT_MAX);
    for (size_t at = 0; is_added && at < file.len;) {
        struct span rest = span_slice(buf_span(&file), at, file.len);
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        is_added = add_line(&m, span_slice(rest, 0, len), err);
        at += len + 1;
    }
    is_added = is_added && (m.language.name.len == 0 || add_language(&m, err));
    buf_deinit(&m.text);
    return is_added;
}

/* --- answers that are not in English ---------------------------------------------- */

static bool set_apart(struct corpus *c, size_t i, struct span list, struct error *err)
{
    struct span text = c->items[i].text;
    double share = (double)script_other(text) / (double)(text.len + 1);
    bool has_script = share > script_share, is_known = corpus_lists(list, &c->items[i]);

    if (share < some_share && !is_known) {
        return true;
    }
    c->items[i].silent |= 1U << HEAD_LANGUAGE;
    return c->items[i].recipe->role != ROLE_BENIGN || (!has_script && !is_known) ||
           corpus_add(c, text, recipe_of(span_str(has_script ? "answers, other scripts" : "answers, Latin letters")), err);
}

bool languages_set_apart(struct corpus *c, const char *list, struct error *err)
{
    CLEANUP(buf_deinit) struct buf file;
    size_t n = c->n;

    buf_init(&file, FILE_MAX);
    if (list != NULL && !file_read(list, &file, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        bool is_english = (c->items[i].recipe->negative & 1U << HEAD_LANGUAGE) != 0;
        if (is_english && !set_apart(c, i, buf_span(&file), err)) {
            return false;
        }
    }
    return true;
}
