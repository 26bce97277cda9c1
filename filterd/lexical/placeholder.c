#include "lexical/placeholder.h"

#include <pthread.h>

#include "base/ascii.h"
#include "formats/jwt.h"
#include "lexical/literals.h"

enum { FILLER_MAX = 64, FILLER_DIGITS_MAX = 4 };

/* Long enough not to turn up in random letters. */
static const char *const markers[] = {
    "example",      "placeholder",  "changeme",   "change_me",    "change-me",  "changethis",
    "change_this",  "change-this",  "redacted",   "replaceme",    "replace_",   "replace-",
    "replacewith",  "your_",        "your-",      "your ",        "yourpass",   "yoursecret",
    "yourkey",      "yourtoken",    "yourapi",    "youruser",     "yourdomain", "yourname",
    "yourstrong",   "yourown",      "youraccess", "yourdatabase", "yourclient", "yourdb",
    "insert_",      "insert-",      "_here",      "-here",        "keyhere",    "tokenhere",
    "secrethere",   "passwordhere", "goeshere",   "not-a-real",   "not_a_real", "notareal",
    "dummy",        "foobar",       "lorem",      "do_not_use",   "donotuse",   "fake_",
    "fake-",        "_fake",        "-fake",      "censored",     "p@ssw0rd",   "passw0rd",
    "correcthorse", "trustno1",     "correct-horse", "correct horse",
};

/* What is written over a secret, or over most of it. */
static const char *const marks[] = {
    "...",
    "***",
    "###",
    "???",
    "____",
    "\xe2\x80\xa6",
    "\xe2\x80\xa2\xe2\x80\xa2",
    "\xe2\x97\x8f\xe2\x97\x8f",
    "\xe2\x96\x88\xe2\x96\x88",
};

/* What example credentials are made of. */
static const char *const words[] = {
    "abc",     "access",   "account",   "admin",      "an",          "and",      "api",
    "app",     "apikey",   "auth",      "bar",        "base64",      "baz",      "bearer",
    "change",  "client",   "complex",   "credential", "credentials", "database", "db",
    "default", "demo",     "dev",       "dummy",      "enter",       "encoded",  "encryption",
    "fake",    "foo",      "generated", "guest",      "hash",        "hashed",   "hello",
    "here",    "hidden",   "hunter",    "id",         "in",          "insert",   "is",
    "it",      "jwt",      "key",       "letmein",    "local",       "login",    "long",
    "master",  "me",       "mock",      "my",         "mysql",       "name",     "new",
    "none",    "not",      "oauth",     "of",         "old",         "pass",     "passphrase",
    "passwd",  "password", "postgres",  "private",    "public",      "put",      "pw",
    "pwd",     "qux",      "random",    "real",       "redis",       "refresh",  "replace",
    "root",    "s3cr3t",   "safe",      "salt",       "sample",      "secret",   "secure",
    "server",  "service",  "sk",        "some",       "string",      "strong",   "super",
    "temp",    "test",     "testing",   "text",       "the",         "this",     "to",
    "todo",    "token",    "top",       "user",       "username",    "value",    "very",
    "welcome", "with",     "world",     "xyz",        "your",        "mongo",
};

static struct literals markers_by_first, marks_by_first, words_by_first;
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

_Static_assert(COUNT(markers) < LITERALS_MAX && COUNT(marks) < LITERALS_MAX && COUNT(words) < LITERALS_MAX, "literals_add");

static void index_list(struct literals *by_first, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        literals_add_two(by_first, list[i], i);
    }
}

static void index_all(void)
{
    index_list(&markers_by_first, markers, COUNT(markers));
    index_list(&marks_by_first, marks, COUNT(marks));
    index_list(&words_by_first, words, COUNT(words));
}

/* Each has two bytes at least. */
static bool contains_any(struct span text, const char *const *literals, const struct literals *by_first)
{
    for (size_t at = 0; at + 1 < text.len; at++) {
        if (!literals_may_begin(by_first, ascii_lower(text.ptr[at]), text.ptr[at + 1])) {
            continue;
        }
        for (size_t i = literals_first(by_first, ascii_lower(text.ptr[at])); i != LITERALS_MAX; i = literals_next(by_first, i)) {
            if (ascii_starts_with(span_slice(text, at, text.len), literals[i])) {
                return true;
            }
        }
    }
    return false;
}

