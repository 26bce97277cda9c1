#include "lexical/code_shape.h"

#include "base/ascii.h"
#include "lexical/placeholder.h"
#include "lexical/word_shape.h"

/* Code in place of a value is short; of more than this the front tells enough. */
enum { SAMPLE = 1024 };

static bool is_name_character(char c)
{
    return ascii_is_alnum(c) || c == '_';
}

static bool is_one_of(char c, const char *characters)
{
    return c != '\0' && strchr(characters, c) != NULL;
}

/* Without quotes, sigils and what ends a statement or a sentence. */
static struct span trim(struct span text)
{
    while (text.len > 0 && (ascii_is_space(text.ptr[0]) || is_one_of(text.ptr[0], "\"'`&*!@:"))) {
        text = span_slice(text, 1, text.len);
    }
    while (text.len > 0 && (ascii_is_space(text.ptr[text.len - 1]) ||
                            is_one_of(text.ptr[text.len - 1], "\"'`,;.:"))) {
        text = span_slice(text, 0, text.len - 1);
    }
    return text;
}

/* Length of the joint of a path of names at `at`: . -> :: ?. 0 when there is none. */
static size_t joint_length(struct span text, size_t at)
{
    static const char *const joints[] = {"->", "::", "?.", "."};
    struct span rest = span_slice(text, at, text.len);

    for (size_t i = 0; i < COUNT(joints); i++) {
        size_t len = strlen(joints[i]);
        if (span_starts_with(rest, span_str(joints[i])) && rest.len > len &&
            is_name_character(rest.ptr[len])) {
            return len;
        }
    }
    return 0;
}

/* The names that a path is joined of: all words. *joints is their number less one. */
static size_t path_length(struct span text, size_t *joints)
{
    size_t at = 0;
    size_t from = 0;
    size_t joint = 1;

    for (*joints = 0; joint > 0; (*joints)++) {
        while (at < text.len && is_name_character(text.ptr[at])) {
            at++;
        }
        if (at == from || !word_shape_is(span_slice(text, from, at))) {
            return 0;
        }
        joint = joint_length(text, at);
        at += joint;
        from = at;
    }
    (*joints)--;
    return at;
}

/* os.getenv(…), request.form[…], Optional<…>, env!(…), self->password, Settings::KEY, x =>.
 * A path alone is for word_shape_is, which is stricter with digits. */
static bool is_expression(struct span text)
{
    size_t joints = 0, name = 0;

    while (name < text.len && is_name_character(text.ptr[name])) {
        name++;
    }
    if (name == text.len) { /* a name alone is none, whatever its words */
        return false;
    }
    size_t end = path_length(text, &joints);
    struct span rest = span_slice(text, end, text.len);

    if (end == 0) {
        return false;
    }
    if (rest.len == 0) {
        return joints > 0;
    }
    return is_one_of(rest.ptr[0], "([<") || span_starts_with(rest, span_str("!(")) ||
           span_starts_with(rest, span_str("{}")) || span_starts_with(rest, span_str("()")) ||
           span_starts_with(rest, span_str("=>"));
}

/* 1.2.3, v2.0, ^4.17.21, >=1.0, 1.0-beta2 */
static bool is_version(struct span text)
{
    size_t at = 0;
    size_t dots = 0;

    while (at < text.len && is_one_of(text.ptr[at], "vV^~<>= ")) {
        at++;
    }
    size_t from = at;
    while (at < text.len && (ascii_is_digit(text.ptr[at]) || text.ptr[at] == '.')) {
        dots += text.ptr[at] == '.' ? 1 : 0;
        at++;
    }
    if (at == from || dots == 0 || text.ptr[from] == '.') {
        return false;
    }
    return at == text.len || is_one_of(text.ptr[at], "-+") || at + 4 >= text.len;
}

/* sha512-… of lock files, sha256:… of images, $2b$… of password files stays a value. */
static bool is_labelled_hash(struct span text)
{
    static const char *const labels[] = {
        "sha1-", "sha1:", "sha256-", "sha256:", "sha384-", "sha512-", "sha512:", "md5:"};

    for (size_t i = 0; i < COUNT(labels); i++) {
        if (ascii_starts_with(text, labels[i])) {
            return true;
        }
    }
    return false;
}

/* A URL without credentials; ./a, ../a, ~/a, C:\a, and /a where a is a word. */
static bool is_location(struct span text)
{
    size_t scheme = ascii_find(text, 0, "://");

    if (scheme > 0 && scheme < text.len && scheme < 12) {
        return ascii_find(text, scheme, "@") == text.len;
    }
    if (ascii_starts_with(text, "./") || ascii_starts_with(text, "../") ||
        ascii_starts_with(text, "~/")) {
        return true;
    }
    return text.len > 3 && ascii_is_letter(text.ptr[0]) && text.ptr[1] == ':' &&
           text.ptr[2] == '\\';
}

/* A piece of an outline in SVG, numbers and commands in turn: 62V70H477V55Q479, 32-32V550H546v376zm334. Three commands are none of
 * hexadecimal's letters. */
