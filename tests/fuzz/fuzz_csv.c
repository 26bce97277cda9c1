/* fuzz_csv.c - any bytes as CSV: rows of one width whose fields are UTF-8, or an error with a place. The first byte is the
 * delimiter. */
#include <stdlib.h>

#include "dataset/cell.h"
#include "dataset/csv.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_row(const struct csv *c)
{
    for (size_t i = 0; i < c->n_fields; i++) {
        struct span field = csv_field(c, i);
        require(field.len == 0 || utf8_valid_prefix(field) == field.len);
        for (unsigned kind = 0; kind < CELL_KINDS; kind++) {
            struct normal_cell cell;
            require(!cell_normalise((enum cell_kind)kind, 49, field, &cell) || (cell.n > 0 && cell.n <= CELL_TEXT_MAX));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = ",;\t|";
    struct csv c;
    struct error err;
    bool is_end = false;
    size_t n_fields = 0;

    if (size < 2) {
        return 0;
    }
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    require(file != NULL);
    bool is_good = csv_open(&c, file, "f", delimiters[data[0] % 4], &err);
    while (is_good && csv_next(&c, &is_end, &err) && !is_end) {
        require(c.n_fields > 0 && (n_fields == 0 || c.n_fields == n_fields));
        n_fields = c.n_fields;
        check_row(&c);
    }
    csv_close(&c);
    (void)fclose(file);
    return 0;
}