/* Length of the run of one byte at `at`. */
static size_t run_length(struct span text, size_t at)
{
    size_t to = at;

    while (to < text.len && ascii_lower(text.ptr[to]) == ascii_lower(text.ptr[at])) {
        to++;
    }
    return to - at;
}

/* How many of these characters it begins with. */
static size_t run_of(struct span text, const char *characters)
{
    size_t n = 0;

    while (n < text.len && text.ptr[n] != '\0' && strchr(characters, text.ptr[n]) != NULL) {
        n++;
    }
    return n;
}

/* Ellipsis, stars, x's: what is written over a secret, or over most of it. */
static bool is_masked(struct span text)
{
    if (contains_any(text, marks, &marks_by_first) || run_of(text, "*#?._-") == text.len) {
        return true;
    }
    for (size_t at = 0; at < text.len;) {
        size_t run = run_length(text, at);
        bool is_x = ascii_lower(text.ptr[at]) == 'x';
        if (is_x && (run >= 6 || (run >= 4 && run * 8 >= text.len) || run == text.len)) {
            return true;
        }
        at += run;
    }
    return false;
}

/* A word of `words` begins at `from`: its end is a place that they reach. */
static void reach(struct span letters, size_t from, bool reaches[FILLER_MAX + 1])
{
    for (size_t i = literals_first(&words_by_first, letters.ptr[from]); i != LITERALS_MAX; i = literals_next(&words_by_first, i)) {
        if (span_starts_with(span_slice(letters, from, letters.len), span_str(words[i]))) {
            reaches[from + strlen(words[i])] = true;
        }
    }
}

/* The letters and digits of a text in lower case; 0 when there are none or more than FILLER_MAX. */
static size_t read_letters(struct span text, char letters[FILLER_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (!ascii_is_alnum(text.ptr[i])) {
            continue;
        }
        if (n == FILLER_MAX) {
            return 0;
        }
        letters[n++] = ascii_lower(text.ptr[i]);
    }
    return n;
}

/* Digits that people put behind a filler word: one or two, a row (123, 4321, 000), a year. Others make a password of it. */
static bool are_filler_digits(struct span digits)
{
    bool is_row = true;

    for (size_t i = 2; i < digits.len; i++) {
        is_row = is_row && digits.ptr[i] - digits.ptr[i - 1] == digits.ptr[1] - digits.ptr[0];
    }
    bool is_counted = digits.len < 2 || (digits.ptr[1] - digits.ptr[0] <= 1 && digits.ptr[1] - digits.ptr[0] >= -1);
    return digits.len <= 2 || (is_row && is_counted) ||
           (digits.len == 4 && (span_starts_with(digits, span_str("19")) || span_starts_with(digits, span_str("20"))));
}

/* Nothing but filler words, with digits at the end: mysecretpassword, test_token_1. */
static bool is_filler(struct span text)
{
    char letters[FILLER_MAX];
    bool reaches[FILLER_MAX + 1] = {true}; /* words laid end to end reach this place */
    size_t n = read_letters(text, letters);
    size_t digits = 0;

    while (digits < n && digits < FILLER_DIGITS_MAX && ascii_is_digit(letters[n - 1 - digits])) {
        digits++;
    }
    for (size_t from = 0; from < n; from++) {
        if (reaches[from]) {
            reach(span_of(letters, n), from, reaches);
        }
    }
    for (size_t end = n - digits; end <= n; end++) {
        if (end > 0 && reaches[end] && are_filler_digits(span_of(letters + end, n - end))) {
            return true;
        }
    }
    return false;
}

bool placeholder_is(struct span text)
{
    (void)pthread_once(&index_once, index_all);
    return text.len == 0 || contains_any(text, markers, &markers_by_first) || is_masked(text) || placeholder_is_template(text) ||
           placeholder_is_pattern(text) || is_filler(text) || jwt_is_header(text);
}
