#include "library/verdicts.h"

enum { VALIDITY, VALUES, TEXTS }; /* buffers; VALUES are offsets where there are TEXTS */
enum { RULES_MAX = INT16_MAX }; /* numbers of the dictionary of rules */

/* Whether element i of the column is null; `columns` without nulls have no such function. */
typedef bool is_null_fn(const struct buf *column, size_t i);

static bool is_null_8(const struct buf *column, size_t i)
{
    return ((const int8_t *)column->data)[i] < 0;
}

static bool is_null_16(const struct buf *column, size_t i)
{
    return ((const int16_t *)(const void *)column->data)[i] < 0;
}

static bool is_null_32(const struct buf *column, size_t i)
{
    return ((const int32_t *)(const void *)column->data)[i] < 0;
}

/* The node's length, count of nulls and bitmap of those that are not. */
static bool set_rows(struct arrow_node *node, size_t n, const struct buf *column, is_null_fn *is_null, struct error *err)
{
    struct buf bitmap;
    int64_t nulls = 0;

    buf_init(&bitmap, (n + 7) / 8 + 1);
    if (!buf_reserve(&bitmap, bitmap.max, err)) {
        return false;
    }
    memset(bitmap.data, 0, bitmap.max);
    bitmap.len = bitmap.max;
    for (size_t i = 0; i < n; i++) {
        bool is_there = !is_null(column, i);
        nulls += !is_there;
        bitmap.data[i / 8] = (char)(bitmap.data[i / 8] | (is_there << (i % 8)));
    }
    node->array.length = (int64_t)n;
    node->array.null_count = nulls;
    arrow_node_take(node, VALIDITY, &bitmap);
    return true;
}

/* Offsets from lengths, of which those below 0 count as 0; with one more than lengths. */
static bool make_offsets(const struct buf *lengths, size_t n, bool is_large, struct buf *out, struct error *err)
{
    size_t size = is_large ? sizeof(int64_t) : sizeof(int32_t);
    int64_t at = 0;

    buf_init(out, (n + 1) * size);
    if (!buf_reserve(out, out->max, err)) {
        return false;
    }
    for (size_t i = 0; i <= n; i++) {
        int32_t narrow = (int32_t)at;
        memcpy(out->data + i * size, is_large ? (const void *)&at : (const void *)&narrow, size);
        if (i < n) {
            int32_t length = ((const int32_t *)(const void *)lengths->data)[i];
            at += length > 0 ? length : 0;
        }
    }
    out->len = out->max;
    return true;
}

/* A column of numbers, or of numbers of a dictionary; `is_null` NULL: it has no nulls. */
struct numbers {
    const char *format, *name;
    enum rows_column column;
    is_null_fn *is_null;
};

static bool make_numbers(struct arrow_node *out, struct rows *rows, const struct numbers *form, struct error *err)
{
    struct buf *column = &rows->columns[form->column];
    size_t n = rows_count(rows, form->column);

    if (!arrow_node_init(out, form->format, form->name, VALUES + 1, 0, err)) {
        return false;
    }
    out->array.length = (int64_t)n;
    if (form->is_null != NULL && !set_rows(out, n, column, form->is_null, err)) {
        arrow_node_release(out);
        return false;
    }
    arrow_node_take(out, VALUES, column);
    return true;
}

static bool make_coded(struct arrow_node *out, struct rows *rows, const struct numbers *form, const char *const *names, size_t n_names,
                       struct error *err)
{
    if (!make_numbers(out, rows, form, err)) {
        return false;
    }
    if (!arrow_node_set_dictionary(out, names, n_names, err)) {
        arrow_node_release(out);
        return false;
    }
    return true;
}

struct strings {
    const char *name;
    enum rows_column lengths, bytes;
    bool is_large;
};

static bool make_strings(struct arrow_node *out, struct rows *rows, const struct strings *form, struct error *err)
{
    const struct buf *lengths = &rows->columns[form->lengths];
    size_t n = rows_count(rows, form->lengths);
    struct buf offsets;

    if (!arrow_node_init(out, form->is_large ? "U" : "u", form->name, TEXTS + 1, 0, err)) {
        return false;
    }
    if (!set_rows(out, n, lengths, is_null_32, err) || !make_offsets(lengths, n, form->is_large, &offsets, err)) {
        arrow_node_release(out);
        return false;
    }
    arrow_node_take(out, VALUES, &offsets);
    arrow_node_take(out, TEXTS, &rows->columns[form->bytes]);
    return true;
}

/* --- the columns of a finding and of a verdict ------------------------------------------ */

static size_t count_names(const char *const *names)
{
    size_t n = 0;

    while (names[n] != NULL) {
        n++;
    }
    return n;
}

