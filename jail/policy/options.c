#include "jail/policy/options.h"

#include <assert.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/json.h"

#define AT(member) offsetof(struct jail_policy, member)

#define KIB INT64_C(1024)
#define MIB (1024 * KIB)
#define SECOND INT64_C(1000)
#define HOUR (3600 * SECOND)

#define SIZE_LARGEST (INT64_C(1) << 50)
#define COPIES_LARGEST (INT64_C(64) << 30)
#define TIME_LONGEST (1000 * HOUR)

static const char *const profiles[] = {"strict", "agent", NULL};
static const char *const missing[] = {"refuse", "degrade", NULL};
static const char *const denied[] = {"refuse", "honeytoken", NULL};
static const char *const networks[] = {"none", NULL};

/* The one word that `network` can be besides a mapping (network.h). */
#define NOWHERE SIZE_MAX

const struct jail_option jail_options[] = {
    {"", "name", JAIL_OPTION_NAME, false, AT(name), 1, 64, NULL, NULL},
    {"", "hostname", JAIL_OPTION_NAME, false, AT(hostname), 1, 63, "jail", NULL},
    {"", "network", JAIL_OPTION_CHOICE, false, NOWHERE, 0, 0, "none", networks},
    {"", "on_missing_mechanism", JAIL_OPTION_CHOICE, false, AT(on_missing), 0, 0, "refuse", missing},
    {"", "on_denied_name", JAIL_OPTION_CHOICE, false, AT(on_denied), 0, 0, "refuse", denied},
    {"syscalls", "profile", JAIL_OPTION_CHOICE, false, AT(profile), 0, 0, "agent", profiles},
    {"work", "path", JAIL_OPTION_PATH, false, AT(work_path), 0, 0, "/work", NULL},
    {"work", "size", JAIL_OPTION_SIZE, false, AT(work.bytes), 64 * KIB, SIZE_LARGEST, "256M", NULL},
    {"work", "inodes", JAIL_OPTION_COUNT, false, AT(work.inodes), 16, INT32_MAX, "65536", NULL},
    {"work", "exec", JAIL_OPTION_FLAG, false, AT(work.may_exec), 0, 1, "true", NULL},
    {"tmp", "size", JAIL_OPTION_SIZE, false, AT(tmp.bytes), 64 * KIB, SIZE_LARGEST, "64M", NULL},
    {"tmp", "inodes", JAIL_OPTION_COUNT, false, AT(tmp.inodes), 16, INT32_MAX, "16384", NULL},
    {"tmp", "exec", JAIL_OPTION_FLAG, false, AT(tmp.may_exec), 0, 1, "false", NULL},
    {"snapshots", "size", JAIL_OPTION_SIZE, false, AT(snapshots.bytes), 64 * KIB, COPIES_LARGEST, "256M", NULL},
    {"snapshots", "files", JAIL_OPTION_COUNT, false, AT(snapshots.files), 1, 1000000, "20000", NULL},
    {"outputs", "path", JAIL_OPTION_PATH, false, AT(outputs.path), 0, 0, NULL, NULL},
    {"outputs", "quarantine", JAIL_OPTION_HOST_PATH, false, AT(outputs.quarantine), 0, 0, NULL, NULL},
    {"outputs", "size", JAIL_OPTION_SIZE, false, AT(outputs.bytes), 64 * KIB, SIZE_LARGEST, "64M", NULL},
    {"outputs", "files", JAIL_OPTION_COUNT, false, AT(outputs.files), 1, 1000000, "2000", NULL},
    {"outputs", "deadline", JAIL_OPTION_TIME, false, AT(outputs.deadline), 1, HOUR, "1m", NULL},
    {"filter", "socket", JAIL_OPTION_HOST_PATH, false, AT(filter.socket), 0, 0, NULL, NULL},
    {"filter", "agent", JAIL_OPTION_NAME, false, AT(filter.agent), 1, 64, NULL, NULL},
    {"filter", "tenant", JAIL_OPTION_NAME, false, AT(filter.tenant), 1, 64, NULL, NULL},
    {"filter", "lease", JAIL_OPTION_TIME, false, AT(filter.lease), 200, HOUR, "2s", NULL},
    {"report", "folder", JAIL_OPTION_HOST_PATH, false, AT(report), 0, 0, NULL, NULL},
    {"limits", "memory", JAIL_OPTION_SIZE, true, AT(limits.memory), 4 * MIB, SIZE_LARGEST, "1G", NULL},
    {"limits", "swap", JAIL_OPTION_SIZE, true, AT(limits.swap), 0, SIZE_LARGEST, "0", NULL},
    {"limits", "cpu", JAIL_OPTION_CPU, true, AT(limits.cpu), 10, 1000000, "2", NULL},
    {"limits", "pids", JAIL_OPTION_COUNT, false, AT(limits.pids), 2, 100000, "128", NULL},
    {"limits", "wall", JAIL_OPTION_TIME, true, AT(limits.wall), 1, TIME_LONGEST, "1h", NULL},
    {"limits", "cpu_time", JAIL_OPTION_TIME, true, AT(limits.cpu_time), 1, TIME_LONGEST, "1h", NULL},
    {"limits", "idle", JAIL_OPTION_TIME, true, AT(limits.idle), 1, TIME_LONGEST, "15m", NULL},
    {"limits", "open_files", JAIL_OPTION_COUNT, false, AT(limits.open_files), 8, 1000000, "1024", NULL},
    {"limits", "file_size", JAIL_OPTION_SIZE, true, AT(limits.file_size), 0, SIZE_LARGEST, "1G", NULL},
    {"limits", "output", JAIL_OPTION_SIZE, true, AT(limits.output), 0, SIZE_LARGEST, "64M", NULL},
};
const size_t jail_options_count = COUNT(jail_options);

