#include "policy/rule_data.h"

#include <limits.h>
#include <stdlib.h>

/* "rules/pii/" of the rule's file, then the name. */
static bool path_beside(const struct rule *rule, struct span name, char path[PATH_MAX], struct error *err)
{
    struct span file = rule->source.file;
    const char *slash = file.len > 0 ? memrchr(file.ptr, '/', file.len) : NULL;
    size_t folder = slash == NULL ? 0 : (size_t)(slash - file.ptr) + 1;
    bool is_name = name.len > 0 && memchr(name.ptr, '/', name.len) == NULL && memchr(name.ptr, '\0', name.len) == NULL;

    if (!is_name) {
        return error_set(err, ERROR_INVALID, "the name of a file in the folder of the rule expected, without '/'");
    }
    int len = snprintf(path, PATH_MAX, "%.*s" SPAN_FMT, (int)folder, file.ptr, SPAN_ARG(name));
    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "path too long");
}

static bool read_columns(const struct rule *rule, struct rule_table *t, struct error *err)
{
    for (size_t i = 0; i < rule->exact.cells.n; i++) {
        unsigned column = table_find_column(t->table, rule->exact.cells.items[i]);
        if (column == t->table->header->n_columns) {
            return error_set(err, ERROR_INVALID, "cells: '" SPAN_FMT "' is no column of the file", SPAN_ARG(rule->exact.cells.items[i]));
        }
        t->wanted.alone |= UINT64_C(1) << column;
    }
    t->wanted.columns = rule->exact.columns;
    t->wanted.within = rule->exact.within;
    return rule->exact.columns <= t->table->header->n_columns ||
           error_set(err, ERROR_INVALID, "columns: at most %u expected, which the file has", t->table->header->n_columns);
}

static bool open_one(const struct rule *rule, struct rule_table *t, struct error *err)
{
    const bool is_cells = rule->exact.file.len > 0;
    char file[PATH_MAX], key[PATH_MAX];

    if (!path_beside(rule, is_cells ? rule->exact.file : rule->documents.file, file, err) ||
        !path_beside(rule, is_cells ? rule->exact.key : rule->documents.key, key, err)) {
        return false;
    }
    t->table = table_open(file, key, is_cells ? TABLE_CELLS : TABLE_DOCUMENTS, err);
    if (t->table == NULL) {
        return false;
    }
    return is_cells ? read_columns(rule, t, err) : copies_want(t->table, rule->documents.run, rule->documents.share, &t->copies, err);
}

bool rule_data_open(struct rule_set *set, struct error *err)
{
    size_t n = 0;

    for (uint32_t i = 0; i < set->n_rules; i++) {
        n += rule_is_data(&set->rules[i]);
    }
    set->tables = calloc(n + 1, sizeof(*set->tables));
    if (set->tables == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "rules: no memory");
    }
    for (uint32_t i = 0; i < set->n_rules; i++) {
        const struct rule *rule = &set->rules[i];
        if (!rule_is_data(rule)) {
            continue;
        }
        struct rule_table *t = &set->tables[set->n_tables++];
        t->rule = i;
        if (!open_one(rule, t, err)) {
            return error_wrap(err, SPAN_FMT ":%u:1: rule '" SPAN_FMT "'", SPAN_ARG(rule->source.file), rule->source.line,
                              SPAN_ARG(rule->id));
        }
    }
    return true;
}

void rule_data_close(struct rule_set *set)
{
    for (size_t i = 0; i < set->n_tables; i++) {
        table_close(set->tables[i].table);
    }
    free(set->tables);
}

size_t rule_data_reach(const struct rule_set *set)
{
    size_t reach = 0;

    for (size_t i = 0; i < set->n_tables; i++) {
        size_t own = set->tables[i].table->header->kind == TABLE_CELLS ? set->tables[i].wanted.within : (size_t)COPIES_REACH;
        reach = own > reach ? own : reach;
    }
    return reach;
}
