#include "base/ascii.h"
#include "checks/checks_table.h"
#include "lexical/placeholder.h"
#include "formats/uri.h"

enum { PASSWORD_MIN = 3 };

/* Hosts that stand for one: of RFC 2606, of the machine itself, of documentation. */
static bool is_example_host(struct span host)
{
    static const char *const names[] = {
        "localhost", "127.0.0.1", "0.0.0.0", "::1",    "host",
        "hostname",  "server",    "my-host", "myhost", "host.docker.internal",
    };
    static const char *const labels[] = {"example", "invalid", "test", "localhost"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (ascii_equals(host, names[i])) {
            return true;
        }
    }
    for (size_t from = 0; from < host.len;) {
        size_t to = ascii_find(host, from, ".");
        struct span label = span_slice(host, from, to);
        bool is_last = to == host.len;
        if (ascii_equals(label, labels[0])) {
            return true;
        }
        for (size_t i = 1; is_last && i < COUNT(labels); i++) {
            if (ascii_equals(label, labels[i])) {
                return true;
            }
        }
        from = to + 1;
    }
    return ascii_starts_with(host, "your") || placeholder_is_template(host);
}

/* app:app, reader:reader_password. */
static bool is_made_of_user(struct span password, struct span user)
{
    static const char *const words[] = {"password", "passwd", "pass", "pwd", "pw", "secret"};

    if (user.len == 0 || !span_starts_with(password, user)) {
        return false;
    }
    struct span rest = span_slice(password, user.len, password.len);
    bool has_joint = rest.len > 0 && memchr("_-.", rest.ptr[0], 3) != NULL;
    struct span word = span_slice(rest, has_joint ? 1 : 0, rest.len);
    bool is_made = rest.len == 0;

    for (size_t i = 0; i < COUNT(words); i++) {
        is_made = is_made || ascii_equals(word, words[i]);
    }
    return is_made;
}

static bool uri_password_passes(struct span value, const struct check_args *args)
{
    struct uri uri;

    (void)args;
    if (!uri_parse(value, &uri) || uri.password.len < PASSWORD_MIN || uri.host.len == 0) {
        return false;
    }
    return !is_made_of_user(uri.password, uri.user) && !placeholder_is(uri.password) && !is_example_host(uri.host);
}

const struct check_type check_uri_password = {
    .name = "uri_password",
    .summary = "passes when the password of a URI is not a placeholder and its host not an example",
    .passes = uri_password_passes,
};
