#include "disclosure/addresses.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "formats/top_level_domains.h"

enum {
    SLOTS_FIRST = 64,
    DIGITS_MIN = 7,  /* of a telephone number */
    DIGITS_MAX = 15, /* ITU-T E.164 */
};

static const char link_marks[] = "-._~:/?#@!$&'()*+,;=%"; /* RFC 3986, beside letters and digits */
static const char outer_marks[] = ".,;:!?'()*_";            /* not the first or the last of an address in a text */
static const char number_marks[] = " -./()";

static bool is_one_of(char c, const char *marks)
{
    return c != '\0' && strchr(marks, c) != NULL;
}

static bool is_link_char(char c)
{
    return ascii_is(c, ASCII_ALNUM) || is_one_of(c, link_marks);
}

/* --- the set ------------------------------------------------------------------ */

enum kind { WHOLE, HOST, NUMBER };

/* FNV-1a of the kind and the text in lower case; never 0. */
static uint64_t hash_of(enum kind kind, struct span text)
{
    uint64_t hash = (UINT64_C(0xcbf29ce484222325) ^ kind) * UINT64_C(0x100000001b3);

    for (size_t i = 0; i < text.len; i++) {
        hash = (hash ^ (unsigned char)ascii_lower(text.ptr[i])) * UINT64_C(0x100000001b3);
    }
    return hash | 1;
}

static bool has(const struct addresses *a, uint64_t hash)
{
    size_t at = a->n_slots == 0 ? 0 : (hash >> 20) & (a->n_slots - 1);

    while (a->n_slots > 0 && a->slots[at] != 0 && a->slots[at] != hash) {
        at = (at + 1) & (a->n_slots - 1);
    }
    return a->n_slots > 0 && a->slots[at] == hash;
}

static void put(uint64_t *slots, size_t n_slots, uint64_t hash)
{
    size_t at = (hash >> 20) & (n_slots - 1);

    while (slots[at] != 0) {
        at = (at + 1) & (n_slots - 1);
    }
    slots[at] = hash;
}

static bool add_hash(struct addresses *a, uint64_t hash, struct error *err)
{
    if (has(a, hash)) {
        return true;
    }
    if (2 * (a->n + 1) > a->n_slots) {
        size_t n_slots = a->n_slots == 0 ? SLOTS_FIRST : 2 * a->n_slots;
        uint64_t *slots = calloc(n_slots, sizeof(*slots));
        if (slots == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "system prompt: no memory");
        }
        for (size_t i = 0; i < a->n_slots; i++) {
            if (a->slots[i] != 0) {
                put(slots, n_slots, a->slots[i]);
            }
        }
        free(a->slots);
        a->slots = slots;
        a->n_slots = n_slots;
    }
    put(a->slots, a->n_slots, hash);
    a->n++;
    return true;
}

void addresses_deinit(struct addresses *a)
{
    free(a->slots);
    *a = (struct addresses){0};
}

/* --- links and mail ------------------------------------------------------------- */

static size_t link_end(struct span text, size_t at)
{
    while (at < text.len && is_link_char(text.ptr[at])) {
        at++;
    }
    return at;
}

static struct span trim(struct span link)
{
    while (link.len > 0 && is_one_of(link.ptr[0], outer_marks)) {
        link = span_slice(link, 1, link.len);
    }
    while (link.len > 0 && is_one_of(link.ptr[link.len - 1], outer_marks)) {
        link.len--;
    }
    return link;
}

/* Behind the scheme, "www." and before the last slash; *is_marked: it is a link. "//" is what http and https have in common. */
static struct span bare_link(struct span word, bool *is_marked)
{
    static const char *const schemes[] = {"https://", "http://", "//", "mailto:"};
    struct span link = trim(word);
    size_t before = link.len;

    for (size_t i = 0; i < COUNT(schemes) && link.len == before; i++) {
        if (ascii_starts_with(link, schemes[i])) {
            link = span_slice(link, strlen(schemes[i]), link.len);
        }
    }
    *is_marked = link.len < before && link.ptr[-1] == '/';
    if (ascii_starts_with(link, "www.")) {
        *is_marked = true;
        link = span_slice(link, strlen("www."), link.len);
    }
    link.len -= link.len > 0 && link.ptr[link.len - 1] == '/';
    return link;
}

static bool ends_host(char c)
{
    return is_one_of(c, ":/?#");
}

/* Where the host of a link without scheme ends. */
static size_t host_end(struct span link)
{
    size_t at = 0;

    while (at < link.len && !ends_host(link.ptr[at])) {
        at++;
    }
    return at;
}

