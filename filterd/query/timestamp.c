#include "query/timestamp.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

enum { TIMESTAMP_MAX = 48 };
static const int64_t second_ns = 1000000000;

static bool parse_age(const char *text, int64_t now_ns, int64_t *ns)
{
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    char *end;

    if (!isdigit((unsigned char)text[0]) || strlen(text) > 7) {
        return false;
    }
    long long n = strtoll(text, &end, 10);
    for (size_t i = 0; i < COUNT(units); i++) {
        if (end[0] == units[i].unit && end[1] == '\0') {
            int64_t age = 0;
            return !__builtin_mul_overflow(n, units[i].seconds * second_ns, &age) && !__builtin_sub_overflow(now_ns, age, ns);
        }
    }
    return false;
}

/* Takes `width` digits and, when it is not '\0', the character behind them off *text. */
static bool take_number(const char **text, size_t width, char behind, int *out)
{
    int value = 0;

    for (size_t i = 0; i < width; i++) {
        if (!isdigit((unsigned char)(*text)[i])) {
            return false;
        }
        value = value * 10 + ((*text)[i] - '0');
    }
    if (behind != '\0' && (*text)[width] != behind) {
        return false;
    }
    *out = value;
    *text += width + (behind != '\0' ? 1 : 0);
    return true;
}

/* "", "Z", "+01:00": seconds east of Greenwich. */
static bool parse_zone(const char *text, int64_t *seconds)
{
    char sign = text[0];
    int hours, minutes;

    *seconds = 0;
    if (sign == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "z") == 0) {
        return true;
    }
    text++;
    if ((sign != '+' && sign != '-') || !take_number(&text, 2, ':', &hours) ||
        !take_number(&text, 2, '\0', &minutes) || *text != '\0' || hours > 23 || minutes > 59) {
        return false;
    }
    *seconds = (int64_t)(hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
    return true;
}

/* ".5" as nanoseconds; *rest is what follows. */
static int64_t parse_fraction(const char *text, const char **rest)
{
    int64_t ns = 0, scale = second_ns / 10;

    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text); text++) {
            ns += (*text - '0') * scale;
            scale /= 10;
        }
    }
    *rest = text;
    return ns;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* A leap second may end any minute but that of midnight. */
static bool is_calendar(const struct tm *t)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return t->tm_mon >= 1 && t->tm_mon <= 12 && t->tm_mday >= 1 &&
           t->tm_mday <= days[t->tm_mon - 1] + (t->tm_mon == 2 && is_leap(t->tm_year)) && t->tm_hour < 24 && t->tm_min < 60 &&
           t->tm_sec < 61 && !(t->tm_hour == 23 && t->tm_min == 59 && t->tm_sec == 60);
}

/* Since 1970. Every line of the log is read with it, and timegm takes as long as the rest of a line. */
static int64_t seconds_of(const struct tm *t)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t years = t->tm_year - 1 + 400; /* complete ones, from a multiple of 400 on */
    int64_t day = years * 365 + years / 4 - years / 100 + years / 400 - 865259 + before[t->tm_mon - 1] + t->tm_mday - 1 +
                  (t->tm_mon > 2 && is_leap(t->tm_year));

    return ((day * 24 + t->tm_hour) * 60 + t->tm_min) * 60 + t->tm_sec;
}

/* "T08:00", "T08:00:01.5"; nothing at all is midnight. */
static bool parse_clock(const char **text, struct tm *t, int64_t *fraction)
{
    if (**text == '\0') {
        return true;
    }
    if (strchr("Tt ", **text) == NULL) {
        return false;
    }
    ++*text;
    if (!take_number(text, 2, ':', &t->tm_hour) || !take_number(text, 2, '\0', &t->tm_min)) {
        return false;
    }
    if (**text == ':') {
        ++*text;
        if (!take_number(text, 2, '\0', &t->tm_sec)) {
            return false;
        }
        *fraction = parse_fraction(*text, text);
    }
    return true;
}

bool timestamp_parse(struct span text, int64_t now_ns, int64_t *ns)
{
    char copy[TIMESTAMP_MAX];
    const char *at = copy;
    struct tm t = {0}; /* with the year and the month as they are written */
    int64_t zone = 0, fraction = 0;

    if (text.len == 0 || text.len >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (parse_age(copy, now_ns, ns)) {
        return true;
    }
    if (!take_number(&at, 4, '-', &t.tm_year) || !take_number(&at, 2, '-', &t.tm_mon) ||
        !take_number(&at, 2, '\0', &t.tm_mday) || !parse_clock(&at, &t, &fraction)) {
        return false;
    }
    if (!parse_zone(at, &zone) || !is_calendar(&t)) {
        return false;
    }
    return !__builtin_mul_overflow(seconds_of(&t) - zone, second_ns, ns) && !__builtin_add_overflow(*ns, fraction, ns);
}
