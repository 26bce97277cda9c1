#include "enforce/redact.h"

#include <sodium.h>

#include "judge/decide.h"
#include "mask/masking.h"
#include "record/base64_strict.h"
#include "text/utf8.h"

enum {
    NONCE_SIZE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_SIZE = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    HASH_HEX = 16,
    BASE64_VARIANT = sodium_base64_VARIANT_URLSAFE_NO_PADDING,
};

/* Findings that overlap, merged. */
struct merged {
    size_t from, to;
    const struct finding *leader;
    unsigned categories; /* bits, of all of them */
    bool has_others;     /* something that is no link is found in it */
};

/* Two passes over the findings: the first only counts. */
struct writer {
    char *out;
    size_t len;
};

static void put(struct writer *w, struct span text)
{
    if (w->out != NULL && text.len > 0) {
        memcpy(w->out + w->len, text.ptr, text.len);
    }
    w->len += text.len;
}

static void put_label(struct writer *w, struct span id, const char *kind, struct span value)
{
    put(w, span_str("["));
    put(w, id);
    if (kind != NULL) {
        put(w, span_str(kind));
        put(w, value);
    }
    put(w, span_str("]"));
}

struct operation {
    struct arena *arena;
    const struct exchange *exchange;
    const struct redaction_keys *keys;
    struct span text; /* what is taken out */
    const struct merged *place;
    const struct redaction_operator *with;
    struct writer *writer;
};

static bool apply_label(const struct operation *op, struct error *err)
{
    (void)err;
    put_label(op->writer, op->place->leader->rule->id, NULL, (struct span){0});
    return true;
}

/* Of merged findings none may shine through what another leaves in clear. */
static size_t characters_kept(const struct operation *op)
{
    bool covers_all = op->place->leader->from == op->place->from && op->place->leader->to == op->place->to;

    return covers_all ? op->with->keep_last : 0;
}

static bool apply_mask(const struct operation *op, struct error *err)
{
    char mask[4];
    struct span valid;

    if (!utf8_repair(op->arena, op->text, &valid, err)) {
        return false;
    }
    size_t mask_len = utf8_encode(op->with->mask_char, mask);
    size_t n = utf8_count_code_points(valid);
    size_t kept = characters_kept(op);
    size_t hidden = kept < n ? n - kept : n;
    size_t at = 0;
    for (size_t i = 0; i < hidden; i++) {
        size_t len;
        (void)utf8_decode(span_slice(valid, at, valid.len), &len);
        at += len;
        put(op->writer, span_of(mask, mask_len));
    }
    put(op->writer, span_slice(valid, at, valid.len));
    return true;
}

static bool apply_hash(const struct operation *op, struct error *err)
{
    uint8_t digest[crypto_auth_hmacsha256_BYTES];
    char hex[2 * sizeof(digest) + 1];
    crypto_auth_hmacsha256_state state;

    if (op->keys == NULL) {
        return error_set(err, ERROR_INVALID, "hash operator: no key");
    }
    /* The value as it reads in its view: one secret has one pseudonym, however it was obfuscated. */
    struct span value = op->place->leader->value;
    (void)crypto_auth_hmacsha256_init(&state, op->keys->hash, sizeof(op->keys->hash));
    (void)crypto_auth_hmacsha256_update(&state, (const uint8_t *)value.ptr, value.len);
    (void)crypto_auth_hmacsha256_final(&state, digest);
    (void)sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest));
    put_label(op->writer, op->place->leader->rule->id, ":hash:", span_of(hex, HASH_HEX));
    return true;
}

static bool apply_remove(const struct operation *op, struct error *err)
{
    (void)op;
    (void)err;
    return true;
}

static bool apply_replace(const struct operation *op, struct error *err)
{
    (void)err;
    put(op->writer, op->with->text);
    return true;
}

/* The nonce is a keyed digest of the text, so the same text gives the same token and a verdict
 * stays a function of its input. */
static void make_nonce(const struct redaction_keys *keys, struct span text, uint8_t nonce[NONCE_SIZE])
{
    (void)crypto_generichash(nonce, NONCE_SIZE, (const uint8_t *)text.ptr, text.len, keys->encrypt,
                             sizeof(keys->encrypt));
}

