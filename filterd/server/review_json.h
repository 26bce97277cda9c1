/* review_json.h - items and groups of the review as JSON, and what their routes share. */
#ifndef FILTERD_SERVER_REVIEW_JSON_H
#define FILTERD_SERVER_REVIEW_JSON_H

#include "http/writer.h"
#include "review/review_find.h"
#include "service/access.h"

void review_json_item(struct writer *w, const struct review_item *item, int64_t now_ms);
void review_json_group(struct writer *w, const struct review_group *group);

/* The only tenant whose items the caller may see; ptr NULL: all. */
struct span review_tenant(const struct caller *c);
/* NULL with an error, or with an answer. */
struct review_reader *review_open_for(struct request *r, struct error *err);

#endif
