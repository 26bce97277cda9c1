#include "http/tokens.h"

#include <sodium.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "text/visible.h"

enum { TOKENS_FILE_MAX = 256 * 1024 };

struct token {
    unsigned role;
    uint8_t hash[TOKEN_HASH];
    char name[TOKEN_NAME_MAX + 1];
    char tenant[TOKEN_TENANT_MAX + 1]; /* empty: not limited to one */
};

struct tokens {
    char digest[DIGEST_SHA256_HEX + 1];
    size_t n;
    struct token items[TOKENS_MAX];
};

static const struct role_name {
    const char *name;
    unsigned role;
} role_names[] = {
    {"caller", ROLE_CALLER},     {"proxy", ROLE_PROXY}, {"reviewer", ROLE_REVIEWER},
    {"operator", ROLE_OPERATOR}, {"admin", ROLE_ADMIN}, {"reporter", ROLE_REPORTER},
    {"auditor", ROLE_AUDITOR},   {"approver", ROLE_APPROVER},
};

#define ROLES_EXPECTED "one of caller, proxy, reviewer, approver, auditor, reporter, operator, admin expected"

/* Callers name the tenant in each request, and what a reporter or an admin does concerns all. */
enum { LIMITED_ROLES = ROLE_REVIEWER | ROLE_APPROVER | ROLE_AUDITOR | ROLE_OPERATOR };

const char *role_name(unsigned role)
{
    for (size_t i = 0; i < COUNT(role_names); i++) {
        if ((role_names[i].role & role) != 0) {
            return role_names[i].name;
        }
    }
    return "";
}

unsigned role_find(struct span name)
{
    for (size_t i = 0; i < COUNT(role_names); i++) {
        if (span_is(name, role_names[i].name)) {
            return role_names[i].role;
        }
    }
    return 0;
}

static bool is_name(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c <= ' ' || c == ':' || c >= 0x7f) {
            return false;
        }
    }
    return name.len > 0 && name.len <= TOKEN_NAME_MAX;
}

/* Takes the part before the first `separator` off *rest; all of it when there is none. */
static struct span take_part(struct span *rest, char separator)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->ptr, separator, rest->len);
    struct span part = *rest;

    if (end == NULL) {
        *rest = span_of(rest->ptr + rest->len, 0);
        return part;
    }
    part.len = (size_t)(end - rest->ptr);
    *rest = span_slice(*rest, part.len + 1, rest->len);
    return part;
}

static struct span trim(struct span s)
{
    while (s.len > 0 && strchr(" \t\r", s.ptr[s.len - 1]) != NULL) {
        s.len--;
    }
    while (s.len > 0 && strchr(" \t", s.ptr[0]) != NULL) {
        s = span_slice(s, 1, s.len);
    }
    return s;
}

/* The fourth field: what comes after the hash and a colon. */
static bool parse_limit(struct span text, unsigned role, struct token *out, struct error *err)
{
    static const char key[] = "tenant=";
    struct span tenant = text.len < sizeof(key) - 1 ? span_of("", 0) : span_slice(text, sizeof(key) - 1, text.len);

    if (!span_starts_with(text, span_str(key)) || tenant.len == 0 || tenant.len > TOKEN_TENANT_MAX ||
        !text_is_visible(tenant)) {
        return error_set(err, ERROR_INVALID, "tenant=NAME of 1 to %d bytes, all visible, expected behind the hash",
                         TOKEN_TENANT_MAX);
    }
    if ((role & LIMITED_ROLES) == 0) {
        return error_set(err, ERROR_INVALID, "tenant: a reviewer, approver, auditor or operator expected");
    }
    memcpy(out->tenant, tenant.ptr, tenant.len); /* zeroed before */
    return true;
}

