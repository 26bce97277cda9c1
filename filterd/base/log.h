/* log.h - log lines with a level to stderr, for journald or the shell.
 *
 * One call writes one line. Never pass inspected text, a match or a
 * credential. base … enforce return errors and never log; pipeline, http and the programs log each error once.
 * Thread-safe: a line is one write. */
#ifndef FILTERD_BASE_LOG_H
#define FILTERD_BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* TEXT: "level area: text key=value". JSON: an object with time, level and message. Set it before threads start. */
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };
void log_set_format(enum log_format format);
void log_set_level(enum log_level level); /* before threads start; default INFO */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
