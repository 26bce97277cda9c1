/* system_prompt.h - a system prompt, and which parts of a text are copied from it.
 *
 * Texts are compared without regard to case (ASCII, Latin-1 and Extended-A, Greek, Cyrillic), accents, invisible characters and letters
 * that look like others (text/fold_table.h), and with any white space of at most 64 bytes as one space. A part is a run of
 * the text that is in the prompt, as long as it goes in both directions, of at least SYSTEM_PROMPT_RUN bytes when so folded
 * and with enough different words; not a finding when all of it is in what the user wrote, or in a sentence that many prompts
 * have. Runs that overlap are one part.
 *
 * By default addresses of the prompt (addresses.h) that the text gives as they are do not count: answers must be able to give
 * them. Without them a run has as many bytes, and four different words or words of half as many bytes: rulers, patterns of dates
 * and the like are none. An address that is cut counts.
 *
 * The prompt and the user's texts are held as suffix automata (Blumer and others, 1985): a text is read once, in time linear
 * in its length, whatever it and the prompt are. Immutable once it is used; any number of threads may read it, references
 * are counted. Memory is at most some 70 bytes for each byte of the texts. */
#ifndef FILTERD_DISCLOSURE_SYSTEM_PROMPT_H
#define FILTERD_DISCLOSURE_SYSTEM_PROMPT_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    SYSTEM_PROMPT_MAX = 256 * 1024, /* bytes of all texts of the prompt; of the user's likewise */
    SYSTEM_PROMPT_RUN = 32,
    SYSTEM_PROMPT_SPACE_MAX = 64,
};

struct system_prompt;

struct system_prompt *system_prompt_new(struct error *err);
struct system_prompt *system_prompt_ref(struct system_prompt *p);
/* Accepts NULL. */
void system_prompt_unref(struct system_prompt *p);

/* For CLEANUP. */
static inline void system_prompt_drop(struct system_prompt **p)
{
    system_prompt_unref(*p);
}

/* One text of the prompt, such as a message; a part never goes over its end. LIMIT: more than SYSTEM_PROMPT_MAX. */
MUST_CHECK bool system_prompt_add(struct system_prompt *p, struct span text, struct error *err);
/* One text of the user. Past SYSTEM_PROMPT_MAX the rest is left out, so that more is found. */
MUST_CHECK bool system_prompt_add_user(struct system_prompt *p, struct span text, struct error *err);
bool system_prompt_is_empty(const struct system_prompt *p);
/* Bytes of memory; 0 for NULL. */
size_t system_prompt_size(const struct system_prompt *p);

struct copied_part {
    size_t from, to; /* bytes of the text, whole characters, no white space around */
};

/* Calls found for each part, in order, until it returns false. `words`: the least number of different words; 0: as
 * above. The text is UTF-8. */
typedef bool copied_part_fn(void *context, const struct copied_part *part, struct error *err);
MUST_CHECK bool system_prompt_each(const struct system_prompt *p, unsigned words, struct span text, copied_part_fn *found,
                                   void *context, struct error *err);

/* Where the longest end of the text begins that is in the prompt, so that it may go on, white space in front left out;
 * text.len: nothing may. */
size_t system_prompt_live(const struct system_prompt *p, struct span text);

#endif
