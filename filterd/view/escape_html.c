#include "base/ascii.h"
#include "view/escape.h"

enum { NAME_MAX_LEN = 8, DECIMAL_DIGITS_MAX = 9, HEX_DIGITS_MAX = 8 };

/* HTML's names for ASCII, and for what texts are taken apart with. */
static const struct {
    char name[NAME_MAX_LEN + 1];
    uint16_t code_point;
} entities[] = {
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
    {"nbsp", 0xa0},    {"lowbar", '_'},   {"UnderBar", '_'}, {"hyphen", 0x2010}, {"dash", 0x2010},
    {"period", '.'},   {"colon", ':'},    {"equals", '='},   {"plus", '+'},      {"sol", '/'},
    {"bsol", '\\'},    {"num", '#'},      {"percnt", '%'},   {"commat", '@'},    {"dollar", '$'},
    {"excl", '!'},     {"ast", '*'},      {"midast", '*'},   {"lpar", '('},      {"rpar", ')'},
    {"semi", ';'},     {"comma", ','},    {"quest", '?'},    {"lsqb", '['},      {"lbrack", '['},
    {"rsqb", ']'},     {"rbrack", ']'},   {"lcub", '{'},     {"lbrace", '{'},    {"rcub", '}'},
    {"rbrace", '}'},   {"verbar", '|'},   {"vert", '|'},     {"grave", '`'},     {"Hat", '^'},
    {"Tab", '\t'},     {"NewLine", '\n'}, {"shy", 0xad},     {"zwj", 0x200d},    {"zwnj", 0x200c},
    {"minus", 0x2212}, {"ndash", 0x2013}, {"AMP", '&'},      {"LT", '<'},        {"GT", '>'},
    {"QUOT", '"'},
};

static bool read_name(struct span text, size_t at, struct escape *out)
{
    size_t limit = text.len - at < NAME_MAX_LEN ? text.len : at + NAME_MAX_LEN;
    size_t end = ascii_run_end(span_of(text.ptr, limit), at, ASCII_LETTER);
    struct span name = span_slice(text, at, end);

    if (name.len < 2 || end >= text.len || text.ptr[end] != ';') {
        return false;
    }
    for (size_t i = 0; i < COUNT(entities); i++) {
        if (entities[i].name[0] == name.ptr[0] && span_is(name, entities[i].name)) {
            *out = (struct escape){.code_point = entities[i].code_point, .len = name.len + 2};
            return true;
        }
    }
    return false;
}

static bool read_number(struct span text, size_t at, struct escape *out)
{
    size_t from = at;
    uint32_t number = 0;
    bool is_hex = at < text.len && (text.ptr[at] == 'x' || text.ptr[at] == 'X');

    if (is_hex) {
        at++;
        if (!escape_hex_number(text, &at, 1, HEX_DIGITS_MAX, &number)) {
            return false;
        }
    }
    while (!is_hex && at < text.len && at - from < DECIMAL_DIGITS_MAX &&
           ascii_is(text.ptr[at], ASCII_DIGIT)) {
        number = number * 10 + (uint32_t)(text.ptr[at] - '0');
        at++;
    }
    /* Browsers do without the semicolon. */
    bool has_semicolon = at < text.len && text.ptr[at] == ';';
    *out = (struct escape){.code_point = number, .len = at - from + 2 + has_semicolon};
    return at > from && escape_is_text(number);
}

bool escape_html(struct span text, size_t at, struct escape *out)
{
    if (at + 1 < text.len && text.ptr[at + 1] == '#') {
        return read_number(text, at + 2, out);
    }
    return read_name(text, at + 1, out);
}
