#include "classifiers/tagger_things.h"

#include <string.h>

/* Last words of names that nobody has as a surname. */
static const char *const things[] = {"Adapter", "Array",  "Binding",   "Bindings", "CI",      "Class",  "Client",   "Compiler",  "Component", "Controller", "Database",
                                     "Debian",  "Desktop", "Documentation", "Engine", "Factory", "Framework", "Function", "Handler", "Interface", "Library", "Linux",
                                     "Listener", "Manual", "Method",    "Module",   "Object",  "Package", "Parser",  "Plugin",    "Processor", "Protocol",   "Reference",
                                     "Schema",  "Server", "Service",   "String",   "Toolkit", "Type",   "Ubuntu",   "Unix",      "Value",     "Widget",     "Windows", NULL};

/* Languages, and companies and methods of several words, that are hardly a name. */
static const char *const languages[] = {"Afrikaans", "Basque", "Belarusian", "Catalan", "Esperanto", "Estonian", "Galician", "Gregorian", "Hindi", "Kannada", "Lao",
                                        "Latvian", "Lithuanian", "Macedonian", "Malayalam", "Occitan", "Punjabi", "Serbian", "Slovak", "Slovene", "Slovenian",
                                        "Swahili", "Telugu", "Ukrainian", NULL};

static const char *const fixed[] = {"Hewlett-Packard", "Rolls-Royce", "Harley-Davidson", "Mercedes-Benz", "Black & Decker", "Procter & Gamble",
                                    "Johnson & Johnson", "Ernst & Young", "Merrill Lynch", "Goldman Sachs", "Monte Carlo", "Blackman-Harris", NULL};

static bool is_one_of(struct span word, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (span_is(word, *list)) {
            return true;
        }
    }
    return false;
}

static struct span last_word(struct span name)
{
    size_t from = name.len;

    while (from > 0 && name.ptr[from - 1] != ' ') {
        from--;
    }
    return span_slice(name, from, name.len);
}

/* v4.5, behind one space. */
static bool is_version(struct span rest)
{
    return rest.len > 2 && rest.ptr[0] == ' ' && rest.ptr[1] == 'v' && (unsigned char)(rest.ptr[2] - '0') < 10;
}

/* The two ways of writing an arrow, in text and in HTML. */
static const char *const arrows[] = {"-> ", "-&gt; "};

static bool begins_with_arrow(struct span text)
{
    return span_starts_with(text, span_str(arrows[0])) || span_starts_with(text, span_str(arrows[1]));
}

static bool ends_with(struct span text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* What is in front of a word, without brackets between. */
static struct span before_brackets(struct span before)
{
    while (before.len > 0 && strchr("([", before.ptr[before.len - 1]) != NULL) {
        before.len--;
    }
    return before;
}

/* A constructor behind another and its operator: 1 :> Nil. */
static bool is_constructor(struct span before)
{
    static const char *const operators[] = {":>", ":> ", ":&gt;", ":&gt; "};

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (ends_with(before, operators[i])) {
            return true;
        }
    }
    return false;
}

/* A type in a signature: behind colons, beside an arrow with the colons in front, or before an arrow in a line that begins with one. */
static bool is_type(struct span line, size_t from, size_t to)
{
    static const char colons[] = " :: ";
    enum { FAR = 96 };
    struct span near = span_slice(line, from > FAR ? from - FAR : 0, from);
    struct span before = before_brackets(near);
    bool is_before = begins_with_arrow(span_slice(line, to < line.len ? to + 1 : to, line.len));
    bool is_behind = ends_with(before, arrows[0]) || ends_with(before, arrows[1]);
    bool has_colons = memmem(near.ptr, near.len, colons, sizeof colons - 1) != NULL;
    return is_constructor(before) || ends_with(before, colons) || ((is_before || is_behind) && has_colons) || (is_before && begins_with_arrow(line));
}

/* What generators of documentation mark as a name of programs: <span class="hs-identifier hs-type">W.Stack</span>. */
static bool is_marked_as_code(struct span line, size_t from)
{
    static const char *const classes[] = {"class=\"annot", "class=\"hs-", "class=\"el\"", "class=\"code", "class=\"src\"", "class=\"def\"", "class=\"n\"", "class=\"nc\"", "class=\"nn\""};
    enum { TAG = 160 };
    size_t end = before_brackets(span_slice(line, 0, from)).len;
    size_t start = end;

    if (end == 0 || line.ptr[end - 1] != '>') {
        return false;
    }
    while (start > 0 && end - start < TAG && line.ptr[start - 1] != '<') {
        start--;
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (memmem(line.ptr + start, end - start, classes[i], strlen(classes[i])) != NULL) {
            return true;
        }
    }
    return false;
}

bool tagger_is_thing(struct span line, size_t from, size_t to)
{
    struct span name = span_slice(line, from, to);
    struct span last = last_word(name);
    bool is_single = last.len == name.len;

    if (!is_single) {
        return is_one_of(last, things) || is_one_of(name, fixed);
    }
    return is_one_of(name, languages) || is_one_of(name, fixed) || is_version(span_slice(line, to, line.len)) || is_type(line, from, to) ||
           ends_with(span_slice(line, 0, from), "GNU/") || is_marked_as_code(line, from);
}