static bool is_outline(struct span text)
{
    enum { SHORTEST = 12, COMMANDS = 3 };
    size_t n_commands = 0;
    bool is_behind_command = false;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_command = is_one_of(c, "MLHVCSQTAZmlhvcsqtaz");
        if ((!is_command && !ascii_is_digit(c) && c != '-' && c != '.') || (is_command && is_behind_command)) {
            return false;
        }
        n_commands += is_command && !is_one_of(c, "aAcC") ? 1 : 0;
        is_behind_command = is_command && c != 'z' && c != 'Z';
    }
    return text.len >= SHORTEST && n_commands >= COMMANDS;
}

/* A duration of ISO 8601: P3Y6M4DT12H30M5S */
static bool is_duration(struct span text)
{
    bool is_behind_digit = false;

    for (size_t i = 1; i < text.len; i++) {
        bool is_digit = ascii_is_digit(text.ptr[i]) || text.ptr[i] == '.';
        if (!is_digit && text.ptr[i] != 'T' && !(is_behind_digit && is_one_of(text.ptr[i], "YMWDHS"))) {
            return false;
        }
        is_behind_digit = is_digit;
    }
    return text.len > 2 && text.ptr[0] == 'P' && !is_behind_digit;
}

static bool contains(struct span text, const char *literal)
{
    return ascii_find(text, 0, literal) < text.len;
}

/* What follows the password in a line of passwd: 1000:1000::/home/kofi, or :::::quota */
static bool is_account_line(struct span text)
{
    size_t at = 0;

    for (size_t field = 0; field < 2; field++) {
        while (at < text.len && ascii_is_digit(text.ptr[at])) {
            at++;
        }
        if (at == text.len || text.ptr[at] != ':') {
            return false;
        }
        at++;
    }
    return contains(span_slice(text, at, text.len), ":");
}

/* A class of characters in a regular expression: [0-9A-Za-z], a-zA-Z0-9_ */
static bool is_character_class(struct span text)
{
    return contains(text, "a-za-z") || (contains(text, "0-9") && (contains(text, "a-z") || contains(text, "a-f")));
}

/* The small letters and joints at the start of the text. */
static size_t small_name_length(struct span text)
{
    size_t at = 0;

    while (at < text.len && (ascii_is_lower(text.ptr[at]) || is_one_of(text.ptr[at], "_-"))) {
        at++;
    }
    return at;
}

/* An Erlang function with the number of its arguments: get_key/2 */
static bool is_function(struct span text)
{
    size_t end = small_name_length(text);

    return contains(span_slice(text, 0, end), "_") && end + 2 == text.len && text.ptr[end] == '/' && ascii_is_digit(text.ptr[end + 1]);
}

/* An option that takes a value: vbrpass= */
static bool is_option(struct span text)
{
    size_t end = small_name_length(text);

    return end > 0 && end + 1 == text.len && text.ptr[end] == '=';
}

/* Letters of another size in troff: \s-1IPC\s0, its backslash left out or not. */
static bool is_sized(struct span text)
{
    size_t at = text.len > 0 && text.ptr[0] == '\\' ? 1 : 0;
    size_t n = 0;

    if (text.len < at + 4 || text.ptr[at] != 's' || text.ptr[at + 1] != '-' || !ascii_is_digit(text.ptr[at + 2])) {
        return false;
    }
    for (at += 3; at < text.len && ascii_is_upper(text.ptr[at]); at++) {
        n++;
    }
    return n > 0 && (at == text.len || text.ptr[at] == '\\');
}

static bool is_separator(char c)
{
    return ascii_is_space(c) || is_one_of(c, "|,:;=+\"'`<>{}()[]");
}

static bool is_number(struct span token)
{
    for (size_t i = 0; i < token.len; i++) {
        if (!ascii_is_digit(token.ptr[i]) && token.ptr[i] != '.' && token.ptr[i] != '-') {
            return false;
        }
    }
    return token.len > 0;
}

/* Every token is a name made of words, or a number beside such: names, types, paths, prose. */
static bool is_all_words(struct span text)
{
    bool has_word = false;

    for (size_t from = 0, at = 0; at <= text.len; at++) {
        if (at < text.len && !is_separator(text.ptr[at])) {
            continue;
        }
        struct span token = trim(span_slice(text, from, at));
        if (token.len > 0 && !is_number(token)) {
            if (!word_shape_is(token)) {
                return false;
            }
            has_word = true;
        }
        from = at + 1;
    }
    return has_word;
}

bool code_shape_is(struct span text)
{
    struct span value = trim(span_slice(text, 0, text.len < SAMPLE ? text.len : SAMPLE));

    return placeholder_is_template(value) || is_labelled_hash(value) || is_version(value) ||
           is_location(value) || is_expression(value) || is_all_words(value) || is_outline(value) || is_duration(value) ||
           is_account_line(text) || is_character_class(value) || is_function(value) || is_option(value) || is_sized(value);
}
