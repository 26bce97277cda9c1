/* check_argument.h - reads the arguments of a check, each with its default.
 *
 * `i` is the index of the argument among the type's parameters. */
#ifndef FILTERD_CHECKS_CHECK_ARGUMENT_H
#define FILTERD_CHECKS_CHECK_ARGUMENT_H

#include "checks/check.h"

static inline double argument_number(const struct check_args *args, size_t i, double fallback)
{
    return args->is_given[i] ? args->value[i].number : fallback;
}

/* A count of characters or bytes; an invalid one becomes a count that no span reaches. */
static inline size_t argument_count(const struct check_args *args, size_t i, size_t fallback)
{
    double number = argument_number(args, i, (double)fallback);

    return number >= 0 && number <= CHECK_SPAN_MAX ? (size_t)number : CHECK_SPAN_MAX + 1;
}

static inline bool argument_flag(const struct check_args *args, size_t i)
{
    return args->is_given[i] && args->value[i].number != 0;
}

static inline struct span argument_text(const struct check_args *args, size_t i)
{
    return args->is_given[i] ? args->value[i].text : span_of("", 0);
}

/* The index of the text among the choices, 0 when absent, n when it is not among them. */
static inline size_t argument_choice(const struct check_args *args, size_t i,
                                     const char *const *choices, size_t n)
{
    size_t at = 0;

    if (!args->is_given[i]) {
        return 0;
    }
    while (at < n && !span_is(args->value[i].text, choices[at])) {
        at++;
    }
    return at;
}

/* For accepts(): a whole number within min and max, or absent. */
static inline bool argument_accept_whole(const struct check_args *args, size_t i, double min,
                                         double max, struct error *err)
{
    double number = argument_number(args, i, min);

    if (number >= min && number <= max && (double)(long)number == number) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "argument %zu: expected a whole number from %g to %g",
                     i + 1, min, max);
}

/* For accepts(): one of the choices, or absent. */
static inline bool argument_accept_choice(const struct check_args *args, size_t i,
                                          const char *const *choices, size_t n, struct error *err)
{
    if (argument_choice(args, i, choices, n) < n) {
        return true;
    }
    return error_set(err, ERROR_INVALID,
                     "unknown value '" SPAN_FMT "', expected %s or another of %zu",
                     SPAN_ARG(args->value[i].text), choices[0], n);
}

#endif
