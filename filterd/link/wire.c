#include "link/wire.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/descriptors.h"
#include "policy/violations.h"
#include "text/utf8.h"

static const struct {
    unsigned what;
    const char *name;
    bool lasts;
} all[] = {
    {REACTION_ALERT, "alert", false}, {REACTION_THROTTLE, "throttle", false}, {REACTION_CUT_NETWORK, "cut_network", true},
    {REACTION_FREEZE, "freeze", true}, {REACTION_ASK, "ask", true},           {REACTION_KILL, "kill", true},
    {REACTION_REVOKE, "revoke", true}, {LINK_RESUME, "resume", true},         {LINK_REVIVE, "revive", true},
};

const char *link_what_name(unsigned what)
{
    for (size_t i = 0; i < COUNT(all); i++) {
        if (all[i].what == what) {
            return all[i].name;
        }
    }
    return NULL;
}

unsigned link_what_find(struct span name)
{
    for (size_t i = 0; i < COUNT(all); i++) {
        if (span_equal(name, span_str(all[i].name))) {
            return all[i].what;
        }
    }
    return 0;
}

bool link_what_lasts(unsigned what)
{
    bool lasts = false;

    for (size_t i = 0; i < COUNT(all); i++) {
        lasts = lasts || (all[i].what == what && all[i].lasts);
    }
    return lasts;
}

void link_message_init(struct link_message *m, enum link_message_kind kind)
{
    memset(m, 0, offsetof(struct link_message, note) + 1); /* padding, too: it is sent */
    m->version = LINK_WIRE_VERSION;
    m->kind = kind;
}

bool link_text_set(char *to, size_t size, struct span text)
{
    struct span cut = span_of(text.ptr, text.len < size ? text.len : size - 1);
    size_t len = cut.len == 0 ? 0 : utf8_valid_prefix(cut);
    const char *nul = len == 0 ? NULL : memchr(cut.ptr, '\0', len);

    len = nul != NULL ? (size_t)(nul - cut.ptr) : len;
    if (len > 0) {
        memcpy(to, cut.ptr, len);
    }
    to[len] = '\0';
    return len == text.len;
}

/* --- validation -------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t size)
{
    const char *end = memchr(text, '\0', size);

    return end != NULL && (end == text || utf8_valid_prefix(span_of(text, (size_t)(end - text))) == (size_t)(end - text));
}

static bool names_agent(uint32_t kind)
{
    return kind == LINK_PART || kind == LINK_LOOK || kind == LINK_CLAIM || kind == LINK_OTHERS || kind == LINK_STANDING ||
           kind == LINK_ORDER || kind == LINK_RESULT;
}

static bool says_what(uint32_t kind)
{
    return kind == LINK_CLAIM || kind == LINK_STANDING || kind == LINK_ORDER;
}

static bool has_valid_numbers(const struct link_message *m)
{
    const int64_t durations[] = {m->at_ns, m->until_ns, m->half_life_ns, m->lease_ns, m->survivors, m->took_us};
    const uint64_t counts[] = {m->order, m->id, m->refused, m->answers, m->blocked, m->unjudged, m->lines, m->copied, m->covered};
    bool is_valid = isfinite(m->score) && m->score >= 0 && m->score <= LINK_SCORE_MAX;

    for (size_t i = 0; i < COUNT(durations); i++) {
        is_valid = is_valid && durations[i] >= 0;
    }
    for (size_t i = 0; i < COUNT(counts); i++) { /* PostgreSQL's bigint */
        is_valid = is_valid && counts[i] <= INT64_MAX;
    }
    return is_valid;
}

static bool has_valid_texts(const struct link_message *m)
{
    return is_text(m->tenant, sizeof(m->tenant)) && is_text(m->agent, sizeof(m->agent)) && is_text(m->node, sizeof(m->node)) &&
           is_text(m->by, sizeof(m->by)) && is_text(m->text, sizeof(m->text)) && is_text(m->note, sizeof(m->note));
}

bool link_message_is_valid(const struct link_message *m)
{
    return m->version == LINK_WIRE_VERSION && m->kind >= LINK_HELLO && m->kind < LINK_KINDS && has_valid_numbers(m) && has_valid_texts(m) &&
           (m->agent[0] != '\0' || !names_agent(m->kind)) && (link_what_name(m->what) != NULL || !says_what(m->kind));
}

/* --- datagrams --------------------------------------------------------------------------- */

/* With the NUL of its note. */
static size_t size_of(const struct link_message *m)
{
    return offsetof(struct link_message, note) + strnlen(m->note, sizeof(m->note) - 1) + 1;
}

enum link_sent link_message_send(int fd, const struct link_message *m)
{
    ssize_t n;

    do {
        n = send(fd, m, size_of(m), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)size_of(m) ? LINK_SENT : n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? LINK_FULL : LINK_BROKEN;
}

enum link_received link_message_receive(int fd, struct link_message *m)
{
    ssize_t n;

    do {
        n = recv(fd, m, sizeof(*m), MSG_DONTWAIT | MSG_TRUNC);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return LINK_NOTHING;
    }
    bool is_whole = n > (ssize_t)offsetof(struct link_message, note) && n <= (ssize_t)sizeof(*m) && ((const char *)m)[n - 1] == '\0';
    return is_whole && link_message_is_valid(m) && n == (ssize_t)size_of(m) ? LINK_RECEIVED : LINK_CLOSED;
}

int link_wire_connect(const char *path, struct error *err)
{
    return descriptors_connect(path, err);
}
