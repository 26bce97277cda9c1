#include "prompt/prompt_data.h"

#include "base/ascii.h"

enum { DATA_LOOK = 48 };

struct span prompt_base64_of(struct span text)
{
    const char *comma = text.len == 0 ? NULL : memchr(text.ptr, ',', text.len < 256 ? text.len : 256);

    if (!ascii_starts_with(text, "data:") || comma == NULL) {
        return text;
    }
    struct span head = span_of(text.ptr, (size_t)(comma - text.ptr));
    bool is_base64 = ascii_find(head, 0, ";base64") + strlen(";base64") == head.len;
    return is_base64 ? span_slice(text, head.len + 1, text.len) : text;
}

/* Only a file that says what it is: a secret in the letters of base64 is none. */
bool prompt_has_signature(struct span bytes)
{
    static const struct {
        size_t at;
        const char *bytes;
        size_t n;
    } signatures[] = {
        {0, "\x89PNG\r\n\x1a\n", 8},  {0, "\xff\xd8\xff", 3},      {0, "GIF87a", 6},
        {0, "GIF89a", 6},              {0, "RIFF", 4},               {4, "ftyp", 4},
        {0, "%PDF-", 5},               {0, "PK\x03\x04", 4},         {0, "II*\0", 4},
        {0, "MM\0*", 4},               {0, "OggS", 4},               {0, "ID3", 3},
        {0, "\xff\xfb", 2},            {0, "\xff\xf3", 2},           {0, "\xff\xf1", 2},
        {0, "fLaC", 4},                {0, "\x1a\x45\xdf\xa3", 4},   {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8},
    };

    for (size_t i = 0; i < COUNT(signatures); i++) {
        size_t end = signatures[i].at + signatures[i].n;
        if (bytes.len >= end && memcmp(bytes.ptr + signatures[i].at, signatures[i].bytes, signatures[i].n) == 0) {
            return true;
        }
    }
    return false;
}

bool prompt_is_data(struct span text)
{
    struct span base64 = prompt_base64_of(text);
    char run[DATA_LOOK / 3 * 4], bytes[DATA_LOOK];
    size_t n = 0;

    while (base64.len > 0 && (base64.ptr[base64.len - 1] == '=' || ascii_is_space(base64.ptr[base64.len - 1]))) {
        base64.len--;
    }
    for (size_t i = 0; i < base64.len; i++) {
        char c = base64.ptr[i];
        if (!ascii_is(c, ASCII_BASE64) && c != '\r' && c != '\n') {
            return false;
        }
        if (n < sizeof(run) && ascii_is(c, ASCII_BASE64)) {
            run[n++] = c;
        }
    }
    return n == sizeof(run) && prompt_has_signature(span_of(bytes, ascii_base64_decode(span_of(run, n), bytes)));
}
