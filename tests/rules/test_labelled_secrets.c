/* Passwords and keys without a form of their own, in prose of many languages, in code,
 * configuration and commands: none is delivered, and texts that only speak of them pass. */
#include "testing.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "pipeline/pipeline.h"
#include "support/random.h"
#include "support/shipped.h"

enum {
    TABLE_BYTES = 64 * 1024,
    TEXT_BYTES = 1024,
    VALUES = 6,
    PASSWORD_LEN = 12,
    KEY_LEN = 32,
    TEXTS_AT_LEAST = 250
};

static enum action judge(struct span text, struct channel *channel)
{
    struct exchange x = {.snapshot = shipped,
                         .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                         .channels = channel,
                         .n_channels = 1};

    (void)worker_begin(shipped_worker);
    *channel = (struct channel){.text = text};
    pipeline_judge(shipped_worker, &x);
    return x.action;
}

/* Letters and digits by lot, with a few of each so that no draw is a word or a number. */
static void draw(struct random *random, char *value, size_t len)
{
    static const char *const kinds[] = {"bdfghkmnqrtvwxz", "BDFGHKMNQRTVWXZ", "23456789"};

    for (size_t i = 0; i < len; i++) {
        const char *kind = kinds[i < COUNT(kinds) ? i : random_below(random, COUNT(kinds))];
        value[i] = kind[random_below(random, strlen(kind))];
    }
    value[len] = '\0';
}

/* The next part of *rest, up to the character or the end. */
static struct span next_part(struct span *rest, char end)
{
    const char *at = memchr(rest->ptr, end, rest->len);
    size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
    struct span part = span_slice(*rest, 0, len);

    *rest = span_slice(*rest, at == NULL ? len : len + 1, rest->len);
    return part;
}

/* The last {} of the template replaced: JSON begins with a bracket of its own. */
static struct span fill(struct span template, const char *value, char text[TEXT_BYTES])
{
    size_t at = template.len - 2;

    while (at > 0 && memcmp(template.ptr + at, "{}", 2) != 0) {
        at--;
    }
    int n = snprintf(text, TEXT_BYTES, "%.*s%s%.*s", (int)at, template.ptr, value,
                     (int)(template.len - at - 2), template.ptr + at + 2);
    assert_true(n > 0 && n < TEXT_BYTES);
    return span_of(text, (size_t)n);
}

static size_t try_values(struct span template, size_t len, struct random *random)
{
    char value[KEY_LEN + 1], text[TEXT_BYTES];
    size_t wrong = 0;

    for (int i = 0; i < VALUES; i++) {
        struct channel channel;
        draw(random, value, len);
        struct span filled = fill(template, value, text);
        if (judge(filled, &channel) == ACTION_ALLOW ||
            (channel.output.len > 0 && memmem(channel.output.ptr, channel.output.len, value, len) != NULL)) {
            print_error("delivered: " SPAN_FMT "\n", SPAN_ARG(filled));
            wrong++;
        }
    }
    return wrong;
}

static size_t try_none(struct span text)
{
    struct channel channel;

    if (judge(text, &channel) == ACTION_ALLOW) {
        return 0;
    }
    print_error("not delivered as it is: " SPAN_FMT "\n", SPAN_ARG(text));
    return 1;
}

static void what_is_told_is_not_delivered(void **state)
{
    struct buf table CLEANUP(buf_deinit);
    struct error err;
    struct random random = {.state = 20261121};
    size_t wrong = 0, texts = 0;

    (void)state;
    buf_init(&table, TABLE_BYTES);
    assert_true(file_read("tests/rules/labelled.tsv", &table, &err));
    for (struct span rest = buf_span(&table); rest.len > 0;) {
        struct span text = next_part(&rest, '\n');
        struct span kind = next_part(&text, '\t');
        if (span_starts_with(kind, span_str("#"))) {
            continue;
        }
        (void)next_part(&text, '\t');
        assert_true(text.len > 2);
        texts++;
        wrong += span_is(kind, "none")
                     ? try_none(text)
                     : try_values(text, span_is(kind, "key") ? KEY_LEN : PASSWORD_LEN, &random);
    }
    print_message("%zu texts\n", texts);
    assert_true(texts >= TEXTS_AT_LEAST);
    assert_true(wrong == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_is_not_delivered),
    };

    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
