/* check_case.h - a check with its arguments, by name, for the tests of checks. */
#ifndef FILTERD_TESTS_CHECK_CASE_H
#define FILTERD_TESTS_CHECK_CASE_H

#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "checks/check.h"

struct check_case {
    const struct check_type *type;
    struct check_args args;
};

static inline struct check_case case_of(const char *name)
{
    struct check_case c = {.type = check_find(span_str(name))};

    assert_non_null(c.type);
    return c;
}

static inline struct check_value *case_argument(struct check_case *c, const char *parameter)
{
    size_t i = 0;

    while (strcmp(c->type->parameters[i].name, parameter) != 0) {
        i++;
    }
    c->args.is_given[i] = true;
    c->args.value[i] = (struct check_value){.kind = c->type->parameters[i].kind};
    return &c->args.value[i];
}

static inline void case_number(struct check_case *c, const char *parameter, double number)
{
    case_argument(c, parameter)->number = number;
}

static inline void case_text(struct check_case *c, const char *parameter, const char *text)
{
    case_argument(c, parameter)->text = span_str(text);
}

static inline void case_texts(struct check_case *c, const char *parameter,
                              const struct span *texts, size_t n)
{
    struct check_value *value = case_argument(c, parameter);

    value->texts = texts;
    value->n = n;
}

static inline void case_numbers(struct check_case *c, const char *parameter, const double *numbers,
                                size_t n)
{
    struct check_value *value = case_argument(c, parameter);

    value->numbers = numbers;
    value->n = n;
}

static inline bool case_passes(const struct check_case *c, const char *value)
{
    return c->type->passes(span_str(value), &c->args);
}

static inline bool case_is_accepted(const struct check_case *c)
{
    struct error err;

    return c->type->accepts == NULL || c->type->accepts(&c->args, &err);
}

/* Without arguments. */
static inline bool passes(const char *name, const char *value)
{
    struct check_case c = case_of(name);

    return case_passes(&c, value);
}

static inline void assert_passes(const char *name, const char *value)
{
    if (!passes(name, value)) {
        fail_msg("%s should pass: %s", name, value);
    }
}

static inline void assert_fails(const char *name, const char *value)
{
    if (passes(name, value)) {
        fail_msg("%s should fail: %s", name, value);
    }
}

enum { CASE_VALUE_MAX = 256 };

/* How many values that differ from this one in a single digit pass all the same. */
static inline size_t count_digit_changes_passing(const struct check_case *c, const char *value)
{
    char changed[CASE_VALUE_MAX];
    size_t len = strlen(value);
    size_t n = 0;

    assert_true(len < sizeof(changed));
    memcpy(changed, value, len + 1);
    for (size_t i = 0; i < len; i++) {
        for (char digit = '0'; value[i] >= '0' && value[i] <= '9' && digit <= '9'; digit++) {
            changed[i] = digit;
            n += digit != value[i] && case_passes(c, changed) ? 1 : 0;
        }
        changed[i] = value[i];
    }
    return n;
}

/* How many values pass in which two neighbouring, different digits have changed places. */
static inline size_t count_swaps_passing(const struct check_case *c, const char *value)
{
    char changed[CASE_VALUE_MAX];
    size_t len = strlen(value);
    size_t n = 0;

    assert_true(len < sizeof(changed));
    memcpy(changed, value, len + 1);
    for (size_t i = 0; i + 1 < len; i++) {
        bool are_digits =
            value[i] >= '0' && value[i] <= '9' && value[i + 1] >= '0' && value[i + 1] <= '9';
        changed[i] = value[i + 1];
        changed[i + 1] = value[i];
        n += are_digits && value[i] != value[i + 1] && case_passes(c, changed) ? 1 : 0;
        changed[i] = value[i];
        changed[i + 1] = value[i + 1];
    }
    return n;
}

#endif
