#include "classifiers/train/tagger/names_fame.h"

#include <stdlib.h>

struct fame_count {
    uint32_t seen, named;
};

static void count_line(const struct tagger_words *words, const struct tagger_line *line,
                       const struct finding_list *found, struct fame_count *counts)
{
    size_t k = 0;

    for (size_t i = 0; i < line->n; i++) {
        const struct tagger_token *t = &line->tokens[i];
        const struct tagger_word *w = t->is_candidate ? tagger_words_find(words, t->hash) : NULL;
        while (k < found->n && found->items[k].to <= t->from) {
            k++;
        }
        if (w != NULL) {
            counts[w - words->table].seen++;
            counts[w - words->table].named += k < found->n && found->items[k].from <= t->from;
        }
    }
}

static uint8_t fame_of(const struct fame_count *c)
{
    static const uint32_t percent[] = {0, 10, 25, 40, 60, 80};
    uint8_t fame = 0;

    while (c->seen >= 3 && fame < COUNT(percent) && c->named * 100 >= c->seen * percent[fame]) {
        fame++;
    }
    return fame;
}

struct tagger_words words_with_fame(const struct tagger_words *words, const struct tagger *t,
                                    const struct examples *lines)
{
    size_t n = (size_t)words->mask + 1;
    struct tagger_word *table = need_memory(n, sizeof(*table));
    struct fame_count *counts = need_memory(n, sizeof(*counts));
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    static struct finding_list found;

    for (size_t i = 0; i < lines->n; i++) {
        struct span text = lines->items[i].text;
        size_t next = 0;
        find_all(t, TAGGER_CLASS_PERSON, scratch, text, &found);
        struct tagger_line line = tagger_read_line(t->task, &t->words, scratch, text, 0, &next);
        count_line(&t->words, &line, &found, counts);
    }
    memcpy(table, words->table, n * sizeof(*table));
    for (size_t i = 0; i < n; i++) {
        table[i].fame = fame_of(&counts[i]);
    }
    free(counts);
    free(scratch);
    return (struct tagger_words){table, words->mask};
}
