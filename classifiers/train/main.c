/* train - trains the shipped linear model, and measures each of its heads.
 *
 * usage: train-heads DATA TEMPLATES OUT [FOUND [HEAD]]
 *                                                 all heads from the data and the templates; figures to standard output;
 *                                                 FOUND: rows that the rules find, counted beside the injection head's;
 *                                                 HEAD: that one alone
 *        train-heads - TEMPLATES OUT [BITS]       from the templates alone: small, for tests */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classifiers/train/languages.h"
#include "classifiers/train/logistic.h"
#include "classifiers/train/pack.h"
#include "classifiers/train/templates.h"

static const char *const template_files[] = {"injection.txt", "refusal.txt", "toxicity.txt"};

static bool read_texts(struct corpus *c, const char *data, const char *templates, struct error *err)
{
    char path[1024];

    if (!corpus_init(c, strcmp(data, "-") == 0 ? NULL : data, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(template_files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", templates, template_files[i]);
        if (!templates_add(c, path, err)) {
            return false;
        }
    }
    (void)snprintf(path, sizeof(path), "%s/../declining.tsv", templates);
    if (strcmp(data, "-") != 0 && !corpus_silence(c, path, 1U << HEAD_REFUSAL, err)) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/languages.txt", templates);
    if (!languages_add(c, path, err)) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/../not-english.tsv", templates);
    return languages_set_apart(c, strcmp(data, "-") != 0 ? path : NULL, err);
}

static void print_head(void)
{
    printf("# heads.bin: what it reaches on sources that it has not seen\n\n"
           "By `make train`. Each row is of a model that has seen nothing of the two sources that it names: one of the head's own texts,\n"
           "and one of ordinary answers. AUC \"own\": against the source's own negatives; AUC \"ordinary\": against the ordinary answers.\n"
           "Found and flagged: %% at the shipped threshold, which the worst source of ordinary answers sets; \"weak\" sets none\n"
           "(hh-rlhf's replies on sensitive subjects, of which not each is harmless). Sentences: those of ordinary answers, each alone.\n"
           "A text scores as its highest window does; by the head refusal all of it is judged as one (`hold: all`), and without the answers\n"
           "of declining.tsv, which decline.\n"
           "A head acts if its AUC is above %.2f on every source: against its own negatives where there are some.\n\n"
           "| head | source left out | ordinary answers left out | texts for | against | answers | AUC own | AUC ordinary | found | with rules | own negatives flagged | ordinary flagged | sentences flagged |\n"
           "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n", TRIAL_ACTS);
}

static bool train_head(struct pack *p, const struct windows *w, const struct corpus *c, enum head head, struct error *err)
{
    static const struct left_out nothing = {0};
    struct weights weights = {0};
    struct curve curve = {.slope = 1};

    bool is_trained = trial_run(w, c, head, stdout, &curve, err) && learn(w, c, head, &nothing, &weights, err) &&
                      pack_head(p, head, &weights, &curve, err);
    weights_deinit(&weights);
    if (is_trained) {
        printf("| %s | **threshold** | score %.4f | z %.3f | slope %.3f | offset %.3f | | | | | | | |\n", goals[head].name,
               logistic(curve.slope * curve.threshold + curve.offset), curve.threshold, curve.slope, curve.offset);
        (void)fflush(stdout);
    }
    return is_trained;
}

/* only: the name of a head; NULL: all. */
static bool train(const struct corpus *c, unsigned bits, const char *only, const char *out, struct error *err)
{
    CLEANUP(windows_deinit) struct windows w;
    CLEANUP(pack_deinit) struct pack p = {0};

    if (!windows_make(&w, c, GOAL_HALF, bits, err) || !pack_init(&p, bits, GOAL_HALF, err)) {
        return false;
    }
    print_head();
    for (unsigned head = 0; head < HEAD_COUNT; head++) {
        bool is_wanted = goals[head].epochs > 0 && (only == NULL || strcmp(only, goals[head].name) == 0);
        if (is_wanted && !train_head(&p, &w, c, (enum head)head, err)) {
            return false;
        }
    }
    return pack_write(&p, out, err);
}

int main(int argc, char **argv)
{
    CLEANUP(corpus_deinit) struct corpus c = {0};
    struct error err;

    if (argc < 4 || argc > 6) {
        (void)fprintf(stderr, "usage: %s DATA TEMPLATES OUT [FOUND [HEAD]] | - TEMPLATES OUT [BITS]\n", argv[0]);
        return 2;
    }
    bool has_data = strcmp(argv[1], "-") != 0;
    unsigned bits = argc == 5 && !has_data ? (unsigned)strtoul(argv[4], NULL, 10) : GOAL_BITS;
    if (bits < LINEAR_BITS_MIN || bits > LINEAR_BITS_MAX || !read_texts(&c, argv[1], argv[2], &err) ||
        (argc >= 5 && has_data && !corpus_mark_found(&c, argv[4], &err)) ||
        !train(&c, bits, argc == 6 ? argv[5] : NULL, argv[3], &err)) {
        (void)fprintf(stderr, "train: %s\n", err.text);
        return 2;
    }
    return 0;
}
