/* markup.h - whether what the page's writer wrote is well-formed: elements closed in order, attributes in double quotes, no bracket
 * and no stray ampersand in a text. */
#ifndef FILTERD_TESTS_PAGE_MARKUP_H
#define FILTERD_TESTS_PAGE_MARKUP_H

#include <stdbool.h>
#include <string.h>

enum { MARKUP_DEPTH = 64, MARKUP_NAME = 16 };

static inline bool markup_is_void(const char *name)
{
    return strcmp(name, "input") == 0 || strcmp(name, "br") == 0 || strcmp(name, "link") == 0 || strcmp(name, "meta") == 0;
}

/* The end of a tag that begins behind '<'; NULL: its attributes are not as they should be. */
static inline const char *markup_attributes(const char *at)
{
    while (*at == ' ') {
        at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
        if (at[0] == '=') {
            if (at[1] != '"') {
                return NULL;
            }
            at += 2 + strcspn(at + 2, "\"<>");
            if (*at++ != '"') {
                return NULL;
            }
        }
    }
    return *at == '>' || (at[0] == '/' && at[1] == '>') ? at : NULL;
}

static inline bool markup_is_entity(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strncmp(at, known[i], strlen(known[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL: it is; else where it is not. */
static inline const char *markup_fault(const char *text)
{
    char stack[MARKUP_DEPTH][MARKUP_NAME];
    size_t depth = 0;

    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '>' || (*at == '&' && !markup_is_entity(at))) {
            return at;
        }
        if (*at != '<') {
            continue;
        }
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz123456");
        const char *end = markup_attributes(name + len);
        if (len == 0 || len >= MARKUP_NAME || end == NULL) {
            return at;
        }
        if (closes) {
            if (depth == 0 || strncmp(stack[depth - 1], name, len) != 0 || stack[depth - 1][len] != '\0') {
                return at;
            }
            depth--;
        } else if (*end == '>') {
            memcpy(stack[depth], name, len);
            stack[depth][len] = '\0';
            depth += !markup_is_void(stack[depth]);
            if (depth == MARKUP_DEPTH) {
                return at;
            }
        }
        at = end + (*end == '/');
    }
    return depth == 0 ? NULL : "an element that is not closed";
}

#endif
