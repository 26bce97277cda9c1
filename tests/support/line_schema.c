#include "support/line_schema.h"

#include <jansson.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum { PATTERNS_MAX = 64 }; /* different ones in the schema; more are an error */

/* One value against one schema; `member` is where. */
struct place {
    json_t *root;
    char *why;
    const char *member;
};
typedef bool keyword_fn(const struct place *p, json_t *argument, json_t *schema, json_t *value);

static bool accepts(const struct place *p, json_t *schema, json_t *value);

static bool refuse(const struct place *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const struct place *p, const char *format, ...)
{
    va_list args;
    int len = snprintf(p->why, LINE_SCHEMA_WHY, "%s: ", p->member);

    va_start(args, format);
    (void)vsnprintf(p->why + len, LINE_SCHEMA_WHY - (size_t)len, format, args);
    va_end(args);
    return false;
}

/* Whether a schema would accept; nothing is said about why not. */
static bool would_accept(const struct place *p, json_t *schema, json_t *value)
{
    char why[LINE_SCHEMA_WHY];
    const struct place silent = {p->root, why, p->member};

    return accepts(&silent, schema, value);
}

static size_t count_accepting(const struct place *p, json_t *schemas, json_t *value)
{
    size_t n = 0;

    for (size_t i = 0; i < json_array_size(schemas); i++) {
        n += would_accept(p, json_array_get(schemas, i), value);
    }
    return n;
}

static bool check_ref(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    const char *name = json_string_value(argument) + strlen("#/$defs/");

    (void)schema;
    return accepts(p, json_object_get(json_object_get(p->root, "$defs"), name), value);
}

static bool check_type(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    const char *type = json_string_value(argument);
    bool is_right = strcmp(type, "object") == 0    ? json_is_object(value)
                    : strcmp(type, "array") == 0   ? json_is_array(value)
                    : strcmp(type, "string") == 0  ? json_is_string(value)
                    : strcmp(type, "integer") == 0 ? json_is_integer(value)
                                                   : strcmp(type, "number") == 0 && json_is_number(value);

    (void)schema;
    return is_right || refuse(p, "%s expected", type);
}

static bool check_const(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return json_equal(argument, value) || refuse(p, "another value expected");
}

static bool check_enum(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(argument); i++) {
        if (json_equal(json_array_get(argument, i), value)) {
            return true;
        }
    }
    return refuse(p, "a value of the list expected");
}

/* Each pattern of the schema is compiled once: some tests check a line for each of thousands of answers. NULL: it is wrong. */
static const regex_t *expression_of(const char *pattern)
{
    static struct {
        char *pattern;
        regex_t expression;
    } known[PATTERNS_MAX];
    size_t n = 0;

    while (n < PATTERNS_MAX && known[n].pattern != NULL && strcmp(known[n].pattern, pattern) != 0) {
        n++;
    }
    if (n == PATTERNS_MAX) {
        return NULL;
    }
    if (known[n].pattern == NULL) {
        if (regcomp(&known[n].expression, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
            return NULL;
        }
        known[n].pattern = strdup(pattern);
    }
    return &known[n].expression;
}

static bool check_pattern(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    if (!json_is_string(value)) {
        return true;
    }
    const regex_t *expression = expression_of(json_string_value(argument));
    if (expression == NULL) {
        return refuse(p, "a pattern of the schema is wrong");
    }
    return regexec(expression, json_string_value(value), 0, NULL, 0) == 0 || refuse(p, "%s expected", json_string_value(argument));
}

/* In characters. */
static size_t length_of(json_t *text)
{
    size_t n = 0;

    for (const char *at = json_string_value(text); *at != '\0'; at++) {
        n += ((unsigned char)*at & 0xC0) != 0x80;
    }
    return n;
}

static bool check_min_length(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return !json_is_string(value) || length_of(value) >= (size_t)json_integer_value(argument) || refuse(p, "a longer text expected");
}

static bool check_max_length(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return !json_is_string(value) || length_of(value) <= (size_t)json_integer_value(argument) || refuse(p, "a shorter text expected");
}

static bool check_minimum(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return !json_is_number(value) || json_number_value(value) >= json_number_value(argument) || refuse(p, "more expected");
}

static bool check_maximum(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return !json_is_number(value) || json_number_value(value) <= json_number_value(argument) || refuse(p, "less expected");
}

static bool check_min_items(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return json_array_size(value) >= (size_t)json_integer_value(argument) || refuse(p, "more elements expected");
}

static bool check_max_items(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return json_array_size(value) <= (size_t)json_integer_value(argument) || refuse(p, "fewer elements expected");
}

static bool check_max_members(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return json_object_size(value) <= (size_t)json_integer_value(argument) || refuse(p, "fewer members expected");
}

static bool check_items(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (!accepts(p, argument, json_array_get(value, i))) {
            return false;
        }
    }
    return true;
}

