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
    size_t joints = 0;
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
           is_location(value) || is_expression(value) || is_all_words(value);
}
