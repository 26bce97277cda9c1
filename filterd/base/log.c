#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static enum log_level most_detailed = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
    most_detailed = level;
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const names[] = {"error ", "warn ", "info ", "debug "};
    char line[1024];
    va_list args;

    if (level > most_detailed) {
        return;
    }
    int head = snprintf(line, sizeof(line), "%s", names[level]);
    va_start(args, format);
    int tail = vsnprintf(line + head, sizeof(line) - (size_t)head, format, args);
    va_end(args);
    size_t len = (size_t)head + (tail < 0 ? 0 : (size_t)tail);
    if (len > sizeof(line) - 1) {
        len = sizeof(line) - 1;
    }
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f) {
            line[i] = ' ';
        }
    }
    line[len] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len + 1);
    (void)written; /* nowhere left to report it */
}
