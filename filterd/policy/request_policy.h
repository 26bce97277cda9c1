/* request_policy.h - what a policy does with requests to a model, before they go to an upstream.
 *
 * The entries for requests are those of `actions` in another table: the pipeline judges a request by `as`, a copy of the policy
 * with these entries in place of those for answers. */
#ifndef FILTERD_POLICY_REQUEST_POLICY_H
#define FILTERD_POLICY_REQUEST_POLICY_H

#include "policy/policy.h"

enum { REQUEST_ACTIONS_MAX = 256 };

/* Zero is the strict value. */
enum request_unread { REQUEST_UNREAD_BLOCK, REQUEST_UNREAD_REPORT };
enum request_lines { REQUEST_LINES_ALL, REQUEST_LINES_FINDINGS, REQUEST_LINES_ACTED };

struct policy_request {
    bool is_judged; /* otherwise they go up as they came */
    const struct policy_action *actions;
    size_t n_actions;
    bool has_default_actions; /* not from the file */
    const struct policy_action *tool_results; /* for texts of the role tool_result alone */
    size_t n_tool_results;
    enum request_unread unread; /* images, speech and other files, which nothing here can read */
    bool is_counted;            /* in the agent's account, as its answers are */
    enum request_lines lines;   /* which requests have a line in the record */
    struct span notice, withheld; /* what is shown in place of a blocked request, and of a withheld tool result */
    struct policy as;
};

#endif
