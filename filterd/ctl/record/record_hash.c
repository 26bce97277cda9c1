/* record_hash.c - filterctl record hash: the tokens that a value has in the record. */
#include <sodium.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/command.h"
#include "state/token_keys.h"
#include "decision_log/value_token.h"

enum { VALUE_MAX = 16 * 1024 * 1024, OUTPUT_MAX = 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_record_hash = {
    .name = "record hash",
    .operands = "[FILE]",
    .summary = "Print the tokens that a value has in the decision log",
    .details = "The value is what FILE holds, or standard input, less one newline at its end: not a word of the command line,\n"
               "where other users and the shell's history could see it. One line for each key that is there: its epoch, the\n"
               "first day of that, and the token. An epoch whose key was erased has none.",
    .options = OPTION_BIT(OPTION_KEYS),
    .texts = {{OPTION_KEYS, "the keys in DIR/keys, filterd's state"}},
    .max_operands = 1,
    .run = run,
};

struct printing {
    struct span value;
    struct buf out;
    struct error *err;
    bool has_failed;
};

static void print_token(void *context, unsigned epoch, const struct decision_keys *keys)
{
    struct printing *p = context;
    struct value_token token;
    char day[16] = "-", name[16] = "names";
    time_t seconds = (time_t)(token_epoch_begins_ns(epoch) / 1000000000);
    struct tm date;

    if (epoch > 0) {
        (void)gmtime_r(&seconds, &date);
        (void)strftime(day, sizeof(day), "%Y-%m-%d", &date);
        (void)snprintf(name, sizeof(name), "e%u", epoch);
    }
    bool is_made = epoch > 0 ? value_token_make(keys, p->value, &token, p->err) : value_token_mark(keys, p->value, &token, p->err);
    p->has_failed = p->has_failed || !is_made || !buf_appendf(&p->out, p->err, "%s\t%s\t%s\n", name, day, token.text);
}

static bool read_value(const struct arguments *args, struct buf *out, struct error *err)
{
    bool is_read = args->n_operands == 0 ? file_read_fd(STDIN_FILENO, "standard input", out, err)
                                         : file_read(args->operands[0], out, err);

    if (is_read && out->len > 0 && out->data[out->len - 1] == '\n') {
        out->len--;
    }
    return is_read;
}

static int run(const struct arguments *args)
{
    struct buf value;
    struct error err;
    struct printing p = {.err = &err};

    buf_init(&value, VALUE_MAX);
    buf_init(&p.out, OUTPUT_MAX);
    bool is_done = args->keys != NULL || error_set(&err, ERROR_INVALID, "--keys DIR expected, filterd's state directory");
    is_done = is_done && read_value(args, &value, &err);
    p.value = buf_span(&value);
    is_done = is_done && token_keys_each(args->keys, print_token, &p, &err) && !p.has_failed;
    if (value.data != NULL) {
        sodium_memzero(value.data, value.cap);
    }
    buf_deinit(&value);
    int code = is_done ? command_finish(&p.out, EXIT_CLEAN) : command_failed(&err);
    buf_deinit(&p.out);
    return code;
}
