/* Whatever part of a file a crash left unwritten, the next start goes on, and nothing that was durable is lost.
 *
 * A crash is made from two moments of one log: what was synced at the first is there; what was written after it, up to the
 * second, is there or not, whole or in part, each file for itself in the order in which filterd syncs them. FILTERD_CRASHES
 * says how many are tried. */
#include "unit/decision_log/proven_log_testing.h"

enum { FILES_MAX = 64, NAME_MAX_LEN = 128 };

/* The files of a moment. */
struct moment {
    struct {
        char name[NAME_MAX_LEN];
        struct buf text;
    } files[FILES_MAX];
    size_t n;
};

static struct moment *taken; /* by the walk that is running */

static int take_file(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    if (kind != FTW_F) {
        return 0;
    }
    const char *name = path + strlen(folder) + 1;
    assert_true(taken->n < FILES_MAX && strlen(name) < NAME_MAX_LEN);
    (void)snprintf(taken->files[taken->n].name, NAME_MAX_LEN, "%s", name);
    read_text(name, &taken->files[taken->n].text);
    taken->n++;
    return 0;
}

static void take_moment(struct moment *m)
{
    m->n = 0;
    taken = m;
    assert_int_equal(nftw(folder, take_file, 16, FTW_PHYS), 0);
}

static void free_moment(struct moment *m)
{
    for (size_t i = 0; i < m->n; i++) {
        buf_deinit(&m->files[i].text);
    }
    m->n = 0;
}

static struct span file_in(const struct moment *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++) {
        if (strcmp(m->files[i].name, name) == 0) {
            return buf_span(&m->files[i].text);
        }
    }
    return span_of(NULL, 0);
}

static void put_file(const char *name, struct span text)
{
    char directory[256];

    (void)snprintf(directory, sizeof(directory), "%s", at(name));
    *strrchr(directory, '/') = '\0';
    must(file_make_directory(directory, &err));
    write_text(name, text);
}

static bool is_tile(const char *name)
{
    return strncmp(name, "record/tile/", 12) == 0;
}

/* What of the work behind the first moment reached the disk, in filterd's own order. */
enum progress { SOME_LINES, ALL_LINES, ALL_TILES, SIGNED, IN_HISTORY, IN_CHECKPOINT, PROGRESSES };

static struct span part_of(struct span before, struct span after, bool is_whole)
{
    size_t more = after.len - before.len;

    return span_slice(after, 0, is_whole ? after.len : before.len + randombytes_uniform((uint32_t)more + 1));
}

/* A tile is renamed into its place: it is there whole, not there, or, as its bytes were not synced yet, empty. */
static void put_tile(const struct moment *before, const char *name, struct span after, enum progress progress)
{
    struct span old = file_in(before, name);
    uint32_t fate = progress >= ALL_TILES ? 0 : randombytes_uniform(3);

    if (old.ptr != NULL) {
        put_file(name, old);
    } else if (fate == 0) {
        put_file(name, after);
    } else if (fate == 1) {
        put_file(name, span_of("", 0));
    }
}

static void put_crash(const struct moment *before, const struct moment *after, enum progress progress)
{
    (void)empty_folder(NULL);
    for (size_t i = 0; i < before->n; i++) {
        put_file(before->files[i].name, buf_span(&before->files[i].text));
    }
    for (size_t i = 0; i < after->n; i++) {
        const char *name = after->files[i].name;
        struct span text = buf_span(&after->files[i].text), old = file_in(before, name);
        if (is_tile(name)) {
            put_tile(before, name, text, progress);
        } else if (strcmp(name, "decisions.jsonl") == 0) {
            put_file(name, part_of(old, text, progress >= ALL_LINES));
        } else if (strcmp(name, "record/checkpoints") == 0) {
            put_file(name, progress < SIGNED ? old : part_of(old, text, progress >= IN_HISTORY));
        } else if (strcmp(name, "record/checkpoint") == 0) {
            put_file(name, progress >= IN_CHECKPOINT ? text : old);
        } else {
            put_file(name, progress >= SIGNED ? text : old); /* the signer's */
        }
    }
}

static uint64_t count_lines(struct span text)
{
    uint64_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += text.ptr[i] == '\n';
    }
    return n;
}

static void crash_once(struct moment *before, struct moment *after)
{
    struct proven_log p;

    (void)empty_folder(NULL);
    open_proven(&p);
    add_lines(&p, 1 + randombytes_uniform(600));
    must(decision_log_checkpoint(p.log, &err));
    take_moment(before);
    add_lines(&p, 1 + randombytes_uniform(randombytes_uniform(2) == 0 ? 4 : 400));
    must(decision_log_checkpoint(p.log, &err));
    take_moment(after);
    close_proven(&p);

    enum progress progress = (enum progress)randombytes_uniform(PROGRESSES);
    put_crash(before, after, progress);
    uint64_t durable = count_lines(file_in(progress >= ALL_LINES ? after : before, "decisions.jsonl"));
    if (!try_open(&p, NULL)) {
        fail_msg("progress %d: %s", (int)progress, err.text);
    }
    add_lines(&p, 1 + randombytes_uniform(300));
    close_proven(&p);
    expect_sound(0);
    assert_true(check_log().last > durable);
    free_moment(before);
    free_moment(after);
}

static void any_crash_is_gone_on_from(void **state)
{
    const char *wanted = getenv("FILTERD_CRASHES");
    unsigned n = wanted == NULL ? 25 : (unsigned)strtoul(wanted, NULL, 10);
    static struct moment before, after;
    (void)state;
    for (unsigned i = 0; i < n; i++) {
        crash_once(&before, &after);
    }
}

/* The first start of all, and the first checkpoint. */
static void a_crash_before_the_first_checkpoint_is_gone_on_from(void **state)
{
    static struct moment whole;
    struct proven_log p;
    (void)state;
    (void)empty_folder(state);
    open_proven(&p);
    add_lines(&p, 3);
    must(decision_log_checkpoint(p.log, &err)); /* no file comes or goes while they are read */
    take_moment(&whole);
    close_proven(&p);
    struct span lines = file_in(&whole, "decisions.jsonl");
    for (size_t cut = 0; cut <= lines.len; cut += 41) {
        (void)empty_folder(state);
        put_file("decisions.jsonl", span_slice(lines, 0, cut));
        if (!try_open(&p, NULL)) {
            fail_msg("cut at %zu: %s", cut, err.text);
        }
        close_proven(&p);
        expect_sound(0);
    }
    free_moment(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_crash_is_gone_on_from, empty_folder, empty_folder),
        cmocka_unit_test_setup_teardown(a_crash_before_the_first_checkpoint_is_gone_on_from, empty_folder, empty_folder),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
