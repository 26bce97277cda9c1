#include "link/bundles.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

enum { AGAIN_MS = 10000, REFUSED_AGAIN_MS = 60000 };

/* --- from the database ----------------------------------------------------------------------- */

static bool get_keys(void *context, uint64_t generation, struct buf *note, struct error *err)
{
    return bundle_store_note(context, true, generation, note, err);
}

static bool finish(const char *folder, struct link_session *s, uint64_t version, uint64_t *keys, const struct buf *archive, struct error *err)
{
    struct buf note CLEANUP(buf_deinit);

    buf_init(&note, BUNDLE_NOTE_MAX);
    return bundle_folder_add_keys(folder, keys, get_keys, s, err) && bundle_store_note(s, false, version, &note, err) &&
           bundle_folder_write_rules(folder, version, archive, &note, err);
}

static void begin_fetch(struct link_bundles *b, const struct bundle_wish *wish)
{
    buf_deinit(&b->fetch.archive);
    buf_init(&b->fetch.archive, BUNDLE_ARCHIVE_MAX);
    b->fetch.version = wish->version;
    b->fetch.size = wish->size;
}

static void end_fetch(struct link_bundles *b)
{
    buf_deinit(&b->fetch.archive);
    b->fetch.version = 0;
}

static bool fetch_step(struct link_bundles *b, struct fleet_store *s, struct error *err)
{
    uint64_t version = b->fetch.version;

    if (b->fetch.archive.len < b->fetch.size) {
        return bundle_store_part(&s->session, version, b->fetch.archive.len, &b->fetch.archive, err);
    }
    bool is_written = finish(b->folder, &s->session, version, &b->keys, &b->fetch.archive, err);
    end_fetch(b);
    if (is_written) {
        log_info("link: policy bundle fetched version=%" PRIu64, version);
    }
    return is_written;
}

/* --- what is due ------------------------------------------------------------------------------- */

void link_bundles_begin(struct link_bundles *b)
{
    end_fetch(b);
    *b = (struct link_bundles){.folder = b->folder, .fetched = b->fetched, .keys = b->keys};
    buf_init(&b->fetch.archive, BUNDLE_ARCHIVE_MAX);
}

void link_bundles_deinit(struct link_bundles *b)
{
    end_fetch(b);
}

bool link_bundles_is_busy(const struct link_bundles *b)
{
    return b->fetch.version != 0;
}

bool link_bundles_hear(struct link_bundles *b, struct fleet_store *s, const struct link_message *m, struct error *err)
{
    b->is_known = true;
    b->in_force = m->order;
    b->highest = m->id;
    b->refused = m->refused;
    return bundle_store_report(s, m, err);
}

static bool give_one(struct link_bundles *b, enum link_message_kind kind, uint64_t version, const char *why, fleet_give *give,
                     void *context, struct error *err)
{
    struct link_message m;
    uint64_t *last = kind == LINK_FETCHED ? &b->given : &b->withdrawn;
    int64_t *last_ms = kind == LINK_FETCHED ? &b->given_ms : &b->withdrawn_ms;
    int64_t now_ms = clock_monotonic_ms(), wait_ms = b->refused == version ? REFUSED_AGAIN_MS : AGAIN_MS;

    if (*last == version && now_ms - *last_ms < wait_ms) {
        return true;
    }
    *last = version;
    *last_ms = now_ms;
    link_message_init(&m, kind);
    m.order = version;
    (void)link_text_set(m.text, sizeof(m.text), span_str(why));
    return give(context, &m, err);
}

/* A bundle that the folder has may be one that was changed there, or of a database that was restored: then what is refused is fetched
 * again. */
static bool see_to(struct link_bundles *b, const struct bundle_wish *wish, fleet_give *give, void *context, struct error *err)
{
    if (b->refused != 0 && b->refused != wish->version) { /* it would stay the newest of the folder */
        return bundle_folder_remove_rules(b->folder, b->refused, err) && give_one(b, LINK_FETCHED, b->in_force, "", give, context, err);
    }
    if (wish->is_stopped) {
        return bundle_folder_remove_rules(b->folder, b->in_force, err) && give_one(b, LINK_WITHDRAW, b->in_force, wish->why, give, context, err);
    }
    if (wish->version <= b->in_force || wish->version < b->highest) {
        return true;
    }
    bool is_due_again = b->refused == wish->version && clock_monotonic_ms() - b->given_ms >= REFUSED_AGAIN_MS;
    if (!bundle_folder_has_rules(b->folder, wish->version) || is_due_again) {
        begin_fetch(b, wish);
        return true;
    }
    return give_one(b, LINK_FETCHED, wish->version, "", give, context, err);
}

/* Of a web server: what is in the folder is what filterd is to have. */
static bool see_to_fetched(struct link_bundles *b, uint64_t version, fleet_give *give, void *context, struct error *err)
{
    return version <= b->in_force || version < b->highest || give_one(b, LINK_FETCHED, version, "", give, context, err);
}

static bool step(struct link_bundles *b, struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    struct bundle_wish wish;

    if (b->fetched != NULL) {
        return see_to_fetched(b, atomic_load(b->fetched), give, context, err);
    }

    if (b->fetch.version != 0) {
        return fetch_step(b, s, err);
    }
    return bundle_store_look(s, b->in_force, &wish, err) && see_to(b, &wish, give, context, err);
}

bool link_bundles_step(struct link_bundles *b, struct fleet_store *s, fleet_give *give, void *context, struct error *err)
{
    int64_t now_ms = clock_monotonic_ms();

    if (b->folder == NULL || !b->is_known || now_ms < b->failed_ms + AGAIN_MS || step(b, s, give, context, err)) {
        return true;
    }
    if (s->session.connection == NULL) {
        return false;
    }
    end_fetch(b);
    b->failed_ms = now_ms;
    log_warn("link: policy bundles: %s: it is tried again", err->text);
    return true;
}

/* --- the first ------------------------------------------------------------------------------- */

bool link_bundles_fetch_first(const char *folder, struct link_session *s, uint64_t *version, struct error *err)
{
    struct buf archive CLEANUP(buf_deinit);
    uint64_t keys = 0;

    buf_init(&archive, BUNDLE_ARCHIVE_MAX);
    PGresult *rows CLEANUP(link_result_clear) =
        link_session_ask(s, "SELECT version, length(archive) FROM filterd.bundle WHERE state = 'done' ORDER BY version DESC LIMIT 1", 0, NULL,
                         "policy bundles", err);
    if (rows == NULL || PQntuples(rows) != 1) {
        return rows != NULL && error_set(err, ERROR_NOT_FOUND, "database: no policy bundle is meant for all nodes yet");
    }
    size_t size = strtoull(link_value(rows, 0, 1), NULL, 10);
    *version = strtoull(link_value(rows, 0, 0), NULL, 10);
    while (archive.len < size) {
        if (!bundle_store_part(s, *version, archive.len, &archive, err)) {
            return false;
        }
    }
    return finish(folder, s, *version, &keys, &archive, err);
}
