/* screens.h - the table of screens of the review page: address, roles, functions.
 *
 * Each screen has its own file, screens/screen_NAME.c. A path is relative to /review and may have one part in braces, which matches
 * one non-empty path segment. The navigation lists the rows with `show` and `roles` and without braces, in the order of the table,
 * that the caller may see. */
#ifndef FILTERD_PAGE_SCREENS_H
#define FILTERD_PAGE_SCREENS_H

#include "page/page.h"

struct screen {
    const char *path; /* "/agents", "/items/{seq}/claim" */
    enum text title;
    unsigned roles; /* bits of enum role, one suffices; admin is implied. 0: no sign-in required */
    /* GET: writes the page's content; the caller calls page_begin and page_end. NULL: 405. */
    page_fn *show;
    /* POST, called after origin and form token were checked: makes a change and ends with page_redirect. NULL: 405. */
    page_fn *post;
    bool is_for_tenants; /* shows and changes only what caller_sees and access_query permit; without it, a caller
                          * limited to a tenant is refused */
    bool accepts_pending; /* also for the caller of a session that waits for its passkey */
    bool needs_fresh;     /* POST only when the passkey was verified recently, by those who have one */
    bool uses_passkeys;   /* the script of passkeys is loaded on this screen only */
    bool opens_originals; /* the scripts that decrypt are loaded on this screen only */
    bool needs_replicas; /* of the nodes of a fleet: without them it is not there */
    bool is_urgent; /* runs without a worker and without disk I/O: the kill */
    /* The count next to the title in the navigation; false: unknown, not shown. NULL: no count. */
    bool (*count)(struct page *p, uint64_t *n);
};

extern const struct screen screens[];
extern const size_t n_screens;

/* NULL: not found. `path` is decoded; *part borrows from it. */
const struct screen *screen_find(struct span path, struct span *part);

/* The caller may see or change it. */
bool screen_is_for(const struct screen *s, const struct caller *c);

page_fn login_show, login_post, logout_post, extend_post;
page_fn confirm_show, confirm_post, passkeys_show, passkeys_add_post, passkeys_remove_post, passkeys_reset_post;
page_fn queue_show, queue_post, undo_post, item_show, item_post;
page_fn records_show, record_line_show, groups_show, group_show, group_post;
page_fn rules_show, rule_show, sampling_show;
page_fn exceptions_show, exceptions_post, exception_post;
page_fn reveals_show, reveals_post, reveal_post, reveal_file_post, reveal_key_post;
bool queue_count(struct page *p, uint64_t *n);
bool exceptions_count(struct page *p, uint64_t *n);
bool reveals_count(struct page *p, uint64_t *n);
page_fn agents_show, agent_change_post;
page_fn policies_show, policy_show, exports_show, exports_post, export_show, export_file_show, access_show;
page_fn proof_show;
page_fn fleet_exceptions_show, fleet_exception_post, fleet_reveals_show, fleet_reveal_post;
page_fn fleet_groups_show, fleet_group_show, fleet_group_post;
page_fn fleet_show, fleet_post, fleet_records_show, fleet_line_show, fleet_line_post, fleet_proof_show;
page_fn record_show, record_verify_post, record_checkpoint_post;

#endif
