#include "ctl/command.h"

#include <stdio.h>

#include "ctl/complain.h"

int command_failed(const struct error *err)
{
    complain("%s", err->text);
    return EXIT_FAILED;
}

bool command_print(struct span text, struct error *err)
{
    if (fwrite(text.ptr != NULL ? text.ptr : "", 1, text.len, stdout) != text.len ||
        fflush(stdout) != 0) {
        return error_errno(err, "standard output");
    }
    return true;
}

int command_finish(const struct buf *out, int code)
{
    struct error err;

    return command_print(buf_span(out), &err) ? code : command_failed(&err);
}
