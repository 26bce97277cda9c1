#include "classifiers/train/tagger/names_recipe.h"

#include <stdlib.h>

#include "classifiers/train/tagger/names_fame.h"
#include "classifiers/train/tagger/names_titles.h"
#include "classifiers/train/tagger/tagger_groups.h"

static const struct training recipe = {.kind = TAGGER_NAMES,
                                       .n_buckets = 1 << 19,
                                       .epochs = 6,
                                       .averaged = 3,
                                       .trainings = 1,
                                       .rate = 0.03f,
                                       .decay = 1e-4f,
                                       .lexical_dropout = 0.3f,
                                       .context_dropout = 0.2f,
                                       .seed = 42};

/* Persons are counted in ordinary text, and reported, from one half on. */
static const float PERSON_FLOOR = 0.5f;

/* One training more or less lucky is 0.005 on WNUT-17: what is shipped is the mean of some. */
enum { LAST_TRAININGS = 5 };

enum { MADE_SENTENCES = 17000, GROUPED_WORDS = 30000, GROUPING_ROUNDS = 6, WORD_SEEN = 5 };

/* Lines that name nobody are told apart by far fewer of them than have names. */
enum { NEGATIVES = 9000 };
static const float NEGATIVE_WEIGHT = 0.5f;

enum { FIRST_POSTS = 2, LAST_POSTS = 8 }; /* of the files that follow */

/* What ordinary text looks like: how words are written and beside which they stand. None of it is
 * measured on. */
static const char *const plain_files[] = {
    "benign/gpteacher_answers.ndjson",   "benign/hh_preferred_answers.ndjson",
    "toxicity/davidson.ndjson",          "toxicity/edos.ndjson",
    "toxicity/online_misogyny.ndjson",   "toxicity/wiki_comments.ndjson",
    "toxicity/toxigen_annotated.ndjson", "toxicity/implicit_hate.ndjson",
    "toxicity/hatemoji_build.ndjson",    "harm/gptfuzz_answers.ndjson",
    "harm/fuzzyai_answers.ndjson",       "harm/requests.ndjson",
    "injection/injection.ndjson",
};

static struct tagger_words make_words(const char *folder, struct examples *lines)
{
    struct word_list list;

    for (size_t i = 0; i < COUNT(plain_files); i++) {
        read_plain_lines(folder, plain_files[i], SOURCES, lines);
    }
    word_list_init(&list);
    word_list_read_lists(&list, folder);
    word_list_count(&list, lines);
    make_groups(&list, lines, GROUPED_WORDS, GROUPING_ROUNDS);
    struct tagger_words words = {word_list_table(&list, NAMES_WORDS_BITS, WORD_SEEN),
                                 (1u << NAMES_WORDS_BITS) - 1};
    free(list.entries);
    return words;
}

void names_read_chats(struct names_data *d, const char *folder)
{
    read_plain_lines(folder, "benign/llm-arena-hard.ndjson", SOURCES, &d->chats);
    d->n_arena = d->chats.n;
    read_plain_lines(folder, "benign/llm-fastchat.ndjson", SOURCES, &d->chats);
}

void names_read(struct names_data *d, const char *folder)
{
    memset(d, 0, sizeof(*d));
    d->words = make_words(folder, &d->plain);
    name_pool_read(&d->pool, folder);
    read_sentences(folder, READ_MENDED, &d->sentences);
    read_sentences(folder, READ_LABELLED, &d->labelled);
    read_sentences(folder, READ_NAMES, &d->names);
    for (size_t i = FIRST_POSTS; i <= LAST_POSTS; i++) {
        read_plain_lines(folder, plain_files[i], SOURCES, &d->posts);
    }
    read_plain_lines(folder, "benign/gpteacher_answers.ndjson", SOURCES, &d->answers);
    read_plain_lines(folder, "benign/hh_preferred_answers.ndjson", SOURCES, &d->answers);
    names_read_chats(d, folder);
}

enum names_held names_corpus_of(const struct example *e)
{
    static const enum names_held corpora[] = {
        [SOURCE_WNUT_TRAIN] = HELD_WNUT, [SOURCE_WNUT_NEW] = HELD_WNUT,
        [SOURCE_BTC] = HELD_BTC,         [SOURCE_CROSSNER] = HELD_CROSSNER,
        [SOURCE_SEC_FIN5] = HELD_SEC,    [SOURCE_SEC_FIN3] = HELD_SEC};

    return e->group < COUNT(corpora) ? corpora[e->group] : HELD_NONE;
}

/* --- training ---------------------------------------------------------------------- */

