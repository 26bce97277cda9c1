#include "token_line.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "http/tokens.h"

bool token_line_print(const char *role, const char *name)
{
    struct buf token, line;
    struct error err;

    buf_init(&token, TOKEN_MAX + 1);
    buf_init(&line, 2 * (size_t)TOKEN_MAX);
    bool is_made = file_read_fd(STDIN_FILENO, "standard input", &token, &err);
    if (is_made && token.len > 0 && token.data[token.len - 1] == '\n') {
        token.len--;
    }
    is_made = is_made &&
              token_write_line(span_str(role), span_str(name), buf_span(&token), &line, &err);
    if (is_made) {
        (void)fwrite(line.data, 1, line.len, stdout);
    } else {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    explicit_bzero(token.data, token.cap);
    buf_deinit(&token);
    buf_deinit(&line);
    return is_made;
}
