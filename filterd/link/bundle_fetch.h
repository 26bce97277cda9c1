/* bundle_fetch.h - policy bundles from a web server to the folder where filterd takes them.
 *
 * <url>/newest.note is the note of the newest bundle, rules-<version>.note under another name; <url>/rules-<version>.tar.zst its archive,
 * <url>/keys-<generation>.note the keys that follow. newest.note is asked for with If-None-Match, so that a server answers 304 as long as
 * there is nothing new. A carrier only, as link/bundles.h: filterd verifies what is in the folder. Redirects are not followed; sizes are
 * limited before anything is kept. */
#ifndef FILTERD_LINK_BUNDLE_FETCH_H
#define FILTERD_LINK_BUNDLE_FETCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "link/config.h"

enum { BUNDLE_ETAG_MAX = 256 };

struct bundle_fetch {
    const struct link_config *config;
    void *easy;                 /* CURL * */
    char etag[BUNDLE_ETAG_MAX]; /* of newest.note, once its bundle is in the folder; "": none */
    uint64_t keys;              /* generation of the folder; 0: not looked yet */
    pthread_t thread;
    bool is_running;
    int stop;
    atomic_bool is_stopping;
    int64_t complained_ms;
    /* For others. */
    _Atomic uint64_t version;  /* the newest that was fetched; 0: none yet */
    _Atomic uint64_t asked, failures;
};

/* Once. True: *version is in the folder; 0: nothing new. NOT_FOUND: the server has no bundle. */
MUST_CHECK bool bundle_fetch_once(struct bundle_fetch *f, const struct link_config *config, uint64_t *version, struct error *err);
void bundle_fetch_end(struct bundle_fetch *f); /* of zeroed memory, too */

/* Again and again, in a thread; nothing where the configuration has no URL. */
MUST_CHECK bool bundle_fetch_start(struct bundle_fetch *f, const struct link_config *config, struct error *err);
void bundle_fetch_stop(struct bundle_fetch *f); /* accepts one that was not started */
MUST_CHECK bool bundle_fetch_put_metrics(const struct bundle_fetch *f, struct buf *out, struct error *err);

#endif
