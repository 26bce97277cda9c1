/* record_erase.c - filterctl record keys, record erase: keys of originals and of epochs of tokens, listed and deleted.
 *
 * Order of an erasure: holds are looked for, the intent is put on record, the keys are deleted, the outcome is put on
 * record. What fails on the way leaves a line that says how far it came. */
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/operators.h"
#include "ctl/record/legal_holds.h"
#include "state/token_keys.h"
#include "decision_log/value_token.h"
#include "seal/shred.h"

enum { IDS_MAX = 64, PARAMETERS_MAX = 8192, SUBJECT_MAX = 4096, OUTPUT_MAX = 16 * 1024 * 1024 };

static int run_keys(const struct arguments *args);
static int run_erase(const struct arguments *args);

const struct command command_record_keys = {
    .name = "record keys",
    .operands = "",
    .summary = "List the keys whose deletion erases originals or tokens",
    .details = "One line each: the id, the month or the first day of the epoch, and the tenant of an original's key.",
    .options = OPTION_BIT(OPTION_KEYS),
    .texts = {{OPTION_KEYS, "filterd's state directory"}},
    .run = run_keys,
};

const struct command command_record_erase = {
    .name = "record erase",
    .operands = "ID…",
    .summary = "Erase originals and tokens by deleting their keys",
    .details = "ID is one that `filterctl record keys` lists: 16 hexadecimal digits, or an epoch such as e229 that is over.\n"
               "Refused, with exit code 1 and a line of the log, while a hold is in force over a line that the key is of.\n"
               "The log, its proofs and the files stay; what they held is gone when the last backup of the key is.",
    .options = OPTION_BIT(OPTION_KEYS) | OPTION_BIT(OPTION_LOG) | OPTION_BIT(OPTION_SUBJECT) | OPTION_BIT(OPTION_APPROVER) |
               OPTION_BIT(OPTION_WHY) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .texts = {{OPTION_KEYS, "filterd's state directory"}},
    .min_operands = 1,
    .max_operands = IDS_MAX,
    .run = run_erase,
};

/* --- keys --------------------------------------------------------------------- */

struct listing {
    struct buf out;
    struct error *err;
    bool has_failed;
};

static void list_shred_key(void *context, const char *id, struct span tenant, const char *month)
{
    struct listing *l = context;

    l->has_failed = l->has_failed || !buf_appendf(&l->out, l->err, "%s\t%s\t", id, month) ||
                    !mask_append_visible(&l->out, tenant.len == 0 ? span_str("-") : tenant, l->err) ||
                    !buf_append_char(&l->out, '\n', l->err);
}

static void list_epoch(void *context, unsigned epoch, const struct decision_keys *keys)
{
    struct listing *l = context;
    time_t seconds = (time_t)(token_epoch_begins_ns(epoch) / 1000000000);
    struct tm date;
    char day[16];

    (void)keys;
    (void)gmtime_r(&seconds, &date);
    (void)strftime(day, sizeof(day), "%Y-%m-%d", &date);
    if (epoch > 0) {
        l->has_failed = l->has_failed || !buf_appendf(&l->out, l->err, "e%u\t%s\t-\n", epoch, day);
    }
}

static bool check_state(const struct arguments *args, struct error *err)
{
    return args->keys != NULL || error_set(err, ERROR_INVALID, "--keys DIR expected, filterd's state directory");
}

static struct shred_store *open_store(const struct arguments *args, struct error *err)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof(path), "%s/" SHRED_FOLDER "/" SHRED_FILE, args->keys);

    if (len < 0 || (size_t)len >= sizeof(path)) {
        error_set(err, ERROR_INVALID, "%s: path too long", args->keys);
        return NULL;
    }
    return shred_open_file(path, err);
}

/* A service that has sealed nothing has no store. */
static bool has_store(const struct arguments *args)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/" SHRED_FOLDER "/" SHRED_FILE, args->keys);
    return access(path, F_OK) == 0;
}

