/* screens.h - the table of screens: what is at which address of the review page, and who may see or change it.
 *
 * Each screen has its own file, screens/screen_NAME.c. A path is below /review and may have one part in braces, which matches one
 * non-empty part without slashes. The navigation has the rows that show something, need a role and have no braces, in the order
 * of the table, for those who may see them. */
#ifndef FILTERD_PAGE_SCREENS_H
#define FILTERD_PAGE_SCREENS_H

#include "page/page.h"

struct screen {
    const char *path; /* "/agents", "/items/{seq}/claim" */
    enum text title;
    unsigned roles; /* bits of enum role, any of them; the admin may all. 0: nobody has to sign in */
    /* GET: writes the content of the page between page_begin and page_end, which the caller writes. NULL: 405. */
    page_fn *show;
    /* POST, once its origin and its token have been checked: changes something and ends with page_redirect. NULL: 405. */
    page_fn *post;
    bool is_for_tenants; /* shows and changes nothing but what caller_sees and access_query let through; without it, a caller who
                          * is limited to a tenant is refused */
    bool is_urgent; /* does not wait for a worker or a disk: the kill */
    /* The number beside the title in the navigation; false: not known, and none is shown. NULL: it has none. */
    bool (*count)(struct page *p, uint64_t *n);
};

extern const struct screen screens[];
extern const size_t n_screens;

/* NULL: there is none. `path` is decoded; *part borrows from it. */
const struct screen *screen_find(struct span path, struct span *part);

/* Who has signed in may see or change it. */
bool screen_is_for(const struct screen *s, const struct caller *c);

page_fn login_show, login_post, logout_post, extend_post;
page_fn queue_show, queue_post, undo_post, item_show, item_post;
page_fn records_show, record_line_show, groups_show, group_show, group_post;
page_fn rules_show, rule_show, sampling_show;
page_fn exceptions_show, exceptions_post, exception_post;
page_fn reveals_show, reveals_post, reveal_post, reveal_file_post;
bool queue_count(struct page *p, uint64_t *n);
bool exceptions_count(struct page *p, uint64_t *n);
bool reveals_count(struct page *p, uint64_t *n);
page_fn agents_show, agent_change_post;
page_fn policies_show, policy_show, exports_show, exports_post, export_show, export_file_show, access_show;
page_fn proof_show;
page_fn record_show, record_verify_post, record_checkpoint_post;

#endif
