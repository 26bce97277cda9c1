#include "formats/pem.h"

#include "base/ascii.h"
#include "formats/base64.h"

/* A key of Ed25519 has 64 characters of body. What is shortened with an ellipsis after that many
 * characters that nothing can be left of the private part is no key; more than that may be. */
enum { BODY_MIN = 64, ELIDED_MIN = 200, FRONT_TEXT = 64, FRONT_BYTES = 48, LABEL_MAX = 64 };
enum { GAP_MAX = 64, HEADER_MAX = 120 };

struct reader {
    struct span text;
    size_t at;
    char front[FRONT_TEXT];
    size_t n; /* characters of base64 read */
    bool is_elided;
};

static char byte_at(const struct reader *r, size_t at)
{
    if (at >= r->text.len) {
        return '\0';
    }
    return r->text.ptr[at];
}

/* White space, or \n, \r, \t written out behind one backslash or several. */
static size_t blank_length(const struct reader *r, size_t at)
{
    size_t n = 0;

    if (ascii_is_space(byte_at(r, at))) {
        return 1;
    }
    while (byte_at(r, at + n) == '\\') {
        n++;
    }
    char c = byte_at(r, at + n);
    bool is_escape = n > 0 && (c == 'n' || c == 'r' || c == 't');
    if (is_escape) {
        return n + 1;
    }
    /* A backslash before a line end goes on with the line. */
    return n > 0 && (c == '\n' || c == '\r') ? n : 0;
}

static void skip_blanks(struct reader *r)
{
    for (size_t n; (n = blank_length(r, r->at)) > 0;) {
        r->at += n;
    }
}

/* What joins two string literals, from one quote to the next: " + ", ",\n  ", " \. */
static size_t joint_length(const struct reader *r)
{
    char quote = byte_at(r, r->at);

    if (quote != '"' && quote != '\'' && quote != '`') {
        return 0;
    }
    for (size_t i = r->at + 1; i < r->text.len && i - r->at < GAP_MAX; i++) {
        char c = r->text.ptr[i];
        if (c == quote) {
            return i + 1 - r->at;
        }
        if (!ascii_is_space(c) && strchr("+,\\&.()", c) == NULL) {
            return 0;
        }
    }
    return 0;
}

/* Quoting and comments at the start of a line: "> ", "# ", "// " is left out, / being base64. */
static size_t line_mark_length(const struct reader *r)
{
    char c = byte_at(r, r->at);
    bool is_mark = c == '>' || c == '#' || c == '|' || c == '*';
    bool begins = r->at == 0 || ascii_is_space(r->text.ptr[r->at - 1]);

    return is_mark && begins ? 1 : 0;
}

static bool is_ellipsis(const struct reader *r)
{
    struct span rest = span_slice(r->text, r->at, r->text.len);

    return span_starts_with(rest, span_str("..")) ||
           span_starts_with(rest, span_str("\xe2\x80\xa6")) ||
           span_starts_with(rest, span_str("[...")) || span_starts_with(rest, span_str("***")) ||
           ascii_starts_with(rest, "<") || ascii_starts_with(rest, "[");
}

/* What may be between the characters of a body. */
static size_t filling_length(const struct reader *r)
{
    size_t blank = blank_length(r, r->at);
    size_t joint = joint_length(r);

    if (blank > 0 || joint > 0) {
        return blank > 0 ? blank : joint;
    }
    return byte_at(r, r->at) == '=' ? 1 : line_mark_length(r);
}

/* Reads base64 to the end line, the end of the text, or what cannot belong to a body. */
static void read_body(struct reader *r)
{
    while (r->at < r->text.len) {
        char c = r->text.ptr[r->at];
        if (base64_value(c, BASE64_STANDARD) >= 0) {
            if (r->n < FRONT_TEXT) {
                r->front[r->n] = c;
            }
            r->n++;
            r->at++;
            continue;
        }
        size_t skip = filling_length(r);
        if (skip == 0) {
            r->is_elided = is_ellipsis(r);
            return;
        }
        r->at += skip;
    }
}

/* Length of a header line "Proc-Type: 4,ENCRYPTED" with its end, 0 when there is none. */
static size_t header_length(const struct reader *r)
{
    size_t i = r->at;

    while (ascii_is_alnum(byte_at(r, i)) || byte_at(r, i) == '-') {
        i++;
    }
    if (i == r->at || byte_at(r, i) != ':') {
        return 0;
    }
    while (i < r->text.len && i - r->at < HEADER_MAX) {
        if (byte_at(r, i) != ' ' && blank_length(r, i) > 0) {
            return i - r->at;
        }
        i++;
    }
    return 0;
}

static void skip_headers(struct reader *r, struct pem *out)
{
    for (;;) {
        skip_blanks(r);
        size_t joint = joint_length(r);
        size_t n = joint > 0 ? joint : header_length(r);
        if (n == 0) {
            return;
        }
        struct span header = span_slice(r->text, r->at, r->at + n);
        if (ascii_starts_with(header, "proc-type") || ascii_starts_with(header, "dek-info")) {
            out->is_encrypted = true;
        }
        r->at += n;
    }
}

