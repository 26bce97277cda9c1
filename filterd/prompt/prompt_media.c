#include "prompt/prompt_media.h"

#include "base/ascii.h"
#include "prompt/prompt_data.h"
#include "view/decoded_text.h"

/* What compressed bytes are by chance is shorter, as a rule: 10 to 12 characters that stand behind a word of a comment would be its value. */
enum { STRETCH_MIN = 16 };

bool prompt_is_spaced(struct span text)
{
    struct span base64 = prompt_base64_of(text);
    size_t n_blanks = 0;

    if (base64.ptr == text.ptr) {
        return false;
    }
    while (base64.len > 0 && (base64.ptr[base64.len - 1] == '=' || ascii_is_space(base64.ptr[base64.len - 1]))) {
        n_blanks += base64.ptr[--base64.len] != '=';
    }
    for (size_t i = 0; i < base64.len; i++) {
        bool is_blank = ascii_is_space(base64.ptr[i]);
        n_blanks += is_blank;
        if (!is_blank && !ascii_is(base64.ptr[i], ASCII_BASE64)) {
            return false;
        }
    }
    return n_blanks > 0;
}

/* The bytes of its base64, whatever else is between the letters of that. */
static bool decode(struct arena *a, struct span media, struct span *bytes, struct error *err)
{
    struct span base64 = prompt_base64_of(media);
    char *letters = arena_alloc(a, base64.len + 1, err), *decoded = letters == NULL ? NULL : arena_alloc(a, base64.len + 1, err);
    size_t n = 0;

    for (size_t i = 0; decoded != NULL && i < base64.len; i++) {
        letters[n] = base64.ptr[i];
        n += ascii_is(base64.ptr[i], ASCII_BASE64);
    }
    *bytes = span_of(decoded, decoded == NULL ? 0 : ascii_base64_decode(span_of(letters, n), decoded));
    return decoded != NULL;
}

/* From `at` on. */
static bool next_stretch(struct span bytes, size_t at, struct stretch *out)
{
    bool is_there;

    while ((is_there = stretch_next(bytes, at, out)) && (out->to - out->from) / out->stride < STRETCH_MIN) {
        at = out->to;
    }
    return is_there;
}

/* Of UTF-16 every second byte. */
static size_t put_stretch(char *to, struct span bytes, const struct stretch *s)
{
    size_t n = 0;

    for (size_t at = s->from; at < s->to; at += s->stride) {
        to[n++] = bytes.ptr[at];
    }
    to[n++] = '\n';
    return n;
}

bool prompt_media_text(struct arena *a, struct span media, struct span *out, struct error *err)
{
    struct span bytes = media;
    struct stretch s;
    size_t len = 0, at, n = 0;

    *out = span_of("", 0);
    if (!prompt_has_signature(media) && !decode(a, media, &bytes, err)) {
        return false;
    }
    for (at = 0; next_stretch(bytes, at, &s); at = s.to) {
        len += s.to - s.from + 1;
    }
    char *text = len == 0 ? NULL : arena_alloc(a, len, err);
    if (text == NULL) {
        return len == 0;
    }
    for (at = 0; next_stretch(bytes, at, &s); at = s.to) {
        n += put_stretch(text + n, bytes, &s);
    }
    *out = span_of(text, n);
    return true;
}
