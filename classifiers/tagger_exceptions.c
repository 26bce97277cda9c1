#include "classifiers/tagger_exceptions.h"

#include <string.h>
#include <strings.h>

#include "classifiers/tagger_eponyms.h"
#include "classifiers/tagger_things.h"

/* Names, Elif and Nil, have a capital letter. */
static bool is_keyword(struct span name)
{
    static const char *const keywords[] = {"elif", "nil"};
    bool is_found = false;

    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        size_t len = strlen(keywords[i]);
        is_found = is_found || (span_starts_with(name, span_str(keywords[i])) && (name.len == len || name.ptr[len] == ' '));
    }
    return is_found;
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

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static struct span word_at(struct span line, size_t at)
{
    size_t to = at;

    while (to < line.len && is_letter(line.ptr[to])) {
        to++;
    }
    return span_slice(line, at, to);
}

/* Claude 3.5, claude-v2, Gemini Pro, Llama-2: the version is what tells it from a person. */
static bool is_model(struct span line, size_t from)
{
    static const char *const models[] = {"claude", "gemini", "llama",  "mistral", "mixtral", "vicuna", "alpaca", "koala",
                                         "dolly",  "falcon", "bard",   "jamba",   "nemotron", "ernie", "grok",   NULL};
    static const char *const versions[] = {"sonnet", "opus", "haiku", "instant", "pro", "flash", "ultra", "nano", "advanced",
                                           "turbo",  "mini", "large", "code",    NULL};
    struct span word = word_at(line, from);
    size_t at = from + word.len;

    if (!is_one_of(word, models) || at >= line.len || (line.ptr[at] != ' ' && line.ptr[at] != '-')) {
        return false;
    }
    at++;
    size_t digit = at + (at < line.len && (line.ptr[at] | 0x20) == 'v');
    return is_one_of(word_at(line, at), versions) || (digit < line.len && (unsigned char)(line.ptr[digit] - '0') < 10);
}

/* The start of an attribute's name, aria-hidden=, and a part of a path of names, Eigen::DenseBase. */
static bool is_in_code(struct span line, size_t from, size_t to)
{
    enum { ATTRIBUTE_MAX = 24 };
    static const char joint[] = "::";
    struct span next = span_slice(line, to, line.len);
    struct span before = span_slice(line, from < 2 ? from : from - 2, from);
    size_t end = 1;

    while (end < next.len && end < ATTRIBUTE_MAX && is_letter(next.ptr[end])) {
        end++;
    }
    bool is_attribute = end + 1 < next.len && next.ptr[0] == '-' && next.ptr[end] == '=' && (next.ptr[end + 1] == '"' || next.ptr[end + 1] == '\'');
    return is_attribute || span_starts_with(next, span_str(joint)) || span_starts_with(before, span_str(joint));
}

static bool is_capital(char c)
{
    return (unsigned char)(c - 'A') < 26;
}

/* A file or a member, Mercator.h and W.CHILD.test(: what is behind the full stop is no sentence. */
static bool is_file_or_member(struct span line, size_t to)
{
    static const char *const files[] = {"h",  "c",  "cc",  "cpp",  "hpp", "hs",  "py",   "pl",  "pm", "rb", "js",  "ts", "php", "html",
                                        "htm", "css", "txt", "xml", "json", "java", "so", "dll", "exe", "tex", "sty", "md", "rst", NULL};
    static const char ends_word[] = " .,;:!?)\"'";

    if (to + 1 >= line.len || line.ptr[to] != '.' || !is_letter(line.ptr[to + 1]) || is_capital(line.ptr[to + 1])) {
        return false;
    }
    struct span word = word_at(line, to + 1);
    size_t end = to + 1 + word.len;
    return is_one_of(word, files) || (end < line.len && strchr(ends_word, line.ptr[end]) == NULL);
}

/* Whether this sign joins a word of two letters or more, not the initial of a name, to one with a capital. */
static bool joins_words(struct span line, size_t at, char sign)
{
    bool is_inside = at > 1 && at + 1 < line.len && line.ptr[at] == sign;

    return is_inside && is_letter(line.ptr[at - 2]) && is_letter(line.ptr[at - 1]) && is_capital(line.ptr[at + 1]);
}

/* A name of modules, Yi.Keymap.Vim, "Yi-Keymap-Vim.html and Data.Moore": it has no spaces. Behind a hyphen goes on many a name, so there it is one only
 * where a quoted value, a path's part or an anchor begins. */
