#include "review/row_columns.h"

#include <stdbool.h>
#include <stdio.h>

static void take(sqlite3_stmt *s, int at, const struct row_column *column, void *member)
{
    const unsigned char *text;

    switch (column->kind) {
    case COLUMN_TEXT:
        text = sqlite3_column_text(s, at);
        (void)snprintf(member, column->size, "%s", text == NULL ? "" : (const char *)text);
        break;
    case COLUMN_NUMBER:
        *(int64_t *)member = sqlite3_column_int64(s, at);
        break;
    case COLUMN_WORD:
        *(unsigned *)member = (unsigned)sqlite3_column_int(s, at);
        break;
    case COLUMN_FLAG:
        *(bool *)member = sqlite3_column_int(s, at) != 0;
        break;
    }
}

static void bind(sqlite3_stmt *s, int at, const struct row_column *column, const void *member)
{
    switch (column->kind) {
    case COLUMN_TEXT:
        (void)sqlite3_bind_text(s, at, member, -1, SQLITE_STATIC);
        break;
    case COLUMN_NUMBER:
        (void)sqlite3_bind_int64(s, at, *(const int64_t *)member);
        break;
    case COLUMN_WORD:
        (void)sqlite3_bind_int64(s, at, *(const unsigned *)member);
        break;
    case COLUMN_FLAG:
        (void)sqlite3_bind_int(s, at, *(const bool *)member);
        break;
    }
}

void row_columns_take(sqlite3_stmt *s, const struct row_column *table, void *row)
{
    for (int i = 0; table[i].name != NULL; i++) {
        take(s, i, &table[i], (char *)row + table[i].offset);
    }
}

void row_columns_bind(sqlite3_stmt *s, const struct row_column *table, const void *row)
{
    for (int i = 0; table[i].name != NULL; i++) {
        bind(s, i + 1, &table[i], (const char *)row + table[i].offset);
    }
}
