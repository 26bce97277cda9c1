#include "supervisor-llm/answer_shape.h"

#include "base/json.h"
#include "policy/supervisor.h"

enum { GRAMMAR_MAX = 16 * 1024 };

/* "harm", "none" as alternatives: each between `quote`s, with `gap` between two. */
static bool append_names(unsigned categories, const char *quote, const char *gap, struct buf *out,
                         struct error *err)
{
    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        const char *name = supervisor_category_name((enum supervisor_category)i);
        if ((categories >> i & 1U) != 0 && !buf_appendf(out, err, "%s%s%s%s", quote, name, quote, gap)) {
            return false;
        }
    }
    return buf_appendf(out, err, "%snone%s", quote, quote);
}

bool answer_shape_schema(unsigned categories, struct buf *out, struct error *err)
{
    return buf_append_str(out,
                          "{\"type\":\"object\",\"additionalProperties\":false,"
                          "\"required\":[\"verdict\",\"category\",\"confidence\",\"reason\",\"evidence\"],"
                          "\"properties\":{\"verdict\":{\"type\":\"string\",\"enum\":[\"violation\",\"ok\"]},"
                          "\"category\":{\"type\":\"string\",\"enum\":[",
                          err) &&
           append_names(categories, "\"", ",", out, err) &&
           buf_append_str(out,
                          "]},\"confidence\":{\"type\":\"number\"},\"reason\":{\"type\":\"string\"},"
                          "\"evidence\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}",
                          err);
}

bool answer_shape_grammar(unsigned categories, struct buf *out, struct error *err)
{
    static const char head[] = "root ::= \"{\\\"verdict\\\":\" verdict \",\\\"category\\\":\" category "
                               "\",\\\"confidence\\\":\" confidence \",\\\"reason\\\":\" string "
                               "\",\\\"evidence\\\":\" evidence \"}\"\n"
                               "verdict ::= \"\\\"violation\\\"\" | \"\\\"ok\\\"\"\n"
                               "category ::= \"\\\"\" ( ";
    static const char tail[] = " ) \"\\\"\"\n"
                               "confidence ::= \"0\" ( \".\" [0-9] [0-9]? )? | \"1\"\n"
                               "evidence ::= \"[]\" | \"[\" string ( \",\" string )* \"]\"\n"
                               "string ::= \"\\\"\" character* \"\\\"\"\n"
                               "character ::= [^\"\\\\\\x00-\\x1f] | \"\\\\\" [\"\\\\/bfnrt]\n";
    struct buf text;

    buf_init(&text, GRAMMAR_MAX);
    bool is_written = buf_append_str(&text, head, err) && append_names(categories, "\"", " | ", &text, err) &&
                      buf_append_str(&text, tail, err) && json_append_string(out, buf_span(&text), err);
    buf_deinit(&text);
    return is_written;
}
