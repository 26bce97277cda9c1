#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"

enum { LINE_MAX_BYTES = 1024, JSON_HEAD = 128 };

static enum log_level most_detailed = LOG_LEVEL_INFO;
static enum log_format used_format = LOG_FORMAT_TEXT;
static const char *const names[] = {"error", "warn", "info", "debug"};

void log_set_level(enum log_level level)
{
    most_detailed = level;
}

void log_set_format(enum log_format format)
{
    used_format = format;
}

static void put(const char *line, size_t len)
{
    ssize_t written = write(STDERR_FILENO, line, len);

    (void)written; /* nowhere left to report it */
}

static void put_text(enum log_level level, const char *message)
{
    char line[LINE_MAX_BYTES + 16];
    int len = snprintf(line, sizeof(line), "%s %s\n", names[level], message);

    put(line, (size_t)len);
}

/* Paths may hold any bytes; what is no UTF-8 is no JSON. */
static void make_ascii(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (unsigned char)*text >= 0x80 ? '?' : *text;
    }
}

static void put_json(enum log_level level, const char *message)
{
    char line[2 * LINE_MAX_BYTES + JSON_HEAD], date[32];
    const struct timespec now = clock_timespec(clock_utc_ns());
    struct tm utc;
    struct error err;

    (void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    size_t len = (size_t)snprintf(line, sizeof(line), "{\"time\":\"%s.%03ldZ\",\"level\":\"%s\",\"message\":\"", date,
                                  now.tv_nsec / 1000000, names[level]);
    for (; *message != '\0'; message++) {
        if (*message == '"' || *message == '\\') {
            line[len++] = '\\';
        }
        line[len++] = *message;
    }
    memcpy(line + len, "\"}\n", sizeof("\"}\n"));
    if (!json_validate(span_of(line, len + 2), &err)) {
        make_ascii(line);
    }
    put(line, len + 3);
}

void log_line(enum log_level level, const char *format, ...)
{
    static void (*const formats[])(enum log_level, const char *) = {put_text, put_json};
    char message[LINE_MAX_BYTES];
    va_list args;

    if (level > most_detailed) {
        return;
    }
    message[0] = '\0';
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    for (char *c = message; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c;
    }
    formats[used_format](level, message);
}
