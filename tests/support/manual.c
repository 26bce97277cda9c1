#include "support/manual.h"

#include <stdio.h>
#include <string.h>

/* The arguments of a macro, one behind the other where the macro changes fonts; a line of text as it is. */
static void append_plain(const char *line, char out[MANUAL_TEXT_MAX], size_t *len)
{
    bool is_macro = line[0] == '.', is_quoted = false;
    bool joins = is_macro && strspn(line + 1, "BIR") == 2; /* .BR, .IR, .RB … */
    const char *at = is_macro ? strchr(line, ' ') : line;

    for (at = at == NULL ? "" : at + is_macro; *at != '\0' && *len + 2 < MANUAL_TEXT_MAX; at++) {
        if (at[0] == '\\' && at[1] == 'f' && at[2] != '\0') {
            at += 2;
        } else if (at[0] == '\\' && (at[1] == '-' || at[1] == 'e')) {
            out[(*len)++] = *++at;
        } else if (is_macro && *at == '"') {
            is_quoted = !is_quoted;
        } else if (*at != ' ' || is_quoted || !joins) {
            out[(*len)++] = *at;
        }
    }
    out[(*len)++] = ' ';
    out[*len] = '\0';
}

static bool is_macro(const char *line, const char *name)
{
    size_t len = strlen(name);

    return strncmp(line, name, len) == 0 && (line[len] == '\0' || line[len] == ' ');
}

/* Behind .TP stands a tag, and behind .TQ one more of the same text. */
static bool is_tag_next(const char *line)
{
    return strncmp(line, ".TP", 3) == 0 || strncmp(line, ".TQ", 3) == 0;
}

bool manual_has_name(const char *tag, const char *name)
{
    char names[MANUAL_TEXT_MAX], *rest = NULL;

    (void)snprintf(names, sizeof(names), "%.*s", (int)strcspn(tag, "({["), tag);
    for (char *one = strtok_r(names, " ,", &rest); one != NULL; one = strtok_r(NULL, " ,", &rest)) {
        if (strcmp(one, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *next_line(struct manual *m)
{
    char *line = m->at == NULL ? NULL : strsep(&m->at, "\n");

    if (line != NULL && is_macro(line, ".RS")) {
        m->depth++;
    } else if (line != NULL && is_macro(line, ".RE")) {
        m->depth--;
    }
    return line;
}

bool manual_seek(struct manual *m, const char *section, const char *key)
{
    char plain[MANUAL_TEXT_MAX];
    const char *line;
    bool is_in = false, is_tag = false, is_found = key[0] == '\0';

    while ((line = next_line(m)) != NULL) {
        bool is_heading = is_macro(line, ".SH") || is_macro(line, ".SS");
        size_t len = 0;
        append_plain(line, plain, &len);
        plain[len - 1] = '\0';
        if (is_heading && is_in) {
            return false;
        }
        is_in |= is_heading && strcmp(plain, section) == 0;
        if (is_in && is_found && (key[0] == '\0' || is_macro(line, ".RS"))) {
            return true;
        }
        is_found |= is_in && is_tag && m->depth == 0 && manual_has_name(plain, key);
        is_tag = is_tag_next(line);
    }
    return false;
}

bool manual_next(struct manual *m, unsigned depth, struct manual_entry *e)
{
    size_t len = 0;
    const char *line;

    e->tag[0] = e->text[0] = '\0';
    while ((line = next_line(m)) != NULL && !(is_tag_next(line) && m->depth == depth)) {
        if (is_macro(line, ".SH") || is_macro(line, ".SS") || m->depth < depth) {
            return false;
        }
    }
    if (line == NULL || (line = next_line(m)) == NULL) {
        return false;
    }
    append_plain(line, e->tag, &len);
    for (len = 0; m->at != NULL; append_plain(line, e->text, &len)) {
        bool is_end = m->depth == depth && (is_tag_next(m->at) || strncmp(m->at, ".RE", 3) == 0);
        if (is_end || strncmp(m->at, ".SH", 3) == 0 || strncmp(m->at, ".SS", 3) == 0) {
            break;
        }
        line = next_line(m);
    }
    return true;
}
