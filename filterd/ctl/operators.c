#include "ctl/operators.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/service_socket.h"

enum { ANSWER_MAX = 256 * 1024 * 1024, TOKEN_FILE_MAX = 4096, SECONDS = 30, URL_MAX = 8192 };

bool operators_append(struct buf *out, const char *text, struct error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";

    for (const char *c = text; *c != '\0'; c++) {
        bool is_good = strchr(plain, *c) != NULL ? buf_append_char(out, *c, err)
                                                 : buf_appendf(out, err, "%%%02X", (unsigned char)*c);
        if (!is_good) {
            return false;
        }
    }
    return true;
}

bool operators_add(struct buf *path, const char *name, const char *value, struct error *err)
{
    bool has_query = path->len > 0 && memchr(path->data, '?', path->len) != NULL;

    return value == NULL || (buf_appendf(path, err, "%c%s=", has_query ? '&' : '?', name) && operators_append(path, value, err));
}

static bool find_address(const struct arguments *args, struct buf *out, struct error *err)
{
    char path[PATH_MAX];

    if (args->operators != NULL) {
        bool is_path = args->operators[0] == '/' || strchr(args->operators, ':') == NULL;
        return buf_appendf(out, err, "%s%s", is_path ? "unix:" : "", args->operators);
    }
    return service_socket_find("operators.sock", SOCK_STREAM, "--operators", path, err) && buf_appendf(out, err, "unix:%s", path);
}

static size_t take(char *bytes, size_t size, size_t n, void *context)
{
    struct error ignored;

    return buf_append(context, span_of(bytes, size * n), &ignored) ? size * n : 0;
}

/* "Authorization: Bearer …" from the token's file. */
static bool add_token(const struct arguments *args, struct curl_slist **headers, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, TOKEN_FILE_MAX);
    if (args->token == NULL) {
        return true;
    }
    if (!buf_append_str(&line, "Authorization: Bearer ", err) || !file_read(args->token, &line, err)) {
        return false;
    }
    while (line.len > 0 && (line.data[line.len - 1] == '\n' || line.data[line.len - 1] == '\r')) {
        line.len--;
    }
    if (!buf_append_char(&line, '\0', err)) {
        return false;
    }
    *headers = curl_slist_append(NULL, line.data);
    explicit_bzero(line.data, line.cap);
    return *headers != NULL || error_set(err, ERROR_NO_MEMORY, "no memory");
}

static bool set_place(CURL *curl, struct buf *address, const char *path, struct error *err)
{
    char url[URL_MAX];

    if (!buf_append_char(address, '\0', err)) {
        return false;
    }
    bool is_unix = strncmp(address->data, "unix:", 5) == 0, is_https = strncmp(address->data, "https://", 8) == 0;
    int len = snprintf(url, sizeof(url), "%s%s%s", is_https ? "" : "http://", is_unix ? "filterd" : address->data, path);
    if (len < 0 || (size_t)len >= sizeof(url)) {
        return error_set(err, ERROR_LIMIT, "a shorter name expected");
    }
    (void)curl_easy_setopt(curl, CURLOPT_URL, url);
    const char *authorities = getenv("CURL_CA_BUNDLE");
    if (authorities != NULL && authorities[0] != '\0') {
        (void)curl_easy_setopt(curl, CURLOPT_CAINFO, authorities);
    }
    if (is_unix) {
        (void)curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, address->data + 5);
    }
    return true;
}

/* Which address did not answer, and what the system said about it. */
static bool no_answer(CURL *curl, CURLcode code, const char *address, struct error *err)
{
    long number = 0;

    (void)curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &number);
    return number == 0 ? error_set(err, ERROR_SYSTEM, "%s: filterd does not answer: %s", address, curl_easy_strerror(code))
                       : error_set(err, ERROR_SYSTEM, "%s: filterd does not answer: %s", address, strerrordesc_np((int)number));
}

static bool perform(CURL *curl, const char *address, const char *method, struct curl_slist *headers, struct buf *answer, long *status,
                    struct error *err)
{
    (void)curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L); /* an agent may be called ".." */
    (void)curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)SECONDS);
    (void)curl_easy_setopt(curl, CURLOPT_PROXY, "");
    CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK) {
        return no_answer(curl, code, address, err);
    }
    return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status) == CURLE_OK;
}

