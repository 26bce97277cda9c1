#include "classifiers/shipped.h"

#include <pthread.h>

#include "classifiers/embedded.h"
#include "classifiers/linear_judge.h"
#include "classifiers/tagger_judge.h"

enum { TAGGERS = 2 };

static struct {
    struct classifier heads, taggers[TAGGERS];
    struct tagger_judge judges[TAGGERS];
    const struct classifier *all[1 + TAGGERS + 1];
    struct error err;
    bool is_open;
} shipped;

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

/* A model of each, and the head that it is called by. */
static bool open_taggers(struct error *err)
{
    static const char *const names[TAGGERS] = {"person-name", "postal-address"};

    for (size_t i = 0; i < TAGGERS; i++) {
        struct model *m = model_embedded(names[i], "tagger", err);
        if (m == NULL || !tagger_judge_open(&shipped.judges[i], m, names[i], &shipped.taggers[i], err)) {
            return false;
        }
        shipped.all[1 + i] = &shipped.taggers[i];
    }
    return true;
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
