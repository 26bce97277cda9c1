#include "page/texts.h"

#include <strings.h>

#define TEXTS_ENGLISH(name, english, german) [name] = (english),
#define TEXTS_GERMAN(name, english, german) [name] = (german),

static const char *const texts[LANGUAGE_COUNT][TEXT_COUNT] = {
    [LANGUAGE_ENGLISH] = {TEXTS(TEXTS_ENGLISH)},
    [LANGUAGE_GERMAN] = {TEXTS(TEXTS_GERMAN)},
};

#define TEXTS_NAMED(name, english, german) [name] = #name,

static const char *const names[TEXT_COUNT] = {TEXTS(TEXTS_NAMED)};
static const char notice[] = "TEXT_NOTICE_";

static const struct {
    const char *code, *name;
    char group;
} languages[LANGUAGE_COUNT] = {
    [LANGUAGE_ENGLISH] = {"en", "English", ','},
    [LANGUAGE_GERMAN] = {"de", "Deutsch", '.'},
};

struct span word_of(enum language language, enum text text)
{
    return text == TEXT_NONE ? span_of("", 0) : span_str(texts[language][text]);
}

const char *text_notice_name(enum text text)
{
    bool is_notice = text != TEXT_NONE && strncmp(names[text], notice, sizeof(notice) - 1) == 0;

    return is_notice ? names[text] + sizeof(notice) - 1 : "";
}

enum text text_find_notice(struct span name)
{
    for (int i = TEXT_NONE + 1; i < TEXT_COUNT && name.len > 0; i++) {
        if (span_is(name, text_notice_name((enum text)i))) {
            return (enum text)i;
        }
    }
    return TEXT_NONE;
}

const char *language_code(enum language language)
{
    return languages[language].code;
}

const char *language_name(enum language language)
{
    return languages[language].name;
}

char language_group(enum language language)
{
    return languages[language].group;
}

bool language_find(struct span code, enum language *out)
{
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        if (code.len == strlen(languages[i].code) && strncasecmp(code.ptr, languages[i].code, code.len) == 0) {
            *out = (enum language)i;
            return true;
        }
    }
    return false;
}

/* The weight of "de-AT;q=0.8" is 800; without q it is 1000. */
static int weight_of(struct span item)
{
    const char *q = memmem(item.ptr, item.len, ";q=", 3);
    size_t at = q == NULL ? item.len : (size_t)(q - item.ptr) + 3;
    int weight = 0, unit = 1000;

    if (q == NULL) {
        return unit;
    }
    for (; at < item.len && unit > 0; at++) {
        char c = item.ptr[at];
        weight += c >= '0' && c <= '9' ? (c - '0') * unit : 0;
        unit /= c == '.' ? 1 : 10;
    }
    return weight;
}

enum language language_accepted(struct span header)
{
    enum language best = LANGUAGE_ENGLISH, language;
    int best_weight = 0;

    while (header.len > 0) {
        const char *comma = memchr(header.ptr, ',', header.len);
        size_t len = comma == NULL ? header.len : (size_t)(comma - header.ptr);
        struct span item = span_slice(header, 0, len), code = item;
        while (code.len > 0 && code.ptr[0] == ' ') {
            code = span_slice(code, 1, code.len);
        }
        for (size_t i = 0; i < code.len; i++) {
            code.len = strchr("-; ", code.ptr[i]) != NULL ? i : code.len;
        }
        if (language_find(code, &language) && weight_of(item) > best_weight) {
            best = language;
            best_weight = weight_of(item);
        }
        header = span_slice(header, comma == NULL ? len : len + 1, header.len);
    }
    return best;
}
