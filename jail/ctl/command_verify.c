/* command_verify.c - filterd-jail verify: verifies the signatures of reports with a public key. */
#include "base/cleanup.h"
#include "base/file.h"
#include "jail/ctl/command.h"
#include "jail/report/signature.h"

enum { REPORT_BYTES_MAX = 4 * 1024 * 1024 };

static bool verify(const uint8_t key[JAIL_PUBLIC_KEY], const char *path, struct buf *out, int *code, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    struct error why;
    struct span report;

    buf_init(&line, REPORT_BYTES_MAX);
    if (!file_read(path, &line, err)) {
        return false;
    }
    if (!jail_verify(key, buf_span(&line), &report, &why)) {
        *code = EXIT_FOUND;
        return buf_appendf(out, err, "WRONG %s: %s\n", path, why.text);
    }
    /* Both kinds are signed; only one says how the run went. */
    bool is_final = memmem(report.ptr, report.len, "\"phase\":\"final\"", 15) != NULL;
    return buf_appendf(out, err, "good  %s%s\n", path, is_final ? "" : ": open, the run has not ended or its launcher was killed");
}

static int run(const struct jail_arguments *args)
{
    struct buf out CLEANUP(buf_deinit);
    uint8_t key[JAIL_PUBLIC_KEY];
    struct error err;
    int code = EXIT_CLEAN;

    buf_init(&out, PRINT_MAX);
    if (!jail_public_key_read(args->operands[0], key, &err)) {
        return jail_command_failed(&err);
    }
    for (int i = 1; i < args->n; i++) {
        if (!verify(key, args->operands[i], &out, &code, &err)) {
            return jail_command_failed(&err);
        }
    }
    return jail_command_finish(&out, code);
}

const struct jail_command jail_command_verify = {
    .name = "verify",
    .operands = "KEY REPORT…",
    .summary = "Verify the signatures of reports",
    .details = "KEY is a file as " JAIL_PUBLIC_KEY_FILE " in the reports' folder: keep a copy where no user who runs jails can write.\n"
               "Exit code: 0 when every signature is valid, 1 when one is not.\n",
    .min_operands = 2,
    .max_operands = -1,
    .run = run,
};
