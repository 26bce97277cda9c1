#include "classifiers/tagger_exceptions.h"

#include <string.h>
#include <strings.h>

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

bool tagger_is_no_name(struct span line, size_t from, size_t to)
{
    return is_keyword(span_slice(line, from, to)) || is_model(line, from) || is_in_code(line, from, to);
}
