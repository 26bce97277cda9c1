#include "ctl/input.h"

#include <unistd.h>

#include "base/file.h"

bool input_text(const char *operand, struct buf *storage, struct span *text, struct error *err)
{
    if (strcmp(operand, "-") != 0) {
        *text = span_str(operand);
        return true;
    }
    if (!file_read_fd(STDIN_FILENO, "<stdin>", storage, err)) {
        return false;
    }
    *text = buf_span(storage);
    return true;
}

void input_free_worker(struct worker **w)
{
    worker_free(*w);
}
