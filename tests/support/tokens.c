#include "support/tokens.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <zlib.h>

#include "formats/base_n.h"

/* A form is literal text and classes: <A30> stands for thirty random characters of class A. */
struct recipe {
    const char *rule, *form;
    void (*finish)(struct token *t, struct random *r); /* may be NULL */
};

struct class {
    char name;
    const char *characters;
};

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static const struct class classes[] = {
    {'A', LETTERS "0123456789"}, {'U', LETTERS "0123456789_-"},                      {'L', LETTERS},
    {'D', "0123456789"},         {'N', "123456789"},                                 {'X', "0123456789abcdef"},
    {'B', "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
};

static void add_random(struct token *t, struct random *r, char name, size_t n)
{
    const struct class *class = classes;

    while (class->name != name) {
        class ++;
        assert(class < classes + COUNT(classes));
    }
    assert(t->len + n <= TOKEN_MAX);
    for (size_t i = 0; i < n; i++) {
        t->text[t->len++] = class->characters[random_below(r, strlen(class->characters))];
    }
}

static void add_text(struct token *t, const char *text, size_t len)
{
    assert(t->len + len <= TOKEN_MAX);
    memcpy(t->text + t->len, text, len);
    t->len += len;
}

static void write_form(struct token *t, struct random *r, const char *form)
{
    t->len = 0;
    for (const char *at = form; *at != '\0'; at++) {
        if (*at != '<') {
            add_text(t, at, 1);
            continue;
        }
        char name = *++at;
        size_t n = 0;
        while (*++at != '>') {
            n = n * 10 + (size_t)(*at - '0');
        }
        add_random(t, r, name, n);
    }
}

static uint32_t crc_of(const struct token *t, size_t from)
{
    return (uint32_t)crc32(0, (const Bytef *)t->text + from, (uInt)(t->len - from));
}

/* --- what follows the random part --------------------------------------------- */

/* GitHub and npm: six characters, the CRC32 of what stands behind the prefix in base62. */
static void finish_crc_base62(struct token *t, struct random *r)
{
    (void)r;
    base_n_write(crc_of(t, 4), BASE_N_62_UPPER_FIRST, t->text + t->len, 6);
    t->len += 6;
}

/* Grafana: the CRC32 of all before in hexadecimal, its bytes in reverse order. */
static void finish_grafana(struct token *t, struct random *r)
{
    char text[10];
    (void)r;
    (void)snprintf(text, sizeof(text), "_%08x", __builtin_bswap32(crc_of(t, 0)));
    add_text(t, text, 9);
}

static void finish_atlassian(struct token *t, struct random *r)
{
    char text[9];
    (void)r;
    (void)snprintf(text, sizeof(text), "%08X", crc_of(t, 0));
    add_text(t, text, 8);
}

/* AWS: the account number, bits 1 to 40 behind the prefix, has at most twelve digits. */
static void finish_aws(struct token *t, struct random *r)
{
    uint64_t bits;

    do {
        write_form(t, r, "AKIA<B16>");
        bits = 0;
        for (size_t i = 4; i < 14; i++) {
            char c = t->text[i];
            bits = bits << 5 | (uint64_t)(c >= 'A' ? c - 'A' : c - '2' + 26);
        }
    } while ((bits >> 9 & 0xffffffffffULL) >= 1000000000000ULL);
}

/* PyPI: a macaroon, version 2: location, identifier, one caveat, signature. */
static void finish_pypi(struct token *t, struct random *r)
{
    static const char head[] = "\x02\x01\x08" "pypi" ".org" "\x02\x24", caveat[] = "\x00\x02\x2a", tail[] = "\x00\x00\x06\x20";
    unsigned char bytes[160];
    size_t n = 0;

    memcpy(bytes, head, sizeof(head) - 1);
    n += sizeof(head) - 1;
    for (size_t i = 0; i < 0x24; i++) {
        bytes[n++] = (unsigned char)"0123456789abcdef"[random_below(r, 16)];
    }
    memcpy(bytes + n, caveat, sizeof(caveat) - 1);
    n += sizeof(caveat) - 1;
    for (size_t i = 0; i < 0x2a; i++) {
        bytes[n++] = (unsigned char)"0123456789abcdef"[random_below(r, 16)];
    }
    memcpy(bytes + n, tail, sizeof(tail) - 1);
    n += sizeof(tail) - 1;
    for (size_t i = 0; i < 0x20; i++) {
        bytes[n++] = (unsigned char)random_below(r, 256);
    }
    char text[TOKEN_MAX];
    sodium_bin2base64(text, sizeof(text), bytes, n, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    add_text(t, text, strlen(text));
}

static const struct recipe recipes[TOKENS] = {
    {"github-personal-token", "ghp_<A30>", finish_crc_base62},
    {"npm-access-token", "npm_<A30>", finish_crc_base62},
    {"gitlab-personal-token", "glpat-<U20>", NULL},
    {"aws-access-key-id", "", finish_aws},
    {"slack-bot-token", "xoxb-<N1><D11>-<N1><D12>-<A24>", NULL},
    {"stripe-secret-key", "sk_live_<A24>", NULL},
    {"anthropic-api-key", "sk-ant-api03-<U93>AA", NULL},
    {"openai-project-key", "sk-proj-<A20>T3BlbkFJ<A20>", NULL},
    {"huggingface-access-token", "hf_<L34>", NULL},
    {"gcp-api-key", "AIzaSy<U33>", NULL},
    {"sendgrid-api-key", "SG.<U22>.<U43>", NULL},
    {"digitalocean-personal-token", "dop_v1_<X64>", NULL},
    {"pypi-upload-token", "pypi-", finish_pypi},
    {"grafana-service-account-token", "glsa_<A32>", finish_grafana},
    {"docker-personal-token", "dckr_pat_<U27>", NULL},
    {"shopify-access-token", "shpat_<X32>", NULL},
    {"postman-api-key", "PMAK-<X24>-<X34>", NULL},
    {"linear-api-key", "lin_api_<A40>", NULL},
    {"atlassian-api-token", "ATATT3xFfGF0<U172>=", finish_atlassian},
    {"telegram-bot-token", "<N1><D9>:AA<U33>", NULL},
};

void tokens_make(struct random *r, struct token tokens[TOKENS])
{
    for (size_t i = 0; i < TOKENS; i++) {
        tokens[i] = (struct token){.rule = recipes[i].rule};
        write_form(&tokens[i], r, recipes[i].form);
        if (recipes[i].finish != NULL) {
            recipes[i].finish(&tokens[i], r);
        }
    }
}
