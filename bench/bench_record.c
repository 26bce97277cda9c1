/* bench_record.c - a proven log of many lines: how long a line is hashed, and all of it verified.
 *
 * usage: bench_record [LINES [FOLDER]]; a line has 740 bytes, 7.4 GB for 10,000,000. The folder, made and removed, is below
 * TMPDIR otherwise. Verifying is measured on what was just written, so mostly from memory. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/bench.h"
#include "record/checkpoint_store.h"
#include "record/log_check.h"
#include "record/log_keys.h"

enum { LINE = 740, LINES_DEFAULT = 1000000, CHECKPOINT_EACH = 20000 };

static const char origin[] = "bench/filterd/0011223344556677";
static struct error err;

/* As long as a line of real traffic, and as hard to guess. */
static size_t make_line(uint64_t seq, char line[LINE + 1])
{
    static char filling[LINE + 1];
    uint8_t random[LINE / 2];

    if (seq % 64 == 1) {
        randombytes_buf(random, sizeof(random));
        (void)sodium_bin2hex(filling, sizeof(filling), random, sizeof(random));
    }
    int n = snprintf(line, LINE + 1, "{\"seq\":%llu,\"node\":\"bench\",\"boot_id\":\"\",\"v\":2,\"type\":\"%s\"%s%s%s,\"filling\":\"",
                     (unsigned long long)seq, seq == 1 ? "log" : "test", seq == 1 ? ",\"origin\":\"" : "",
                     seq == 1 ? origin : "", seq == 1 ? "\"" : "");
    (void)snprintf(line + n, (size_t)(LINE + 1 - n), "%.*s\"}\n", LINE - n - 3, filling);
    return LINE;
}

static void put_checkpoint(const char *record, struct tile_writer *tiles, const struct note_key *key,
                           const uint8_t seed[NOTE_SEED])
{
    struct buf text, note;
    struct tree_hash root;

    buf_init(&text, CHECKPOINT_TEXT_MAX);
    buf_init(&note, NOTE_MAX);
    must(tile_writer_commit(tiles, &err), &err);
    tile_writer_root(tiles, &root);
    must(checkpoint_format(span_str(origin), tile_writer_size(tiles), &root, &text, &err) &&
         buf_append(&note, buf_span(&text), &err) && buf_append_char(&note, '\n', &err) &&
         note_sign(key, seed, buf_span(&text), 0, &note, &err) && checkpoint_store_add(record, buf_span(&note), &err), &err);
    buf_deinit(&text);
    buf_deinit(&note);
}

static void make_log(const char *folder, const char *record, uint64_t n, const struct note_key *key,
                     const uint8_t seed[NOTE_SEED])
{
    char path[256], line[LINE + 1];
    struct tree_hash leaf;

    (void)snprintf(path, sizeof(path), "%s/decisions.jsonl", folder);
    FILE *file = fopen(path, "w");
    struct tile_writer *tiles = tile_writer_open(record, 0, &err);
    must(tiles != NULL, &err);
    for (uint64_t seq = 1; file != NULL && seq <= n; seq++) {
        size_t len = make_line(seq, line);
        must(fwrite(line, 1, len, file) == len, &err);
        tree_hash_leaf(span_of(line, len - 1), &leaf);
        must(tile_writer_add(tiles, &leaf, &err), &err);
        if (seq % CHECKPOINT_EACH == 0 || seq == n) {
            put_checkpoint(record, tiles, key, seed);
        }
    }
    must(file != NULL && fclose(file) == 0, &err);
    tile_writer_close(tiles);
}

static void verify(const char *folder, const char *record, uint64_t n, const struct note_key *key)
{
    struct log_files files = {0};
    struct log_check_result result;
    struct checkpoint newest;
    struct log_keys keys;
    struct buf note;

    log_keys_set(&keys, key);
    buf_init(&note, NOTE_MAX);
    must(checkpoint_store_newest(record, &note, &err) && checkpoint_parse(buf_span(&note), &newest, &err) &&
         log_files_scan(&files, folder, &err), &err);
    log_files_select(&files, span_str(origin));
    const struct log_check check = {.files = &files, .record = record, .newest = &newest, .keys = &keys};
    double spent = seconds_spent();
    uint64_t began = clock_monotonic_ns();
    must(log_check(&check, &result, &err), &err);
    if (result.finding.is_there || result.lines != n) {
        (void)fprintf(stderr, "bench_record: %s\n", result.finding.is_there ? result.finding.text : "lines are missing");
        exit(1);
    }
    report("record.verify_processor", "s", seconds_spent() - spent, n);
    report("record.verify", "s", (double)(clock_monotonic_ns() - began) / 1e9, n);
    log_files_deinit(&files);
    buf_deinit(&note);
}

/* One leaf, with its part of the tree. */
static void measure_hashing(void)
{
    enum { ROUNDS = 200000 };
    struct tree_edge edge = {.size = 0};
    struct tree_hash leaf;
    char line[LINE + 1];
    size_t len = make_line(1, line);
    double spent = seconds_spent();

    for (unsigned i = 0; i < ROUNDS; i++) {
        tree_hash_leaf(span_of(line, len - 1), &leaf);
        tree_edge_add(&edge, &leaf);
    }
    report("record.hash_line", "ns", (seconds_spent() - spent) * 1e9 / ROUNDS, ROUNDS);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : LINES_DEFAULT;
    char folder[256], record[300];
    uint8_t seed[NOTE_SEED] = {1}, public[NOTE_PUBLIC];
    struct note_key key;

    if (sodium_init() < 0 || n == 0) {
        return 2;
    }
    const char *temporary = argc > 2 ? argv[2] : getenv("TMPDIR");
    (void)snprintf(folder, sizeof(folder), "%s/filterd-record-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    (void)snprintf(record, sizeof(record), "%s/record", folder);
    note_public(seed, public);
    must(note_key_make(span_str(origin), NOTE_ED25519, public, &key, &err), &err);
    measure_hashing();
    make_log(folder, record, n, &key, seed);
    verify(folder, record, n, &key);
    return remove_folder(folder) ? 0 : 2;
}
