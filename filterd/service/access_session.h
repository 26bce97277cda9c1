/* access_session.h - sessions of the review page, by the cookie of a request.
 *
 * The cookie is __Host-filterd with Secure if the browser uses TLS: to the listener, or to a proxy in front of a local listener,
 * which the Origin of the form shows. Over plain HTTP on loopback it is filterd without Secure, because browsers disagree on secure
 * cookies there. Plain HTTP from other hosts cannot sign in. */
#ifndef FILTERD_SERVICE_ACCESS_SESSION_H
#define FILTERD_SERVICE_ACCESS_SESSION_H

#include "signin/sessions.h"
#include "service/request.h"

const char *access_cookie_name(bool is_secure);

/* False: the connection is not protected, so a token could be intercepted. */
bool access_may_sign_in(const struct request *r, bool *is_secure);

/* The session of this request; false: none. Counts as use. */
bool access_session(const struct request *r, struct session *out);
bool access_extend_session(const struct request *r);
void access_end_session(const struct request *r); /* no-op without a session */

#endif
