#include "jail/policy/options.h"

#include <assert.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/json.h"

#define KIB 0x1p10
#define MIB 0x1p20
#define HOUR 3600e3

#define COPIES_LARGEST 0x1p36
#define TIME_LONGEST (1000 * HOUR)

/* --- types ---------------------------------------------------------------- */

static bool read_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const struct field any = {.type = &field_string};
    const char *text = "";

    if (!field_string.read(r, &any, node, &text, err)) {
        return false;
    }
    size_t len = strlen(text);
    if (len == 0 || (double)len > f->max || strspn(text, letters) != len || text[0] == '.' || text[0] == '-') {
        return yaml_expected(node, err, "1 to %g letters, digits, '-', '_' and '.'", f->max);
    }
    *(const char **)out = text;
    return true;
}

/* '/a/b': no empty, '.' or '..' part, no slash at the end. */
static bool is_simple_path(const char *path)
{
    size_t len = strlen(path);

    if (path[0] != '/' || len < 2 || len >= JAIL_PATH_MAX || path[len - 1] == '/') {
        return false;
    }
    for (const char *part = path; *part == '/';) {
        part++;
        size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && memcmp(part, "..", 2) == 0)) {
            return false;
        }
        part += n;
    }
    return true;
}

static bool read_inside_path(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                             struct error *err)
{
    static const char *const own[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc",
                                      "proc", "dev", "sys", "tmp", "run"};
    const char *path = "";

    if (!field_string.read(r, f, node, &path, err)) {
        return false;
    }
    if (!is_simple_path(path)) {
        return yaml_expected(node, err, "an absolute path without '.', '..' and '//'");
    }
    size_t first = strcspn(path + 1, "/");
    for (size_t i = 0; i < COUNT(own); i++) {
        if (span_is(span_of(path + 1, first), own[i])) {
            return yaml_error(node, err, "a path outside /%s expected, the jail makes that itself", own[i]);
        }
    }
    *(const char **)out = path;
    return true;
}

static bool read_host_path(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                           struct error *err)
{
    const char *folder = ((const struct jail_reader *)r->context)->folder, *text = "";

    if (!field_string.read(r, f, node, &text, err)) {
        return false;
    }
    while (text[0] == '.' && text[1] == '/') {
        text += 2;
    }
    if (strcmp(text, ".") == 0) {
        text = "";
    }
    size_t room = strlen(folder) + strlen(text) + 2;
    char *path = arena_alloc(r->arena, room, err);
    if (path == NULL) {
        return false;
    }
    (void)snprintf(path, room, "%s%s%s", text[0] == '/' ? "" : folder,
                   text[0] == '/' || text[0] == '\0' || strcmp(folder, "/") == 0 ? "" : "/", text);
    if (!is_simple_path(path)) {
        return yaml_expected(node, err, "a path without '..' and '//', absolute or from the policy's folder,");
    }
    *(const char **)out = path;
    return true;
}

static bool read_cpu(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                     struct error *err)
{
    double cpu = 0;

    if (node->kind == YAML_SCALAR && span_is(node->text, "none")) {
        *(int64_t *)out = JAIL_NONE;
        return true;
    }
    if (!field_number.read(r, f, node, &cpu, err)) {
        return false;
    }
    *(int64_t *)out = (int64_t)(cpu * 1000 + 0.5);
    return true;
}

const struct field_type jail_name = {"name", read_name, NULL, 0}, jail_inside_path = {"path", read_inside_path, NULL, 0},
                        jail_host_path = {"path", read_host_path, NULL, 0}, jail_cpu = {"number", read_cpu, NULL, 0};

/* --- the mappings of single values ------------------------------------------ */

static const char *const profiles[] = {"strict", "agent", NULL};

#define AT(member) FIELD_AT(struct jail_policy, member)

const struct field jail_syscalls_fields[] = {
    {"profile", &field_choice, AT(profile), .names = profiles, .initial = "agent"},
    {0},
};

const struct field jail_work_fields[] = {
    {"path", &jail_inside_path, AT(work_path), .initial = "/work"},
    {"size", &field_size, AT(work.bytes), 64 * KIB, FIELD_SIZE_MAX, .initial = "256M"},
    {"inodes", &field_integer, AT(work.inodes), 16, INT32_MAX, .initial = "65536"},
    {"exec", &field_flag, AT(work.may_exec), .initial = "true"},
    {0},
};

const struct field jail_tmp_fields[] = {
    {"size", &field_size, AT(tmp.bytes), 64 * KIB, FIELD_SIZE_MAX, .initial = "64M"},
    {"inodes", &field_integer, AT(tmp.inodes), 16, INT32_MAX, .initial = "16384"},
    {"exec", &field_flag, AT(tmp.may_exec), .initial = "false"},
    {0},
};

const struct field jail_snapshots_fields[] = {
    {"size", &field_size, AT(snapshots.bytes), 64 * KIB, COPIES_LARGEST, .initial = "256M"},
    {"files", &field_integer, AT(snapshots.files), 1, 1000000, .initial = "20000"},
    {0},
};

const struct field jail_outputs_fields[] = {
    {"path", &jail_inside_path, AT(outputs.path), .is_required = true},
    {"quarantine", &jail_host_path, AT(outputs.quarantine), .is_required = true},
    {"size", &field_size, AT(outputs.bytes), 64 * KIB, FIELD_SIZE_MAX, .initial = "64M"},
    {"files", &field_integer, AT(outputs.files), 1, 1000000, .initial = "2000"},
    {"deadline", &field_ms, AT(outputs.deadline), 1, HOUR, .initial = "1m"},
    {0},
};

