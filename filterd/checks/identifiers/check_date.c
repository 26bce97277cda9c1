#include "base/ascii.h"
#include "formats/calendar.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/symbols.h"

enum { FORMAT, MIN_YEAR, MAX_YEAR };
enum { N_FORMATS = 5, YEAR_MAX = 9999 };

static const char *const formats[N_FORMATS] = {"YYMMDD", "YYYYMMDD", "DDMMYY", "DDMMYYYY",
                                               "MMDDYYYY"};

struct date {
    unsigned year, month, day;
};

static unsigned *field_of(struct date *d, char letter)
{
    if (letter == 'Y') {
        return &d->year;
    }
    return letter == 'M' ? &d->month : &d->day;
}

/* All fields at their full width: 19840229, 1984-02-29. */
static bool read_fixed(struct span text, const char *format, struct date *d)
{
    struct symbols s;

    if (!symbols_read_exactly(text, strlen(format), &s)) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        unsigned *field = field_of(d, format[i]);
        *field = *field * 10 + s.value[i];
    }
    return true;
}

/* Three groups of digits, days and months without their leading zero: 1/5/2024. */
static bool read_groups(struct span text, const char *format, struct date *d)
{
    size_t at = 0;

    while (*format != '\0') {
        size_t width = strspn(format, (char[]){*format, '\0'});
        size_t from = at;
        unsigned *field = field_of(d, *format);
        while (at < text.len && ascii_is_digit(text.ptr[at]) && at - from < width) {
            *field = *field * 10 + (unsigned)(text.ptr[at++] - '0');
        }
        bool is_short = at - from < (*format == 'Y' ? width : 1);
        format += width;
        size_t separator = symbols_separator(text, at);
        if (is_short || (*format != '\0' && separator == 0)) {
            return false;
        }
        at += *format != '\0' ? separator : 0;
    }
    return at == text.len;
}

static bool is_in_range(unsigned year, const struct date *d, const struct check_args *args)
{
    return calendar_has_date(year, d->month, d->day) &&
           year >= argument_number(args, MIN_YEAR, 1) &&
           year <= argument_number(args, MAX_YEAR, YEAR_MAX);
}

static bool date_passes(struct span value, const struct check_args *args)
{
    size_t format = argument_choice(args, FORMAT, formats, N_FORMATS);
    struct date d = {0};

    if (format == N_FORMATS) {
        return false;
    }
    if (!read_fixed(value, formats[format], &d)) {
        d = (struct date){0};
        if (!read_groups(value, formats[format], &d)) {
            return false;
        }
    }
    if (strlen(formats[format]) == 6) {
        return is_in_range(1900 + d.year, &d, args) || is_in_range(2000 + d.year, &d, args);
    }
    return is_in_range(d.year, &d, args);
}

static bool date_accepts(const struct check_args *args, struct error *err)
{
    if (!argument_accept_choice(args, FORMAT, formats, N_FORMATS, err) ||
        !argument_accept_whole(args, MIN_YEAR, 0, YEAR_MAX, err) ||
        !argument_accept_whole(args, MAX_YEAR, 0, YEAR_MAX, err)) {
        return false;
    }
    if (argument_number(args, MIN_YEAR, 0) <= argument_number(args, MAX_YEAR, YEAR_MAX)) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "min_year: expected at most max_year");
}

const struct check_type check_date = {
    .name = "date",
    .summary = "passes when the digits are a calendar date in the format and range of years",
    .parameters =
        {
            {"format", CHECK_TEXT, true},
            {"min_year", CHECK_NUMBER, false},
            {"max_year", CHECK_NUMBER, false},
        },
    .passes = date_passes,
    .accepts = date_accepts,
};
