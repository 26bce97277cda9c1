/* access_session.h - sessions of the review page, by the cookie of a request.
 *
 * The cookie is __Host-filterd with Secure if the browser uses TLS: to the listener, or to a proxy in front of a local listener,
 * which the Origin of the form shows. Over plain HTTP on loopback it is filterd without Secure, because browsers disagree on secure
 * cookies there. Plain HTTP from other hosts cannot sign in. */
#ifndef FILTERD_SERVICE_ACCESS_SESSION_H
#define FILTERD_SERVICE_ACCESS_SESSION_H

#include "signin/sessions.h"
#include "service/access.h"

/* False: the connection is not protected, so a token could be intercepted. */
bool access_may_sign_in(const struct request *r, bool *is_secure);

/* The session of this request; false: none. Counts as use. */
bool access_session(const struct request *r, struct session *out);
bool access_extend_session(const struct request *r, bool *is_limited);
/* Passkeys, in the session of this request (signin/sessions.h). False: there is none, or no challenge that is valid. */
bool access_challenge(const struct request *r, uint8_t challenge[SESSION_CHALLENGE]);
bool access_take_challenge(const struct request *r, uint8_t challenge[SESSION_CHALLENGE]);
/* The passkey of that number was verified: the session is confirmed as long as it exists, and its cookie is set anew. */
bool access_confirm_session(const struct request *r, int64_t passkey);
/* The passkey was verified within SESSION_FRESH_S, or the caller needs none. */
bool access_is_fresh(const struct request *r, const struct caller *c);
/* This session was opened within SESSION_FRESH_S. */
bool access_is_new(const struct request *r);

/* The header that sets the cookie; an empty id deletes it. False: there is no room for it. */
MUST_CHECK bool access_set_cookie(const struct request *r, bool is_secure, const char *id);
void access_end_session(const struct request *r); /* no-op without a session */

/* Reads the options of passkeys, before the service opens their file. INVALID, or passkeys_open's. */
MUST_CHECK bool access_init_passkeys(struct service *s, struct error *err);
MUST_CHECK bool access_open_passkeys(struct service *s, struct error *err);

#endif
