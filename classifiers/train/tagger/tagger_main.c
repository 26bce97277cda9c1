/* tagger_main.c - trains the models of person names and postal addresses, and measures them.
 *
 *     train-taggers names|addresses OUT    measures with each corpus held back, calibrates, trains
 * on all, writes OUT train-taggers sample N               every N-th name that the shipped recipe
 * finds in benign chats, to be judged
 *
 * The data's folder is FILTERD_DATA. */
#include <stdlib.h>

#include "classifiers/train/tagger/addresses_recipe.h"
#include "classifiers/train/tagger/names_recipe.h"

static const char *data_folder(void)
{
    const char *folder = getenv("FILTERD_DATA");

    return folder != NULL && folder[0] != '\0' ? folder : "../shared/data";
}

static void make_names(const char *out)
{
    struct names_data *d = need_memory(1, sizeof(*d));
    struct class_figures figures[TAGGER_CLASSES] = {0};

    names_read(d, data_folder());
    for (enum names_held held = 0; held < HELD_NONE; held++) {
        struct tagger t = names_train(d, held);
        names_measure(d, &t, held, figures);
    }
    struct tagger t = names_train(d, HELD_NONE);
    for (unsigned k = 0; k < TAGGER_CLASSES; k++) {
        names_settle(&t, k, &figures[k]);
        names_measure_chats(d, &t, k, 0);
    }
    write_tagger(&t, (size_t)1 << NAMES_WORDS_BITS, "person-name", out);
}

static void sample_names(const char *path)
{
    enum { EVERY = 40 };
    struct names_data *d = need_memory(1, sizeof(*d));
    struct error err;
    struct tagger t;
    struct model *m = model_open_file(path, "tagger", &err);

    if (m == NULL || !tagger_open(&t, m, &err)) {
        give_up("%s", err.text);
    }
    names_read_chats(d, data_folder());
    for (unsigned k = 0; k < t.n_classes; k++) {
        names_measure_chats(d, &t, k, EVERY);
    }
}

static void make_addresses_model(const char *out)
{
    struct addresses_data *d = need_memory(1, sizeof(*d));
    struct judged_list judged = {0};

    addresses_read(d, data_folder());
    struct tagger measured = addresses_train(d, 0);
    addresses_measure(d, &measured, 0, &judged);
    struct tagger t = addresses_train(d, ADDRESSES_FIFTHS);
    calibrate(&t.classes[0], &judged);
    write_tagger(&t, (size_t)1 << ADDRESSES_WORDS_BITS, "postal-address", out);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *argument);
    } commands[] = {
        {"names", make_names}, {"addresses", make_addresses_model}, {"sample", sample_names}};

    for (size_t i = 0; argc == 3 && i < COUNT(commands); i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            commands[i].run(argv[2]);
            return 0;
        }
    }
    (void)fprintf(stderr,
                  "usage: train-taggers names|addresses OUT\n       train-taggers sample MODEL\n");
    return 2;
}
