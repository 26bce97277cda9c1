/* print.c - the minimal policy that would have sufficed for what was observed. */
#include <inttypes.h>

#include "jail/learn/learning.h"
#include "jail/policy/options.h"

enum { MISSING_SHOWN = 40, PAGE = 4096 };

#define MIB (INT64_C(1) << 20)

/* A quarter more than was seen, in whole MiB. */
static int64_t mib_for(int64_t bytes)
{
    return bytes <= 0 ? 1 : (bytes + bytes / 4 + MIB - 1) / MIB;
}

static bool is_within(const char *path, const char *folder, size_t len)
{
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The deepest folder that has all that was opened below the input; "" behind `to` is the input itself. False: nothing was. */
static bool find_common(const struct jail_learning *l, const char *to, char common[JAIL_PATH_MAX])
{
    size_t len = 0, to_len = strlen(to);
    const char *first = NULL;

    for (size_t i = 0; i < l->n_paths; i++) {
        const char *path = l->paths[i];
        if (!is_within(path, to, to_len)) {
            continue;
        }
        if (first == NULL) {
            first = path;
            len = strlen(path);
            continue;
        }
        while (!is_within(path, first, len)) {
            len--;
            while (first[len] != '/') {
                len--;
            }
        }
    }
    (void)snprintf(common, JAIL_PATH_MAX, "%.*s", (int)len, first == NULL ? "" : first);
    return first != NULL;
}

static bool print_input(const struct jail_input *input, const char *common, struct buf *out, struct error *err)
{
    char from[2 * JAIL_PATH_MAX];

    (void)snprintf(from, sizeof(from), "%s%s", input->from, common + strlen(input->to));
    return buf_append_str(out, "  - {from: ", err) && jail_print_string(from, out, err) &&
           buf_append_str(out, ", to: ", err) && jail_print_string(common, out, err) &&
           buf_append_str(out, input->is_snapshot ? ", snapshot: true}\n" : "}\n", err);
}

static bool print_inputs(const struct jail_learning *l, struct buf *out, struct error *err)
{
    char common[JAIL_PATH_MAX];
    bool is_used = l->n_paths > 0, is_good = buf_append_str(out, is_used ? "inputs:\n" : "inputs: []\n", err);

    for (size_t i = 0; is_good && i < l->policy->n_inputs; i++) {
        const struct jail_input *input = &l->policy->inputs[i];
        is_good = find_common(l, input->to, common) ? print_input(input, common, out, err)
                                                    : buf_append_str(out, "  # not used: ", err) &&
                                                          jail_print_string(input->to, out, err) &&
                                                          buf_append_char(out, '\n', err);
    }
    return is_good;
}

static bool print_calls(const struct jail_learning *l, struct buf *out, struct error *err)
{
    static const struct {
        unsigned need;
        const char *text;
    } needs[] = {{JAIL_NEED_SOCKETS, "sockets"},
                 {JAIL_NEED_CODE_IN_MEMORY, "memory that is writable and executable at once"},
                 {JAIL_NEED_FILELESS, "programs that never were a file"},
                 {JAIL_NEED_OWN_WALLS, "mechanisms of the program's own"}};
    const char *separator = " # ";

    if (!buf_appendf(out, err, "syscalls: {profile: %s}", l->needs == 0 ? "strict" : "agent")) {
        return false;
    }
    for (size_t i = 0; i < COUNT(needs); i++) {
        if ((l->needs & needs[i].need) != 0) {
            if (!buf_appendf(out, err, "%s%s", separator, needs[i].text)) {
                return false;
            }
            separator = ", ";
        }
    }
    return buf_append_char(out, '\n', err);
}

static bool print_room(const struct jail_learning *l, struct buf *out, struct error *err)
{
    return buf_append_str(out, "work: {path: ", err) && jail_print_string(l->policy->work_path, out, err) &&
           buf_appendf(out, err, ", size: %" PRId64 "M, inodes: %" PRId64 ", exec: %s}\n", mib_for(l->work_bytes),
                       l->work_inodes + l->work_inodes / 4 + 16, l->runs_work ? "true" : "false") &&
           buf_appendf(out, err, "tmp: {size: %" PRId64 "M, inodes: %" PRId64 ", exec: %s}\n", mib_for(l->tmp_bytes),
                       l->tmp_inodes + l->tmp_inodes / 4 + 16, l->runs_tmp ? "true" : "false");
}

/* What the copies took at most, each in whole pages, with some more. */
static struct jail_copy_limits room_for_copies(const struct jail_outcome *o)
{
    struct jail_copy_limits room = {0};

    for (size_t i = 0; i < o->n_snapshots; i++) {
        room.files += o->snapshots[i].files;
        room.bytes += o->snapshots[i].bytes + o->snapshots[i].files * PAGE;
    }
    return (struct jail_copy_limits){.bytes = mib_for(room.bytes), .files = room.files + room.files / 4 + 1};
}

static bool print_copies(const struct jail_outcome *o, struct buf *out, struct error *err)
{
    const struct jail_copy_limits room = room_for_copies(o);

    return o->n_snapshots == 0 ||
           buf_appendf(out, err, "snapshots: {size: %" PRId64 "M, files: %" PRId64 "}\n", room.bytes, room.files);
}

static bool print_limits(const struct jail_outcome *o, struct buf *out, struct error *err)
{
    const struct jail_use *u = &o->use;
    int64_t memory = mib_for(u->memory_peak), copies = o->n_snapshots == 0 ? 0 : room_for_copies(o).bytes;

    memory = memory < copies ? copies : memory;
    if (!buf_append_str(out, "limits:\n", err) ||
        (u->memory_peak > 0 && !buf_appendf(out, err, "  memory: %" PRId64 "M\n", memory < 4 ? 4 : memory))) {
        return false;
    }
    /* Times differ between machines and moments more than sizes do: four times what it took. */
    return (u->cpu_ms < 0 || buf_appendf(out, err, "  cpu_time: %" PRId64 "s\n", u->cpu_ms * 4 / 1000 + 1)) &&
           buf_appendf(out, err, "  wall: %" PRId64 "s\n  output: %" PRIu64 "K\n", u->wall_ms * 4 / 1000 + 1,
                       u->bytes_out * 5 / 4 / 1024 + 1);
}

/* Comments, as the operator decides whether to grant them. */
static bool print_rest(const struct jail_learning *l, struct buf *out, struct error *err)
{
    bool is_good = l->refused[0] == '\0' || buf_appendf(out, err, "# refused, whatever a policy says: %s\n", l->refused);

    for (size_t i = 0; is_good && i < l->n_missing && i < MISSING_SHOWN; i++) {
        is_good = buf_append_str(out, i == 0 ? "# asked for, there on the machine and not in the jail:\n#   " : "#   ", err) &&
                  jail_print_string(l->missing[i], out, err) && buf_append_char(out, '\n', err);
    }
    if (is_good && l->n_missing > MISSING_SHOWN) {
        is_good = buf_appendf(out, err, "#   and %zu more\n", l->n_missing - MISSING_SHOWN);
    }
    return is_good && (!l->has_overflown || buf_append_str(out, "# more paths than are kept: inputs may be too narrow\n", err));
}

bool jail_learning_print(const struct jail_learning *l, const struct jail_outcome *o, struct buf *out, struct error *err)
{
    return buf_append_str(out, "name: ", err) && jail_print_string(l->policy->name, out, err) &&
           buf_appendf(out, err, "\n# What one run used (it ended with %d); another may use more. Names, environment, outputs and network\n"
                       "# are not learned: take them over from the policy it ran under.\n", o->exit_code) &&
           print_calls(l, out, err) && print_inputs(l, out, err) && print_copies(o, out, err) && print_room(l, out, err) && print_limits(o, out, err) &&
           print_rest(l, out, err);
}
