/* command_review.c - filterctl review list, show, dispose, stats: the review queue of a running filterd. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/operators.h"
#include "review/item.h"

enum { OUTPUT_MAX = 64 * 1024 * 1024, PATH_ROOM = 4096, SEQ_DIGITS = 19 };

#define OPTIONS_ASKING (OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN))

static int run_list(const struct arguments *args);
static int run_show(const struct arguments *args);
static int run_dispose(const struct arguments *args);
static int run_stats(const struct arguments *args);

const struct command command_review_list = {
    .name = "review list",
    .operands = "[open|new|claimed|closed]",
    .summary = "List items of the review queue, the most urgent first",
    .details = "Each line has the number of its record, priority, due date, state, action, rule, tenant, agent and who has it. Open\n"
               "items without an operand. Exit code 1 when there are some.",
    .options = OPTIONS_ASKING | OPTION_BIT(OPTION_TENANT) | OPTION_BIT(OPTION_RULE),
    .texts = {{OPTION_TENANT, "only items of this tenant"}, {OPTION_RULE, "only items that this rule decided"}},
    .formats = "text|json",
    .max_operands = 1,
    .run = run_list,
};

const struct command command_review_show = {
    .name = "review show",
    .operands = "ITEM",
    .summary = "Show an item of the review queue, and the lines of its history, as JSON",
    .options = OPTIONS_ASKING,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_show,
};

const struct command command_review_dispose = {
    .name = "review dispose",
    .operands = "ITEM true_positive|false_positive|benign|policy_gap|unsure",
    .summary = "Close an item of the review queue with a disposition",
    .details = "Prints the number of the line that is on record.",
    .options = OPTIONS_ASKING | OPTION_BIT(OPTION_WHY),
    .texts = {{OPTION_WHY, "a note, for the record; at most 100 bytes"}},
    .min_operands = 2,
    .max_operands = 2,
    .run = run_dispose,
};

const struct command command_review_stats = {
    .name = "review stats",
    .operands = "",
    .summary = "Count the items of the review queue, and how well people agree, as JSON",
    .options = OPTIONS_ASKING,
    .run = run_stats,
};

static int print_json(json_t *value, int code, struct error *err)
{
    char *text = value == NULL ? NULL : json_dumps(value, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));

    if (value != NULL && text == NULL) {
        error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    bool is_printed = text != NULL && command_print(span_str(text), err) && command_print(span_str("\n"), err);
    free(text);
    json_decref(value);
    return is_printed ? code : command_failed(err);
}

/* --- list ----------------------------------------------------------------------- */

static bool add_parameter(struct buf *path, const char *name, const char *value, struct error *err)
{
    return value == NULL || (buf_appendf(path, err, "&%s=", name) && operators_append(path, value, err));
}

static const char *text_of(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));

    return text == NULL || text[0] == '\0' ? "-" : text;
}

