#include "classifiers/tagger_exceptions.h"

#include <string.h>
#include <strings.h>

/* Turkish Elif has a capital letter. */
static bool is_keyword(struct span name)
{
    static const char elif[] = "elif";
    bool begins = span_starts_with(name, span_str(elif));

    return begins && (name.len == strlen(elif) || name.ptr[strlen(elif)] == ' ');
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

bool tagger_is_no_name(struct span line, size_t from, size_t to)
{
    return is_keyword(span_slice(line, from, to)) || is_model(line, from);
}
