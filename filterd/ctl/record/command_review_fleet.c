/* command_review_fleet.c - filterctl review fleet: the review queues of all nodes, from the copies of their logs. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "replica/replica.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/mask.h"
#include "ctl/record/proven_log.h"
#include "record/log_check.h"
#include "review/review_find.h"
#include "review/review_fold.h"

enum { NODES_MAX = 1000, STEP_MS = 1000, OUTPUT_MAX = 64 * 1024 * 1024, NAME_ROOM = 64, DUE_TEXT = 17 };

static int run(const struct arguments *args);

const struct command command_review_fleet = {
    .name = "review fleet",
    .operands = "DIR [open|new|claimed|closed]",
    .summary = "List items of the review queues of all nodes, the most urgent first",
    .details = "DIR is what filterd-link gather writes: a folder for each node. Each line has the node, whether the node's key has signed the\n"
               "line of the item (proven) or not yet (unsigned), and what review list has. The key is that in DIR/NODE/key, where the first one\n"
               "that is seen is kept. An item is disposed of on its node. Exit code 1 when there are some; 2 when the lines of a node are not\n"
               "what it has signed.",
    .options = OPTION_BIT(OPTION_TENANT) | OPTION_BIT(OPTION_RULE),
    .texts = {{OPTION_TENANT, "only items of this tenant"}, {OPTION_RULE, "only items that this rule decided"}},
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};

struct fleet_item {
    char node[NAME_ROOM];
    bool is_proven;
    int64_t due_ms;
    unsigned total;
    const char *state;
    int action;
    uint64_t seq;
    char rule[REVIEW_WORD_MAX + 1], tenant[REVIEW_WORD_MAX + 1], agent[REVIEW_WORD_MAX + 1], assignee[ITEM_NAME + 1];
};

struct fleet_items {
    struct fleet_item *items;
    size_t n, room;
    int64_t now_ms;
    /* Of the node that is read. */
    const char *node;
    uint64_t proven; /* its key has signed so many lines */
};

/* --- one node ---------------------------------------------------------------------------- */

static bool check_key(const char *folder, const struct note_key *key, struct error *err)
{
    char vkey[NOTE_VKEY_MAX + 1];
    bool is_new;

    if (!replica_check_key(folder, key, &is_new, err)) {
        return false;
    }
    if (is_new) {
        note_key_format(key, vkey);
        complain("%s/key: the key of the log is seen for the first time: %s", folder, vkey);
    }
    return true;
}

/* Every line is hashed and compared with what the node's key has signed. INVALID: it is not the same. */
static bool prove(const char *folder, uint64_t *proven, struct error *err)
{
    struct proven_log log CLEANUP(proven_log_close) = {.minimum = 0};
    char *operand = strdup(folder);
    char *operands[] = {operand};
    struct log_check_result result;
    struct log_keys keys;

    bool is_open = operand != NULL && proven_log_open(&log, operands, 1, NULL, err);
    free(operand);
    if (!is_open || !log_keys_read(log.record, &log.files, NULL, &keys, err) || !check_key(folder, &keys.list[0].key, err) ||
        !log_keys_verify(&keys, &log.newest, log.newest.size, err)) {
        return false;
    }
    const struct log_check check = {.files = &log.files, .record = log.record, .newest = &log.newest, .keys = &keys, .minimum = log.minimum};
    if (!log_check(&check, &result, err)) {
        return false;
    }
    *proven = log.newest.size;
    return !result.finding.is_there || error_set(err, ERROR_INVALID, "%s: %s", folder, result.finding.text);
}

static bool fold(const struct index_place *place, struct error *err)
{
    struct index_follow *f = index_follow_open(place, err);
    bool more = true, is_good = f != NULL;

    while (is_good && more) {
        is_good = index_follow_step(f, UINT64_MAX, STEP_MS, &more, err);
    }
    index_follow_close(f);
    return is_good;
}

static bool add_item(void *context, const struct review_item *from, struct error *err)
{
    struct fleet_items *all = context;

    if (all->n == all->room) {
        size_t room = all->room == 0 ? 256 : all->room * 2;
        struct fleet_item *items = reallocarray(all->items, room, sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "review fleet: no memory");
        }
        all->items = items;
        all->room = room;
    }
    struct fleet_item *i = &all->items[all->n++];
    *i = (struct fleet_item){.is_proven = from->item.seq <= all->proven, .due_ms = from->due_ms, .total = from->priority.total,
                             .state = item_state_name(from->item.state), .action = from->action, .seq = from->item.seq};
    (void)snprintf(i->node, sizeof(i->node), "%s", all->node);
    (void)snprintf(i->rule, sizeof(i->rule), "%s", from->words[REVIEW_RULE]);
    (void)snprintf(i->tenant, sizeof(i->tenant), "%s", from->words[REVIEW_TENANT]);
    (void)snprintf(i->agent, sizeof(i->agent), "%s", from->words[REVIEW_AGENT]);
    (void)snprintf(i->assignee, sizeof(i->assignee), "%s", from->item.assignee);
    return true;
}

