/* record_lines.h - lines of a decision log as long as real ones are, 740 bytes: 1 % redact, 1 % block, 6 % with a finding, 1,000
 * agents, 10 % of the lines from the commonest one. */
#ifndef FILTERD_BENCH_RECORD_LINES_H
#define FILTERD_BENCH_RECORD_LINES_H

#include <sodium.h>
#include <stdio.h>
#include <time.h>

/* With has_review a block is an item of the review queue, and one allowed line in a thousand a blind sample; true when this line is either. */
static inline bool record_line_write(FILE *log, uint64_t seq, time_t at, bool has_review)
{
    uint32_t dice = randombytes_uniform(100);
    const char *action = dice == 0 ? "redact" : dice == 1 ? "block" : "allow";
    uint32_t agent = randombytes_uniform(10) == 0 ? 0 : 1 + randombytes_uniform(999);
    bool is_item = has_review && dice == 1, is_sample = has_review && dice > 5 && randombytes_uniform(1000) == 0;
    char ts[40];
    struct tm t;
    uint8_t random[32];
    char hex[65];

    randombytes_buf(random, sizeof(random));
    (void)sodium_bin2hex(hex, sizeof(hex), random, sizeof(random));
    (void)strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S", gmtime_r(&at, &t));
    (void)fprintf(log,
                  "{\"seq\":%llu,\"node\":\"bench-1\",\"boot_id\":\"7f0c9d1e-7ab2-4f31-a0a8-d7f612f9f4cb\",\"v\":2,\"type\":\"decision\","
                  "\"ts\":\"%s.123456789Z\",\"req_id\":\"%08llx-a580-7761-a879-%.12s\",\"tenant\":\"acme\",\"app\":\"web\","
                  "\"agent\":\"support-%u\",\"session\":\"k1:%032x\",\"policy\":{\"name\":\"default\",\"digest\":\"sha256:"
                  "21cf0000000000000000000000000000000000000000000000000000000021cf\"},\"engine\":\"0.1.0\",\"action\":\"%s\"",
                  (unsigned long long)seq, ts, (unsigned long long)seq, hex, agent, agent * 10 + dice % 10, action);
    if (is_item || is_sample) {
        (void)fprintf(log, ",\"review\":{\"why\":\"%s\",\"due_s\":86400}", is_item ? "action" : "sample");
    }
    (void)fprintf(log, "%s,\"in_bytes\":2048,\"judged_bytes\":2048,\"out_bytes\":2048,\"channels\":[{\"channel\":0,\"path\":\"\",\"bytes\":2048,"
                       "\"judged\":2048}],\"findings\":[",
                  dice < 2 ? ",\"rule\":\"iban\"" : "");
    if (dice < 6) {
        (void)fprintf(log, "{\"source\":\"rule\",\"rule\":\"rule-%u\",\"category\":\"pii\",\"severity\":\"high\",\"channel\":0,\"path\":\"\",\"start\":1,"
                           "\"end\":20,\"len\":19,\"view\":\"raw\",\"score\":0.95,\"action\":\"%s\",\"value_tok\":\"k1:%.32s\"}",
                      randombytes_uniform(200), action, hex + 32);
    }
    (void)fprintf(log, "],\"input_tok\":\"k1:%.32s\",\"elapsed_us\":145}\n", hex);
    return is_item || is_sample;
}

#endif
