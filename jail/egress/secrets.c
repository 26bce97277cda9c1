#include "jail/egress/secrets.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "formats/base64.h"

static const char placeholder[] = "filterd-credential-";
enum { PLACEHOLDER = sizeof(placeholder) - 1 };
static const uint64_t ns_per_ms = 1000000;

static bool is_header_text(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < ' ' || text.ptr[i] > '~') {
            return false;
        }
    }
    return text.len > 0;
}

/* The password of Basic authentication (RFC 7617), which a server sees in clear, and repeats so. */
static void take_password(struct egress_secret *s)
{
    const char *space = memrchr(s->value, ' ', s->len);
    struct span text = span_slice(span_of(s->value, s->len), space == NULL ? 0 : (size_t)(space - s->value) + 1, s->len);
    size_t len = 0;

    while (text.len > 0 && text.ptr[text.len - 1] == '=') {
        text.len--;
    }
    if (!base64_decode(text, BASE64_EITHER, (uint8_t *)s->pair, sizeof(s->pair), &len) || !is_header_text(span_of(s->pair, len))) {
        return;
    }
    const char *colon = memchr(s->pair, ':', len);
    if (colon != NULL) {
        echo_init(&s->password, span_of(colon + 1, len - (size_t)(colon - s->pair) - 1));
    }
}

static bool take_value(struct egress_secret *s, struct span text, struct error *err)
{
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r')) {
        text.len--;
    }
    if (!is_header_text(text) || text.len > EGRESS_SECRET_MAX) {
        return error_set(err, ERROR_INVALID, "credential " SPAN_FMT ": 1 to %d printable characters expected",
                         SPAN_ARG(s->credential->name), EGRESS_SECRET_MAX);
    }
    memcpy(s->value, text.ptr, text.len);
    s->len = text.len;
    echo_init(&s->whole, span_of(s->value, s->len));
    take_password(s);
    return true;
}

static bool read_file(struct egress_secret *s, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, EGRESS_SECRET_MAX + 2);
    bool is_taken = file_read(s->credential->file.ptr, &text, err) && take_value(s, buf_span(&text), err);
    if (text.len > 0) {
        explicit_bzero(text.data, text.len);
    }
    return is_taken;
}

static bool read_variable(struct egress_secret *s, struct error *err)
{
    const char *value = getenv(s->credential->variable.ptr); /* NOLINT(concurrency-mt-unsafe): before the first thread */

    return value == NULL ? error_set(err, ERROR_NOT_FOUND, "credential " SPAN_FMT ": the variable is not set",
                                     SPAN_ARG(s->credential->name))
                         : take_value(s, span_str(value), err);
}

bool egress_secrets_init(struct egress_secrets *s, const struct egress_policy *p, uint64_t now_ns, struct error *err)
{
    *s = (struct egress_secrets){.started_ns = now_ns, .lock = PTHREAD_MUTEX_INITIALIZER};
    s->items = calloc(p->n_credentials + 1, sizeof(*s->items));
    if (s->items == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "credentials: no memory");
    }
    for (; s->n < p->n_credentials; s->n++) {
        struct egress_secret *item = &s->items[s->n];
        item->credential = &p->credentials[s->n];
        item->uses_left = item->credential->uses;
        if (!(item->credential->file.len > 0 ? read_file(item, err) : read_variable(item, err))) {
            return false;
        }
    }
    return true;
}

void egress_secrets_deinit(struct egress_secrets *s)
{
    if (s->items != NULL) {
        explicit_bzero(s->items, (s->n + 1) * sizeof(*s->items));
    }
    free(s->items);
    *s = (struct egress_secrets){0};
}