/* -----BEGIN LABEL-----, with at least two dashes on each side; leaves r->at behind it. */
static bool read_armour(struct reader *r, struct span *label)
{
    size_t i = 0;

    while (byte_at(r, i) == '-') {
        i++;
    }
    if (i < 2 || !span_starts_with(span_slice(r->text, i, r->text.len), span_str("BEGIN "))) {
        return false;
    }
    size_t from = i + strlen("BEGIN ");
    size_t to = from;
    while (ascii_is_alnum(byte_at(r, to)) || byte_at(r, to) == ' ') {
        to++;
    }
    if (to == from || to - from > LABEL_MAX || byte_at(r, to) != '-' || byte_at(r, to + 1) != '-') {
        return false;
    }
    *label = span_slice(r->text, from, to);
    r->at = to;
    while (byte_at(r, r->at) == '-') {
        r->at++;
    }
    return true;
}

static enum pem_kind kind_of(struct span label)
{
    if (ascii_find(label, 0, "private key") < label.len) {
        return PEM_PRIVATE;
    }
    return ascii_find(label, 0, "certificate") < label.len &&
                   ascii_find(label, 0, "request") == label.len
               ? PEM_CERTIFICATE
               : PEM_OTHER;
}

/* Past the tag and length of a DER SEQUENCE at *at; its length in *len. */
static bool enter_sequence(const uint8_t *bytes, size_t n, size_t *at, size_t *len)
{
    size_t i = *at;

    if (i + 2 > n || bytes[i] != 0x30) {
        return false;
    }
    size_t value = bytes[i + 1];
    i += 2;
    if (value > 0x80) {
        size_t octets = value - 0x80;
        if (octets > 3 || i + octets > n || bytes[i] == 0) {
            return false;
        }
        for (value = 0; octets > 0; octets--) {
            value = value << 8 | bytes[i++];
        }
    } else if (value == 0x80) {
        return false;
    }
    *at = i;
    *len = value;
    return true;
}

/* PKCS #1, SEC 1 and PKCS #8 begin with a version from 0 to 3, an encrypted PKCS #8 with a
 * sequence that names the algorithm. */
static bool is_der_private(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    size_t len = 0;

    if (!enter_sequence(bytes, n, &at, &len) || at + 3 > n) {
        return false;
    }
    if (bytes[at] == 0x02) {
        return bytes[at + 1] == 1 && bytes[at + 2] <= 3;
    }
    return enter_sequence(bytes, n, &at, &len) && at < n && bytes[at] == 0x06;
}

/* A sequence of a sequence that begins with the version in [0], or the serial number. */
static bool is_der_certificate(const uint8_t *bytes, size_t n)
{
    size_t at = 0;
    size_t outer = 0;
    size_t inner = 0;

    return enter_sequence(bytes, n, &at, &outer) && enter_sequence(bytes, n, &at, &inner) &&
           inner < outer && at < n && (bytes[at] == 0xa0 || bytes[at] == 0x02);
}

/* Other formats by their first bytes: OpenSSH, RFC 4716's SSH2, OpenPGP secret keys (tag 5, old
 * and new form). */
static bool is_other_private(const uint8_t *bytes, size_t n)
{
    static const char openssh[] = "openssh-key-v1";
    static const uint8_t ssh2[] = {0x3f, 0x6f, 0xf9, 0xeb};

    if (n < sizeof(openssh)) {
        return false;
    }
    return memcmp(bytes, openssh, sizeof(openssh)) == 0 || memcmp(bytes, ssh2, sizeof(ssh2)) == 0 ||
           (bytes[0] & 0xfcu) == 0x94u || bytes[0] == 0xc5;
}

static bool body_fits(const struct reader *r, const struct pem *p)
{
    uint8_t bytes[FRONT_BYTES];
    size_t len = 0;

    if (!base64_decode(span_of(r->front, FRONT_TEXT), BASE64_STANDARD, bytes, sizeof(bytes),
                       &len)) {
        return false;
    }
    if (p->kind == PEM_CERTIFICATE) {
        return is_der_certificate(bytes, len);
    }
    /* Under PKCS #1's own encryption the body has no structure. */
    return p->is_encrypted || is_der_private(bytes, len) || is_other_private(bytes, len);
}

bool pem_parse(struct span text, struct pem *out)
{
    struct reader r = {.text = text};
    struct pem p = {.kind = PEM_OTHER};
    struct span label;

    if (!read_armour(&r, &label)) {
        return false;
    }
    p.kind = kind_of(label);
    skip_headers(&r, &p);
    read_body(&r);
    p.body = r.n;
    p.is_whole = ascii_starts_with(span_slice(text, r.at, text.len), "--");
    if (p.kind == PEM_OTHER || r.n < (r.is_elided ? ELIDED_MIN : BODY_MIN) || !body_fits(&r, &p)) {
        return false;
    }
    *out = p;
    return true;
}