static bool check_required(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(argument); i++) {
        const char *name = json_string_value(json_array_get(argument, i));
        if (json_object_get(value, name) == NULL) {
            return refuse(p, "the member %s expected", name);
        }
    }
    return true;
}

static bool check_properties(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    const char *name;
    json_t *member;

    (void)schema;
    json_object_foreach(value, name, member) {
        const struct place inner = {p->root, p->why, name};
        json_t *one = json_object_get(argument, name);
        if (one != NULL && !accepts(&inner, one, member)) {
            return false;
        }
    }
    return true;
}

static bool check_others(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    const char *name;
    json_t *member;

    json_object_foreach(value, name, member) {
        const struct place inner = {p->root, p->why, name};
        bool is_named = json_object_get(json_object_get(schema, "properties"), name) != NULL;
        if (!is_named && (json_is_false(argument) ? !refuse(&inner, "no such member") : !accepts(&inner, argument, member))) {
            return false;
        }
    }
    return true;
}

static bool check_not(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return !would_accept(p, argument, value) || refuse(p, "members that are not there together");
}

static bool check_all_of(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(argument); i++) {
        if (!accepts(p, json_array_get(argument, i), value)) {
            return false;
        }
    }
    return true;
}

static bool check_any_of(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return count_accepting(p, argument, value) > 0 || refuse(p, "one of several sets of members expected");
}

static bool check_one_of(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)schema;
    return count_accepting(p, argument, value) == 1 || refuse(p, "exactly one of several sets of members expected");
}

static bool check_if(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    return !would_accept(p, argument, value) || accepts(p, json_object_get(schema, "then"), value);
}

static bool check_nothing(const struct place *p, json_t *argument, json_t *schema, json_t *value)
{
    (void)p;
    (void)argument;
    (void)schema;
    (void)value;
    return true;
}

static const struct {
    const char *name;
    keyword_fn *check;
} keywords[] = {
    {"$ref", check_ref},
    {"type", check_type},
    {"const", check_const},
    {"enum", check_enum},
    {"pattern", check_pattern},
    {"minLength", check_min_length},
    {"maxLength", check_max_length},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"minItems", check_min_items},
    {"maxItems", check_max_items},
    {"maxProperties", check_max_members},
    {"items", check_items},
    {"required", check_required},
    {"properties", check_properties},
    {"additionalProperties", check_others},
    {"not", check_not},
    {"allOf", check_all_of},
    {"anyOf", check_any_of},
    {"oneOf", check_one_of},
    {"if", check_if},
    {"then", check_nothing},
    {"class", check_nothing},
};

static bool check_keyword(const struct place *p, const char *name, json_t *argument, json_t *schema, json_t *value)
{
    for (size_t i = 0; i < COUNT(keywords); i++) {
        if (strcmp(keywords[i].name, name) == 0) {
            return keywords[i].check(p, argument, schema, value);
        }
    }
    return refuse(p, "the keyword %s of the schema is not known here", name);
}

static bool accepts(const struct place *p, json_t *schema, json_t *value)
{
    const char *name;
    json_t *argument;

    json_object_foreach(schema, name, argument) {
        if (!check_keyword(p, name, argument, schema, value)) {
            return false;
        }
    }
    return true;
}

/* The members that the writer puts in front. */
static void add_frame(json_t *line)
{
    if (json_object_get(line, "seq") == NULL) {
        (void)json_object_set_new(line, "seq", json_integer(1));
        (void)json_object_set_new(line, "node", json_string(""));
        (void)json_object_set_new(line, "boot_id", json_string(""));
    }
}

static bool accepts_record(const struct place *p, json_t *record)
{
    const char *type = json_string_value(json_object_get(record, "type"));
    json_t *schema = type == NULL ? NULL : json_object_get(json_object_get(p->root, "$defs"), type);

    add_frame(record);
    return schema != NULL ? accepts(p, schema, record) : refuse(p, "a type of the schema expected");
}

bool line_schema_accepts(struct span line, char why[LINE_SCHEMA_WHY])
{
    static json_t *root; /* read once */
    json_error_t error = {.text = ""};

    if (root == NULL) {
        root = json_load_file("rules/decision-log.schema.json", 0, &error);
    }
    const struct place p = {.root = root, .why = why, .member = "line"};
    json_t *record = root == NULL ? NULL : json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, &error);
    bool is_accepted = json_is_object(record) ? accepts_record(&p, record) : refuse(&p, "a JSON object expected: %s", error.text);

    json_decref(record);
    return is_accepted;
}
