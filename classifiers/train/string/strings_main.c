/* strings_main.c - makes the table of the model of random strings, and measures the model.
 *
 * usage: train-strings OUT NUMBER TEXTS… -- HELD…
 *        OUT: a C source; NUMBER: of made strings of each kind; TEXTS: files of rows with a text, whose candidates are
 *        harmless; HELD: files of rows that are measured and not learned from. Figures to standard output. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "classifiers/train/string/strings_learn.h"

enum { OUT_MAX = 1024 * 1024, SETS_MAX = 64, IN_A_LINE = 24 };

static const double thresholds[] = {0.5, 0.7, 0.9};

/* --- the table ------------------------------------------------------------------ */

static const char head[] =
    "/* random_string_table.c - made by `make train`; classifiers/models/random-string.md says from what. */\n"
    "#include \"lexical/random_string.h\"\n\n"
    "const struct random_string_model random_string_shipped = {\n    .pairs =\n        {\n";

static bool print_model(const struct random_string_model *m, struct buf *out, struct error *err)
{
    char text[64];
    bool is_put = buf_append(out, span_str(head), err);

    for (size_t i = 0; is_put && i < RANDOM_STRING_SYMBOLS; i++) {
        is_put = buf_append(out, span_str("            {"), err);
        for (size_t k = 0; is_put && k < RANDOM_STRING_SYMBOLS; k++) {
            bool is_last = k + 1 == RANDOM_STRING_SYMBOLS, ends_line = (k + 1) % IN_A_LINE == 0;
            (void)snprintf(text, sizeof(text), "%d%s", m->pairs[i][k], is_last ? "},\n" : ends_line ? ",\n             " : ", ");
            is_put = buf_append(out, span_str(text), err);
        }
    }
    is_put = is_put && buf_append(out, span_str("        },\n    .weights =\n        {\n"), err);
    for (size_t i = 0; is_put && i < RANDOM_FEATURES; i++) {
        (void)snprintf(text, sizeof(text), "            %.3fF,\n", (double)m->weights[i]);
        is_put = buf_append(out, span_str(text), err);
    }
    return is_put && buf_append(out, span_str("        },\n};\n"), err);
}

/* --- figures -------------------------------------------------------------------- */

struct tally {
    const char *set;
    bool is_random;
    size_t n, reached[COUNT(thresholds)], labelled[COUNT(thresholds)];
};

static struct tally *tally_of(struct tally *tallies, size_t *n, const struct string *s)
{
    size_t i = 0;

    while (i < *n && !(strcmp(tallies[i].set, s->set) == 0 && tallies[i].is_random == s->is_random)) {
        i++;
    }
    if (i == *n && *n < SETS_MAX) {
        tallies[(*n)++] = (struct tally){.set = s->set, .is_random = s->is_random};
    }
    return &tallies[i < SETS_MAX ? i : SETS_MAX - 1];
}

static void count(const struct strings *s, const struct random_string_model *m, struct tally *tallies, size_t *n)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->items[i].is_repeated) {
            continue;
        }
        struct tally *t = tally_of(tallies, n, &s->items[i]);
        double score = random_string_score(m, s->items[i].text, false), labelled = random_string_score(m, s->items[i].text, true);
        t->n++;
        for (size_t k = 0; k < COUNT(thresholds); k++) {
            t->reached[k] += score >= thresholds[k];
            t->labelled[k] += labelled >= thresholds[k];
        }
    }
}

static void print_figures(const struct tally *tallies, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf("| %s | %s | %zu |", tallies[i].set, tallies[i].is_random ? "random" : "harmless", tallies[i].n);
        for (size_t k = 0; k < COUNT(thresholds); k++) {
            printf(" %.2f |", 100 * (double)tallies[i].reached[k] / (double)tallies[i].n);
        }
        for (size_t k = 0; k < COUNT(thresholds); k++) {
            printf(" %.2f |", 100 * (double)tallies[i].labelled[k] / (double)tallies[i].n);
        }
        printf("\n");
    }
}

