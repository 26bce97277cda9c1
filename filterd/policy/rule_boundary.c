#include "policy/rule_read.h"

const char *const boundary_names[] = {"token", "word", "number", "none", NULL};

const char *boundary_name(enum boundary boundary)
{
    return boundary_names[boundary];
}

#define WORD_CHARACTERS "[A-Za-z0-9_\\x{c0}-\\x{24f}\\x{370}-\\x{52f}\\x{1e00}-\\x{1fff}]"

struct span boundary_before(enum boundary boundary)
{
    static const char *const texts[BOUNDARY_COUNT] = {
        [BOUNDARY_TOKEN] = "(?<![A-Za-z0-9])",
        [BOUNDARY_WORD] = "(?<!" WORD_CHARACTERS ")",
        [BOUNDARY_NUMBER] = "(?<![A-Za-z0-9_])(?<![0-9][.,\\-/:])",
        [BOUNDARY_NONE] = "",
    };
    return span_str(texts[boundary]);
}

struct span boundary_after(enum boundary boundary)
{
    static const char *const texts[BOUNDARY_COUNT] = {
        [BOUNDARY_TOKEN] = "(?![A-Za-z0-9])",
        [BOUNDARY_WORD] = "(?!" WORD_CHARACTERS ")",
        [BOUNDARY_NUMBER] = "(?![A-Za-z0-9_])(?![.,\\-/:][0-9])",
        [BOUNDARY_NONE] = "",
    };
    return span_str(texts[boundary]);
}
