/* filterd-decision-log(5) and rules/decision-log.schema.json have the same types of lines, members, classes and values. */
#include "testing.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"

#define PAGE "docs/man/filterd-decision-log.5"
#define SCHEMA "rules/decision-log.schema.json"

enum { NAME_ROOM = 64, TEXT_ROOM = 16 * 1024, PAGE_MAX = 1 << 20 };

static unsigned complaints;

static void complain(const char *section, const char *member, const char *what)
{
    (void)fprintf(stderr, "%s, %s: %s: %s\n", PAGE, section, member, what);
    complaints++;
}

/* Without \- and fonts. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *at = text; *at != '\0'; at++) {
        if (at[0] == '\\' && at[1] == 'f' && at[2] != '\0') {
            at += 2;
        } else if (at[0] != '\\') {
            *to++ = *at;
        }
    }
    *to = '\0';
}

/* One section: its heading, its text, and the part of it behind the heading that is a table. */
struct section {
    char name[NAME_ROOM];
    char text[TEXT_ROOM], table[TEXT_ROOM];
};

/* Takes the section at *page, which begins behind ".SS ". */
static void take_section(const char **page, struct section *s)
{
    const char *end = strstr(*page, "\n.S");
    size_t len = end == NULL ? strlen(*page) : (size_t)(end - *page);

    assert_true(len < TEXT_ROOM);
    (void)snprintf(s->text, TEXT_ROOM, "%.*s", (int)len, *page);
    *page += len;
    unescape(s->text);
    (void)snprintf(s->name, NAME_ROOM, "%.*s", (int)strcspn(s->text, "\n"), s->text);
    const char *table = strstr(s->text, "lb l lx.\n");
    (void)snprintf(s->table, TEXT_ROOM, "%s", table == NULL ? "" : table + strlen("lb l lx.\n"));
    char *behind = strstr(s->table, ".TE");
    if (behind != NULL) {
        *behind = '\0';
    }
}

/* A row: "names|class|meaning", or with its meaning between T{ and T} on lines of their own. */
struct row {
    char names[NAME_ROOM * 2], class[NAME_ROOM], meaning[TEXT_ROOM];
};

static bool next_row(const char **at, struct row *r)
{
    if (sscanf(*at, "%127[^|]|%63[^|]|", r->names, r->class) != 2) {
        return false;
    }
    const char *meaning = strchr(strchr(*at, '|') + 1, '|') + 1;
    bool is_block = strncmp(meaning, "T{\n", 3) == 0;
    const char *end = strstr(meaning, is_block ? "\nT}\n" : "\n");
    assert_non_null(end);
    (void)snprintf(r->meaning, TEXT_ROOM, "%.*s", (int)(end - meaning), meaning);
    *at = end + (is_block ? 4 : 1);
    return true;
}

static bool has_name(const char *names, const char *name)
{
    char copy[NAME_ROOM * 2], *rest = NULL;

    (void)snprintf(copy, sizeof(copy), "%s", names);
    for (const char *one = strtok_r(copy, ", ", &rest); one != NULL; one = strtok_r(NULL, ", ", &rest)) {
        if (strcmp(one, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool find_row(const char *table, const char *name, struct row *r)
{
    while (next_row(&table, r)) {
        if (has_name(r->names, name)) {
            return true;
        }
    }
    return false;
}

static json_t *resolve(json_t *root, json_t *value)
{
    const char *ref = json_string_value(json_object_get(value, "$ref"));

    return ref == NULL ? value : json_object_get(json_object_get(root, "$defs"), ref + strlen("#/$defs/"));
}

/* A row may refer to another: "as of a decision". */
static void check_values(const struct section *s, const struct row *r, const char *name, json_t *root, json_t *member)
{
    json_t *values = json_object_get(resolve(root, member), "enum");
    bool refers = strncmp(r->meaning, "as of", 5) == 0 || strstr(r->meaning, "\nas of") != NULL || strcmp(r->meaning, "likewise") == 0;

    for (size_t i = 0; !refers && i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (value != NULL && strstr(s->text, value) == NULL) {
            complain(s->name, name, value);
        }
    }
}

static void check_member(const struct section *s, const char *name, json_t *root, json_t *member)
{
    static struct row r;
    const char *class = json_string_value(json_object_get(member, "class"));

    if (!find_row(s->table, name, &r) || class == NULL) {
        complain(s->name, name, class == NULL ? "a class in the schema expected" : "a row expected");
        return;
    }
    if (strcmp(r.class, strcmp(class, "clear or token") == 0 ? "clear, token" : class) != 0) {
        complain(s->name, name, "the class of the schema expected");
    }
    check_values(s, &r, name, root, member);
}

/* Each name of a row is a member. */
static void check_rows(const struct section *s, json_t *members)
{
    static struct row r;

    for (const char *at = s->table; next_row(&at, &r);) {
        char *rest = NULL;
        for (const char *one = strtok_r(r.names, ", ", &rest); one != NULL; one = strtok_r(NULL, ", ", &rest)) {
            if (json_object_get(members, one) == NULL) {
                complain(s->name, one, "the schema has no such member");
            }
        }
    }
}

static bool is_of_frame(const char *name)
{
    return has_name("seq, node, boot_id, v, type, ts", name);
}

static void check_section(const struct section *s, json_t *root)
{
    const char *space = strchr(s->name, ' ');
    bool is_frame = strcmp(s->name, "Every line") == 0;
    json_t *object = json_object_get(json_object_get(root, "$defs"), is_frame ? "rotation" : space + 1), *member;
    json_t *members = json_object_get(object, "properties");
    const char *name;

    if (object == NULL) {
        complain(s->name, "heading", "the schema has no such definition");
        return;
    }
    json_object_foreach(members, name, member) {
        if (is_of_frame(name) == is_frame) {
            check_member(s, name, root, member);
        }
    }
    check_rows(s, members);
    (void)json_object_set_new(object, "is documented", json_true());
}

static void the_page_and_the_schema_have_the_same_members(void **state)
{
    static struct section s;
    json_error_t why;
    json_t *root = json_load_file(SCHEMA, JSON_REJECT_DUPLICATES, &why), *object;
    struct error err;
    struct buf text;
    const char *name;

    (void)state;
    complaints = 0;
    buf_init(&text, PAGE_MAX);
    assert_non_null(root);
    assert_true(file_read(PAGE, &text, &err) && buf_append_char(&text, '\0', &err));
    for (const char *at = text.data; (at = strstr(at, "\n.SS ")) != NULL;) {
        at += strlen("\n.SS ");
        take_section(&at, &s);
        if (strncmp(s.name, "Type ", 5) == 0 || strncmp(s.name, "Object ", 7) == 0 || strcmp(s.name, "Every line") == 0) {
            check_section(&s, root);
        }
    }
    json_object_foreach(json_object_get(root, "$defs"), name, object) {
        if (json_object_get(object, "properties") != NULL && json_object_get(object, "is documented") == NULL) {
            complain("the whole page", name, "a section expected");
        }
    }
    json_decref(root);
    buf_deinit(&text);
    assert_int_equal(complaints, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_and_the_schema_have_the_same_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