static struct span optional(const char *text)
{
    return text == NULL ? (struct span){NULL, 0} : span_str(text);
}

static bool list(const struct arguments *args, const char *review, struct fleet_items *all, struct error *err)
{
    struct review_reader *r = review_reader_open(review, err);
    struct review_items_query q = {.tenant = optional(args->tenant), .rule = optional(args->rule), .now_ms = all->now_ms, .limit = REVIEW_PAGE_MAX};
    bool has_next = true, is_good = r != NULL;

    (void)!review_states_of(span_str(args->n_operands > 1 ? args->operands[1] : "open"), &q.states); /* checked before */
    while (is_good && has_next) {
        is_good = review_items(r, &q, add_item, all, &has_next, &q.after, err);
        q.has_after = true;
    }
    review_reader_close(r);
    return is_good;
}

static bool read_node(const struct arguments *args, const char *node, struct fleet_items *all, struct error *err)
{
    struct replica_place copy;

    if (!replica_place(&copy, args->operands[0], node, err)) {
        return false;
    }
    const struct index_place place = {.log = copy.log, .folder = copy.folder, .index = copy.review, .maker = &review_maker};
    all->node = node;
    return prove(copy.folder, &all->proven, err) && fold(&place, err) && list(args, copy.review, all, err);
}

/* --- all of them --------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct fleet_item *x = a, *y = b;

    if (x->total != y->total) {
        return x->total < y->total ? 1 : -1;
    }
    int by_node = strcmp(x->node, y->node);
    return by_node != 0 ? by_node : (x->seq > y->seq) - (x->seq < y->seq);
}

/* Agents choose their names: nothing in them may reach the terminal as a command. */
static bool append_item(struct buf *out, const struct fleet_item *i, struct error *err)
{
    const char *const words[] = {index_action_name(i->action), i->rule, i->tenant, i->agent, i->assignee};
    time_t due = (time_t)(i->due_ms / 1000);
    char text[DUE_TEXT];
    struct tm t;

    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M", gmtime_r(&due, &t));
    if (!buf_appendf(out, err, "%-16s  %-8s  %8" PRIu64 "  %4u  %s  %-7s", i->node, i->is_proven ? "proven" : "unsigned", i->seq, i->total, text,
                     i->state)) {
        return false;
    }
    for (size_t k = 0; k < COUNT(words); k++) {
        if (!buf_append_str(out, "  ", err) || !mask_append_visible(out, span_str(words[k][0] == '\0' ? "-" : words[k]), err)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

static int print_items(struct fleet_items *all, bool is_whole)
{
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    bool is_good = true;

    buf_init(&out, OUTPUT_MAX);
    if (all->n > 0) {
        qsort(all->items, all->n, sizeof(*all->items), compare);
    }
    for (size_t i = 0; i < all->n && is_good; i++) {
        is_good = append_item(&out, &all->items[i], &err);
    }
    if (all->n == 0) {
        complain("no items");
    }
    return is_good ? command_finish(&out, !is_whole ? EXIT_FAILED : all->n > 0 ? EXIT_FOUND : EXIT_CLEAN) : command_failed(&err);
}

static int is_node(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type == DT_DIR;
}

/* A node whose lines are not what it has signed is named and left out: the others are shown. */
static int run(const struct arguments *args)
{
    struct fleet_items all = {.now_ms = clock_utc_ns() / 1000000};
    struct dirent **nodes = NULL;
    enum review_states states;
    struct error err;
    bool is_whole = true;

    if (args->n_operands > 1 && !review_states_of(span_str(args->operands[1]), &states)) {
        error_set(&err, ERROR_INVALID, "review fleet: open, new, claimed or closed expected");
        return command_failed(&err);
    }
    int n = scandir(args->operands[0], &nodes, is_node, alphasort);
    if (n < 0) {
        error_errno(&err, "%s", args->operands[0]);
        return command_failed(&err);
    }
    for (int i = 0; i < n; i++) {
        if (!read_node(args, nodes[i]->d_name, &all, &err)) {
            complain("%s: %s", nodes[i]->d_name, err.text);
            is_whole = false;
        }
        free(nodes[i]);
    }
    free(nodes);
    int code = print_items(&all, is_whole);
    free(all.items);
    return code;
}