static int run_keys(const struct arguments *args)
{
    struct error err;
    struct listing l = {.err = &err};

    buf_init(&l.out, OUTPUT_MAX);
    bool is_done = check_state(args, &err);
    if (is_done && has_store(args)) {
        struct shred_store *store = open_store(args, &err);
        is_done = store != NULL && shred_each(store, list_shred_key, &l, &err);
        shred_close(store);
    }
    is_done = is_done && token_keys_each(args->keys, list_epoch, &l, &err) && !l.has_failed;
    int code = is_done ? command_finish(&l.out, EXIT_CLEAN) : command_failed(&err);
    buf_deinit(&l.out);
    return code;
}

/* --- which lines are touched -------------------------------------------------- */

struct touched {
    const struct legal_holds *holds;
    const struct arguments *args;
    char held_by[160]; /* "": no hold */
    size_t n_originals;
};

/* The epoch in "e229"; 0 when it is none. */
static unsigned epoch_of(const char *id)
{
    char again[16];
    unsigned long number = id[0] == 'e' ? strtoul(id + 1, NULL, 10) : 0;

    (void)snprintf(again, sizeof(again), "e%lu", number);
    return number > 0 && number <= UINT_MAX && strlen(id) < SHRED_ID && strcmp(again, id) == 0 ? (unsigned)number : 0;
}

/* A token of that epoch begins with the epoch: no other text of a line has a quote before it and a dash behind. */
static bool names_epoch(struct span line, const char *id)
{
    char mark[32];
    int len = snprintf(mark, sizeof(mark), "%s-", id);

    for (const char *at = line.ptr; (at = memmem(at, (size_t)(line.ptr + line.len - at), mark, (size_t)len)) != NULL; at++) {
        if (at > line.ptr && (at[-1] == '"' || at[-1] == ':' || at[-1] == '~' || at[-1] == '/')) {
            return true;
        }
    }
    return false;
}

static bool touch(void *context, struct span line, const json_t *record)
{
    struct touched *t = context;
    const json_t *sealed = json_object_get(record, "sealed");
    const char *kek = json_string_value(json_object_get(sealed, "kek"));
    bool is_original = false, is_touched = false;

    for (int i = 0; i < t->args->n_operands; i++) {
        const char *id = t->args->operands[i];
        is_original = is_original || (kek != NULL && strcmp(kek, id) == 0);
        is_touched = is_touched || is_original || (epoch_of(id) > 0 && names_epoch(line, id));
    }
    t->n_originals += is_original;
    const char *held_by = is_touched ? legal_holds_match(t->holds, line) : NULL;
    if (held_by != NULL) {
        (void)snprintf(t->held_by, sizeof(t->held_by), "%s", held_by);
    }
    return held_by == NULL;
}

/* --- erase -------------------------------------------------------------------- */

struct subject {
    struct value_token token;
    bool is_made;
    struct span value;
    struct error *err;
};

/* Under the key of names, which is not of an epoch: who has the name can tell later that it was this. */
static void make_token(void *context, unsigned epoch, const struct decision_keys *keys)
{
    struct subject *s = context;

    if (epoch == 0) {
        s->is_made = value_token_make(keys, s->value, &s->token, s->err);
    }
}

static bool read_subject(const struct arguments *args, struct value_token *out, struct error *err)
{
    struct subject s = {.err = err};
    struct buf value;

    if (args->subject == NULL) {
        return error_set(err, ERROR_INVALID, "--subject FILE expected, which holds the name of whom or what it is about");
    }
    buf_init(&value, SUBJECT_MAX);
    bool is_read = file_read(args->subject, &value, err);
    if (is_read && value.len > 0 && value.data[value.len - 1] == '\n') {
        value.len--;
    }
    s.value = buf_span(&value);
    is_read = is_read && token_keys_each(args->keys, make_token, &s, err) && s.is_made;
    buf_deinit(&value);
    *out = s.token;
    return is_read;
}

