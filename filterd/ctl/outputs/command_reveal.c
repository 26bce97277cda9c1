/* command_reveal.c - filterctl reveal: the values behind what the encrypt operator made.
 *
 * What cannot be opened stays as it is and is named by its rule and location; nothing of the keys is
 * printed. */
#include <sodium.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/input.h"
#include "ctl/location.h"
#include "state/keys.h"

enum { ARENA_KEEP = 64 * 1024, ARENA_MAX = 4 * INPUT_MAX, OUTPUT_MAX = 512 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_reveal = {
    .name = "reveal",
    .operands = "[TOKEN…|-]",
    .summary = "Decrypt values that the encrypt operator redacted",
    .details = "A TOKEN is [rule-id:enc:…], including the brackets; each value is printed on one line. Without one,\n"
               "or with -, reveal copies standard input and replaces each token in it by its value. A token that\n"
               "cannot be decrypted is not changed and is reported on standard error (exit code 2). Exit code 0 when\n"
               "all were decrypted.",
    .options = OPTION_BIT(OPTION_KEYS) | OPTION_BIT(OPTION_TO_JSON),
    .texts = {{OPTION_KEYS,
               "state directory of the filterd that encrypted them, with keys/encrypt.key"},
              {OPTION_TO_JSON,
               "read JSON or NDJSON and escape values for its strings"}},
    .max_operands = -1,
    .run = run,
};

struct token {
    struct span rule, sealed;
    size_t from, to; /* brackets included */
};

struct reveal {
    const struct arguments *args;
    struct redaction_keys keys;
    struct arena arena;
    struct buf out;
    bool has_closed;
};

/* --- tokens in a text ------------------------------------------------------ */

static const char id_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
static const char base64_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Where the run of these characters that begins at `from` ends. */
static size_t run_end(struct span text, size_t from, const char *characters)
{
    size_t at = from;

    while (at < text.len && text.ptr[at] != '\0' && strchr(characters, text.ptr[at]) != NULL) {
        at++;
    }
    return at;
}

/* The token at the bracket at `from`. Without one, t->to is where it broke off: as no bracket
 * is before that, looking for the next one may go on there. */
static bool read_token(struct span text, size_t from, struct token *t)
{
    static const char kind[] = ":enc:";
    size_t kind_len = sizeof(kind) - 1;

    t->from = from;
    t->to = run_end(text, from + 1, id_characters);
    t->rule = span_slice(text, from + 1, t->to);
    if (t->rule.len == 0 || text.len - t->to < kind_len ||
        memcmp(text.ptr + t->to, kind, kind_len) != 0) {
        return false;
    }
    size_t sealed = t->to + kind_len;
    t->to = run_end(text, sealed, base64_characters);
    t->sealed = span_slice(text, sealed, t->to);
    if (t->sealed.len == 0 || t->to == text.len || text.ptr[t->to] != ']') {
        return false;
    }
    t->to++;
    return true;
}

static bool next_token(struct span text, size_t *at, struct token *t)
{
    while (*at < text.len) {
        const char *bracket = memchr(text.ptr + *at, '[', text.len - *at);
        if (bracket == NULL) {
            return false;
        }
        bool is_token = read_token(text, (size_t)(bracket - text.ptr), t);
        *at = t->to;
        if (is_token) {
            return true;
        }
    }
    return false;
}

/* --- opening --------------------------------------------------------------- */

/* The characters of a JSON string, without its quotes: the token is inside some. */
static bool append_escaped(struct buf *out, struct span value, struct error *err)
{
    size_t start = out->len;

    if (!json_append_string(out, value, err)) {
        return false;
    }
    out->len -= 2;
    memmove(out->data + start, out->data + start + 1, out->len - start);
    return true;
}

static bool append_value(struct reveal *r, struct span text, const struct token *t,
                         const char *location, struct error *err)
{
    struct span value;

    arena_reset(&r->arena);
    if (redact_decrypt(&r->arena, &r->keys, t->sealed, &value, err)) {
        return r->args->to_json ? append_escaped(&r->out, value, err)
                                : buf_append(&r->out, value, err);
    }
    if (err->kind != ERROR_INVALID) {
        return false;
    }
    r->has_closed = true;
    (void)fprintf(stderr,
                  "filterctl: %s: " SPAN_FMT ": could not be opened: changed, or made with another "
                  "key\n",
                  location, SPAN_ARG(t->rule));
    return buf_append(&r->out, span_slice(text, t->from, t->to), err);
}

static bool reveal_text(struct reveal *r, struct span text, struct error *err)
{
    struct location location;
    struct token t;
    size_t done = 0;

    location_init(&location, text, 1);
    for (size_t at = 0; next_token(text, &at, &t); done = t.to) {
        char name[64];
        location_seek(&location, t.from);
        (void)snprintf(name, sizeof(name), "<stdin>:%zu:%zu", location.line, location.column);
        if (!buf_append(&r->out, span_slice(text, done, t.from), err) ||
            !append_value(r, text, &t, name, err)) {
            return false;
        }
    }
    return buf_append(&r->out, span_slice(text, done, text.len), err);
}

static bool reveal_operands(struct reveal *r, struct error *err)
{
    for (int i = 0; i < r->args->n_operands; i++) {
        struct span text = span_str(r->args->operands[i]);
        struct token t;
        char name[32];
        (void)snprintf(name, sizeof(name), "operand %d", i + 1);
        if (text.len == 0 || text.ptr[0] != '[' || !read_token(text, 0, &t) || t.to != text.len) {
            r->has_closed = true;
            complain("%s: [rule-id:enc:…] expected", name);
            continue;
        }
        if (!append_value(r, text, &t, name, err) || !buf_append_char(&r->out, '\n', err)) {
            return false;
        }
    }
    return true;
}

static bool reveal_stdin(struct reveal *r, struct error *err)
{
    struct buf input CLEANUP(buf_deinit);
    struct span text;

    buf_init(&input, INPUT_MAX);
    return input_text("-", &input, &text, err) && reveal_text(r, text, err);
}

static void reveal_deinit(struct reveal *r)
{
    sodium_memzero(&r->keys, sizeof(r->keys));
    arena_deinit(&r->arena);
    buf_deinit(&r->out);
}

static int run(const struct arguments *args)
{
    struct reveal r CLEANUP(reveal_deinit) = {.args = args};
    struct error err;
    bool is_stdin =
        args->n_operands == 0 || (args->n_operands == 1 && strcmp(args->operands[0], "-") == 0);

    arena_init(&r.arena, ARENA_KEEP, ARENA_MAX);
    buf_init(&r.out, OUTPUT_MAX);
    if (args->keys == NULL || (args->to_json && !is_stdin)) {
        (void)fprintf(stderr, "filterctl reveal: %s expected\n",
                      args->keys == NULL ? "--keys DIR" : "--to-json: standard input");
        return EXIT_FAILED;
    }
    if (!keys_read_encrypt(args->keys, &r.keys, &err)) {
        error_wrap(&err, "--keys");
        return command_failed(&err);
    }
    if (!(is_stdin ? reveal_stdin(&r, &err) : reveal_operands(&r, &err))) {
        return command_failed(&err);
    }
    return command_finish(&r.out, r.has_closed ? EXIT_FAILED : EXIT_CLEAN);
}
