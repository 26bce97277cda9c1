/* exports.h - evidence bundles that the service makes: asked for, made by a thread of low priority, kept for an hour.
 *
 * A bundle has the bytes that filterctl record export makes of the same question by the same person under the same checkpoint.
 * It is a file below the state directory (exports/, 0600) that its asker alone can fetch; it is removed after an hour, when the
 * asker asks for another, at a stop and at the next start. A caller has one at a time; two are made at once, and eight are kept.
 * That somebody exports is on disk, as a line of type access, before a line is read.
 *
 * Any thread, but exports_begin waits for a disk. */
#ifndef FILTERD_SERVICE_EXPORTS_H
#define FILTERD_SERVICE_EXPORTS_H

#include "base/uuid.h"
#include "service/access.h"

enum {
    EXPORTS_MAKING = 2,
    EXPORTS_KEPT = 8,
    EXPORT_KEPT_S = 3600,
    EXPORT_WHY_MAX = 512, /* bytes of the purpose */
    EXPORT_DETAIL = 256,
};
/* Of a bundle; and what is left free on the disk, which the log is on. */
#define EXPORT_BYTES_MAX (UINT64_C(1) << 30)
#define EXPORT_FREE_MIN (UINT64_C(1) << 30)

enum export_state { EXPORT_NONE, EXPORT_RUNNING, EXPORT_DONE, EXPORT_FAILED };

struct export_view {
    char id[UUID_TEXT + 1];
    enum export_state state;
    uint64_t read, lines; /* of the log so far; in the bundle */
    uint64_t size;        /* DONE: bytes of the file */
    int64_t until_ms;     /* DONE, FAILED: when it is removed, UTC */
    char detail[EXPORT_DETAIL]; /* FAILED: why */
};

struct export_answer {
    unsigned status; /* 202; 404, 409, 422, or 503 */
    char detail[EXPORT_DETAIL];
    struct export_view view; /* of 202 */
};

struct exports;

/* Makes the folder and removes what an earlier process left there. Without a state directory or a log with a proof there are no
 * exports. */
MUST_CHECK bool exports_open(struct service *s, struct error *err);
/* Stops what is being made and removes what is kept. Before the log and the signer are closed. */
void exports_close(struct service *s);

void exports_begin(struct service *s, const struct caller *c, struct span query, struct span why, struct export_answer *out);
/* False: there is none, or it is another person's. */
MUST_CHECK bool exports_look(struct service *s, const struct caller *c, struct span id, struct export_view *out);
/* The newest of the caller's. */
MUST_CHECK bool exports_newest(struct service *s, const struct caller *c, struct export_view *out);
/* The file of one that is done, opened; -1: there is none. The caller closes it. */
int exports_file(struct service *s, const struct caller *c, struct span id, uint64_t *size);

const char *export_state_name(enum export_state state);

#endif
