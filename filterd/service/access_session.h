/* access_session.h - sessions of the review page by the cookie of a request.
 *
 * The cookie is __Host-filterd with Secure where the browser speaks TLS: to the listener, or to a proxy before a local one, which
 * shows in the Origin of the form. Over plain HTTP to loopback it is filterd, without Secure: browsers do not agree on secure
 * cookies there. Plain HTTP from elsewhere signs nobody in. */
#ifndef FILTERD_SERVICE_ACCESS_SESSION_H
#define FILTERD_SERVICE_ACCESS_SESSION_H

#include "signin/sessions.h"
#include "service/request.h"

const char *access_cookie_name(bool is_secure);

/* False: a token that was typed here could be read on the way. */
bool access_may_sign_in(const struct request *r, bool *is_secure);

/* The session of this request; false: none. Counts as use. */
bool access_session(const struct request *r, struct session *out);
bool access_extend_session(const struct request *r);
void access_end_session(const struct request *r); /* of none: nothing happens */

#endif