/* Secrets whose value a project draws at random against all candidates of texts that hold none. */
static void print_f1(const struct tally *tallies, size_t n)
{
    printf("| F1: generated against the candidates of answers and lock files | | |");
    for (size_t k = 0; k < COUNT(thresholds); k++) {
        size_t all = 0, found = 0, wrong = 0;
        for (size_t i = 0; i < n; i++) {
            bool counts = strstr(tallies[i].set, tallies[i].is_random ? "generated" : ".ndjson") != NULL;
            all += counts && tallies[i].is_random ? tallies[i].n : 0;
            *(tallies[i].is_random ? &found : &wrong) += counts ? tallies[i].reached[k] : 0;
        }
        printf(" %.3f |", 2 * (double)found / (double)(all + found + wrong));
    }
    printf(" | | |\n");
}

static void print_strings(const struct strings *s, const struct random_string_model *m)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!s->items[i].is_repeated) {
            (void)fprintf(stderr, "%.4f\t%.4f\t%s\t%s\t" SPAN_FMT "\n", random_string_score(m, s->items[i].text, false),
                          random_string_score(m, s->items[i].text, true), s->items[i].is_random ? "random" : "harmless",
                          s->items[i].set, SPAN_ARG(s->items[i].text));
        }
    }
}

/* --- main ----------------------------------------------------------------------- */

static bool read_files(struct strings *s, char **files, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *slash = strrchr(files[i], '/');
        if (!strings_read(s, files[i], slash != NULL ? slash + 1 : files[i], err)) {
            return false;
        }
    }
    return true;
}

static bool train(char **files, size_t n, size_t number, struct random_string_model *m, struct error *err)
{
    CLEANUP(strings_deinit) struct strings s;
    struct tally tallies[SETS_MAX];
    size_t n_tallies = 0;

    strings_init(&s);
    if (!strings_make(&s, number, err) || !read_files(&s, files, n, err) || !strings_mark_repeated(&s, err) ||
        !strings_learn(&s, m, err)) {
        return false;
    }
    printf("| set | is | strings | ≥ 0.5 | ≥ 0.7 | ≥ 0.9 | labelled ≥ 0.5 | labelled ≥ 0.7 | labelled ≥ 0.9 |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
    printf("| **learned from** | | | | | | | | |\n");
    count(&s, m, tallies, &n_tallies);
    print_figures(tallies, n_tallies);
    return true;
}

static bool measure(char **files, size_t n, const struct random_string_model *m, struct error *err)
{
    CLEANUP(strings_deinit) struct strings s;
    struct tally tallies[SETS_MAX];
    size_t n_tallies = 0;

    strings_init(&s);
    if (!read_files(&s, files, n, err) || !strings_mark_repeated(&s, err)) {
        return false;
    }
    printf("| **held back** | | | | | | | | |\n");
    count(&s, m, tallies, &n_tallies);
    print_figures(tallies, n_tallies);
    print_f1(tallies, n_tallies);
    if (getenv("TRAIN_STRINGS_SHOW") != NULL) {
        print_strings(&s, m);
    }
    return true;
}

int main(int argc, char **argv)
{
    CLEANUP(buf_deinit) struct buf out;
    struct random_string_model m;
    struct error err;
    int split = 3;

    buf_init(&out, OUT_MAX);
    while (split < argc && strcmp(argv[split], "--") != 0) {
        split++;
    }
    if (split >= argc) {
        (void)fprintf(stderr, "usage: %s OUT NUMBER TEXTS… -- HELD…\n", argv[0]);
        return 2;
    }
    if (!train(argv + 3, (size_t)split - 3, strtoul(argv[2], NULL, 10), &m, &err) ||
        !measure(argv + split + 1, (size_t)(argc - split - 1), &m, &err) || !print_model(&m, &out, &err) ||
        !file_write_atomic(argv[1], buf_span(&out), 0644, &err)) {
        (void)fprintf(stderr, "train: %s\n", err.text);
        return 2;
    }
    return 0;
}
