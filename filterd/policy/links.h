/* links.h - which links a policy permits: its key `links`.
 *
 * Rules with `link: loads` or `link: leads` find constructs that hold URLs (formats/link.h); one is no finding when the
 * policy permits all of its URLs that are loaded, or followed. A policy without the key permits no host, and loads nothing. */
#ifndef FILTERD_POLICY_LINKS_H
#define FILTERD_POLICY_LINKS_H

#include "formats/link.h"
#include "policy/rule.h"

enum links_load { LINKS_LOAD_NONE, LINKS_LOAD_ALLOWED };

struct policy_links {
    struct span_list allow; /* hosts in ASCII and lower case; "*.example.com" is each host below example.com */
    enum links_load load;   /* ALLOWED: images and the like of these hosts, and of the page's own, may be loaded */
};

/* Sets *is_permitted. `links` may be NULL; `use` is the rule's. Memory is the arena's. */
MUST_CHECK bool links_permit(struct arena *a, const struct policy_links *links, enum link_use use, struct span construct,
                             bool *is_permitted, struct error *err);

#endif