/* A problem's own words say best what is wrong. */
static json_t *read_answer(struct span text, long status, struct error *err)
{
    json_error_t why;
    json_t *answer = json_loadb(text.ptr == NULL ? "" : text.ptr, text.len, JSON_REJECT_DUPLICATES, &why);

    if (status == 200 && answer != NULL) {
        return answer;
    }
    const char *detail = json_string_value(json_object_get(answer, "detail"));
    enum error_kind kind = status == 404                     ? ERROR_NOT_FOUND
                           : status == 401 || status == 403 ? ERROR_DENIED
                                                             : ERROR_INVALID;
    error_set(err, kind, "filterd answers %ld: %s", status, detail == NULL ? "no answer in JSON" : detail);
    json_decref(answer);
    return NULL;
}

static bool add_type(struct curl_slist **headers, struct error *err)
{
    struct curl_slist *list = curl_slist_append(*headers, "Content-Type: application/json");

    *headers = list == NULL ? *headers : list;
    return list != NULL || error_set(err, ERROR_NO_MEMORY, "no memory");
}

/* `body`: JSON, NULL: none. */
static bool ask(const struct arguments *args, const char *method, const char *path, const char *body, struct buf *answer, long *status,
                struct error *err)
{
    struct buf address CLEANUP(buf_deinit);
    struct curl_slist *headers = NULL;

    buf_init(&address, URL_MAX);
    CURL *curl = curl_easy_init();
    if (curl == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "libcurl: no memory");
    }
    bool is_asked = find_address(args, &address, err) && set_place(curl, &address, path, err) &&
                    add_token(args, &headers, err) && (body == NULL || add_type(&headers, err)) &&
                    (body == NULL || curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body) == CURLE_OK) && perform(curl, address.data, method, headers, answer, status, err);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return is_asked;
}

json_t *operators_ask(const struct arguments *args, const char *method, const char *path, struct error *err)
{
    struct buf answer CLEANUP(buf_deinit);
    long status = 0;

    buf_init(&answer, ANSWER_MAX);
    json_t *json = ask(args, method, path, NULL, &answer, &status, err) ? read_answer(buf_span(&answer), status, err) : NULL;
    if (answer.data != NULL) {
        explicit_bzero(answer.data, answer.cap); /* it may be a key */
    }
    return json;
}

json_t *operators_send(const struct arguments *args, const char *path, const char *body, struct error *err)
{
    struct buf answer CLEANUP(buf_deinit);
    long status = 0;

    buf_init(&answer, ANSWER_MAX);
    return ask(args, "POST", path, body, &answer, &status, err) ? read_answer(buf_span(&answer), status, err) : NULL;
}

bool operators_post(const struct arguments *args, const char *path, const char *body, struct buf *out, struct error *err)
{
    struct error ignored;
    long status = 0;

    if (!ask(args, "POST", path, body, out, &status, err)) {
        return false;
    }
    if (status != 200) {
        json_decref(read_answer(buf_span(out), status, err));
        return false;
    }
    return (json_validate(buf_span(out), &ignored) && json_root(buf_span(out)).kind == JSON_KIND_OBJECT) ||
           error_set(err, ERROR_INVALID, "filterd answers no object in JSON");
}

bool operators_read(const struct arguments *args, const char *path, struct buf *out, struct error *err)
{
    long status = 0;

    if (!ask(args, "GET", path, NULL, out, &status, err)) {
        return false;
    }
    if (status != 200) {
        json_decref(read_answer(buf_span(out), status, err));
    }
    return status == 200;
}

int operators_print(const json_t *answer, int code)
{
    struct error err;
    char *text = json_dumps(answer, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));

    if (text == NULL) {
        error_set(&err, ERROR_NO_MEMORY, "no memory");
        return command_failed(&err);
    }
    bool is_printed = command_print(span_str(text), &err) && command_print(span_str("\n"), &err);
    free(text);
    return is_printed ? code : command_failed(&err);
}