static bool is_of_module(struct span line, size_t from, size_t to)
{
    char before = from > 0 ? line.ptr[from - 1] : ' ';
    bool has_stop = false;

    for (size_t i = from + 2; i < to; i++) {
        has_stop = has_stop || joins_words(line, i, '.');
    }
    bool goes_on = (before != ' ' && joins_words(line, to, '.')) || (strchr("\"/#", before) != NULL && joins_words(line, to, '-'));
    bool is_last = from > 0 && joins_words(line, from - 1, '.') && to < line.len && line.ptr[to] == '"';
    return memchr(line.ptr + from, ' ', to - from) == NULL && (has_stop || goes_on || is_last);
}

/* Names of characters, LATIN CAPITAL LETTER Z WITH CARON. */
static bool is_of_character(struct span line, size_t from, size_t to)
{
    static const char letter[] = " LETTER ";

    for (size_t i = from; i < to; i++) {
        if (is_letter(line.ptr[i]) && !is_capital(line.ptr[i])) {
            return false;
        }
    }
    return memmem(line.ptr, line.len, letter, sizeof letter - 1) != NULL;
}

/* The row of a table of characters: its number in octal, decimal and hexadecimal digits, between tabs. */
static bool is_row_of_characters(struct span line)
{
    static const char digits[] = "01234567\t0123456789\t0123456789ABCDEF\t";
    const char *set = digits;
    size_t n = 0;

    for (size_t i = 0; i < line.len; i++) {
        size_t len = strcspn(set, "\t");
        if (line.ptr[i] == '\t') {
            set += len + 1;
            if (n < 2 || n > 3 || *set == '\0') {
                return n == 2 && *set == '\0';
            }
            n = 0;
        } else if (memchr(set, line.ptr[i], len) == NULL) {
            return false;
        } else {
            n++;
        }
    }
    return false;
}

/* The entry of a dictionary, behind which its pronunciation and part of speech stand: Laura /lawra/ <pn>. */
static bool is_entry(struct span line, size_t to)
{
    static const char speech[] = "/ <";
    bool is_spoken = to + 2 < line.len && line.ptr[to] == ' ' && line.ptr[to + 1] == '/';

    return is_spoken && memmem(line.ptr + to + 2, line.len - to - 2, speech, sizeof speech - 1) != NULL;
}

/* What an identifier is made of, and letters beyond ASCII. */
static bool is_of_identifier(char c)
{
    return is_letter(c) || (unsigned char)(c - '0') < 10 || c == '-' || c == '_' || (c & 0x80) != 0;
}

/* A part of an anchor or of another name of many parts: toc-Da-Le-Qi-, Bian-Shu_0029. Names of persons have two hyphens at most, and
 * no underscores. */
static bool is_in_identifier(struct span line, size_t from, size_t to)
{
    enum { FAR = 64, HYPHENS = 3 };
    size_t first = from, end = to, n_hyphens = 0;

    while (first > 0 && from - first < FAR && is_of_identifier(line.ptr[first - 1])) {
        first--;
    }
    while (end < line.len && end - to < FAR && is_of_identifier(line.ptr[end])) {
        end++;
    }
    for (size_t i = first; i < end; i++) {
        n_hyphens += line.ptr[i] == '-';
    }
    bool has_underscore = memchr(line.ptr + first, '_', end - first) != NULL;
    return (first < from || end > to) && memchr(line.ptr + from, ' ', to - from) == NULL && n_hyphens > 0 && (has_underscore || n_hyphens >= HYPHENS);
}

/* The front of a word in small letters, Schmitt-trigger; but not of a given name before a surname, Jean-loup Olm. */
static bool is_front_of_word(struct span line, size_t to)
{
    enum { LETTERS = 4 };
    size_t end = to + 1;

    while (end < line.len && is_letter(line.ptr[end]) && !is_capital(line.ptr[end])) {
        end++;
    }
    bool goes_on = end + 1 < line.len && line.ptr[end] == ' ' && is_capital(line.ptr[end + 1]);
    return to < line.len && line.ptr[to] == '-' && end > to + LETTERS && !goes_on;
}

/* The cut of a typeface: Vera Serif Roman. */
static bool is_typeface(struct span name)
{
    static const char *const cuts[] = {"Sans", "Serif", "Mono", "Italic", "Oblique", "Condensed", NULL};

    for (size_t at = 0; at < name.len;) {
        struct span word = word_at(name, at);
        if (at > 0 && is_one_of(word, cuts)) {
            return true;
        }
        at += word.len + 1;
    }
    return false;
}

bool tagger_is_no_name(struct span line, size_t from, size_t to)
{
    return is_keyword(span_slice(line, from, to)) || is_model(line, from) || is_in_code(line, from, to) || is_file_or_member(line, to) ||
           is_of_module(line, from, to) || is_of_character(line, from, to) || is_row_of_characters(line) || is_entry(line, to) ||
           is_in_identifier(line, from, to) || is_front_of_word(line, to) || is_typeface(span_slice(line, from, to)) || tagger_is_eponym(line, from, to) ||
           tagger_is_thing(line, from, to);
}