static bool apply_encrypt(const struct operation *op, struct error *err)
{
    if (op->keys == NULL) {
        return error_set(err, ERROR_INVALID, "encrypt operator: no key");
    }
    size_t sealed_len = NONCE_SIZE + op->text.len + TAG_SIZE;
    size_t token_max = sodium_base64_encoded_len(sealed_len, BASE64_VARIANT);
    if (op->writer->out == NULL) { /* counting */
        struct span token = {.ptr = NULL, .len = token_max - 1};
        put_label(op->writer, op->place->leader->rule->id, ":enc:", token);
        return true;
    }
    uint8_t *sealed = arena_alloc(op->arena, sealed_len, err);
    char *token = sealed != NULL ? arena_alloc(op->arena, token_max, err) : NULL;
    if (token == NULL) {
        return false;
    }
    make_nonce(op->keys, op->text, sealed);
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(sealed + NONCE_SIZE, NULL, (const uint8_t *)op->text.ptr,
                                                     op->text.len, NULL, 0, NULL, sealed, op->keys->encrypt);
    (void)sodium_bin2base64(token, token_max, sealed, sealed_len, BASE64_VARIANT);
    put_label(op->writer, op->place->leader->rule->id, ":enc:", span_str(token));
    return true;
}

bool redact_decrypt(struct arena *a, const struct redaction_keys *keys, struct span token, struct span *text,
                    struct error *err)
{
    size_t len = 0;
    uint8_t *sealed = arena_alloc(a, token.len + 1, err);
    uint8_t *clear = sealed != NULL ? arena_alloc(a, token.len + 1, err) : NULL;

    if (clear == NULL) {
        return false;
    }
    if (!base64_strict_decode_url(token, sealed, token.len, &len) ||
        len < NONCE_SIZE + TAG_SIZE ||
        crypto_aead_xchacha20poly1305_ietf_decrypt(clear, NULL, NULL, sealed + NONCE_SIZE, len - NONCE_SIZE, NULL, 0,
                                                   sealed, keys->encrypt) != 0) {
        return error_set(err, ERROR_INVALID, "token: not made with this key");
    }
    *text = span_of((const char *)clear, len - NONCE_SIZE - TAG_SIZE);
    return true;
}

/* Only of a link as a whole that is in the text as sent: nothing that another finding is about may be left. */
static bool apply_text(const struct operation *op, struct error *err)
{
    const struct finding *leader = op->place->leader;
    struct span text;

    if (op->place->has_others || !span_equal(leader->value, op->text) || !link_text(op->text, &text)) {
        return apply_label(op, err);
    }
    put(op->writer, text);
    return true;
}

/* As it is written, so that the answer can have it back byte for byte. */
static bool apply_pseudonym(const struct operation *op, struct error *err)
{
    const struct exchange *x = op->exchange;
    const struct rule *rule = op->place->leader->rule;
    struct span pseudonym;

    if (x->masking == NULL) {
        return error_set(err, ERROR_INVALID, "mask: no conversation");
    }
    const struct masked_value value = {
        .kind = rule->id, .categories = op->place->categories, .form = masking_form_of_rule(rule->id), .value = op->text};
    if (!masking_pseudonym(x->masking, &value, x->texts, x->n_texts, &pseudonym, err)) {
        return false;
    }
    put(op->writer, pseudonym);
    return true;
}

static bool apply_quote(const struct operation *op, struct error *err)
{
    (void)err;
    put(op->writer, op->text);
    return true;
}

static bool apply(const struct operation *op, struct error *err)
{
    static bool (*const operators[])(const struct operation *op, struct error *err) = {
        [OPERATOR_LABEL] = apply_label,   [OPERATOR_MASK] = apply_mask,       [OPERATOR_HASH] = apply_hash,
        [OPERATOR_REMOVE] = apply_remove, [OPERATOR_REPLACE] = apply_replace, [OPERATOR_ENCRYPT] = apply_encrypt,
        [OPERATOR_TEXT] = apply_text,
        [OPERATOR_PSEUDONYM] = apply_pseudonym, [OPERATOR_WITHHOLD] = apply_label, [OPERATOR_QUOTE] = apply_quote,
    };

    return operators[op->with->kind](op, err);
}

static bool is_redacted(const struct finding *f)
{
    return f->action != ACTION_ALLOW && !f->is_shadow;
}

