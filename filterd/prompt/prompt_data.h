/* prompt_data.h - files in base64 that nothing here can read. Pure. */
#ifndef FILTERD_PROMPT_PROMPT_DATA_H
#define FILTERD_PROMPT_PROMPT_DATA_H

#include "base/span.h"

/* Whether it is base64, or a data URL of base64, of a file whose first bytes are those of an image, speech, video, PDF or office file. */
bool prompt_is_data(struct span text);
/* The base64 of a data URL, or the text itself. */
struct span prompt_base64_of(struct span text);
/* Whether these are the first bytes of such a file. */
bool prompt_has_signature(struct span bytes);

#endif