static bool make_finding_column(struct arrow_node *out, size_t i, struct rows *rows, const struct filterd_engine *engine, struct error *err)
{
    static const struct numbers forms[] = {
        {"s", "rule", ROWS_finding_rule, NULL},       {"i", "start", ROWS_finding_start, NULL},
        {"i", "end", ROWS_finding_end, NULL},         {"f", "confidence", ROWS_finding_confidence, NULL},
        {"c", "action", ROWS_finding_action, NULL},   {"c", "category", ROWS_finding_category, NULL},
        {"c", "severity", ROWS_finding_severity, NULL},
    };
    const struct strings view = {"view", ROWS_finding_view_length, ROWS_finding_view, false};
    const char *const *names[] = {engine->rule_names, NULL, NULL, NULL, action_names, category_names, severity_names};

    if (i == sizeof(forms) / sizeof(forms[0])) {
        return make_strings(out, rows, &view, err);
    }
    if (names[i] == NULL) {
        return make_numbers(out, rows, &forms[i], err);
    }
    size_t n = i == 0 ? (size_t)filterd_rule_count(engine) + 1 : count_names(names[i]);
    return make_coded(out, rows, &forms[i], names[i], n, err);
}

enum { FINDING_COLUMNS = 8 };

static bool make_finding(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, struct error *err)
{
    size_t n = rows_count(rows, ROWS_finding_rule);
    struct arrow_node column;

    if (!arrow_node_init(out, "+s", "item", 1, FINDING_COLUMNS, err)) {
        return false;
    }
    out->array.length = (int64_t)n;
    for (size_t i = 0; i < FINDING_COLUMNS; i++) {
        if (!make_finding_column(&column, i, rows, engine, err)) {
            arrow_node_release(out);
            return false;
        }
        arrow_node_adopt(out, i, &column);
    }
    return true;
}

static bool make_findings(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, struct error *err)
{
    const struct buf *counts = &rows->columns[ROWS_n_findings];
    size_t n = rows_count(rows, ROWS_n_findings);
    struct arrow_node finding;
    struct buf offsets;

    if (!arrow_node_init(out, "+l", "findings", VALUES + 1, 1, err)) {
        return false;
    }
    if (!set_rows(out, n, counts, is_null_32, err) || !make_finding(&finding, rows, engine, err)) {
        arrow_node_release(out);
        return false;
    }
    arrow_node_adopt(out, 0, &finding);
    if (!make_offsets(counts, n, false, &offsets, err)) {
        arrow_node_release(out);
        return false;
    }
    arrow_node_take(out, VALUES, &offsets);
    return true;
}

static bool make_action(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err)
{
    (void)engine;
    (void)is_large;
    return make_coded(out, rows, &(struct numbers){"c", "action", ROWS_action, is_null_8}, action_names, count_names(action_names), err);
}

static bool make_rule(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err)
{
    (void)is_large;
    return make_coded(out, rows, &(struct numbers){"s", "rule", ROWS_rule, is_null_16}, engine->rule_names,
                      (size_t)filterd_rule_count(engine) + 1, err);
}

static bool make_text(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err)
{
    (void)engine;
    return make_strings(out, rows, &(struct strings){"text", ROWS_text_length, ROWS_text, is_large}, err);
}

static bool make_found(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err)
{
    (void)is_large;
    return make_findings(out, rows, engine, err);
}

static bool make_error(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err)
{
    (void)engine;
    (void)is_large;
    return make_strings(out, rows, &(struct strings){"error", ROWS_error_length, ROWS_error, false}, err);
}

typedef bool make_fn(struct arrow_node *out, struct rows *rows, const struct filterd_engine *engine, bool is_large, struct error *err);
static make_fn *const makers[] = {make_action, make_rule, make_text, make_found, make_error};
enum { COLUMN_TEXT = 2, COLUMNS = sizeof(makers) / sizeof(makers[0]) };

static bool add_columns(struct arrow_node *out, const struct filterd_engine *engine, struct rows *rows, const struct verdicts_form *form,
                        struct error *err)
{
    struct arrow_node column;
    size_t at = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        if (i == COLUMN_TEXT && !form->with_text) {
            continue;
        }
        if (!makers[i](&column, rows, engine, form->has_large_text, err)) {
            return false;
        }
        arrow_node_adopt(out, at++, &column);
    }
    return true;
}

bool verdicts_node(struct arrow_node *out, const struct filterd_engine *engine, struct rows *rows, const struct verdicts_form *form,
                   struct error *err)
{
    size_t n = rows_count(rows, ROWS_action);

    if (filterd_rule_count(engine) >= RULES_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d rules expected for an Arrow result, there are %u", RULES_MAX, filterd_rule_count(engine));
    }
    if (!arrow_node_init(out, "+s", "", 1, form->with_text ? COLUMNS : COLUMNS - 1, err)) {
        return false;
    }
    if (!set_rows(out, n, &rows->columns[ROWS_action], is_null_8, err) || !add_columns(out, engine, rows, form, err)) {
        arrow_node_release(out);
        return false;
    }
    return true;
}