static bool parse_line(struct span line, struct token *out, struct error *err)
{
    struct span rest = line;
    unsigned role = role_find(take_part(&rest, ':'));
    struct span name = take_part(&rest, ':');
    struct span hash = take_part(&rest, ':');
    bool has_limit = rest.ptr > hash.ptr + hash.len; /* a colon was there */
    size_t n = 0;

    if (role == 0) {
        return error_set(err, ERROR_INVALID, ROLES_EXPECTED);
    }
    if (!is_name(name)) {
        return error_set(err, ERROR_INVALID, "a name of 1 to %d printable characters expected",
                         TOKEN_NAME_MAX);
    }
    if (hash.len != 2 * (size_t)TOKEN_HASH ||
        sodium_hex2bin(out->hash, sizeof(out->hash), hash.ptr, hash.len, NULL, &n, NULL) != 0 || n != TOKEN_HASH) {
        return error_set(err, ERROR_INVALID, "the SHA-256 of the token in 64 hex digits expected");
    }
    out->role = role;
    memcpy(out->name, name.ptr, name.len); /* zeroed before */
    return !has_limit || parse_limit(rest, role, out, err);
}

struct tokens *tokens_parse(const char *file, struct span text, struct error *err)
{
    struct tokens *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    if (!digest_sha256(text, t->digest, err)) {
        tokens_free(t);
        return NULL;
    }
    for (unsigned number = 1; text.len > 0; number++) {
        struct span line = take_part(&text, '\n');
        line = trim(take_part(&line, '#'));
        if (line.len == 0) {
            continue;
        }
        bool has_room = t->n < TOKENS_MAX ||
                        error_set(err, ERROR_LIMIT, "at most %d tokens expected", TOKENS_MAX);
        if (!has_room || !parse_line(line, &t->items[t->n], err)) {
            error_wrap(err, "%s:%u", file, number);
            tokens_free(t);
            return NULL;
        }
        t->n++;
    }
    return t;
}

struct tokens *tokens_load(const char *path, struct error *err)
{
    struct buf text;

    buf_init(&text, TOKENS_FILE_MAX);
    struct tokens *t =
        file_read(path, &text, err) ? tokens_parse(path, buf_span(&text), err) : NULL;
    buf_deinit(&text);
    return t;
}

void tokens_free(struct tokens *t)
{
    free(t);
}

size_t tokens_count(const struct tokens *t)
{
    return t == NULL ? 0 : t->n;
}

void token_hash(struct span token, uint8_t hash[TOKEN_HASH])
{
    (void)crypto_hash_sha256(hash, (const unsigned char *)token.ptr, token.len);
}

/* No early exit: the time does not reveal which line matched. */
unsigned tokens_role(const struct tokens *t, const uint8_t hash[TOKEN_HASH])
{
    unsigned role = 0;

    for (size_t i = 0; i < tokens_count(t); i++) {
        unsigned mask = 0U - (unsigned)(sodium_memcmp(t->items[i].hash, hash, TOKEN_HASH) == 0);
        role |= t->items[i].role & mask;
    }
    return role;
}

const char *tokens_name(const struct tokens *t, const uint8_t hash[TOKEN_HASH])
{
    const char *name = "";

    for (size_t i = 0; i < tokens_count(t); i++) {
        name = sodium_memcmp(t->items[i].hash, hash, TOKEN_HASH) == 0 ? t->items[i].name : name;
    }
    return name;
}

const char *tokens_tenant(const struct tokens *t, const uint8_t hash[TOKEN_HASH])
{
    const char *tenant = "";

    for (size_t i = 0; i < tokens_count(t); i++) {
        tenant = sodium_memcmp(t->items[i].hash, hash, TOKEN_HASH) == 0 ? t->items[i].tenant : tenant;
    }
    return tenant;
}

const char *tokens_digest(const struct tokens *t)
{
    return t == NULL ? "" : t->digest;
}

bool token_write_line(struct span role, struct span name, struct span token, struct buf *out,
                      struct error *err)
{
    uint8_t hash[TOKEN_HASH];
    char hex[2 * TOKEN_HASH + 1];

    if (role_find(role) == 0) {
        return error_set(err, ERROR_INVALID, "role: " ROLES_EXPECTED);
    }
    if (!is_name(name)) {
        return error_set(err, ERROR_INVALID, "name: 1 to %d printable characters expected",
                         TOKEN_NAME_MAX);
    }
    if (token.len < TOKEN_MIN || token.len > TOKEN_MAX) {
        return error_set(err, ERROR_INVALID, "token: %d to %d characters expected", TOKEN_MIN,
                         TOKEN_MAX);
    }
    token_hash(token, hash);
    (void)sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return buf_appendf(out, err, SPAN_FMT ":" SPAN_FMT ":%s\n", SPAN_ARG(role), SPAN_ARG(name),
                       hex);
}