const struct field jail_filter_fields[] = {
    {"socket", &jail_host_path, AT(filter.socket), .is_required = true},
    {"agent", &jail_name, AT(filter.agent), .min = 1, .max = 64},
    {"tenant", &jail_name, AT(filter.tenant), .min = 1, .max = 64},
    {"lease", &field_ms, AT(filter.lease), 200, HOUR, .initial = "2s"},
    {0},
};

const struct field jail_report_fields[] = {
    {"folder", &jail_host_path, AT(report), .is_required = true},
    {0},
};

const struct field jail_limits_fields[] = {
    {"memory", &field_size, AT(limits.memory), 4 * MIB, FIELD_SIZE_MAX, "1G", .may_be_none = true},
    {"swap", &field_size, AT(limits.swap), 0, FIELD_SIZE_MAX, "0", .may_be_none = true},
    {"cpu", &jail_cpu, AT(limits.cpu), 0.01, 1000, "2", .may_be_none = true},
    {"pids", &field_integer, AT(limits.pids), 2, 100000, .initial = "128"},
    {"wall", &field_ms, AT(limits.wall), 1, TIME_LONGEST, "1h", .may_be_none = true},
    {"cpu_time", &field_ms, AT(limits.cpu_time), 1, TIME_LONGEST, "1h", .may_be_none = true},
    {"idle", &field_ms, AT(limits.idle), 1, TIME_LONGEST, "15m", .may_be_none = true},
    {"open_files", &field_integer, AT(limits.open_files), 8, 1000000, .initial = "1024"},
    {"file_size", &field_size, AT(limits.file_size), 0, FIELD_SIZE_MAX, "1G", .may_be_none = true},
    {"output", &field_size, AT(limits.output), 0, FIELD_SIZE_MAX, "64M", .may_be_none = true},
    {0},
};

/* --- printing ---------------------------------------------------------------- */

/* Characters that JSON writes as they are and YAML 1.1 takes for line breaks or refuses: DEL, C1, the two
 * separators, the byte order mark. The length of one at `at`, else 0. */
static size_t special_length(const char *at, unsigned *number)
{
    const unsigned char *b = (const unsigned char *)at;

    if (b[0] == 0x7f) {
        *number = b[0];
        return 1;
    }
    if (b[0] == 0xc2 && b[1] >= 0x80 && b[1] < 0xa0) {
        *number = b[1];
        return 2;
    }
    bool is_separator = b[0] == 0xe2 && b[1] == 0x80 && (b[2] == 0xa8 || b[2] == 0xa9);
    bool is_mark = b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf;
    if (!is_separator && !is_mark) {
        return 0;
    }
    *number = is_mark ? 0xfeff : 0x2000U + (b[2] & 0x3fU);
    return 3;
}

bool jail_print_string(const char *text, struct buf *out, struct error *err)
{
    struct buf json CLEANUP(buf_deinit);

    assert(text != NULL);
    buf_init(&json, 8 * strlen(text) + 64);
    if (!json_append_string(&json, span_str(text), err) || !buf_append_char(&json, '\0', err)) {
        return false;
    }
    for (const char *at = json.data; at != NULL && *at != '\0';) {
        unsigned number;
        size_t n = special_length(at, &number);
        bool is_good = n > 0 ? buf_appendf(out, err, "\\u%04x", number) : buf_append_char(out, *at, err);
        if (!is_good) {
            return false;
        }
        at += n > 0 ? n : 1;
    }
    return true;
}

static bool print_number(const struct field *f, const void *at, struct buf *out, struct error *err)
{
    int64_t value = *(const int64_t *)at;

    if (value == JAIL_NONE) {
        return buf_append_str(out, "none", err);
    }
    if (f->type == &jail_cpu) {
        return buf_appendf(out, err, "%" PRId64 ".%03d", value / 1000, (int)(value % 1000));
    }
    return buf_appendf(out, err, "%" PRId64 "%s", value, f->type == &field_ms ? "ms" : "");
}

static bool print_flag(const struct field *f, const void *at, struct buf *out, struct error *err)
{
    (void)f;
    return buf_append_str(out, *(const bool *)at ? "true" : "false", err);
}

static bool print_choice(const struct field *f, const void *at, struct buf *out, struct error *err)
{
    return buf_append_str(out, f->names[*(const unsigned *)at], err);
}

static bool print_text(const struct field *f, const void *at, struct buf *out, struct error *err)
{
    (void)f;
    return jail_print_string(*(const char *const *)at, out, err);
}

static const struct printer {
    const struct field_type *type;
    bool (*print)(const struct field *f, const void *at, struct buf *out, struct error *err);
} printers[] = {
    {&field_integer, print_number}, {&field_size, print_number}, {&field_ms, print_number},
    {&jail_cpu, print_number},      {&field_flag, print_flag},   {&field_choice, print_choice},
    {&jail_name, print_text},       {&jail_inside_path, print_text}, {&jail_host_path, print_text},
};

bool jail_option_print(const struct field *f, const struct jail_policy *p, const char *indent, struct buf *out,
                       struct error *err)
{
    const void *at = (const char *)p + f->offset;

    for (size_t i = 0; i < COUNT(printers); i++) {
        bool is_unset = printers[i].print == print_text && *(const char *const *)at == NULL;
        if (f->type == printers[i].type && !is_unset) {
            return buf_appendf(out, err, "%s%s: ", indent, f->name) && printers[i].print(f, at, out, err) &&
                   buf_append_char(out, '\n', err);
        }
    }
    return true;
}
