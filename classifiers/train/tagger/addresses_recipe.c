#include "classifiers/train/tagger/addresses_recipe.h"

#include <stdlib.h>

static const struct training recipe = {.kind = TAGGER_ADDRESSES,
                                       .n_buckets = 65000, /* so that all models together have 8 MiB */
                                       .epochs = 5,
                                       .averaged = 1,
                                       .trainings = 1,
                                       .rate = 0.05f,
                                       .decay = 1e-4f,
                                       .lexical_dropout = 0.3f,
                                       .context_dropout = 0.1f,
                                       .seed = 42};

enum {
    CARRIERS_EACH = 3,
    MADE_ADDRESSES = 8000,
    MADE_DECOYS = 8000,
    MADE_TESTS = 3000,
    WORD_SEEN = 10
};

void addresses_read(struct addresses_data *d, const char *folder)
{
    struct word_list list;

    memset(d, 0, sizeof(*d));
    read_plain_lines(folder, "benign/gpteacher_answers.ndjson", 0, &d->answers);
    read_plain_lines(folder, "benign/hh_preferred_answers.ndjson", 0, &d->answers);
    read_plain_lines(folder, "harm/gptfuzz_answers.ndjson", 0, &d->answers);
    for (size_t i = 0; i < d->answers.n; i++) {
        d->answers.items[i].is_partial = false; /* hardly any holds an address: all of it is none */
    }
    word_list_init(&list);
    word_list_read_lists(&list, folder);
    word_list_count(&list, &d->answers);
    word_list_forget(&list, TAGGER_WORD_NAME);
    d->words = (struct tagger_words){word_list_table(&list, ADDRESSES_WORDS_BITS, WORD_SEEN),
                                     (1u << ADDRESSES_WORDS_BITS) - 1};
    free(list.entries);
    name_pool_read(&d->names, folder);
    address_pool_read(&d->pool, &d->names, folder);
    read_us_addresses(folder, &d->us);
    read_plain_lines(folder, "benign/llm-arena-hard.ndjson", 0, &d->chats);
    read_plain_lines(folder, "benign/llm-fastchat.ndjson", 0, &d->chats);
}

struct tagger addresses_train(const struct addresses_data *d, uint32_t held)
{
    struct examples all = {0};
    uint64_t random = 5;

    for (size_t i = 0; i < d->us.n; i++) {
        for (size_t k = 0; d->us.items[i].group != held && k < CARRIERS_EACH; k++) {
            examples_add(&all, carried(&d->pool, &d->us.items[i], false, &random));
        }
    }
    make_addresses(&d->pool, false, MADE_ADDRESSES, 11, &all);
    make_decoys(&d->pool, MADE_DECOYS, 12, &all);
    for (size_t i = 0; i < d->answers.n; i++) {
        examples_add(&all, d->answers.items[i]);
    }
    struct tagger t = train_tagger(&recipe, &d->words, &all);
    free(all.items);
    return t;
}

/* --- measuring ------------------------------------------------------------------------ */

static void measure_us(const struct addresses_data *d, const struct tagger *t, uint32_t held,
                       struct judged_list *judged)
{
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    struct counts c = {0};
    uint64_t random = 6;

    for (size_t i = 0; i < d->us.n; i++) {
        if (d->us.items[i].group == held) {
            struct example e = carried(&d->pool, &d->us.items[i], true, &random);
            count_example(t, 0, scratch, &e, LABEL_WHOLE, &c);
            judge_example(t, 0, scratch, &e, LABEL_WHOLE, judged);
        }
    }
    print_counts("US, held-back fifth", &c);
    free(scratch);
}

static void measure_countries(const struct addresses_data *d, const struct tagger *t)
{
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    struct counts *counts = need_memory(n_address_countries + 1, sizeof(*counts));
    struct examples tests = {0};

    make_addresses(&d->pool, true, MADE_TESTS, 13, &tests);
    for (size_t i = 0; i < tests.n; i++) {
        count_example(t, 0, scratch, &tests.items[i], LABEL_WHOLE, &counts[tests.items[i].group]);
        count_example(t, 0, scratch, &tests.items[i], LABEL_WHOLE, &counts[n_address_countries]);
    }
    for (size_t i = 0; i < n_address_countries; i++) {
        if (counts[i].marked > 0) {
            print_counts(address_countries[i].country, &counts[i]);
        }
    }
    print_counts("countries not in training", &counts[n_address_countries]);
    free(tests.items);
    free(counts);
    free(scratch);
}

static void measure_chats(const struct addresses_data *d, const struct tagger *t,
                          struct judged_list *judged)
{
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    struct counts c = {0};
    size_t bytes = 0;

    for (size_t i = 0; i < d->chats.n; i++) {
        bytes += d->chats.items[i].text.len + 1;
        count_example(t, 0, scratch, &d->chats.items[i], LABEL_WHOLE, &c);
        if (i % 8 == 0) {
            judge_example(t, 0, scratch, &d->chats.items[i], LABEL_WHOLE, judged);
        }
    }
    (void)printf("benign chats: %zu found in %zu KB, %.3f in 10 KB\n", c.found, bytes / 1024,
                 (double)c.found * 10240 / (double)bytes);
    free(scratch);
}

void addresses_measure(const struct addresses_data *d, const struct tagger *t, uint32_t held,
                       struct judged_list *judged)
{
    measure_us(d, t, held, judged);
    measure_countries(d, t);
    measure_chats(d, t, judged);
}