/* Agents choose their names: nothing in them may reach the terminal as a command. */
static bool append_item(struct buf *out, const json_t *item, struct error *err)
{
    static const char *const names[] = {"action", "rule", "tenant", "agent", "assignee"};
    const json_t *priority = json_object_get(json_object_get(item, "priority"), "total");

    if (!buf_appendf(out, err, "%8lld  %4lld  %.16s  %-7s", (long long)json_integer_value(json_object_get(item, "seq")),
                     (long long)json_integer_value(priority), text_of(item, "due"), text_of(item, "state"))) {
        return false;
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        if (!buf_append_str(out, "  ", err) || !mask_append_visible(out, span_str(text_of(item, names[i])), err)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

/* Page by page; appends the items to `all`. */
static bool read_pages(const struct arguments *args, json_t *all, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);
    char next[64] = "";
    bool has_next = true;

    buf_init(&path, PATH_ROOM);
    while (has_next) {
        buf_clear(&path);
        bool is_made = buf_appendf(&path, err, "/v1/items?limit=500%s%s", next[0] == '\0' ? "" : "&", next) &&
                       add_parameter(&path, "state", args->n_operands > 0 ? args->operands[0] : NULL, err) &&
                       add_parameter(&path, "tenant", args->tenant, err) && add_parameter(&path, "rule", args->rule, err) &&
                       buf_append_char(&path, '\0', err);
        json_t *page = is_made ? operators_ask(args, "GET", path.data, err) : NULL;
        if (page == NULL) {
            return false;
        }
        (void)json_array_extend(all, json_object_get(page, "items"));
        const char *key = json_string_value(json_object_get(page, "next"));
        has_next = key != NULL;
        (void)snprintf(next, sizeof(next), "%s", key == NULL ? "" : key);
        json_decref(page);
    }
    return true;
}

static int print_list(json_t *items, struct error *err)
{
    struct buf out CLEANUP(buf_deinit);
    bool is_good = true;

    buf_init(&out, OUTPUT_MAX);
    for (size_t i = 0; i < json_array_size(items) && is_good; i++) {
        is_good = append_item(&out, json_array_get(items, i), err);
    }
    if (json_array_size(items) == 0) {
        complain("no items");
    }
    return is_good ? command_finish(&out, json_array_size(items) > 0 ? EXIT_FOUND : EXIT_CLEAN) : command_failed(err);
}

static int run_list(const struct arguments *args)
{
    json_t *items = json_array();
    struct error err;

    if (args->n_operands > 0 && !options_is_one_of("open|new|claimed|closed", args->operands[0])) {
        error_set(&err, ERROR_INVALID, "review list: open, new, claimed or closed expected");
        json_decref(items);
        return command_failed(&err);
    }
    if (items == NULL || !read_pages(args, items, &err)) {
        json_decref(items);
        return command_failed(&err);
    }
    if (args->format != NULL && strcmp(args->format, "json") == 0) {
        return print_json(items, json_array_size(items) > 0 ? EXIT_FOUND : EXIT_CLEAN, &err);
    }
    int code = print_list(items, &err);
    json_decref(items);
    return code;
}

/* --- one item --------------------------------------------------------------------- */

static bool check_item(const char *text, struct error *err)
{
    size_t len = strspn(text, "0123456789");

    return (len > 0 && len <= SEQ_DIGITS && text[len] == '\0') ||
           error_set(err, ERROR_INVALID, "review: the number of an item expected");
}

static int run_show(const struct arguments *args)
{
    char path[64];
    struct error err;

    if (!check_item(args->operands[0], &err)) {
        return command_failed(&err);
    }
    (void)snprintf(path, sizeof(path), "/v1/items/%s", args->operands[0]);
    return print_json(operators_ask(args, "GET", path, &err), EXIT_CLEAN, &err);
}

static json_t *send_disposition(const struct arguments *args, const char *path, struct error *err)
{
    json_t *body = args->why == NULL ? json_pack("{ss}", "disposition", args->operands[1])
                                     : json_pack("{ssss}", "disposition", args->operands[1], "note", args->why);
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);
    json_t *answer = NULL;

    if (text != NULL) {
        answer = operators_send(args, path, text, err);
    } else {
        error_set(err, ERROR_INVALID, "review dispose: a note of UTF-8 expected");
    }
    free(text);
    json_decref(body);
    return answer;
}

static int run_dispose(const struct arguments *args)
{
    char path[64];
    struct error err;

    if (!check_item(args->operands[0], &err)) {
        return command_failed(&err);
    }
    if (item_disposition_of(span_str(args->operands[1])) == ITEM_UNDISPOSED) {
        error_set(&err, ERROR_INVALID, "review dispose: true_positive, false_positive, benign, policy_gap or unsure expected");
        return command_failed(&err);
    }
    (void)snprintf(path, sizeof(path), "/v1/items/%s/dispose", args->operands[0]);
    json_t *answer = send_disposition(args, path, &err);
    if (answer == NULL) {
        return command_failed(&err);
    }
    printf("line %lld\n", (long long)json_integer_value(json_object_get(answer, "line")));
    json_decref(answer);
    return EXIT_CLEAN;
}

static int run_stats(const struct arguments *args)
{
    struct error err;

    return print_json(operators_ask(args, "GET", "/v1/review", &err), EXIT_CLEAN, &err);
}