static void add_sentences(const struct names_data *d, enum names_held held, struct examples *all)
{
    uint64_t random = 7;

    for (size_t i = 0; i < d->sentences.n; i++) {
        if (names_corpus_of(&d->sentences.items[i]) != held) {
            struct example e = with_titles(&d->sentences.items[i]);
            examples_add(all, without_token_spaces(&e));
            examples_add(all, e);
        }
    }
    size_t n = all->n;
    for (size_t i = 0; i < n; i++) {
        struct example changed;
        if (with_other_names(&d->pool, &all->items[i], &random, &changed)) {
            examples_add(all, changed);
        }
    }
    for (size_t i = 0; i < n; i++) {
        struct example changed;
        if (in_other_case(&all->items[i], &random, &changed)) {
            examples_add(all, changed);
        }
    }
    make_sentences(&d->pool, MADE_SENTENCES, 99, all);
    make_negatives(&d->pool, NEGATIVES, NEGATIVE_WEIGHT, 101, all);
}

/* Whether a word of what is found is in a list of names. */
static bool is_listed(const struct tagger_line *line, const struct tagger_entity *found)
{
    unsigned flags = 0;

    for (size_t i = 0; i < line->n; i++) {
        if (line->tokens[i].from >= found->from && line->tokens[i].to <= found->to) {
            flags |= line->tokens[i].flags;
        }
    }
    return (flags & TAGGER_WORD_NAME) != 0;
}

/* Benign answers hold names, too, and they are not marked. A line in which a first model finds a
 * listed name with some confidence is left out; what else it finds there is taken for a mistake. */
static void add_answers(const struct names_data *d, struct tagger first, struct examples *all)
{
    static const float weight = 0.3f;
    static const float confident = 0.6f;
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    static struct finding_list found;

    first.classes[TAGGER_CLASS_PERSON].floor = 0.3f;
    for (size_t i = 0; i < d->answers.n; i++) {
        struct example e = d->answers.items[i];
        size_t next = 0;
        find_all(&first, TAGGER_CLASS_PERSON, scratch, e.text, &found);
        struct tagger_line line =
            tagger_read_line(&tagger_names, &d->words, scratch, e.text, 0, &next);
        bool holds_name = line.n == 0;
        for (size_t k = 0; k < found.n; k++) {
            holds_name = holds_name || (found.items[k].confidence > confident &&
                                        is_listed(&line, &found.items[k]));
        }
        if (!holds_name) {
            e.weight = weight;
            examples_add(all, e);
        }
    }
    free(scratch);
}

/* Posts of people, as a first model reads them: lines in which it is sure of every name, once as
 * they are and once with other names; and one in eight of those where it finds none. The marked
 * sentences hold few kinds of talk. */
static void add_posts(const struct names_data *d, struct tagger first, struct examples *all)
{
    static const float weight = 0.5f;
    static const float confident = 0.85f;
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    static struct finding_list found;
    uint64_t random = 11;

    first.classes[TAGGER_CLASS_PERSON].floor = 0.15f;
    for (size_t i = 0; i < d->posts.n; i++) {
        struct example e = d->posts.items[i];
        struct example changed;
        bool is_sure = true;
        find_all(&first, TAGGER_CLASS_PERSON, scratch, e.text, &found);
        e.marks = need_memory(found.n, sizeof(*e.marks));
        for (size_t k = 0; k < found.n; k++) {
            const struct tagger_entity *f = &found.items[k];
            is_sure = is_sure && f->confidence > confident;
            e.marks[e.n_marks++] = (struct mark){f->from, f->to, TAGGER_PERSON_BEGINS};
        }
        if (!is_sure || (found.n == 0 && i % 8 != 0)) {
            continue;
        }
        e.weight = weight;
        examples_add(all, e);
        if (with_other_names(&d->pool, &e, &random, &changed)) {
            changed.weight = weight;
            examples_add(all, changed);
        }
    }
    free(scratch);
}

/* Three rounds: the first knows the marked sentences and tells what unmarked lines are good for;
 * the second and the third know what the one before took for names in ordinary text. */
struct tagger names_train(const struct names_data *d, enum names_held held)
{
    struct examples all = {0};

    add_sentences(d, held, &all);
    struct tagger t = train_tagger(&recipe, &d->words, &all);
    add_posts(d, t, &all);
    add_answers(d, t, &all);
    for (size_t round = 0; round < 2; round++) {
        struct training how = recipe;
        t.classes[TAGGER_CLASS_PERSON].floor = PERSON_FLOOR;
        struct tagger_words words = words_with_fame(&d->words, &t, &d->plain);
        how.trainings = round == 1 ? LAST_TRAININGS : 1;
        t = train_tagger(&how, &words, &all);
    }
    t.classes[TAGGER_CLASS_PERSON].floor = PERSON_FLOOR;
    free(all.items);
    return t;
}