static const struct unit {
    const char *suffix;
    int64_t factor;
} sizes[] = {{"T", INT64_C(1) << 40}, {"G", 1 << 30}, {"M", MIB}, {"K", KIB}, {"", 1}},
  times[] = {{"ms", 1}, {"s", SECOND}, {"m", 60 * SECOND}, {"h", HOUR}};

/* --- texts ---------------------------------------------------------------- */

bool jail_read_string(const struct yaml_node *node, struct jail_policy *p, const char **out, struct error *err)
{
    if (!yaml_expect(node, YAML_SCALAR, "value", err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    const char *text = arena_string(&p->arena, node->text, err);
    if (text == NULL) {
        return false;
    }
    *out = text;
    return true;
}

static bool read_name(const struct yaml_node *node, const struct jail_option *o, struct jail_policy *p,
                      const char **out, struct error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const char *text = "";

    if (!jail_read_string(node, p, &text, err)) {
        return false;
    }
    size_t len = strlen(text);
    if ((int64_t)len < o->min || (int64_t)len > o->max || strspn(text, letters) != len || text[0] == '.' ||
        text[0] == '-') {
        return yaml_error(node, err, "%s: 1 to %d letters, digits, '-', '_' and '.' expected", o->key, (int)o->max);
    }
    *out = text;
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

bool jail_read_inside_path(const struct yaml_node *node, struct jail_policy *p, const char **out, struct error *err)
{
    static const char *const own[] = {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc",
                                      "proc", "dev", "sys", "tmp", "run"};
    const char *path = "";

    if (!jail_read_string(node, p, &path, err)) {
        return false;
    }
    if (!is_simple_path(path)) {
        return yaml_error(node, err, "an absolute path without '.', '..' and '//' expected");
    }
    size_t first = strcspn(path + 1, "/");
    for (size_t i = 0; i < COUNT(own); i++) {
        if (span_is(span_of(path + 1, first), own[i])) {
            return yaml_error(node, err, "a path outside /%s expected, the jail makes that itself", own[i]);
        }
    }
    *out = path;
    return true;
}

bool jail_read_host_path(const struct yaml_node *node, const char *folder, struct jail_policy *p, const char **out,
                         struct error *err)
{
    const char *text = "";

    if (!jail_read_string(node, p, &text, err)) {
        return false;
    }
    while (text[0] == '.' && text[1] == '/') {
        text += 2;
    }
    if (strcmp(text, ".") == 0) {
        text = "";
    }
    size_t room = strlen(folder) + strlen(text) + 2;
    char *path = arena_alloc(&p->arena, room, err);
    if (path == NULL) {
        return false;
    }
    (void)snprintf(path, room, "%s%s%s", text[0] == '/' ? "" : folder,
                   text[0] == '/' || text[0] == '\0' || strcmp(folder, "/") == 0 ? "" : "/", text);
    if (!is_simple_path(path)) {
        return yaml_error(node, err, "a path without '..' and '//' expected, absolute or from the policy's folder");
    }
    *out = path;
    return true;
}

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

/* --- numbers -------------------------------------------------------------- */

static bool read_unit(const struct yaml_node *node, const struct unit *units, size_t n, int64_t *out)
{
    char digits[24];
    char *end = NULL;

    for (size_t i = 0; i < n; i++) {
        size_t suffix = strlen(units[i].suffix);
        size_t len = node->text.len - suffix;
        if (node->text.len <= suffix || len >= sizeof(digits) ||
            memcmp(node->text.ptr + len, units[i].suffix, suffix) != 0) {
            continue;
        }
        memcpy(digits, node->text.ptr, len);
        digits[len] = '\0';
        if (strspn(digits, "0123456789") != len || len > 15) {
            continue;
        }
        int64_t number = strtoll(digits, &end, 10);
        return !__builtin_mul_overflow(number, units[i].factor, out);
    }
    return false;
}

/* In the option's unit, whatever its range. */
static bool read_quantity(const struct jail_option *o, const struct yaml_node *node, int64_t *out, struct error *err)
{
    double cpu = 0;

    if (o->kind == JAIL_OPTION_CPU && yaml_read_number(node, 0, 1e6, &cpu, err)) {
        *out = (int64_t)(cpu * 1000 + 0.5);
        return true;
    }
    if (o->kind == JAIL_OPTION_SIZE) {
        return read_unit(node, sizes, COUNT(sizes), out);
    }
    if (o->kind == JAIL_OPTION_TIME) {
        return read_unit(node, times, COUNT(times), out);
    }
    return o->kind == JAIL_OPTION_COUNT && read_unit(node, &sizes[COUNT(sizes) - 1], 1, out);
}

static bool read_number(const struct jail_option *o, const struct yaml_node *node, int64_t *out, struct error *err)
{
    static const char *const expected[] = {"a whole number", "a size as 512K, 64M or 2G", "a time as 500ms, 30s, 15m or 2h",
                                           "a number of processors as 1.5"};

    if (o->may_be_none && node->kind == YAML_SCALAR && span_is(node->text, "none")) {
        *out = JAIL_NONE;
        return true;
    }
    if (node->kind != YAML_SCALAR || !read_quantity(o, node, out, err) || *out < o->min || *out > o->max) {
        return yaml_error(node, err, "%s: %s expected, from %" PRId64 " to %" PRId64 "%s%s", o->key, expected[o->kind],
                          o->min, o->max,
                          o->kind == JAIL_OPTION_TIME  ? " ms"
                          : o->kind == JAIL_OPTION_CPU ? " thousandths"
                                                       : "",
                          o->may_be_none ? ", or none" : "");
    }
    return true;
}

static bool print_number(const struct jail_option *o, int64_t value, struct buf *out, struct error *err)
{
    if (value == JAIL_NONE) {
        return buf_append_str(out, "none", err);
    }
    if (o->kind == JAIL_OPTION_CPU) {
        return buf_appendf(out, err, "%" PRId64 ".%03d", value / 1000, (int)(value % 1000));
    }
    return buf_appendf(out, err, "%" PRId64 "%s", value, o->kind == JAIL_OPTION_TIME ? "ms" : "");
}

/* --- one option ----------------------------------------------------------- */

bool jail_option_read(const struct jail_option *o, const struct yaml_node *node, const char *folder,
                      struct jail_policy *p, struct error *err)
{
    unsigned ignored;
    void *at = o->offset == NOWHERE ? (void *)&ignored : (void *)((char *)p + o->offset);

    switch (o->kind) {
    case JAIL_OPTION_COUNT:
    case JAIL_OPTION_SIZE:
    case JAIL_OPTION_TIME:
    case JAIL_OPTION_CPU:
        return read_number(o, node, at, err);
    case JAIL_OPTION_FLAG:
        return yaml_read_flag(node, at, err);
    case JAIL_OPTION_CHOICE:
        return yaml_read_choice(node, o->choices, at, err);
    case JAIL_OPTION_PATH:
        return jail_read_inside_path(node, p, at, err);
    case JAIL_OPTION_NAME:
        return read_name(node, o, p, at, err);
    case JAIL_OPTION_HOST_PATH:
        return jail_read_host_path(node, folder, p, at, err);
    }
    return error_set(err, ERROR_INTERNAL, "option %s: unknown kind", o->key);
}

bool jail_option_print(const struct jail_option *o, const struct jail_policy *p, struct buf *out, struct error *err)
{
    static const unsigned first = 0;
    const void *at = o->offset == NOWHERE ? (const void *)&first : (const void *)((const char *)p + o->offset);

    switch (o->kind) {
    case JAIL_OPTION_COUNT:
    case JAIL_OPTION_SIZE:
    case JAIL_OPTION_TIME:
    case JAIL_OPTION_CPU:
        return print_number(o, *(const int64_t *)at, out, err);
    case JAIL_OPTION_FLAG:
        return buf_append_str(out, *(const bool *)at ? "true" : "false", err);
    case JAIL_OPTION_CHOICE:
        return buf_append_str(out, o->choices[*(const unsigned *)at], err);
    case JAIL_OPTION_PATH:
    case JAIL_OPTION_NAME:
    case JAIL_OPTION_HOST_PATH:
        return jail_print_string(*(const char *const *)at, out, err);
    }
    return error_set(err, ERROR_INTERNAL, "option %s: unknown kind", o->key);
}
