/* The files of this program and those of `age` itself, each opened by the other. */
#include "testing.h"

#include <sodium.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "seal/age.h"

enum { CHUNK = 64 * 1024, PLAIN_MAX = 3 * CHUNK };

static char folder[] = "/tmp/filterd-age.XXXXXX";
static char plain[PLAIN_MAX];

static const char *path(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *to = paths[next++ % COUNT(paths)];

    (void)snprintf(to, sizeof(paths[0]), "%s/%s", folder, name);
    return to;
}

/* In that folder, by the shell. */
static bool run(const char *command)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void put(const char *name, struct span bytes)
{
    struct error err;

    assert_true(file_write_atomic(path(name), bytes, 0600, &err));
}

static void get(const char *name, struct buf *out)
{
    struct error err;

    buf_init(out, 2 * (size_t)PLAIN_MAX);
    assert_true(file_read(path(name), out, &err));
}

static int set_up(void **state)
{
    (void)state;
    if (sodium_init() < 0 || mkdtemp(folder) == NULL || chdir(folder) != 0 ||
        !run("age --version >/dev/null 2>&1")) {
        return 0; /* what needs age is skipped */
    }
    randombytes_buf(plain, sizeof(plain));
    return run("age-keygen -o one.key 2>/dev/null && age-keygen -o two.key 2>/dev/null && "
               "age-keygen -y one.key >one.pub && age-keygen -y two.key >two.pub && "
               "cat one.pub two.pub >both") ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return run("rm -f one.* two.* both plain sealed inner opened") && rmdir(folder) == 0 ? 0 : -1;
}

static bool has_age(void)
{
    struct stat info;

    return stat(path("both"), &info) == 0;
}

static void load(struct age_identity identities[2], struct age_recipient recipients[2])
{
    static const char *const names[] = {"one.key", "two.key"};

    for (size_t i = 0; i < 2; i++) {
        struct age_identity all[AGE_IDENTITIES_MAX];
        struct error err;
        struct buf text;
        size_t n;
        get(names[i], &text);
        assert_true(age_identities_read(names[i], buf_span(&text), all, &n, &err));
        identities[i] = all[0];
        age_identity_recipient(&all[0], &recipients[i]);
        buf_deinit(&text);
    }
}

static const size_t lengths[] = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, PLAIN_MAX};

static void age_opens_what_is_sealed_here(void **state)
{
    (void)state;
    struct age_identity identities[2];
    struct age_recipient recipients[2];
    struct error err;

    if (!has_age()) {
        skip();
    }
    load(identities, recipients);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct buf file;
        buf_init(&file, 2 * (size_t)PLAIN_MAX);
        assert_true(age_seal(recipients, 2, span_of(plain, lengths[i]), &file, &err));
        put("sealed", buf_span(&file));
        put("plain", span_of(plain, lengths[i]));
        assert_true(run("age -d -i one.key sealed | cmp - plain && age -d -i two.key sealed | cmp - plain"));
        buf_deinit(&file);
    }
}

static void what_age_sealed_is_opened_here(void **state)
{
    (void)state;
    struct age_identity identities[2];
    struct age_recipient recipients[2];
    struct error err;

    if (!has_age()) {
        skip();
    }
    load(identities, recipients);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct secret opened;
        struct buf file;
        put("plain", span_of(plain, lengths[i]));
        assert_true(run("age -R both plain >sealed"));
        get("sealed", &file);
        assert_true(age_open(&identities[i % 2], 1, buf_span(&file), &opened, &err));
        assert_int_equal(opened.len, lengths[i]);
        assert_memory_equal(opened.data, plain, lengths[i]);
        secret_deinit(&opened);
        buf_deinit(&file);
    }
}

static void age_opens_a_rewrapped_file_and_nested_ones(void **state)
{
    (void)state;
    struct age_identity identities[2];
    struct age_recipient recipients[2];
    struct error err;
    struct buf inner, outer;

    if (!has_age()) {
        skip();
    }
    load(identities, recipients);
    buf_init(&inner, PLAIN_MAX);
    buf_init(&outer, PLAIN_MAX);
    assert_true(age_seal(&recipients[1], 1, span_str("both keys\n"), &inner, &err));
    assert_true(age_seal(&recipients[0], 1, buf_span(&inner), &outer, &err));
    put("sealed", buf_span(&outer));
    assert_true(run("age -d -i one.key sealed | age -d -i two.key | grep -qx 'both keys'"));
    buf_clear(&outer);
    assert_true(age_rewrap(&identities[1], 1, buf_span(&inner), &recipients[0], 1, &outer, &err));
    put("sealed", buf_span(&outer));
    assert_true(run("age -d -i one.key sealed | grep -qx 'both keys' && ! age -d -i two.key sealed 2>/dev/null"));
    buf_deinit(&inner);
    buf_deinit(&outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(age_opens_what_is_sealed_here),
        cmocka_unit_test(what_age_sealed_is_opened_here),
        cmocka_unit_test(age_opens_a_rewrapped_file_and_nested_ones),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
