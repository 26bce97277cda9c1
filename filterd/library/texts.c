#include "library/texts.h"

#include <inttypes.h>

/* A view: its length, then the text itself when it is short, else its first bytes, the buffer and the offset. */
enum { VIEW_SIZE = 16, VIEW_INLINE_MAX = 12, VIEW_TEXT_AT = 4, VIEW_BUFFER_AT = 8, VIEW_OFFSET_AT = 12 };
/* The bitmap of nulls, and offsets or views; then the data, or any number of buffers of data and their lengths. */
enum { VALIDITY, OFFSETS, DATA, VIEW_BUFFERS_MIN = 3 };
enum { ROWS_MAX = INT32_MAX };

static const struct texts_form {
    const char *format;
    enum texts_kind kind;
} forms[] = {{"u", TEXTS_UTF8}, {"U", TEXTS_LARGE_UTF8}, {"vu", TEXTS_VIEW}};

static bool find_form(const struct ArrowSchema *schema, enum texts_kind *out, struct error *err)
{
    if (schema->release == NULL || schema->format == NULL) {
        return error_set(err, ERROR_INVALID, "the schema is released");
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(schema->format, forms[i].format) == 0 && schema->dictionary == NULL) {
            *out = forms[i].kind;
            return true;
        }
    }
    return error_set(err, ERROR_INVALID, "an array of utf8, large_utf8 or utf8_view expected, its format is '%.20s'%s", schema->format,
                     schema->dictionary != NULL ? " with a dictionary" : "");
}

static bool check_numbers(const struct ArrowArray *a, struct error *err)
{
    if (a->length < 0 || a->offset < 0 || a->length > ROWS_MAX || a->offset > INT64_MAX - ROWS_MAX) {
        return error_set(err, ERROR_INVALID, "a length of 0 to %d and an offset from 0 expected, they are %" PRId64 " and %" PRId64, ROWS_MAX,
                         a->length, a->offset);
    }
    if (a->null_count < -1 || a->null_count > a->length) {
        return error_set(err, ERROR_INVALID, "a null count of -1 to %" PRId64 " expected, it is %" PRId64, a->length, a->null_count);
    }
    return true;
}

static bool check_buffers(const struct texts *t, struct error *err)
{
    const struct ArrowArray *a = t->array;
    bool is_count_right = t->kind == TEXTS_VIEW ? a->n_buffers >= VIEW_BUFFERS_MIN : a->n_buffers == DATA + 1;

    if (!is_count_right || a->buffers == NULL || a->n_children != 0 || a->dictionary != NULL) {
        return error_set(err, ERROR_INVALID, "%s buffers and no children expected, there are %" PRId64 " and %" PRId64,
                         t->kind == TEXTS_VIEW ? "3 or more" : "3", a->n_buffers, a->n_children);
    }
    if (a->length > 0 && a->buffers[OFFSETS] == NULL) {
        return error_set(err, ERROR_INVALID, "the buffer of %s is missing", t->kind == TEXTS_VIEW ? "views" : "offsets");
    }
    if (a->length > 0 && a->null_count > 0 && a->buffers[VALIDITY] == NULL) {
        return error_set(err, ERROR_INVALID, "the buffer of nulls is missing, there are %" PRId64, a->null_count);
    }
    return true;
}

static bool is_null(const struct ArrowArray *a, size_t row)
{
    const uint8_t *valid = a->buffers[VALIDITY];
    size_t bit = (size_t)a->offset + row;

    return valid != NULL && (valid[bit / 8] >> (bit % 8) & 1) == 0;
}

/* The offset at the beginning of a row; at the end of row i it is that of row i + 1. */
static int64_t offset_at(const struct texts *t, size_t row)
{
    size_t i = (size_t)t->array->offset + row;

    return t->kind == TEXTS_UTF8 ? ((const int32_t *)t->array->buffers[OFFSETS])[i] : ((const int64_t *)t->array->buffers[OFFSETS])[i];
}

static bool check_offsets(const struct texts *t, size_t row, struct error *err)
{
    int64_t from = offset_at(t, row), to = offset_at(t, row + 1);

    if (from < 0 || to < from) {
        return error_set(err, ERROR_INVALID, "row %zu: offsets from 0 that do not run backward expected", row);
    }
    if (to > from && t->array->buffers[DATA] == NULL) {
        return error_set(err, ERROR_INVALID, "row %zu: the buffer of texts is missing", row);
    }
    return true;
}

static int32_t view_number(const uint8_t *view, size_t at)
{
    int32_t number;

    memcpy(&number, view + at, sizeof(number));
    return number;
}

static const uint8_t *view_at(const struct texts *t, size_t row)
{
    return (const uint8_t *)t->array->buffers[OFFSETS] + ((size_t)t->array->offset + row) * VIEW_SIZE;
}

static bool check_view(const struct texts *t, size_t row, struct error *err)
{
    const struct ArrowArray *a = t->array;
    const uint8_t *view = view_at(t, row);
    int32_t len = view_number(view, 0), buffer = view_number(view, VIEW_BUFFER_AT), offset = view_number(view, VIEW_OFFSET_AT);
    const int64_t *lengths = a->buffers[a->n_buffers - 1];

    if (len >= 0 && len <= VIEW_INLINE_MAX) {
        return true;
    }
    if (len < 0 || buffer < 0 || buffer >= a->n_buffers - VIEW_BUFFERS_MIN || offset < 0 || lengths == NULL || lengths[buffer] < len ||
        offset > lengths[buffer] - len || a->buffers[DATA + buffer] == NULL) {
        return error_set(err, ERROR_INVALID, "row %zu: a view of bytes in its buffer expected", row);
    }
    return true;
}

static bool check_rows(const struct texts *t, struct error *err)
{
    bool is_good = true;

    for (size_t i = 0; is_good && i < t->n; i++) {
        is_good = t->kind != TEXTS_VIEW ? check_offsets(t, i, err) : is_null(t->array, i) || check_view(t, i, err);
    }
    return is_good;
}

bool texts_open(const struct ArrowArray *array, const struct ArrowSchema *schema, struct texts *out, struct error *err)
{
    struct texts t = {.array = array};

    if (array->release == NULL) {
        return error_set(err, ERROR_INVALID, "the array is released");
    }
    if (!find_form(schema, &t.kind, err) || !check_numbers(array, err) || !check_buffers(&t, err)) {
        return false;
    }
    t.n = (size_t)array->length;
    if (!check_rows(&t, err)) {
        return false;
    }
    *out = t;
    return true;
}

static struct span view_text(const struct texts *t, size_t row)
{
    const uint8_t *view = view_at(t, row);
    int32_t len = view_number(view, 0);

    if (len <= VIEW_INLINE_MAX) {
        return span_of((const char *)view + VIEW_TEXT_AT, (size_t)len);
    }
    const char *data = t->array->buffers[DATA + view_number(view, VIEW_BUFFER_AT)];
    return span_of(data + view_number(view, VIEW_OFFSET_AT), (size_t)len);
}

bool texts_get(const struct texts *t, size_t i, struct span *out)
{
    if (is_null(t->array, i)) {
        return false;
    }
    if (t->kind == TEXTS_VIEW) {
        *out = view_text(t, i);
        return true;
    }
    const char *data = t->array->buffers[DATA];
    int64_t from = offset_at(t, i), to = offset_at(t, i + 1);
    *out = to > from ? span_of(data + from, (size_t)(to - from)) : span_of("", 0);
    return true;
}
