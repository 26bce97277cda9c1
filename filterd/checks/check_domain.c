#include "base/ascii.h"
#include "checks/checks_table.h"
#include "formats/top_level_domains.h"

enum { NAME_MAX_LENGTH = 253, LABEL_MAX = 63 };

/* Letters and digits of any script, hyphens inside. */
static bool is_label(struct span label)
{
    if (label.len == 0 || label.len > LABEL_MAX || label.ptr[0] == '-' ||
        label.ptr[label.len - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < label.len; i++) {
        bool is_wide = ((unsigned char)label.ptr[i] & 0x80u) != 0;
        if (!ascii_is_alnum(label.ptr[i]) && label.ptr[i] != '-' && label.ptr[i] != '_' &&
            !is_wide) {
            return false;
        }
    }
    return true;
}

/* Of an address with @ the part behind it is judged, and what ends files is allowed: no file name
 * has an @ before a name with that ending. */
static bool domain_passes(struct span value, const struct check_args *args)
{
    size_t at = value.len;
    struct span label = span_of("", 0);
    size_t labels = 0;

    (void)args;
    while (at > 0 && value.ptr[at - 1] != '@') {
        at--;
    }
    bool is_address = at > 0;
    struct span name = span_slice(value, at, value.len);
    if (name.len > 0 && name.ptr[name.len - 1] == '.') {
        name.len--;
    }
    if (name.len > NAME_MAX_LENGTH) {
        return false;
    }
    for (size_t from = 0; from <= name.len;) {
        size_t to = from < name.len ? ascii_find(name, from, ".") : name.len;
        label = span_slice(name, from, to);
        if (!is_label(label)) {
            return false;
        }
        labels++;
        from = to + 1;
    }
    return labels >= 2 && top_level_domain_is(label) &&
           (is_address || !top_level_domain_ends_files(label));
}

const struct check_type check_domain = {
    .name = "domain",
    .summary = "passes when it ends in a known top-level domain that is not a common file ending",
    .passes = domain_passes,
};
