#include "classifiers/tagger_no_address.h"

#include <string.h>

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static bool is_of_number(char c)
{
    return is_digit(c) || c == '.' || c == '-';
}

/* How many words of digits stand behind each other in front of `at`, which begins a word; at most as many as are asked for. */
static size_t numbers_before(struct span line, size_t at, size_t max)
{
    size_t n = 0;

    while (n < max) {
        size_t end = at;
        while (end > 0 && line.ptr[end - 1] == ' ') {
            end--;
        }
        size_t start = end;
        while (start > 0 && is_of_number(line.ptr[start - 1])) {
            start--;
        }
        bool is_number = end < at && start < end && is_digit(line.ptr[end - 1]) && (start == 0 || line.ptr[start - 1] == ' ');
        if (!is_number) {
            return n;
        }
        n++;
        at = start;
    }
    return n;
}

static size_t numbers_from(struct span line, size_t at, size_t max)
{
    size_t n = 0;

    while (n < max && at < line.len && is_of_number(line.ptr[at])) {
        while (at < line.len && is_of_number(line.ptr[at])) {
            at++;
        }
        if (at < line.len && line.ptr[at] != ' ') {
            return n;
        }
        n++;
        while (at < line.len && line.ptr[at] == ' ') {
            at++;
        }
    }
    return n;
}

/* A telephone in front of an address has fewer groups, or a sign between them. */
static bool is_in_row_of_numbers(struct span line, size_t from)
{
    enum { ROW = 5 };

    return numbers_before(line, from, ROW) + numbers_from(line, from, ROW) >= ROW;
}

/* Fm(Claws, y(una): a name of one or two letters and a string in brackets, behind a number or at the beginning. */
static bool is_postscript(struct span line, size_t from, size_t to)
{
    for (size_t at = from > 3 ? from - 3 : 1; at < to && at < line.len; at++) {
        size_t name = at;
        while (name > 0 && at - name < 3 && is_letter(line.ptr[name - 1])) {
            name--;
        }
        bool is_name = at > name && at - name < 3 && (name == 0 || line.ptr[name - 1] == ' ' || line.ptr[name - 1] == ')' || is_digit(line.ptr[name - 1]));
        if (line.ptr[at] == '(' && is_name) {
            return true;
        }
    }
    return false;
}

/* The end of a decimal number or of a version, 6.5.8, and the number of a fault, #1363, which no flat has. */
static bool is_within_number(struct span line, size_t from)
{
    enum { FLAT = 3 };
    size_t end = from;

    while (end < line.len && is_digit(line.ptr[end])) {
        end++;
    }
    bool is_end = end > from && from > 1 && line.ptr[from - 1] == '.' && is_digit(line.ptr[from - 2]);
    return is_end || (end - from > FLAT && from > 0 && line.ptr[from - 1] == '#');
}

static bool is_affix(struct span line)
{
    return span_starts_with(line, span_str("SFX ")) || span_starts_with(line, span_str("PFX "));
}

static bool is_year(struct span line, size_t at)
{
    bool is_century = at + 4 <= line.len && ((line.ptr[at] == '1' && line.ptr[at + 1] == '9') || (line.ptr[at] == '2' && line.ptr[at + 1] == '0'));

    return is_century && is_digit(line.ptr[at + 2]) && is_digit(line.ptr[at + 3]) && (at + 4 == line.len || !is_digit(line.ptr[at + 4]));
}

/* Whether what is in front, without spaces and years and what joins them, ends in a sign or a word for a copyright. */
static bool is_behind_copyright(struct span line, size_t at)
{
    static const char *const signs[] = {"(c)", "(C)", "\xc2\xa9", "opyright", "opyright:", "COPYRIGHT", "&copy;"};

    while (at > 0 && (line.ptr[at - 1] == ' ' || line.ptr[at - 1] == '\t' || line.ptr[at - 1] == ',' || is_of_number(line.ptr[at - 1]))) {
        at--;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t len = strlen(signs[i]);
        if (at >= len && memcmp(line.ptr + at - len, signs[i], len) == 0) {
            return true;
        }
    }
    return false;
}

/* Years and a person, with no comma behind which a street could stand. */
static bool is_copyright(struct span line, size_t from, size_t to)
{
    bool is_second_year = from >= 5 && line.ptr[from - 1] == '-' && is_year(line, from - 5) && is_year(line, from);
    bool has_comma = memchr(line.ptr + from, ',', to - from) != NULL;

    return !has_comma && (is_second_year || is_behind_copyright(line, from));
}

bool tagger_is_no_address(struct span line, size_t from, size_t to)
{
    return is_affix(line) || is_within_number(line, from) || is_in_row_of_numbers(line, from) || is_postscript(line, from, to) || is_copyright(line, from, to);
}
