/* screen_passkeys.c - passkeys as the second factor: registering and removing one's own, an administrator's reset, and the screen where
 * a session is confirmed with one. passkey.js fills the forms in; a challenge is in each page that needs one. Every change is on
 * record before it takes effect. */
#include <sodium.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "decision_log/access_record.h"
#include "page/frame.h"
#include "page/passkeys.h"
#include "page/screens.h"
#include "service/access_session.h"

enum { NUMBER_MAX = 24, WHY_MAX = 128 };

static struct passkeys *store_of(const struct page *p)
{
    return p->request->service->passkeys;
}

/* --- forms ---------------------------------------------------------------------------- */

static void put_attribute(struct html *h, struct span value)
{
    html_attribute(h, value);
    HTML(h, "\"");
}

static bool put_id(void *context, const struct passkey_row *row, struct error *err)
{
    char text[sodium_base64_ENCODED_LEN(PASSKEY_ID_MAX, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];

    (void)err;
    (void)sodium_bin2base64(text, sizeof(text), row->key.id, row->key.id_len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    html_attribute(context, span_str(text));
    HTML((struct html *)context, " ");
    return true;
}

static void put_algorithms(struct html *h)
{
    char text[NUMBER_MAX];

    HTML(h, " data-algorithms=\"");
    for (const int *a = passkey_algorithms; *a != 0; a++) {
        (void)snprintf(text, sizeof(text), "%s%d", a == passkey_algorithms ? "" : " ", *a);
        html_attribute(h, span_str(text));
    }
    HTML(h, "\"");
}

/* What the script needs: a challenge, and the credentials of the caller. Hidden until it runs. */
static bool put_data(struct page *p, const char *kind, struct error *err)
{
    char challenge[PASSKEY_CHALLENGE_TEXT + 1];
    uint8_t bytes[SESSION_CHALLENGE];
    struct html *h = &p->html;

    _Static_assert((int)SESSION_CHALLENGE == (int)PASSKEY_CHALLENGE, "one challenge");
    if (!access_challenge(p->request, bytes)) {
        return page_fault(p, 401, TEXT_FAULT_401);
    }
    (void)sodium_bin2base64(challenge, sizeof(challenge), bytes, sizeof(bytes), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    HTML(h, "<div class=\"fields\" data-whole=\"\" hidden data-passkey=\"");
    put_attribute(h, span_str(kind));
    HTML(h, " data-challenge=\"");
    put_attribute(h, span_str(challenge));
    HTML(h, " data-rp=\"");
    put_attribute(h, span_str(p->request->service->passkey_site.rp_id));
    HTML(h, " data-person=\"");
    put_attribute(h, span_str(p->caller.name));
    HTML(h, " data-timeout=\"");
    html_id(h, (uint64_t)SESSION_CHALLENGE_S * 1000);
    HTML(h, "\"");
    put_algorithms(h);
    HTML(h, " data-ids=\"");
    if (!passkeys_list(store_of(p), p->caller.name, put_id, h, err)) {
        return false;
    }
    HTML(h, "\"><input type=\"hidden\" name=\"client\"><input type=\"hidden\" name=\"auth\">"
            "<input type=\"hidden\" name=\"signature\"><input type=\"hidden\" name=\"id\">");
    return true;
}

static void put_sentence(struct html *h, const char *name, enum text text)
{
    HTML(h, "<p class=\"notice fault\" role=\"alert\" data-say=\"");
    put_attribute(h, span_str(name));
    HTML(h, " hidden>");
    html_word(h, text);
    HTML(h, "</p>");
}

static void put_sentences(struct html *h)
{
    HTML(h, "<p class=\"notice\" data-without=\"\">");
    html_word(h, TEXT_PASSKEYS_SCRIPT);
    HTML(h, "</p>");
    put_sentence(h, "passkey", TEXT_SAY_PASSKEY);
    put_sentence(h, "known", TEXT_SAY_PASSKEY_KNOWN);
}

static void put_submit(struct html *h, enum text text)
{
    HTML(h, "<div class=\"row\"><button type=\"submit\" class=\"first\">");
    html_word(h, text);
    HTML(h, "</button></div>");
}

static bool put_registration(struct page *p, struct error *err)
{
    struct html *h = &p->html;

    HTML(h, "<section class=\"panel\"><h2>");
    html_word(h, TEXT_PASSKEY_ADD);
    HTML(h, "</h2><p class=\"muted\">");
    html_word(h, TEXT_PASSKEYS_HELP);
    HTML(h, "</p>");
    put_sentences(h);
    form_begin(p, "/passkeys/add", span_of("", 0));
    if (!put_data(p, "register", err)) {
        return false;
    }
    HTML(h, "<label>");
    html_word(h, TEXT_PASSKEY_NAME);
    HTML(h, "<input type=\"text\" name=\"name\" required maxlength=\"64\" autocomplete=\"off\"></label>");
    put_submit(h, TEXT_PASSKEY_ADD);
    HTML(h, "</div>");
    form_end(p);
    HTML(h, "</section>\n");
    return true;
}

static bool put_confirmation(struct page *p, struct error *err)
{
    struct html *h = &p->html;

    HTML(h, "<p>");
    html_word(h, TEXT_CONFIRM_HELP);
    HTML(h, "</p>");
    put_sentences(h);
    form_begin(p, "/confirm", span_of("", 0));
    form_hidden(p, "to", page_parameter(p, "to"));
    if (!put_data(p, "sign", err)) {
        return false;
    }
    put_submit(h, TEXT_CONFIRM_DO);
    HTML(h, "</div>");
    form_end(p);
    return true;
}

static bool put_word(struct page *p, enum text text)
{
    HTML(&p->html, "<p>");
    html_word(&p->html, text);
    HTML(&p->html, "</p>");
    return true;
}

bool confirm_show(struct page *p, struct error *err)
{
    if (store_of(p) == NULL) {
        return put_word(p, TEXT_PASSKEYS_OFF);
    }
    if (passkeys_has(store_of(p), p->caller.name)) {
        return put_confirmation(p, err);
    }
    if (p->caller.how == CALLER_PENDING) {
        return put_word(p, TEXT_PASSKEYS_FIRST) && put_registration(p, err);
    }
    return put_word(p, TEXT_PASSKEYS_NONE);
}

bool passkeys_show(struct page *p, struct error *err)
{
    if (store_of(p) == NULL) {
        return put_word(p, TEXT_PASSKEYS_OFF);
    }
    return passkeys_put_own(p, err) && (p->caller.how != CALLER_SESSION || put_registration(p, err));
}

/* --- responses -------------------------------------------------------------------------- */

/* base64url, in memory of the page. */
static bool decode(struct page *p, const char *name, size_t max, struct span *out, struct error *err)
{
    struct span text = page_field(p, name);
    uint8_t *bytes = arena_alloc(&p->memory, max, err);
    size_t len = 0;

    if (bytes == NULL) {
        return false;
    }
    if (sodium_base642bin(bytes, max, text.ptr, text.len, NULL, &len, NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0) {
        return page_fault(p, 403, TEXT_FAULT_PASSKEY);
    }
    *out = span_of((const char *)bytes, len);
    return true;
}

static bool read_response(struct page *p, struct passkey_response *r, struct span *id, struct error *err)
{
    return decode(p, "client", PASSKEY_CLIENT_DATA_MAX, &r->client_data, err) &&
           decode(p, "auth", PASSKEY_AUTH_DATA_MAX, &r->auth_data, err) &&
           decode(p, "signature", PASSKEY_SIGNATURE_MAX, &r->signature, err) && decode(p, "id", PASSKEY_ID_MAX, id, err);
}

/* The start of the credential id's SHA-256, which tells one from another in the record. */
static void name_passkey(const struct passkey *k, char text[2 * 8 + 1])
{
    uint8_t hash[crypto_hash_sha256_BYTES];

    (void)crypto_hash_sha256(hash, k->id, k->id_len);
    (void)sodium_bin2hex(text, 2 * 8 + 1, hash, 8);
}

static bool record(struct page *p, const char *step, const char *person, const struct passkey *k, struct span why, struct error *err)
{
    char name[2 * 8 + 1] = "";

    if (k != NULL) {
        name_passkey(k, name);
    }
    const struct access_event e = {.by = p->caller.name, .role = caller_role(&p->caller, p->screen->roles), .what = "passkey",
                                   .step = step, .person = span_str(person), .passkey = span_str(name), .purpose = why,
                                   .now_ns = clock_utc_ns()};
    return access_record_write(p->request->service->log, &e, err) || page_fault(p, 503, TEXT_FAULT_503);
}

static bool refuse(struct page *p, const struct error *err)
{
    log_warn("page: a passkey was refused: %s", err->text);
    return page_fault(p, 403, TEXT_FAULT_PASSKEY);
}

/* --- confirmation ------------------------------------------------------------------------- */

/* A counter that goes back is on record; the key stays, as its person decides what to do about the copy. */
static bool use(struct page *p, const struct passkey_row *row, uint32_t count, struct error *err)
{
    struct error why;

    if (passkeys_use(store_of(p), row->number, count, clock_utc_ns() / 1000000, &why)) {
        return true;
    }
    if (why.kind != ERROR_DENIED) {
        *err = why;
        return false;
    }
    return record(p, "refused", row->person, &row->key, span_of("", 0), err) && page_fault(p, 403, TEXT_FAULT_PASSKEY_COPY);
}

/* The challenge is taken first: whatever comes of it, it is of no further use. */
bool confirm_post(struct page *p, struct error *err)
{
    const struct passkey_site *site = &p->request->service->passkey_site;
    uint8_t challenge[SESSION_CHALLENGE];
    struct passkey_response response;
    struct passkey_row row;
    struct span id, part;
    struct error why;
    uint32_t count;

    if (store_of(p) == NULL || !access_take_challenge(p->request, challenge)) {
        return page_fault(p, 403, TEXT_FAULT_PASSKEY);
    }
    if (!read_response(p, &response, &id, err)) {
        return false;
    }
    if (!passkeys_find(store_of(p), p->caller.name, id, &row, &why) ||
        !passkey_assert(site, challenge, &row.key, &response, &count, &why)) {
        return refuse(p, &why);
    }
    if (!use(p, &row, count, err)) {
        return false;
    }
    if (!access_confirm_session(p->request, row.number)) {
        return page_fault(p, 401, TEXT_FAULT_401);
    }
    const char *path = page_destination(page_field(p, "to"), &part);
    return page_redirect(p, path, part, p->caller.how == CALLER_PENDING ? TEXT_NONE : TEXT_NOTICE_CONFIRMED);
}

/* --- registration ------------------------------------------------------------------------- */

/* A session that waits may register the first passkey only, and the first one needs a token that was entered recently. */
static bool may_register(struct page *p)
{
    bool has_one = passkeys_has(store_of(p), p->caller.name), is_pending = p->caller.how == CALLER_PENDING;

    if ((p->caller.how != CALLER_SESSION && !is_pending) || (is_pending && has_one)) {
        return page_fault(p, 403, TEXT_FAULT_403);
    }
    return has_one || access_is_new(p->request) || page_fault(p, 403, TEXT_FAULT_PASSKEY_SESSION);
}

static bool read_name(struct page *p, struct passkey_row *row)
{
    struct span name = page_field(p, "name");

    if (name.len == 0 || name.len > PASSKEY_NAME_MAX) {
        return page_fault(p, 422, TEXT_FAULT_PASSKEY_NAME);
    }
    if (!page_judge(p, &name)) {
        return false;
    }
    if (name.len == 0 || name.len > PASSKEY_NAME_MAX) {
        return page_fault(p, 422, TEXT_FAULT_PASSKEY_NAME);
    }
    (void)snprintf(row->name, sizeof(row->name), SPAN_FMT, SPAN_ARG(name));
    (void)snprintf(row->person, sizeof(row->person), "%s", p->caller.name);
    row->added_ms = clock_utc_ns() / 1000000;
    return true;
}

/* On record, stored, and the session is confirmed with it. What could not be stored is removed again on record. */
static bool add(struct page *p, struct passkey_row *row, struct error *err)
{
    const struct span id = span_of((const char *)row->key.id, row->key.id_len);
    struct error why;

    if (!record(p, "added", row->person, &row->key, span_of("", 0), err)) {
        return false;
    }
    if (!passkeys_add(store_of(p), row, &why)) {
        *err = why;
        return record(p, "removed", row->person, &row->key, span_of("", 0), err) && why.kind != ERROR_SYSTEM &&
               page_fault(p, 409, TEXT_FAULT_PASSKEY_MANY);
    }
    if (!passkeys_find(store_of(p), row->person, id, row, err)) {
        return false;
    }
    return access_confirm_session(p->request, row->number) ? page_redirect(p, "/passkeys", span_of("", 0), TEXT_NOTICE_PASSKEY_ADDED)
                                                           : page_fault(p, 401, TEXT_FAULT_401);
}

bool passkeys_add_post(struct page *p, struct error *err)
{
    uint8_t challenge[SESSION_CHALLENGE];
    struct passkey_response response;
    struct passkey_row row = {0};
    struct span id;
    struct error why;

    if (store_of(p) == NULL || !access_take_challenge(p->request, challenge)) {
        return page_fault(p, 403, TEXT_FAULT_PASSKEY);
    }
    if (!may_register(p) || !read_name(p, &row) || !read_response(p, &response, &id, err)) {
        return false;
    }
    if (!passkey_register(&p->request->service->passkey_site, challenge, &response, &row.key, &why)) {
        return refuse(p, &why);
    }
    return add(p, &row, err);
}

/* --- removal --------------------------------------------------------------------------------- */

struct wanted {
    int64_t number;
    size_t n;
    struct passkey key;
    bool is_found;
};

static bool find_number(void *context, const struct passkey_row *row, struct error *err)
{
    struct wanted *w = context;

    (void)err;
    w->n++;
    if (row->number == w->number) {
        w->key = row->key;
        w->is_found = true;
    }
    return true;
}

bool passkeys_remove_post(struct page *p, struct error *err)
{
    struct wanted w = {0};
    uint64_t number = 0;

    if (store_of(p) == NULL || !page_field_number(p, "number", &number) || number > INT64_MAX) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    w.number = (int64_t)number;
    if (!passkeys_list(store_of(p), p->caller.name, find_number, &w, err)) {
        return false;
    }
    if (!w.is_found) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    if (w.n == 1 && p->request->service->requires_passkeys) {
        return page_fault(p, 409, TEXT_FAULT_PASSKEY_LAST);
    }
    return record(p, "removed", p->caller.name, &w.key, span_of("", 0), err) &&
           passkeys_remove(store_of(p), p->caller.name, w.number, err) &&
           page_redirect(p, "/passkeys", span_of("", 0), TEXT_NOTICE_PASSKEY_REMOVED);
}

/* For a person who has lost theirs. */
bool passkeys_reset_post(struct page *p, struct error *err)
{
    struct span person = page_field(p, "person"), why = page_field(p, "why");
    char name[PASSKEY_PERSON_MAX + 1];

    if (why.len == 0 || why.len > WHY_MAX || person.len == 0 || person.len > PASSKEY_PERSON_MAX) {
        return page_fault(p, 422, TEXT_FAULT_422);
    }
    (void)snprintf(name, sizeof(name), SPAN_FMT, SPAN_ARG(person));
    if (store_of(p) == NULL || !passkeys_has(store_of(p), name)) {
        return page_fault(p, 404, TEXT_FAULT_404);
    }
    return page_judge(p, &why) && record(p, "reset", name, NULL, why, err) && passkeys_reset(store_of(p), name, err) &&
           page_redirect(p, "/access", span_of("", 0), TEXT_NOTICE_PASSKEYS_RESET);
}