static bool record_step(const struct arguments *args, const struct value_token *subject, const char *step, const size_t *blobs,
                        struct error *err)
{
    struct buf parameters CLEANUP(buf_deinit), ids CLEANUP(buf_deinit);
    char count[32] = "";

    buf_init(&parameters, PARAMETERS_MAX);
    buf_init(&ids, PARAMETERS_MAX);
    for (int i = 0; i < args->n_operands; i++) {
        if (!buf_appendf(&ids, err, "%s%s", i > 0 ? "," : "", args->operands[i])) {
            return false;
        }
    }
    if (blobs != NULL) {
        (void)snprintf(count, sizeof(count), "%zu", *blobs);
    }
    return buf_append_char(&ids, '\0', err) && operators_add(&parameters, "subject_tok", subject->text, err) &&
           operators_add(&parameters, "step", step, err) && operators_add(&parameters, "keks", ids.data, err) &&
           operators_add(&parameters, "blobs", blobs != NULL ? count : NULL, err) &&
           operators_add(&parameters, "why", args->why, err) && operators_add(&parameters, "approver", args->approver, err) &&
           legal_holds_record(args, "/v1/erasures", &parameters, err);
}

/* Every id is one that can be deleted, before any is. */
static bool check_ids(const struct arguments *args, struct shred_store *store, struct error *err)
{
    for (int i = 0; i < args->n_operands; i++) {
        const char *id = args->operands[i];
        struct shred_key key;
        unsigned epoch = epoch_of(id);
        bool is_over = epoch > 0 && epoch < token_epoch(clock_utc_ns());
        if (epoch > 0 && !is_over) {
            return error_set(err, ERROR_INVALID, "%s: an epoch that is over expected", id);
        }
        bool is_known = is_over || (store != NULL && shred_find(store, id, &key, err));
        sodium_memzero(&key, sizeof(key));
        if (!is_known) {
            return store == NULL ? error_set(err, ERROR_NOT_FOUND, "%s: an id of filterctl record keys expected", id) : false;
        }
    }
    return true;
}

static bool delete_all(const struct arguments *args, struct shred_store *store, struct error *err)
{
    for (int i = 0; i < args->n_operands; i++) {
        const char *id = args->operands[i];
        unsigned epoch = epoch_of(id);
        bool is_deleted = epoch > 0 ? token_keys_delete(args->keys, epoch, clock_utc_ns(), err) : shred_delete(store, id, err);
        if (!is_deleted) {
            return false;
        }
    }
    return true;
}

static bool erase(const struct arguments *args, struct shred_store *store, bool *is_held, struct error *err)
{
    struct touched t = {.args = args};
    struct value_token subject;

    *is_held = false;
    struct legal_holds *holds = legal_holds_open(args->log, err);
    t.holds = holds;
    bool is_known = holds != NULL && check_ids(args, store, err) && read_subject(args, &subject, err) &&
                    legal_holds_each_line(holds, touch, &t, err);
    legal_holds_free(holds);
    if (!is_known) {
        return false;
    }
    if (t.held_by[0] != '\0') {
        *is_held = true;
        complain("nothing was erased: the hold '%s' is in force", t.held_by);
        return record_step(args, &subject, "blocked_by_hold", NULL, err);
    }
    return record_step(args, &subject, "approved", NULL, err) && delete_all(args, store, err) &&
           record_step(args, &subject, "done", &t.n_originals, err);
}

static int run_erase(const struct arguments *args)
{
    struct error err;
    bool is_held = false;

    if (!check_state(args, &err)) {
        return command_failed(&err);
    }
    struct shred_store *store = has_store(args) ? open_store(args, &err) : NULL;
    bool is_done = (store != NULL || !has_store(args)) && erase(args, store, &is_held, &err);
    shred_close(store);
    return !is_done ? command_failed(&err) : is_held ? EXIT_FOUND : EXIT_CLEAN;
}
