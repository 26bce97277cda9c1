/* prompt_file.h - bodies of requests that are no JSON: multipart/form-data, and files by themselves.
 *
 * Their texts are channels of one document, whose JSON text is the whole body: fields of a form, names, file names and types of its
 * parts, and what is in files. A file that is JSON or JSON Lines is read by its strings, any other text as it is, whether it is
 * valid or not. What begins as an image, speech, video, PDF or office file and is no text is not judged (PROMPT_DATA); a file that is
 * no valid text and says not what it is is judged byte by byte and counts as not judged, too, because it may be in a form or an
 * encoding that nothing here reads.
 *
 * Names and types of parts cannot be redacted: a redaction there blocks. A redaction that would end a file's name or make a
 * boundary fails (prompt_form_is_same). All memory is in the arena; `body` must outlive it. Pure; any thread. */
#ifndef FILTERD_PROMPT_PROMPT_FILE_H
#define FILTERD_PROMPT_PROMPT_FILE_H

#include "prompt/prompt_texts.h"

/* `route` and `type`: the name of a protocol's route, the Content-Type of the body. INVALID for a form that readers may read in more than
 * one way, LIMIT, NO_MEMORY. Without messages; one unit for each part. */
MUST_CHECK bool prompt_file_read(struct arena *a, const char *route, struct span type, struct span body, struct prompt_texts *out,
                                 struct error *err);

/* Whether a redacted form has the parts, names and types of the one it was made from. Of a file by itself always. */
MUST_CHECK bool prompt_form_is_same(struct arena *a, struct span type, struct span before, struct span after, struct error *err);

/* Whether it is text in UTF-8 without NUL; and whether its first bytes are those of an image, speech, video, PDF or office file, and it
 * is no text. */
bool prompt_is_text(struct span bytes);
bool prompt_is_media(struct span bytes);

#endif
