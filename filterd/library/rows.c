#include "library/rows.h"

/* Offsets of the result are 32 bits, but for texts of large_utf8. */
static size_t column_max(enum rows_column column, bool has_large_text)
{
    return column == ROWS_text && has_large_text ? (size_t)PTRDIFF_MAX : INT32_MAX;
}

static const size_t element_sizes[] = {
#define ROWS_COLUMN(name, type) sizeof(type),
    ROWS_COLUMNS(ROWS_COLUMN)
#undef ROWS_COLUMN
};

size_t rows_count(const struct rows *rows, enum rows_column column)
{
    return rows->columns[column].len / element_sizes[column];
}

void rows_init(struct rows *rows, bool has_large_text)
{
    for (size_t i = 0; i < ROWS_COLUMN_COUNT; i++) {
        buf_init(&rows->columns[i], column_max((enum rows_column)i, has_large_text));
    }
}

void rows_deinit(struct rows *rows)
{
    for (size_t i = 0; i < ROWS_COLUMN_COUNT; i++) {
        buf_deinit(&rows->columns[i]);
    }
}

/* Appends one element, of the type that the column has. */
#define ADD(rows, column, type, value, err)                                                                                                \
    buf_append(&(rows)->columns[ROWS_##column], span_of((const char *)&(type){(type)(value)}, sizeof(type)), (err))

static bool add_bytes(struct rows *rows, enum rows_column column, struct span bytes, struct error *err)
{
    struct buf *to = &rows->columns[column];

    if (bytes.len > to->max - to->len) {
        return error_set(err, ERROR_LIMIT, "at most %zu bytes in a column of the result expected: judge fewer rows at once, or large_utf8", to->max);
    }
    return buf_append(to, bytes, err);
}

bool rows_add_null(struct rows *rows, struct error *err)
{
    return ADD(rows, action, int8_t, -1, err) && ADD(rows, rule, int16_t, -1, err) && ADD(rows, text_length, int32_t, -1, err) &&
           ADD(rows, n_findings, int32_t, -1, err) && ADD(rows, error_length, int32_t, -1, err);
}

static bool add_finding(struct rows *rows, const struct rule_set *set, const struct finding *f, struct error *err)
{
    struct span view = span_str(finding_view(f));

    return ADD(rows, finding_rule, int16_t, rule_set_index(set, f->rule), err) && ADD(rows, finding_start, int32_t, f->from, err) &&
           ADD(rows, finding_end, int32_t, f->to, err) && ADD(rows, finding_confidence, float, f->confidence, err) &&
           ADD(rows, finding_action, int8_t, f->action, err) && ADD(rows, finding_category, int8_t, f->rule->category, err) &&
           ADD(rows, finding_severity, int8_t, f->rule->severity, err) && ADD(rows, finding_view_length, int32_t, view.len, err) &&
           add_bytes(rows, ROWS_finding_view, view, err);
}

static bool add_text(struct rows *rows, const struct exchange *x, bool with_text, struct error *err)
{
    if (!with_text || x->action == ACTION_BLOCK) {
        return ADD(rows, text_length, int32_t, -1, err);
    }
    struct span text = x->channels[0].output;
    return ADD(rows, text_length, int32_t, text.len, err) && add_bytes(rows, ROWS_text, text, err);
}

static bool add_error(struct rows *rows, const char *error, struct error *err)
{
    if (error == NULL) {
        return ADD(rows, error_length, int32_t, -1, err);
    }
    return ADD(rows, error_length, int32_t, strlen(error), err) && add_bytes(rows, ROWS_error, span_str(error), err);
}

bool rows_add(struct rows *rows, const struct filterd_engine *engine, const struct exchange *x, bool with_text, struct error *err)
{
    uint32_t rule = engine_rule_number(engine, x->rule);
    bool is_good = ADD(rows, action, int8_t, x->action, err) && ADD(rows, rule, int16_t, rule == FILTERD_NO_RULE ? -1 : (int)rule, err) &&
                   ADD(rows, n_findings, int32_t, x->n_findings, err) && add_text(rows, x, with_text, err) &&
                   add_error(rows, exchange_error(x), err);

    for (size_t i = 0; is_good && i < x->n_findings; i++) {
        is_good = add_finding(rows, engine->snapshot->rules, &x->findings[i], err);
    }
    return is_good;
}

bool rows_move(struct rows *to, struct rows *from, struct error *err)
{
    bool is_good = true;

    for (size_t i = 0; is_good && i < ROWS_COLUMN_COUNT; i++) {
        struct buf *column = &to->columns[i];
        struct buf moved = from->columns[i];
        buf_init(&from->columns[i], moved.max);
        if (column->len == 0) {
            buf_deinit(column);
            *column = moved;
        } else {
            is_good = add_bytes(to, (enum rows_column)i, buf_span(&moved), err);
            buf_deinit(&moved);
        }
    }
    return is_good;
}
