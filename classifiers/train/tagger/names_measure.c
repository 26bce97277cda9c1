/* names_measure.c - what the tagger of names does on what it was not made from. */
#include "classifiers/train/tagger/names_recipe.h"

#include <stdlib.h>

/* What the shipped policy takes for a name. */
static const float POLICY_CONFIDENCE = 0.6f;

/* A class that reaches less on a corpus that it has not seen only reports. A corpus with fewer marks says too little. */
static const double ACTS_FROM = 0.6;
enum { ENOUGH_MARKS = 100 };

const char *const name_classes[TAGGER_CLASSES] = {[TAGGER_CLASS_PERSON] = "names",
                                                  [TAGGER_CLASS_PLACE] = "places",
                                                  [TAGGER_CLASS_ORGANISATION] = "organisations"};

static const uint32_t first_labels[TAGGER_CLASSES] = {[TAGGER_CLASS_PERSON] = TAGGER_PERSON_BEGINS,
                                                      [TAGGER_CLASS_PLACE] = TAGGER_PLACE_BEGINS,
                                                      [TAGGER_CLASS_ORGANISATION] = TAGGER_ORGANISATION_BEGINS};

/* A class in one reading of the marks. */
struct reading_of {
    const char *what;
    unsigned class;
    const struct examples *sentences;
    bool is_as_labelled; /* with the spaces of the data's makers */
    struct class_figures *figures; /* NULL: only printed */
};

static struct counts measure(const struct tagger *t, const struct reading_of *r, enum names_held held)
{
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    struct counts c = {0};

    for (size_t i = 0; i < r->sentences->n; i++) {
        struct example e = r->sentences->items[i];
        if (names_corpus_of(&e) != held) {
            continue;
        }
        e = r->is_as_labelled ? e : without_token_spaces(&e);
        count_example(t, r->class, scratch, &e, first_labels[r->class], &c);
        if (r->figures != NULL) {
            judge_example(t, r->class, scratch, &e, first_labels[r->class], &r->figures->judged);
        }
    }
    free(scratch);
    if (r->figures != NULL && c.marked >= ENOUGH_MARKS) {
        double f1 = f1_by_overlap(&c);
        bool is_worst = r->figures->worst <= 0 || f1 < r->figures->worst;
        r->figures->worst = is_worst ? f1 : r->figures->worst;
    }
    return c;
}

void names_measure(const struct names_data *d, const struct tagger *t, enum names_held held,
                   struct class_figures figures[TAGGER_CLASSES])
{
    static const char *const corpora[] = {"wnut17", "btc", "crossner", "sec"};
    const struct reading_of readings[] = {
        {"names mended", TAGGER_CLASS_PERSON, &d->sentences, false, &figures[TAGGER_CLASS_PERSON]},
        {"names", TAGGER_CLASS_PERSON, &d->names, false, NULL},
        {"as labelled", TAGGER_CLASS_PERSON, &d->labelled, true, NULL},
        {"places", TAGGER_CLASS_PLACE, &d->sentences, false, &figures[TAGGER_CLASS_PLACE]},
        {"organisations", TAGGER_CLASS_ORGANISATION, &d->sentences, false, &figures[TAGGER_CLASS_ORGANISATION]}};

    for (size_t i = 0; i < COUNT(readings); i++) {
        char what[64];
        struct counts c = measure(t, &readings[i], held);
        (void)snprintf(what, sizeof(what), "%s, %s", corpora[held], readings[i].what);
        print_counts(what, &c);
    }
    (void)fflush(stdout);
}

void names_settle(struct tagger *t, unsigned class, const struct class_figures *figures)
{
    struct tagger_class_settings *c = &t->classes[class];

    c->acts = class == TAGGER_CLASS_PERSON || figures->worst >= ACTS_FROM;
    (void)printf("%s: %s, F1 by overlap at least %.3f\n", name_classes[class], c->acts ? "acts" : "only reports", figures->worst);
    calibrate(c, &figures->judged);
}

struct chat_counts {
    size_t bytes, found, sure; /* sure: as a policy wants it */
};

static void print_finding(struct span text, const struct tagger_entity *found)
{
    struct span name = span_slice(text, found->from, found->to);
    size_t from = found->from > 80 ? found->from - 80 : 0;
    size_t to = text.len - found->to > 60 ? found->to + 60 : text.len;

    (void)printf("%.2f <" SPAN_FMT "> " SPAN_FMT "\n", (double)found->confidence, SPAN_ARG(name),
                 SPAN_ARG(span_slice(text, from, to)));
}

static void print_chats(unsigned class, const char *what, const struct chat_counts *c)
{
    (void)printf("%s, %s: %zu KB, %.2f found in 10 KB, %.2f of them at a confidence of %.1f or more\n",
                 name_classes[class], what, c->bytes / 1024, (double)c->found * 10240 / (double)c->bytes,
                 (double)c->sure * 10240 / (double)c->bytes, (double)POLICY_CONFIDENCE);
}

void names_measure_chats(const struct names_data *d, const struct tagger *t, unsigned class, size_t every)
{
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    static struct finding_list found;
    struct chat_counts counts[2] = {{0}};
    size_t n_seen = 0;

    for (size_t i = 0; i < d->chats.n; i++) {
        struct chat_counts *c = &counts[i >= d->n_arena];
        struct span text = d->chats.items[i].text;
        find_all(t, class, scratch, text, &found);
        c->bytes += text.len + 1;
        c->found += found.n;
        for (size_t k = 0; k < found.n; k++) {
            bool is_sure = found.items[k].confidence >= POLICY_CONFIDENCE;
            c->sure += is_sure;
            if (every > 0 && is_sure && n_seen++ % every == 0) {
                print_finding(text, &found.items[k]);
            }
        }
    }
    print_chats(class, "llm-arena-hard", &counts[0]);
    print_chats(class, "llm-fastchat", &counts[1]);
    free(scratch);
}
