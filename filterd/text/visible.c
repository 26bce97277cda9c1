#include "text/visible.h"

#include "text/fold_table.h"
#include "text/utf8.h"

enum { LAST_CONTROL = 0x9f, BRAILLE_BLANK = 0x2800, LINE_SEPARATOR = 0x2028, PARAGRAPH_SEPARATOR = 0x2029 };

enum text_visibility text_visibility(uint32_t c)
{
    enum fold_kind kind = fold_kind(fold_value(c));
    bool is_control = c < ' ' || (c > '~' && c <= LAST_CONTROL);
    bool is_blank = c == BRAILLE_BLANK || c == LINE_SEPARATOR || c == PARAGRAPH_SEPARATOR;

    if (c != ' ' && (is_control || is_blank || kind == FOLD_DROP || kind == FOLD_SPACE)) {
        return TEXT_INVISIBLE;
    }
    return kind == FOLD_MARK ? TEXT_MARK : TEXT_VISIBLE;
}

bool text_is_visible(struct span name)
{
    size_t len;

    if (name.len == 0) {
        return true;
    }
    if (utf8_valid_prefix(name) < name.len || name.ptr[0] == ' ' || name.ptr[name.len - 1] == ' ') {
        return false;
    }
    for (; name.len > 0; name = span_slice(name, len, name.len)) {
        if (text_visibility(utf8_decode(name, &len)) == TEXT_INVISIBLE) {
            return false;
        }
    }
    return true;
}
