/* command_record_verify_bundle.c - filterctl record verify-bundle: whether an evidence bundle holds. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "evidence/bundle_check.h"

static int run(const struct arguments *args);

const struct command command_record_verify_bundle = {
    .name = "record verify-bundle",
    .operands = "FILE",
    .summary = "Verify an evidence bundle: every file, every signature, every line",
    .details = "The policy names the keys of the log and of its witnesses (C2SP tlog-policy). It has to come from elsewhere than the\n"
               "bundle: without --policy the one inside is taken, and the bundle is only consistent with itself. Exit code 1 when\n"
               "something does not hold, which is named.",
    .options = OPTION_BIT(OPTION_POLICY),
    .texts = {{OPTION_POLICY, "the keys that are trusted, as a tlog-policy"}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

struct mapping {
    void *at;
    size_t len;
};

static void mapping_deinit(struct mapping *m)
{
    if (m->len > 0) {
        (void)munmap(m->at, m->len);
    }
}

static bool map_file(const char *path, struct mapping *m, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;

    if (fd < 0 || fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", path);
    }
    if (info.st_size == 0) {
        return true;
    }
    m->at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (m->at == MAP_FAILED) {
        return error_errno(err, "%s", path);
    }
    m->len = (size_t)info.st_size;
    return true;
}

static bool read_policy(const char *path, struct buf *text, struct log_policy *out, struct error *err)
{
    return file_read(path, text, err) && (log_policy_parse(buf_span(text), out, err) || error_wrap(err, "%s", path));
}

static int report(const char *file, const struct bundle_report *r, bool has_policy)
{
    printf("%s: %" PRIu64 " line%s of %s hold%s under the checkpoint of size %" PRIu64 ", cosigned by %u witness%s\n", file, r->lines,
           plural_s(r->lines), r->origin, r->lines == 1 ? "s" : "", r->size, r->witnesses, r->witnesses == 1 ? "" : "es");
    if (!has_policy) {
        printf("internal consistency only: the policy came with the bundle\n");
    }
    return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_FAILED;
}

static int run(const struct arguments *args)
{
    static struct log_policy policy;
    struct mapping bundle CLEANUP(mapping_deinit) = {0};
    struct buf text CLEANUP(buf_deinit);
    struct bundle_report r;
    struct error err;
    const char *file = args->operands[0];

    buf_init(&text, LOG_POLICY_MAX);
    if (!map_file(file, &bundle, &err) || (args->policy != NULL && !read_policy(args->policy, &text, &policy, &err))) {
        return command_failed(&err);
    }
    if (!bundle_check(span_of(bundle.at, bundle.len), args->policy != NULL ? &policy : NULL, &r, &err)) {
        printf("%s: %s\n", file, err.text);
        bool could_not = err.kind == ERROR_NO_MEMORY || err.kind == ERROR_SYSTEM || err.kind == ERROR_INTERNAL;
        return could_not || fflush(stdout) != 0 ? EXIT_FAILED : EXIT_FOUND;
    }
    return report(file, &r, args->policy != NULL);
}
