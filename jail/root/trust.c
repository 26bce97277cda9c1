#include "jail/root/trust.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "jail/root/mounts.h"

#define OWN "/etc/filterd/authority.pem"
#define ALL "/etc/filterd/authorities.pem"

enum { AUTHORITIES_MAX = 2 << 20 };

static const char machines[] = "/etc/ssl/certs/ca-certificates.crt";

const struct jail_variable jail_trust_variables[JAIL_TRUST_VARIABLES] = {
    {.name = "SSL_CERT_FILE", .value = ALL},
    {.name = "CURL_CA_BUNDLE", .value = ALL},
    {.name = "REQUESTS_CA_BUNDLE", .value = ALL},
    {.name = "PIP_CERT", .value = ALL},
    {.name = "GIT_SSL_CAINFO", .value = ALL},
    {.name = "CARGO_HTTP_CAINFO", .value = ALL},
    {.name = "AWS_CA_BUNDLE", .value = ALL},
    {.name = "NODE_EXTRA_CA_CERTS", .value = OWN},
    {.name = "DENO_CERT", .value = OWN},
};

/* Returns O_PATH of the new file; -1 with err. */
static int write_new(int root, const char *path, struct span text, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);

    if (fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len) {
        error_errno(err, "/%s", path);
        return -1;
    }
    int written = openat(root, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (written < 0) {
        error_errno(err, "/%s", path);
    }
    return written;
}

/* The machine's are still in sight; one that cannot be read has none. */
static bool collect(struct buf *out, const char *pem, struct error *err)
{
    struct error ignored;

    if (access(machines, R_OK) == 0 && !file_read(machines, out, &ignored)) {
        buf_clear(out);
    }
    return buf_append_char(out, '\n', err) && buf_append_str(out, pem, err);
}

static bool cover(int root, int all, struct error *err)
{
    struct stat info;

    if (fstatat(root, machines + 1, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) {
        return true; /* programs of this machine look elsewhere, or nowhere */
    }
    int mount CLEANUP(cleanup_fd) = jail_mount_copy(all, JAIL_MOUNT_READ_ONLY | JAIL_MOUNT_NO_EXEC, err);
    int place CLEANUP(cleanup_fd) = mount < 0 ? -1 : openat(root, machines + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (mount < 0) {
        return false;
    }
    return place < 0 ? error_errno(err, "%s", machines) : jail_mount_put(mount, place, err);
}

bool jail_trust_put(int root, const char *pem, struct error *err)
{
    struct buf all CLEANUP(buf_deinit);

    buf_init(&all, AUTHORITIES_MAX);
    if (pem[0] == '\0') {
        return true;
    }
    if (mkdirat(root, "etc/filterd", 0755) != 0) {
        return error_errno(err, "/etc/filterd");
    }
    if (!collect(&all, pem, err)) {
        return false;
    }
    int own CLEANUP(cleanup_fd) = write_new(root, OWN + 1, span_str(pem), err);
    int both CLEANUP(cleanup_fd) = own < 0 ? -1 : write_new(root, ALL + 1, buf_span(&all), err);
    return both >= 0 && cover(root, both, err);
}
