#include "classifiers/shipped.h"

#include <pthread.h>

#include "classifiers/embedded.h"
#include "classifiers/linear_judge.h"
#include "classifiers/tagger_judge.h"

enum { TAGGERS = 2 };

static struct {
    struct classifier heads, taggers;
    struct tagger_judge_part parts[TAGGERS]; /* with their models, which live as long as the process */
    struct tagger_judge judge;
    const struct classifier *all[2 + 1];
    struct error err;
    bool is_open;
} shipped = {.parts = {{.heads = {"person-name", "place-name", "organisation-name"}}, {.heads = {"postal-address", "address-town", "address-postcode"}}}};

static bool open_heads(struct error *err)
{
    struct model *m = model_embedded("heads", "linear", err);
    struct linear *l = m != NULL ? linear_open(m, err) : NULL;

    if (l == NULL) {
        return false;
    }
    shipped.heads = linear_judge(l);
    shipped.all[0] = &shipped.heads;
    return true;
}

/* The first head of each is called by the name of its model. */
static bool open_taggers(struct error *err)
{
    for (size_t i = 0; i < TAGGERS; i++) {
        struct tagger_judge_part *part = &shipped.parts[i];
        part->model = model_embedded(part->heads[0], "tagger", err);
        if (part->model == NULL) {
            return false;
        }
    }
    shipped.all[1] = &shipped.taggers;
    return tagger_judge_open(&shipped.judge, shipped.parts, TAGGERS, &shipped.taggers, err);
}

static void open_all(void)
{
    shipped.is_open = open_heads(&shipped.err) && open_taggers(&shipped.err);
}

const struct classifier *const *classifiers_shipped(struct error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, open_all);
    if (!shipped.is_open) {
        *err = shipped.err;
        return NULL;
    }
    return shipped.all;
}
