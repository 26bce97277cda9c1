/* fields_values.c - the types of fields that are numbers, choices, sizes and times. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fields.h"

static void put_integer(const struct field *f, int64_t value, void *out)
{
    assert(f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
    if (f->size == 1) {
        *(uint8_t *)out = (uint8_t)value; /* bool too: 0 or 1 */
    } else if (f->size == 2) {
        *(uint16_t *)out = (uint16_t)value;
    } else if (f->size == 4) {
        *(uint32_t *)out = (uint32_t)value;
    } else {
        *(int64_t *)out = value;
    }
}

static bool is_none(const struct field *f, const struct yaml_node *node)
{
    return f->may_be_none && node->kind == YAML_SCALAR && span_is(node->text, "none");
}

static bool read_flag(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r, (void)f;
    return yaml_read_flag(node, out, err);
}

static bool read_integer(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    int64_t value = FIELD_NONE;

    (void)r;
    if (!is_none(f, node) && !yaml_read_integer(node, (int64_t)f->min, (int64_t)f->max, &value, err)) {
        return false;
    }
    put_integer(f, value, out);
    return true;
}

static bool read_number(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    (void)r;
    return yaml_read_number(node, f->min, f->max, out, err);
}

static bool read_choice(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    unsigned choice = 0;

    (void)r;
    if (!yaml_read_choice(node, f->names, &choice, err)) {
        return false;
    }
    put_integer(f, choice, out);
    return true;
}

static bool read_choices(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    const struct yaml_node *c = node->kind == YAML_SEQUENCE ? node->first : node;
    size_t n = node->kind == YAML_SEQUENCE ? node->n : 1;
    unsigned bits = 0, choice = 0;

    (void)r;
    for (; n > 0; n--, c = c->next) {
        if (!yaml_read_choice(c, f->names, &choice, err)) {
            return false;
        }
        bits |= 1U << choice;
    }
    *(unsigned *)out = bits;
    return bits != 0 || yaml_expected(node, err, "at least one value");
}

/* --- numbers with a unit ----------------------------------------------------- */

enum { NUMBER_MAX = 16, BOUND_MAX = 32 };

struct unit {
    const char *suffix;
    double factor;
};

static const struct quantity {
    const char *what;
    const char *digits;
    struct unit units[6]; /* largest first */
} sizes = {"size", "0123456789", {{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}, {"", 1}, {NULL, 0}}},
  times = {"time", "0123456789.", {{"d", 86400e3}, {"h", 3600e3}, {"m", 60e3}, {"s", 1e3}, {"ms", 1}, {NULL, 0}}};

/* "64M", "1.5h": a number, and one of the suffixes, which is returned. */
static const struct unit *read_quantity(const struct yaml_node *node, const struct quantity *q, double *number)
{
    char text[NUMBER_MAX + sizeof("ms")];
    char *end = NULL;

    if (node->kind != YAML_SCALAR || node->text.len == 0 || node->text.len >= sizeof(text)) {
        return NULL;
    }
    (void)snprintf(text, sizeof(text), SPAN_FMT, SPAN_ARG(node->text));
    size_t len = strspn(text, q->digits);
    bool is_number = len > 0 && text[0] != '.' && text[len - 1] != '.' && strlen(text) == node->text.len; /* no NUL */
    for (const struct unit *u = q->units; is_number && u->suffix != NULL; u++) {
        if (strcmp(text + len, u->suffix) == 0) {
            *number = strtod(text, &end);
            return end == text + len ? u : NULL; /* one point at most */
        }
    }
    return NULL;
}

/* In the largest unit that leaves no rest. */
static const char *print_bound(const struct quantity *q, double value, char text[BOUND_MAX])
{
    const struct unit *u = q->units;

    while (u[1].suffix != NULL && (value < u->factor || (double)(int64_t)(value / u->factor) * u->factor < value)) {
        u++;
    }
    (void)snprintf(text, BOUND_MAX, "%.0f%s", value / u->factor, u->suffix);
    return text;
}

static bool read_limit(const struct field *f, const struct yaml_node *node, const struct quantity *q, double scale,
                       void *out, struct error *err)
{
    char min[BOUND_MAX], max[BOUND_MAX];
    double number = 0;

    if (is_none(f, node)) {
        put_integer(f, FIELD_NONE, out);
        return true;
    }
    const struct unit *unit = read_quantity(node, q, &number);
    double value = unit == NULL ? 0 : number * unit->factor;
    if (unit == NULL || value < f->min || value > f->max) {
        return yaml_expected(node, err, "a %s from %s to %s%s", q->what, print_bound(q, f->min, min),
                             print_bound(q, f->max, max), f->may_be_none ? ", or none," : "");
    }
    put_integer(f, (int64_t)(value * scale + 0.5), out);
    return true;
}

static bool read_size(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    (void)r;
    return read_limit(f, node, &sizes, 1, out, err);
}

static bool read_ms(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                    struct error *err)
{
    (void)r;
    return read_limit(f, node, &times, 1, out, err);
}

static bool read_ns(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                    struct error *err)
{
    (void)r;
    return read_limit(f, node, &times, 1e6, out, err);
}

bool fields_read_rate(const struct yaml_node *node, int64_t min, int64_t max, int64_t *count, int64_t *window_ms,
                      struct error *err)
{
    static const struct quantity rates = {"rate", "0123456789", {{"/h", 3600e3}, {"/m", 60e3}, {"/s", 1e3}, {NULL, 0}}};
    double value = 0;
    const struct unit *window = read_quantity(node, &rates, &value);

    if (window == NULL || value < (double)min || value > (double)max) {
        return yaml_expected(node, err, "a rate as 5/s, 60/m or 1000/h, of %lld to %lld,", (long long)min, (long long)max);
    }
    *count = (int64_t)value;
    *window_ms = (int64_t)window->factor;
    return true;
}

const struct field_type field_flag = {"true or false", read_flag, NULL, 0}, field_integer = {"integer", read_integer, NULL, 0},
                        field_number = {"number", read_number, NULL, 0}, field_size = {"size", read_size, NULL, 0},
                        field_ms = {"time", read_ms, NULL, 0}, field_ns = {"time", read_ns, NULL, 0},
                        field_choice = {"choice", read_choice, NULL, 0}, field_choices = {"choices", read_choices, NULL, 0};
