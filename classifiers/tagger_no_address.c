#include "classifiers/tagger_no_address.h"

#include <string.h>
#include <strings.h>

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

static bool is_capital(char c)
{
    return (unsigned char)(c - 'A') < 26;
}

static size_t digits_end(struct span line, size_t at)
{
    while (at < line.len && is_digit(line.ptr[at])) {
        at++;
    }
    return at;
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

/* The end of a decimal number, of a version, 6.5.8, or of a time, 14:19:51; and the number of a fault, #1363, which no flat has. */
static bool is_within_number(struct span line, size_t from)
{
    enum { FLAT = 3 };
    size_t end = digits_end(line, from);
    bool is_end = end > from && from > 1 && strchr(".:", line.ptr[from - 1]) != NULL && is_digit(line.ptr[from - 2]);

    return is_end || (end - from > FLAT && from > 0 && line.ptr[from - 1] == '#');
}

/* The end of a name of three capitals or more, a hyphen and a short number, YRM-303. A post code behind the letters of a country has more digits. */
static bool is_within_product(struct span line, size_t from)
{
    enum { LETTERS = 3, DIGITS = 3 };
    size_t n = 0;
    size_t end = digits_end(line, from);

    while (n < LETTERS && from >= n + 2 && is_capital(line.ptr[from - n - 2])) {
        n++;
    }
    return n == LETTERS && line.ptr[from - 1] == '-' && end > from && end - from <= DIGITS;
}

static bool is_one_of(struct span word, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (word.len == strlen(*list) && strncasecmp(word.ptr, *list, word.len) == 0) {
            return true;
        }
    }
    return false;
}

/* The word that begins at `at`, and the one that ends there. */
static struct span word_at(struct span line, size_t at)
{
    size_t end = at;

    while (end < line.len && is_letter(line.ptr[end])) {
        end++;
    }
    return span_slice(line, at, end);
}

static struct span word_before(struct span line, size_t at)
{
    enum { LONGEST = 16 };
    size_t start = at;

    while (start > 0 && at - start < LONGEST && (is_letter(line.ptr[start - 1]) || (line.ptr[start - 1] & 0x80) != 0)) {
        start--;
    }
    return span_slice(line, start, at);
}

/* Behind the number stand a day of the week and a month: 82944 Mon Oct 14 is a row of a folder's list. */
static bool is_before_date(struct span line, size_t from)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", NULL};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", NULL};
    size_t end = digits_end(line, from);

    end = end > from && end < line.len && line.ptr[end] == ' ' ? end + 1 : from;
    struct span day = word_at(line, end);
    size_t month = end + day.len + 1;
    return is_one_of(day, days) && month < line.len && line.ptr[month - 1] == ' ' && is_one_of(word_at(line, month), months);
}

/* The zone of a time, 11:18:28 -0700. */
static bool is_zone(struct span line, size_t from)
{
    enum { DIGITS = 4, IN_FRONT = 5 };

    return from >= IN_FRONT && digits_end(line, from) == from + DIGITS && (line.ptr[from - 1] == '-' || line.ptr[from - 1] == '+') &&
           line.ptr[from - 2] == ' ' && is_digit(line.ptr[from - 3]) && line.ptr[from - 5] == ':';
}

/* The number of a part of a text, of at most three digits, behind the word for it: Kapitel 3, Een Olm. */
static bool is_of_text(struct span line, size_t from)
{
    static const char *const parts[] = {"chapter", "section",  "table",    "figure",    "fig",      "appendix", "chapitre", "annexe",    "tableau", "kapitel",
                                        "abschnitt", "tabelle", "abbildung", "anhang", "hoofdstuk", "paragraaf", "tabel",   "bijlage",   "capitolo", "sezione",
                                        "tabella", "figura",    "cap\xc3\xadtulo", "tabla", "anexo", "tabela", "avsnitt",   "kapittel",  "tabell",  "bilaga",
                                        "rozdzia\xc5\x82", "kapitola", "tabulka", "fejezet", "luku", NULL};
    enum { DIGITS = 3 };
    size_t end = digits_end(line, from);

    return end > from && end - from <= DIGITS && from > 1 && line.ptr[from - 1] == ' ' && is_one_of(word_before(line, from - 1), parts);
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
    bool is_counted = from < line.len && (is_within_product(line, from) || is_before_date(line, from) || is_zone(line, from) || is_of_text(line, from));

    return is_counted || is_affix(line) || is_within_number(line, from) || is_in_row_of_numbers(line, from) || is_postscript(line, from, to) || is_copyright(line, from, to);
}
