#include "ctl/lab/lint_corpus.h"

#include <ctype.h>

#include "policy/embedded.h"
#include "lexical/english_words.h"

enum { SENTENCE_MIN = 5, SENTENCE_VARIES = 10, NUMBER_MAX = 10000 };
/* One in so many words has this behind or in place of it. */
enum { COMMA_IN = 12, NUMBER_IN = 240, LINE_IN = 4 };

/* Numbers that look random and are always the same (Knuth, MMIX). */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(*state >> 33) % below;
}

/* Most words are small ones, or there would be more of "password" and "token" than in real answers.
 */
static bool append_word(struct buf *out, uint64_t *state, bool is_first, struct error *err)
{
    static const char *const small[] = {"the", "of", "and",  "to", "in", "is",   "a",  "that",
                                        "for", "it", "on",   "as", "be", "with", "at", "by",
                                        "or",  "an", "from", "we", "if", "you",  "not"};

    if (draw(state, NUMBER_IN) == 0) {
        return buf_appendf(out, err, "%u", draw(state, NUMBER_MAX));
    }
    const char *word = draw(state, 4) != 0 ? small[draw(state, COUNT(small))]
                                           : english_words[draw(state, (uint32_t)english_words_n)];
    return buf_append_char(out, is_first ? (char)toupper((unsigned char)word[0]) : word[0], err) &&
           buf_append_str(out, word + 1, err);
}

static bool append_sentence(struct buf *out, uint64_t *state, struct error *err)
{
    uint32_t n = SENTENCE_MIN + draw(state, SENTENCE_VARIES);

    for (uint32_t i = 0; i < n; i++) {
        const char *behind = i + 1 == n ? "." : draw(state, COMMA_IN) == 0 ? ", " : " ";
        if (!append_word(out, state, i == 0, err) || !buf_append_str(out, behind, err)) {
            return false;
        }
    }
    return buf_append_char(out, draw(state, LINE_IN) == 0 ? '\n' : ' ', err);
}

static bool append_samples(struct buf *out, struct error *err)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (strncmp(file->path, "rules/samples/", 14) == 0 &&
            (!buf_append(out, span_of(file->content, file->len), err) ||
             !buf_append_char(out, '\n', err))) {
            return false;
        }
    }
    return true;
}

static bool append_example(struct buf *out, const struct rule *rule, struct error *err)
{
    return rule->match.n == 0 ||
           (buf_append_char(out, '\n', err) && buf_append(out, rule->match.items[0], err) &&
            buf_append_char(out, '\n', err));
}

bool lint_corpus_make(const struct rule_set *rules, struct buf *out, struct error *err)
{
    size_t written = 0, samples = 0, examples = 0;
    uint64_t state = 1;

    while (written < LINT_CORPUS_BYTES) {
        size_t before = out->len;
        if (!append_sentence(out, &state, err)) {
            return false;
        }
        written += out->len - before;
        if (written > samples * LINT_SAMPLES_EVERY) {
            samples++;
            if (!append_samples(out, err)) {
                return false;
            }
        }
        if (written > examples * LINT_EXAMPLE_EVERY && rules->n_rules > 0) {
            size_t all = LINT_CORPUS_BYTES / LINT_EXAMPLE_EVERY;
            size_t rule = examples++ * rules->n_rules / all;
            if (!append_example(out, &rules->rules[rule % rules->n_rules], err)) {
                return false;
            }
        }
    }
    return true;
}
