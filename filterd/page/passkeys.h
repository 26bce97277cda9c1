/* passkeys.h - tables of passkeys, for the screens Passkeys and Access. */
#ifndef FILTERD_PAGE_PASSKEYS_H
#define FILTERD_PAGE_PASSKEYS_H

#include "page/page.h"

/* The caller's own, each with a button that removes it. */
MUST_CHECK bool passkeys_put_own(struct page *p, struct error *err);
/* Those of all people, and for administrators the form that resets one's. Nothing if passkeys are off. */
MUST_CHECK bool passkeys_put_all(struct page *p, struct error *err);

#endif
