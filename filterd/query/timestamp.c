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

static bool is_calendar(const struct tm *t)
{
    struct tm copy = *t;

    (void)timegm(&copy);
    return copy.tm_mday == t->tm_mday && copy.tm_mon == t->tm_mon &&
           t->tm_hour < 24 && t->tm_min < 60 && t->tm_sec < 61;
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
    struct tm t = {0};
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
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    if (!parse_zone(at, &zone) || !is_calendar(&t)) {
        return false;
    }
    return !__builtin_mul_overflow((int64_t)timegm(&t) - zone, second_ns, ns) && !__builtin_add_overflow(*ns, fraction, ns);
}
