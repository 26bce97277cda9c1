#include "ctl/timestamp.h"

#include <ctype.h>
#include <stdio.h>
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
            *ns = now_ns - n * units[i].seconds * second_ns;
            return true;
        }
    }
    return false;
}

/* "", "Z", "+01:00": seconds east of Greenwich. */
static bool parse_zone(const char *text, int64_t *seconds)
{
    unsigned hours, minutes;
    int len = 0;

    *seconds = 0;
    if (text[0] == '\0' || strcmp(text, "Z") == 0 || strcmp(text, "z") == 0) {
        return true;
    }
    if ((text[0] != '+' && text[0] != '-') || sscanf(text + 1, "%2u:%2u%n", &hours, &minutes, &len) != 2 ||
        text[1 + len] != '\0' || hours > 23 || minutes > 59) {
        return false;
    }
    *seconds = (int64_t)(hours * 60 + minutes) * 60 * (text[0] == '-' ? -1 : 1);
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

    return timegm(&copy) != -1 && copy.tm_mday == t->tm_mday && copy.tm_mon == t->tm_mon && t->tm_hour < 24 &&
           t->tm_min < 60 && t->tm_sec < 61;
}

bool timestamp_parse(struct span text, int64_t now_ns, int64_t *ns)
{
    char copy[TIMESTAMP_MAX];
    struct tm t = {0};
    const char *rest;
    int64_t zone = 0, fraction = 0;
    int len = 0;

    if (text.len == 0 || text.len >= sizeof(copy)) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    if (parse_age(copy, now_ns, ns)) {
        return true;
    }
    if (sscanf(copy, "%4d-%2d-%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &len) != 3 || len < 8) {
        return false;
    }
    rest = copy + len;
    if (*rest != '\0') {
        len = 0;
        if (sscanf(rest, "%*1[Tt ]%2d:%2d%n", &t.tm_hour, &t.tm_min, &len) != 2) {
            return false;
        }
        rest += len;
        len = 0;
        if (sscanf(rest, ":%2d%n", &t.tm_sec, &len) == 1) {
            rest = rest + len;
            fraction = parse_fraction(rest, &rest);
        }
    }
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    if (!parse_zone(rest, &zone) || !is_calendar(&t)) {
        return false;
    }
    *ns = ((int64_t)timegm(&t) - zone) * second_ns + fraction;
    return true;
}
