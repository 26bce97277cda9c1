/* review_json.h - writes items and groups as JSON; shared by their routes. */
#ifndef FILTERD_SERVER_REVIEW_JSON_H
#define FILTERD_SERVER_REVIEW_JSON_H

#include "http/writer.h"
#include "review/review_find.h"
#include "service/access.h"

void review_json_item(struct writer *w, const struct review_item *item, int64_t now_ms);
void review_json_group(struct writer *w, const struct review_group *group);

/* The tenant to which the caller is limited; ptr NULL: none. */
struct span review_tenant(const struct caller *c);
/* NULL with an error, or after an answer was written. */
struct review_reader *review_open_for(struct request *r, struct error *err);

#endif