/* The next merged place from finding *at on, up to finding `end`; findings are in order of where they begin. */
static bool next_place(const struct exchange *x, size_t end, size_t *at, struct merged *place)
{
    while (*at < end && !is_redacted(&x->findings[*at])) {
        *at += 1;
    }
    if (*at == end) {
        return false;
    }
    const struct finding *first = &x->findings[(*at)++];
    *place = (struct merged){
        .from = first->from, .to = first->to, .leader = first, .has_others = first->rule->link == LINK_NONE,
        .categories = 1U << first->rule->category};
    for (; *at < end; *at += 1) {
        const struct finding *f = &x->findings[*at];
        if (!is_redacted(f)) {
            continue;
        }
        if (f->from >= place->to) {
            break;
        }
        place->to = f->to > place->to ? f->to : place->to;
        place->leader = finding_leads(f, place->leader) ? f : place->leader;
        place->categories |= 1U << f->rule->category;
        place->has_others = place->has_others || f->rule->link == LINK_NONE;
    }
    return true;
}

/* What both passes over a channel share. */
struct redaction {
    struct arena *arena;
    const struct exchange *exchange;
    uint32_t channel;
    const struct redaction_keys *keys;
};

static struct operation operation_at(const struct redaction *r, const struct merged *place, struct writer *w)
{
    static const struct redaction_operator label = {.kind = OPERATOR_LABEL};
    const struct policy_action *because = place->leader->because;

    return (struct operation){.arena = r->arena,
                              .exchange = r->exchange,
                              .keys = r->keys,
                              .text = span_slice(r->exchange->channels[r->channel].text, place->from, place->to),
                              .place = place,
                              .writer = w,
                              .with = because != NULL && because->action == ACTION_REDACT ? &because->with : &label};
}

/* Counts only, while w->out and places->items are NULL. */
static bool write_redacted(const struct redaction *r, struct writer *w, struct redacted_places *places,
                           struct error *err)
{
    struct span text = r->exchange->channels[r->channel].text;
    size_t at = exchange_findings_of(r->exchange, r->channel), end = exchange_findings_of(r->exchange, r->channel + 1UL);
    struct merged place;
    size_t done = 0;

    places->n = 0;
    while (next_place(r->exchange, end, &at, &place)) {
        struct operation op = operation_at(r, &place, w);
        put(w, span_slice(text, done, place.from));
        size_t out_from = w->len;
        if (!apply(&op, err)) {
            return false;
        }
        if (places->items != NULL) {
            places->items[places->n] = (struct redacted_place){place.from, place.to, out_from, w->len};
        }
        places->n++;
        done = place.to;
    }
    put(w, span_slice(text, done, text.len));
    return true;
}

bool redact_append_label(struct buf *out, const struct rule *rule, struct error *err)
{
    return buf_append_char(out, '[', err) && buf_append(out, rule->id, err) && buf_append_char(out, ']', err);
}

bool redact_channel(struct arena *a, const struct exchange *x, uint32_t channel, const struct redaction_keys *keys,
                    struct redacted_places *places, struct error *err)
{
    struct channel *c = &x->channels[channel];
    const struct redaction r = {.arena = a, .exchange = x, .channel = channel, .keys = keys};
    struct writer w = {0};

    *places = (struct redacted_places){0};
    if (!write_redacted(&r, &w, places, err)) {
        return false;
    }
    if (places->n == 0) {
        c->output = c->text;
        return true;
    }
    w = (struct writer){.out = arena_alloc(a, w.len + 1, err)};
    places->items = w.out != NULL ? arena_array(a, places->n, sizeof(*places->items), err) : NULL;
    if (places->items == NULL || !write_redacted(&r, &w, places, err)) {
        return false;
    }
    c->output = span_of(w.out, w.len);
    return true;
}

static size_t output_to_text(const struct redacted_places *places, size_t at, bool is_end)
{
    size_t shift_out = 0, shift_text = 0;

    for (size_t i = 0; i < places->n; i++) {
        const struct redacted_place *p = &places->items[i];
        if (is_end ? at <= p->out_from : at < p->out_from) {
            break;
        }
        if (is_end ? at <= p->out_to : at < p->out_to) {
            return is_end ? p->to : p->from;
        }
        shift_out = p->out_to;
        shift_text = p->to;
    }
    return at - shift_out + shift_text;
}

void redacted_to_text(const struct redacted_places *places, size_t *from, size_t *to)
{
    *from = output_to_text(places, *from, false);
    *to = output_to_text(places, *to, true);
}

size_t redacted_to_output(const struct redacted_places *places, size_t at)
{
    size_t end = 0, out_end = 0;

    for (size_t i = 0; i < places->n && places->items[i].from < at; i++) {
        const struct redacted_place *p = &places->items[i];
        if (at < p->to) {
            return p->out_to;
        }
        end = p->to;
        out_end = p->out_to;
    }
    return at - end < SIZE_MAX - out_end ? out_end + (at - end) : SIZE_MAX;
}
