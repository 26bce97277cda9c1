/* copies_build.h - a dataset file of the fingerprints of documents.
 *
 *   b = copies_build_new(path, &key, &err);
 *   copies_build_add(b, text, is_html, &err);   (once for each document)
 *   copies_build_finish(b, now_s, &header, &err); */
#ifndef FILTERD_DATASET_COPIES_BUILD_H
#define FILTERD_DATASET_COPIES_BUILD_H

#include "dataset/table.h"

struct copies_build;

struct copies_build *copies_build_new(const char *path, const struct dataset_key *key, struct error *err);
void copies_build_free(struct copies_build *b);
/* `text` is valid UTF-8. Of HTML what is not shown is left out: tags, comments, script and style. *n is the number of its
 * fingerprints; 0: too short to be found. */
MUST_CHECK bool copies_build_add(struct copies_build *b, struct span text, bool is_html, size_t *n, struct error *err);
/* header->rows are the documents, header->common what was left out as boilerplate. */
MUST_CHECK bool copies_build_finish(struct copies_build *b, int64_t now_s, struct table_header *header, struct error *err);

/* What of an HTML text is shown, in place; *len shrinks. */
void copies_strip_html(char *text, size_t *len);

#endif
