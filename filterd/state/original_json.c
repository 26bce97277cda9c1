/* original_json.c - written twice: once to know its length, once into a secret of that length, as a buffer that grows
 * would leave copies behind. */
#include "state/original_json.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

#include "base/uuid.h"
#include "text/utf8.h"

enum { BASE64 = sodium_base64_VARIANT_ORIGINAL, BASE64_STEP = 3 * 1024 };

/* Without a secret it only counts. */
struct sink {
    struct secret *to;
    const struct exchange *x;
    size_t len, n_parts;
    bool has_failed;
};

static void put(struct sink *s, struct span bytes)
{
    struct error err;

    s->len += bytes.len;
    if (s->to != NULL && !secret_append(s->to, bytes, &err)) {
        s->has_failed = true;
    }
}

static void put_text(struct sink *s, const char *text)
{
    put(s, span_str(text));
}

/* Valid UTF-8, escaped. */
static void put_escaped(struct sink *s, struct span text)
{
    size_t plain = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        char escape[8];
        (void)snprintf(escape, sizeof(escape), c < 0x20 ? "\\u%04x" : "\\%c", c);
        put(s, span_slice(text, plain, i));
        put_text(s, escape);
        plain = i + 1;
    }
    put(s, span_slice(text, plain, text.len));
}

static void put_base64(struct sink *s, struct span bytes)
{
    char text[sodium_base64_ENCODED_LEN(BASE64_STEP, BASE64)];

    for (size_t at = 0; at < bytes.len; at += BASE64_STEP) {
        size_t len = bytes.len - at < BASE64_STEP ? bytes.len - at : BASE64_STEP;
        (void)sodium_bin2base64(text, sizeof(text), (const uint8_t *)bytes.ptr + at, len, BASE64);
        put_text(s, text);
    }
    sodium_memzero(text, sizeof(text));
}

static bool is_utf8(struct span text)
{
    return utf8_valid_prefix(text) == text.len;
}

static void put_string(struct sink *s, const char *name, struct span text)
{
    put_text(s, name);
    put_escaped(s, text);
    put_text(s, "\"");
}

/* A member that is left out when it is empty or no text. */
static void put_member(struct sink *s, const char *name, struct span text)
{
    if (text.len > 0 && is_utf8(text)) {
        put_string(s, name, text);
    }
}

/* A cut in the middle of a character makes no bytes of a text. */
static struct span whole_characters(struct span text, size_t *start)
{
    size_t front = 0, back = text.len;

    while (front < 3 && front < text.len && ((unsigned char)text.ptr[front] & 0xc0) == 0x80) {
        front++;
    }
    for (size_t n = 1; n <= 3 && n <= back - front; n++) {
        unsigned char c = (unsigned char)text.ptr[back - n];
        size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
        if (length > n) {
            back -= n;
        }
        if (length > 0) {
            break;
        }
    }
    struct span whole = span_slice(text, front, back);
    if (!is_utf8(whole)) {
        return text;
    }
    *start += front;
    return whole;
}

/* How the channel was read: rules look at the name of the member, too. A stream's channels are gone. */
static void put_channel(struct sink *s, uint32_t channel)
{
    if (s->x->originals != NULL || channel >= s->x->n_channels) {
        return;
    }
    const struct channel *c = &s->x->channels[channel];
    put_member(s, ",\"key\":\"", c->key);
    put_text(s, c->is_member_name ? ",\"name\":true" : "");
    put_text(s, c->is_parts ? ",\"joined\":true" : "");
}

static void put_part(void *context, const struct original_part *part)
{
    struct sink *s = context;
    size_t start = part->from;
    struct span text = whole_characters(part->text, &start);
    char numbers[64];

    (void)snprintf(numbers, sizeof(numbers), "%s{\"channel\":%" PRIu32, s->n_parts++ > 0 ? "," : "", part->channel);
    put_text(s, numbers);
    put_channel(s, part->channel);
    if (is_utf8(part->path)) {
        put_string(s, ",\"path\":\"", part->path);
    }
    (void)snprintf(numbers, sizeof(numbers), ",\"start\":%zu", start);
    put_text(s, numbers);
    if (is_utf8(text)) {
        put_string(s, ",\"text\":\"", text);
    } else {
        put_text(s, ",\"base64\":\"");
        put_base64(s, text);
        put_text(s, "\"");
    }
    put_text(s, "}");
}

/* What judging it again takes besides the texts, and what came of it. Policies compare the names that were given. */
static void put_circumstances(struct sink *s, const struct exchange *x)
{
    char time[32];

    (void)snprintf(time, sizeof(time), ",\"time\":%" PRId64, x->now_ns / 1000000000);
    put_text(s, time);
    put_member(s, ",\"tenant\":\"", identity_tenant(&x->who));
    put_member(s, ",\"app\":\"", identity_app(&x->who));
    put_member(s, ",\"route\":\"", x->who.route);
    put_member(s, ",\"agent\":\"", identity_agent(&x->who));
    put_string(s, ",\"policy\":{\"name\":\"", x->policy->name);
    put_string(s, ",\"digest\":\"", x->policy->digest);
    put_string(s, "},\"engine\":\"", span_str(FILTERD_VERSION));
    put_string(s, ",\"action\":\"", span_str(action_name(x->action)));
    put_member(s, ",\"rule\":\"", x->rule);
    put_member(s, ",\"reason\":\"", x->unjudged_reason == NULL ? span_of(NULL, 0) : span_str(x->unjudged_reason));
    if (x->supervision != NULL) {
        put_string(s, ",\"supervisor\":\"", span_str(supervision_outcome_name(x->supervision->outcome)));
    }
}

static void put_all(struct sink *s, const struct exchange *x)
{
    char id[UUID_TEXT + 1];

    uuid_format(x->id.bytes, id);
    put_string(s, "{\"v\":1,\"req_id\":\"", span_str(id));
    put_circumstances(s, x);
    put_string(s, ",\"what\":\"", span_str(seal_what_name(x->policy->seal->what)));
    put_text(s, x->originals != NULL ? ",\"partial\":true,\"parts\":[" : ",\"parts\":[");
    (void)originals_each(x, put_part, s);
    put_text(s, "]}\n");
}

bool original_json(const struct exchange *x, struct secret *out, struct error *err)
{
    struct secret made = {0};
    struct sink counted = {.x = x}, written = {.x = x, .to = &made};

    put_all(&counted, x);
    if (counted.n_parts == 0) {
        return error_set(err, ERROR_NOT_FOUND, "seal: nothing to seal");
    }
    if (counted.len > ORIGINAL_JSON_MAX) {
        return error_set(err, ERROR_LIMIT, "seal: at most %d bytes expected", ORIGINAL_JSON_MAX);
    }
    if (!secret_init(&made, counted.len, err)) {
        return false;
    }
    put_all(&written, x);
    if (written.has_failed || made.len != counted.len) {
        secret_deinit(&made);
        return error_set(err, ERROR_INTERNAL, "seal: a length that did not hold");
    }
    *out = made;
    return true;
}
