/* main.c - filterd-witness(8): the process that signs checkpoints. */
#include <getopt.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "sandbox/sandbox.h"
#include "witness/config.h"
#include "witness/local.h"
#include "witness/local_keys.h"
#include "witness/server.h"
#include "record/key_file.h"

enum { EXIT_CLEAN = 0, EXIT_FAILED = 2 };
enum { CONFIG_MEMORY_MAX = 8 * 1024 * 1024, SOCKET_DEFAULT = 3, SOCKET_LARGEST = 1 << 20, STATE_TRIES = 40 };

struct arguments {
    const char *config, *listen, *state, *make_key, *name;
    int socket;
    bool is_local, is_check, is_rotation;
};

static const struct option options[] = {
    {"config", required_argument, NULL, 'c'},   {"listen", required_argument, NULL, 'l'}, {"local", no_argument, NULL, 'L'},
    {"state", required_argument, NULL, 's'},    {"socket", required_argument, NULL, 'f'}, {"make-key", required_argument, NULL, 'm'},
    {"rotate-key", no_argument, NULL, 'r'},
    {"name", required_argument, NULL, 'n'},     {"check", no_argument, NULL, 'k'},        {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},        {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: filterd-witness --config FILE [--listen ADDRESS] [--check]\n"
    "       filterd-witness --make-key FILE --name NAME\n"
    "       filterd-witness --rotate-key --state DIR --name ORIGIN\n"
    "       filterd-witness --local --state DIR [--socket NUMBER]\n\n"
    "Cosign the checkpoints of logs: each only when it is consistent with the one before.\n\n"
    "Options:\n"
    "  --config FILE     the witness's name, key, state and logs (filterd-witness(8)); -c is the same\n"
    "  --listen ADDRESS  in place of the file's: address:port, localhost:port, port or unix:/path\n"
    "  --check           read the configuration, the key and the state, then exit\n"
    "  --make-key FILE   make a key, which must not exist, and print the witness's public key\n"
    "  --name NAME       the name in that public key, like witness.example/w1; of --rotate-key the log's origin\n"
    "  --rotate-key      make the log's next key, which follows the present one when filterd starts again, and print\n"
    "                    its public key\n"
    "  --local           be the signer of the service that started this program\n"
    "  --state DIR       the service's state directory: keys/log.key, made where it is missing, and signed/\n"
    "  --socket NUMBER   the descriptor on which requests come; default: 3\n"
    "  --help, --version\n";

static int fail(const struct error *err)
{
    (void)fprintf(stderr, "filterd-witness: %s\n", err->text);
    return EXIT_FAILED;
}

static int print(const char *text)
{
    (void)fputs(text, stdout);
    return file_end_output(stdout, "filterd-witness", EXIT_CLEAN);
}

static bool read_socket(const char *text, int *out)
{
    char *end = NULL;
    long number = strtol(text, &end, 10);

    if (end == text || *end != '\0' || number < 0 || number > SOCKET_LARGEST) {
        (void)fputs("filterd-witness: --socket: a descriptor expected\n", stderr);
        return false;
    }
    *out = (int)number;
    return true;
}

static bool take_option(struct arguments *a, int option)
{
    switch (option) {
    case 'c':
        a->config = optarg;
        return true;
    case 'l':
        a->listen = optarg;
        return true;
    case 's':
        a->state = optarg;
        return true;
    case 'm':
        a->make_key = optarg;
        return true;
    case 'n':
        a->name = optarg;
        return true;
    case 'L':
        a->is_local = true;
        return true;
    case 'r':
        a->is_rotation = true;
        return true;
    case 'k':
        a->is_check = true;
        return true;
    case 'f':
        return read_socket(optarg, &a->socket);
    default:
        return false; /* getopt has said why */
    }
}

/* One of the four uses, and what belongs to it. */
static bool is_one_use(const struct arguments *a)
{
    if (a->is_rotation) {
        return a->state != NULL && a->name != NULL && !a->is_local && a->config == NULL && a->make_key == NULL;
    }
    if (a->is_local) {
        return a->state != NULL && a->config == NULL && a->make_key == NULL;
    }
    return a->state == NULL && (a->make_key != NULL ? a->name != NULL && a->config == NULL : a->config != NULL);
}

/* -1: go on; else the program's status. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread */
    for (int option; (option = getopt_long(argc, argv, "c:", options, NULL)) >= 0;) {
        if (option == 'h') {
            return print(help);
        }
        if (option == 'v') {
            return print("filterd-witness " FILTERD_VERSION "\n");
        }
        if (!take_option(a, option)) {
            return EXIT_FAILED;
        }
    }
    if (optind < argc || !is_one_use(a)) {
        (void)fputs("filterd-witness: --config FILE, --make-key FILE with --name, --rotate-key with --state and --name, or --local "
                    "with --state expected; see --help\n",
                    stderr);
        return EXIT_FAILED;
    }
    return -1;
}

static bool print_vkey(const uint8_t seed[NOTE_SEED], enum note_key_type type, struct span name, struct error *err)
{
    uint8_t public[NOTE_PUBLIC];
    char vkey[NOTE_VKEY_MAX + 1];
    struct note_key key;

    note_public(seed, public);
    if (!note_key_make(name, type, public, &key, err)) {
        return false;
    }
    note_key_format(&key, vkey);
    return (printf("%s\n", vkey) >= 0 && fflush(stdout) == 0) || error_errno(err, "standard output");
}

static bool make_key(const struct arguments *a, struct error *err)
{
    static const uint8_t any[NOTE_PUBLIC];
    uint8_t seed[NOTE_SEED];
    struct note_key key;

    /* Before the file is made: its name is right. */
    bool is_made = note_key_make(span_str(a->name), NOTE_COSIGNATURE, any, &key, err) &&
                   key_file_make(a->make_key, seed, err) && print_vkey(seed, NOTE_COSIGNATURE, span_str(a->name), err);
    sodium_memzero(seed, sizeof(seed));
    return is_made;
}

/* --- the log's own signer ---------------------------------------------------- */

/* The signer of a service that has just been killed may not have ended yet. */
static bool await_state(struct witness_state *state, const char *folder, struct error *err)
{
    const struct timespec pause = {.tv_nsec = 50000000};

    for (unsigned tries = 0; tries < STATE_TRIES; tries++) {
        if (witness_state_open(state, folder, err)) {
            return true;
        }
        if (err->kind != ERROR_DENIED) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static bool keys_path(const char *directory, char path[PATH_MAX], struct error *err)
{
    int n = snprintf(path, PATH_MAX, "%s/keys", directory);

    return (n > 0 && n < PATH_MAX - 16) || error_set(err, ERROR_INVALID, "--state: a shorter path expected");
}

/* `keys` is the buffer for the folder of keys. */
static bool open_local(const char *directory, struct witness *w, char keys[PATH_MAX], struct error *err)
{
    char folder[PATH_MAX];

    if (!keys_path(directory, keys, err) || !file_make_directory(keys, err)) {
        return false;
    }
    (void)snprintf(folder, sizeof(folder), "%s/signed", directory);
    return await_state(&w->state, folder, err) && local_keys_open(w, keys, err);
}

/* The keys stay writable while one is to be replaced. */
static void lock_down(const char *state, const char *keys)
{
    const struct sandbox_path paths[] = {{state, true}, {keys, true}};
    const struct sandbox_reach reach = {.paths = paths, .n_paths = COUNT(paths)};

    sandbox_harden();
    sandbox_restrict_files(&reach);
    sandbox_restrict_calls(false);
}

/* Signals meant for the service reach its children as well (a terminal's, a service manager's), and it has a last checkpoint
 * signed when it stops: this ends when the socket closes. */
static void ignore_signals(void)
{
    static const int ignored[] = {SIGPIPE, SIGHUP, SIGINT, SIGTERM};

    for (size_t i = 0; i < COUNT(ignored); i++) {
        (void)signal(ignored[i], SIG_IGN);
    }
}

static bool serve_local(const struct arguments *a, struct error *err)
{
    struct witness w = {.is_local = true, .state.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
    char keys[PATH_MAX];

    ignore_signals();
    log_set_level(LOG_LEVEL_ERROR); /* the service says what it could not lock */
    bool is_good = open_local(a->state, &w, keys, err);
    if (is_good) {
        lock_down(w.state.folder, w.has_next ? keys : NULL);
        is_good = witness_serve_local(&w, a->socket, err);
    }
    sodium_memzero(w.seed, sizeof(w.seed));
    sodium_memzero(w.next, sizeof(w.next));
    witness_state_close(&w.state);
    return is_good;
}

static bool rotate_key(const struct arguments *a, struct error *err)
{
    static const uint8_t any[NOTE_PUBLIC];
    uint8_t next[NOTE_SEED];
    struct note_key key;
    char keys[PATH_MAX];

    bool is_made = note_key_make(span_str(a->name), NOTE_ED25519, any, &key, err) && keys_path(a->state, keys, err) &&
                   local_keys_prepare(keys, next, err) && print_vkey(next, NOTE_ED25519, span_str(a->name), err);
    sodium_memzero(next, sizeof(next));
    return is_made;
}

/* --- a witness --------------------------------------------------------------- */

static void await_end(void)
{
    sigset_t awaited;
    int signal;

    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGTERM);
    (void)sigaddset(&awaited, SIGINT);
    while (sigwait(&awaited, &signal) != 0) {
    }
    log_info("witness: stopping signal=%d", signal);
}

/* Before the first thread, so that all of them leave signals to main. */
static void block_signals(void)
{
    sigset_t awaited;

    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGTERM);
    (void)sigaddset(&awaited, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static bool serve_on(struct witness *w, const char *listen, struct error *err)
{
    struct address address;
    char text[ADDRESS_TEXT];

    if (!address_parse(listen, &address, err) || address.kind == ADDRESS_NONE) {
        return error_set(err, ERROR_INVALID, "listen: an address such as 127.0.0.1:8475 expected");
    }
    block_signals();
    sandbox_harden();
    const char *socket = address.kind == ADDRESS_UNIX ? listen + strlen("unix:") : NULL;
    const struct sandbox_path paths[] = {{w->state.folder, true}, {socket, true}};
    sandbox_restrict_files(&(struct sandbox_reach){.paths = paths, .n_paths = COUNT(paths)});
    struct witness_server *s = witness_server_start(w, &address, err);
    if (s == NULL) {
        return false;
    }
    sandbox_restrict_calls(false);
    address_text(&address, text);
    log_info("witness: ready listen=%s name=%s logs=%zu", text, w->name, w->n_logs);
    await_end();
    witness_server_stop(s);
    return true;
}

static bool serve(const struct arguments *a, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct witness w = {.state.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
    char name[NOTE_NAME_MAX + 1];
    struct witness_config c;

    arena_init(&memory, 0, CONFIG_MEMORY_MAX);
    if (!witness_config_read(&memory, a->config, &c, err) || !key_file_read(c.key, w.seed, err) ||
        !witness_state_open(&w.state, c.state, err)) {
        return false;
    }
    (void)snprintf(name, sizeof(name), SPAN_FMT, SPAN_ARG(c.name));
    w.name = name;
    w.logs = c.keys;
    w.n_logs = c.n_logs;
    bool is_good = a->is_check ? print_vkey(w.seed, NOTE_COSIGNATURE, c.name, err) : serve_on(&w, a->listen != NULL ? a->listen : c.listen, err);
    sodium_memzero(w.seed, sizeof(w.seed));
    witness_state_close(&w.state);
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments a = {.socket = SOCKET_DEFAULT};
    struct error err = {.text = "libsodium did not start"};
    int status = read_arguments(argc, argv, &a);

    if (status >= 0) {
        return status;
    }
    (void)umask(077);
    bool is_good = sodium_init() >= 0 && (a.is_local           ? serve_local(&a, &err)
                                             : a.is_rotation      ? rotate_key(&a, &err)
                                             : a.make_key != NULL ? make_key(&a, &err)
                                                                  : serve(&a, &err));
    return is_good ? EXIT_CLEAN : fail(&err);
}
