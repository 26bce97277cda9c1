/* decision_line.c - writes one JSON object member by member; the first failure is kept and reported at the end. */
#include "decision_log/decision_line.h"

#include "base/json.h"
#include "decision_log/shown_path.h"
#include "decision_log/value_token.h"
#include "judge/review_mark.h"

static void put(struct decision_line *l, struct span bytes)
{
    if (!l->has_failed) {
        l->has_failed = !buf_append(l->out, bytes, l->err);
    }
}

/* The comma, where one is due, and the name. */
static void begin(struct decision_line *l, const char *name)
{
    size_t len = l->out->len;

    if (len > 0 && l->out->data[len - 1] != '{' && l->out->data[len - 1] != '[') {
        put(l, span_of(",", 1));
    }
    if (name != NULL) {
        put(l, span_of("\"", 1));
        put(l, span_str(name));
        put(l, span_of("\":", 2));
    }
}

void line_open(struct decision_line *l, const char *name, char bracket)
{
    begin(l, name);
    put(l, span_of(&bracket, 1));
}

void line_close(struct decision_line *l, char bracket)
{
    put(l, span_of(&bracket, 1));
}

/* The digits of a number, at the end of `to`, at least `width` of them. */
static struct span digits_of(uint64_t number, size_t width, char to[24])
{
    size_t at = 24;

    while (number > 0 || 24 - at < width) {
        to[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    return span_of(to + at, 24 - at);
}

static void put_digits(struct decision_line *l, uint64_t number, size_t width)
{
    char digits[24];

    put(l, digits_of(number, width, digits));
}

void line_number(struct decision_line *l, const char *name, uint64_t number)
{
    begin(l, name);
    put_digits(l, number, 1);
}

void line_fraction(struct decision_line *l, const char *name, double fraction)
{
    double bounded = fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
    uint64_t parts = (uint64_t)(bounded * 10000 + 0.5);

    begin(l, name);
    put_digits(l, parts / 10000, 1);
    put(l, span_of(".", 1));
    put_digits(l, parts % 10000, 4);
}

void line_tenths(struct decision_line *l, const char *name, double value)
{
    double bounded = value > 0 ? (value < 1e15 ? value : 1e15) : 0;
    uint64_t parts = (uint64_t)(bounded * 10 + 0.5);

    begin(l, name);
    put_digits(l, parts / 10, 1);
    put(l, span_of(".", 1));
    put_digits(l, parts % 10, 1);
}

void line_flag(struct decision_line *l, const char *name, bool flag)
{
    if (flag) {
        begin(l, name);
        put(l, span_of("true", 4));
    }
}

void line_text(struct decision_line *l, const char *name, struct span text)
{
    if (text.len == 0) {
        return;
    }
    begin(l, name);
    if (!l->has_failed) {
        size_t len = text.len < DECISION_TEXT_MAX ? text.len : DECISION_TEXT_MAX;
        l->has_failed = !json_append_string(l->out, span_of(text.ptr, len), l->err);
    }
}

/* The Gregorian date of a day since 1970, by counting years from March, so that the leap day comes
 * last. gmtime_r would take a lock that all threads share. */
static void date_of(uint64_t day, uint64_t *year, uint64_t *month, uint64_t *day_of_month)
{
    uint64_t from_march = day + 719468; /* days since 1 March of the year 0 */
    uint64_t era = from_march / 146097; /* of 400 years */
    uint64_t day_of_era = from_march % 146097;
    uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint64_t march_month = (5 * day_of_year + 2) / 153;

    *day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    *month = march_month < 10 ? march_month + 3 : march_month - 9;
    *year = era * 400 + year_of_era + (*month <= 2);
}

void line_time(struct decision_line *l, const char *name, int64_t utc_ns)
{
    uint64_t ns = utc_ns < 0 ? 0 : (uint64_t)utc_ns;
    uint64_t seconds = ns / 1000000000;
    uint64_t year, month, day;

    date_of(seconds / 86400, &year, &month, &day);
    const struct {
        uint64_t number;
        unsigned width;
        char behind;
    } parts[] = {
        {year, 4, '-'},
        {month, 2, '-'},
        {day, 2, 'T'},
        {seconds / 3600 % 24, 2, ':'},
        {seconds / 60 % 60, 2, ':'},
        {seconds % 60, 2, '.'},
        {ns % 1000000000, 9, 'Z'},
    };
    begin(l, name);
    put(l, span_of("\"", 1));
    for (size_t i = 0; i < COUNT(parts); i++) {
        put_digits(l, parts[i].number, parts[i].width);
        put(l, span_of(&parts[i].behind, 1));
    }
    put(l, span_of("\"", 1));
}

void line_token_hex(struct decision_line *l, const char *name, const char *hex)
{
    struct value_token token;

    value_token_of_hex(l->keys, hex, &token);
    line_text(l, name, span_str(token.text));
}

void line_token(struct decision_line *l, const char *name, struct span value)
{
    struct value_token token;

    if (!l->has_failed && !value_token_make(l->keys, value, &token, l->err)) {
        l->has_failed = true;
    }
    if (!l->has_failed) {
        line_text(l, name, span_str(token.text));
    }
}

void line_path(struct decision_line *l, const char *name, const struct shown_path *path)
{
    begin(l, name);
    if (!l->has_failed) {
        l->has_failed = !json_append_string(l->out, span_of(path->text, path->len), l->err);
    }
}

void line_review(struct decision_line *l, const struct review_mark *mark)
{
    if (mark->why == REVIEW_NOT) {
        return;
    }
    line_open(l, "review", '{');
    line_text(l, "why", span_str(review_why_name(mark->why)));
    if (mark->why == REVIEW_RULE_SAMPLE) {
        line_text(l, "rule", mark->rule->id);
    }
    line_number(l, "due_s", (uint64_t)mark->due_s);
    if (mark->reviewers > 1) {
        line_number(l, "reviewers", mark->reviewers);
    }
    if (mark->agent_share > 0) {
        line_fraction(l, "agent_share", mark->agent_share);
    }
    line_close(l, '}');
}