size_t egress_secrets_revoke(struct egress_secrets *s)
{
    (void)pthread_mutex_lock(&s->lock);
    size_t n = s->is_revoked ? 0 : s->n;
    s->is_revoked = true;
    for (size_t i = 0; i < n; i++) {
        const struct egress_credential *credential = s->items[i].credential;
        explicit_bzero(&s->items[i], sizeof(s->items[i]));
        s->items[i].credential = credential;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return n;
}

/* The next placeholder's offset in the text; text.len: none. */
static size_t find_placeholder(struct span text, size_t from)
{
    const char *at = text.len > from ? memmem(text.ptr + from, text.len - from, placeholder, PLACEHOLDER) : NULL;

    return at == NULL ? text.len : (size_t)(at - text.ptr);
}

bool egress_secrets_wants(struct span value)
{
    return find_placeholder(value, 0) < value.len;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static struct egress_secret *find_secret(struct egress_secrets *s, struct span name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (span_equal(s->items[i].credential->name, name)) {
            return &s->items[i];
        }
    }
    return NULL;
}

static bool may_use(const struct egress_secrets *s, struct egress_secret *secret, const struct egress_target *target,
                    uint64_t now_ns, struct error *err)
{
    if (s->is_revoked) {
        return error_set(err, ERROR_DENIED, "the credentials were revoked");
    }
    if (secret == NULL) {
        return error_set(err, ERROR_DENIED, "there is no such credential");
    }
    if (!egress_credential_fits(secret->credential, target)) {
        return error_set(err, ERROR_DENIED, "the credential is for other places");
    }
    if (now_ns - s->started_ns >= (uint64_t)secret->credential->ttl * ns_per_ms) {
        return error_set(err, ERROR_DENIED, "the credential is too old");
    }
    if (secret->uses_left <= 0) {
        return error_set(err, ERROR_DENIED, "the credential is used up");
    }
    secret->uses_left--;
    return true;
}

static bool fill(struct egress_secrets *s, const struct egress_target *target, struct span value, uint64_t now_ns,
                 struct buf *out, struct error *err)
{
    size_t from = 0;

    for (size_t at = find_placeholder(value, 0); at < value.len; at = find_placeholder(value, from)) {
        size_t end = at + PLACEHOLDER;
        while (end < value.len && is_name_byte(value.ptr[end])) {
            end++;
        }
        struct egress_secret *secret = find_secret(s, span_slice(value, at + PLACEHOLDER, end));
        if (!may_use(s, secret, target, now_ns, err) || !buf_append(out, span_slice(value, from, at), err) ||
            !buf_append(out, span_of(secret->value, secret->len), err)) {
            return false;
        }
        from = end;
    }
    return buf_append(out, span_slice(value, from, value.len), err);
}

bool egress_secrets_fill(struct egress_secrets *s, const struct egress_target *target, struct span value,
                         uint64_t now_ns, struct buf *out, struct error *err)
{
    (void)pthread_mutex_lock(&s->lock);
    bool is_filled = fill(s, target, value, now_ns, out, err);
    (void)pthread_mutex_unlock(&s->lock);
    return is_filled;
}

bool egress_secrets_are_for(const struct egress_secrets *s, const struct egress_host *host)
{
    bool is_for = false;

    for (size_t i = 0; i < s->n && !is_for; i++) {
        is_for = egress_credential_has_host(s->items[i].credential, host);
    }
    return is_for;
}

bool egress_secrets_are_in(struct egress_secrets *s, struct span text)
{
    (void)pthread_mutex_lock(&s->lock);
    bool is_in = s->is_revoked && s->n > 0;
    for (size_t i = 0; i < s->n && !is_in; i++) {
        is_in = echo_is_in(&s->items[i].whole, text) || echo_is_in(&s->items[i].password, text);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return is_in;
}

size_t egress_secrets_begun(struct egress_secrets *s, struct span text)
{
    size_t longest = 0;

    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n; i++) {
        size_t whole = echo_begun(&s->items[i].whole, text), password = echo_begun(&s->items[i].password, text);
        size_t len = whole > password ? whole : password;
        longest = len > longest ? len : longest;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return longest;
}
