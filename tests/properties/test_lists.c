/* test_lists.c - lists of numbers and of random strings are judged: what stands for one item makes no finding of the next, which would run
 * on through the list until filterd gives up. FILTERD_ITEMS says how many items each has. */
#include "testing.h"

#include <stdlib.h>

#include "pipeline/pipeline.h"
#include "support/random.h"
#include "support/shipped.h"

enum { ITEMS = 300, ITEM_MAX = 64, SEED = 17 };

/* # is a digit, @ a letter or digit, % a hexadecimal digit, ^ a capital or digit. */
static const char *const forms[] = {
    "+## ### ### ####",   "(###) ###-####",  "###-###-####",      "0## #### ####",
    "0### #######",       "### ### ###",     "Tel: ### ### ####", "06 ## ## ## ##",
    "@@@@@@@@",           "@@@@@@@@@@@@",    "@@@@@@@@@@@@@@@@",  "@@@@@@@@@@@@@@@@@@@@",
    "%%%%%%%%%%%%%%%%%%%%%%%%",              "^^^^^-^^^^^-^^^^^-^^^^^",
    "%%%%%%%%-%%%%-4%%%-a%%%-%%%%%%%%%%%%", "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@",
    "key=@@@@@@@@@@@@",   "id: @@@@@@@@@@",  "key=_.",            "@@@@@@.@@@@@@:@@@@@@@@@@",
};
static const char *const separators[] = {"\n", " ", ", ", " | ", "\t"};

static struct channel channel;
static struct exchange exchange;

static char drawn(char form, struct random *r)
{
    static const struct {
        char form;
        const char *characters;
    } drawn_from[] = {{'#', "0123456789"},
                      {'%', "0123456789abcdef"},
                      {'^', "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
                      {'@', "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"}};

    for (size_t i = 0; i < COUNT(drawn_from); i++) {
        if (drawn_from[i].form == form) {
            return drawn_from[i].characters[random_below(r, strlen(drawn_from[i].characters))];
        }
    }
    return form;
}

static size_t items(void)
{
    const char *wanted = getenv("FILTERD_ITEMS");

    return wanted != NULL ? strtoul(wanted, NULL, 10) : ITEMS;
}

static void append(struct buf *list, const char *text)
{
    struct error err;

    assert_true(buf_append_str(list, text, &err));
}

static void make_list(struct buf *list, const char *form, const char *separator, struct random *r)
{
    for (size_t i = 0; i < items(); i++) {
        char item[ITEM_MAX] = {0};
        for (size_t k = 0; form[k] != '\0'; k++) {
            item[k] = drawn(form[k], r);
        }
        append(list, item);
        append(list, separator);
    }
}

static void judge(struct span text)
{
    (void)worker_begin(shipped_worker);
    channel = (struct channel){.text = text};
    exchange = (struct exchange){.snapshot = shipped,
                                 .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                                 .channels = &channel,
                                 .n_channels = 1};
    pipeline_judge(shipped_worker, &exchange);
}

static void lists_are_judged(void **state)
{
    struct random r = {.state = SEED};
    struct buf list;

    (void)state;
    for (size_t i = 0; i < COUNT(forms) * COUNT(separators); i++) {
        const char *form = forms[i / COUNT(separators)], *separator = separators[i % COUNT(separators)];
        buf_init(&list, 1 << 20);
        make_list(&list, form, separator, &r);
        judge(buf_span(&list));
        if (exchange.unjudged_reason != NULL) {
            fail_msg("a list of '%s' with '%s' between: %s", form, separator, exchange.unjudged_reason);
        }
        buf_deinit(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_judged),
    };
    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