/* Labels and a top-level domain; a host that was marked as one may end in any word. */
static bool is_host(struct span host, bool is_marked)
{
    size_t dot = host.len;

    for (size_t i = 0; i < host.len; i++) {
        if (!ascii_is(host.ptr[i], ASCII_ALNUM) && !is_one_of(host.ptr[i], ".-")) {
            return false;
        }
        dot = host.ptr[i] == '.' ? i : dot;
    }
    struct span last = span_slice(host, dot < host.len ? dot + 1 : host.len, host.len);
    return dot > 0 && last.len > 0 && (is_marked || (top_level_domain_is(last) && !top_level_domain_ends_files(last)) || ascii_equals(last, "example"));
}

static bool add_word(struct addresses *a, struct span word, struct error *err)
{
    bool is_marked;
    struct span link = bare_link(word, &is_marked);
    const char *sign = link.len == 0 || is_marked ? NULL : memchr(link.ptr, '@', link.len);
    size_t user = sign == NULL ? 0 : (size_t)(sign - link.ptr);

    if (user > 0) {
        return !is_host(span_slice(link, user + 1, link.len), true) || add_hash(a, hash_of(WHOLE, link), err);
    }
    struct span host = span_slice(link, 0, host_end(link));
    return !is_host(host, is_marked) || (add_hash(a, hash_of(WHOLE, link), err) && add_hash(a, hash_of(HOST, host), err));
}

static bool is_known(const struct addresses *a, struct span word)
{
    bool is_marked;
    struct span link = bare_link(word, &is_marked);

    return link.len > 0 && has(a, hash_of(WHOLE, link));
}

/* The word goes on behind what was copied of it, so it is no part of an address: it is another one. */
static bool is_of_known_host(const struct addresses *a, struct span word, char next)
{
    bool is_marked;
    struct span link = bare_link(word, &is_marked);
    size_t host = host_end(link);
    bool has_end = host < link.len || ends_host(next) || word.ptr[word.len - 1] == '/';

    return has_end && has(a, hash_of(HOST, span_slice(link, 0, host)));
}

/* --- telephone numbers ------------------------------------------------------------ */

/* The end of the number at `at`, or `at`; its digits. One mark, or a bracket and a space, between digits. */
static size_t number_end(struct span text, size_t at, struct span *digits, char out[DIGITS_MAX + 1])
{
    size_t from = at, end = at, marks = 0;
    size_t n = 0;

    if (at == text.len || !is_one_of(text.ptr[at], "+0(") || (at > 0 && ascii_is(text.ptr[at - 1], ASCII_ALNUM))) {
        return from;
    }
    for (at += text.ptr[at] == '+'; at < text.len && marks <= 2 && n <= DIGITS_MAX; at++) {
        if (text.ptr[at] >= '0' && text.ptr[at] <= '9') {
            out[n++] = text.ptr[at];
            end = at + 1;
            marks = 0;
        } else if (is_one_of(text.ptr[at], number_marks)) {
            marks++;
        } else {
            break;
        }
    }
    *digits = span_of(out, n);
    bool is_number = n >= DIGITS_MIN && n <= DIGITS_MAX && (end == text.len || !ascii_is(text.ptr[end], ASCII_ALNUM));
    return is_number ? end : from;
}

/* --- texts ---------------------------------------------------------------------- */

static bool begins_word(struct span text, size_t at)
{
    return is_link_char(text.ptr[at]) && (at == 0 || !is_link_char(text.ptr[at - 1]));
}

bool addresses_add(struct addresses *a, struct span text, struct error *err)
{
    char out[DIGITS_MAX + 1];
    struct span digits;

    for (size_t at = 0; at < text.len; at++) {
        if (begins_word(text, at) && !add_word(a, span_slice(text, at, link_end(text, at)), err)) {
            return false;
        }
        if (number_end(text, at, &digits, out) > at && !add_hash(a, hash_of(NUMBER, digits), err)) {
            return false;
        }
    }
    return true;
}

size_t addresses_end(const struct addresses *a, struct span text, size_t at, size_t to)
{
    char out[DIGITS_MAX + 1];
    struct span digits;
    size_t number = number_end(text, at, &digits, out);

    if (number > at) {
        return number <= to && has(a, hash_of(NUMBER, digits)) ? number : at;
    }
    if (!begins_word(text, at)) {
        return at;
    }
    size_t end = link_end(span_slice(text, 0, to), at);
    bool goes_on = end == to && to < text.len && is_link_char(text.ptr[to]) && !is_one_of(text.ptr[to], outer_marks);
    struct span word = span_slice(text, at, end);
    return (goes_on ? is_of_known_host(a, word, text.ptr[to]) : is_known(a, word)) ? end : at;
}
