/* exact_rows.c - made-up rows for exact data match, and texts that have some of them.
 *
 *   exact_rows rows N            a CSV of N rows: name, email, phone, customer, city
 *   exact_rows texts N K         K of these rows, each in TEXTS lines that write one of its values in another way */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random.h"

enum { TEXTS = 20, VALUE = 128 };

struct row {
    char first[32], last[32], email[VALUE], phone[32], customer[32], city[32];
};

static void append_syllables(struct random *r, unsigned n, char out[32])
{
    static const char *const syllables[] = {"ka", "lo", "mi", "ren", "ta", "sho", "vel", "qui", "dra", "zen", "bo", "lin", "far", "ge",
                                            "hul", "jor", "nik", "pe", "rud", "sti", "tov", "ula", "wen", "xa", "yor", "zim", "bre",
                                            "cla", "dwi", "eft"};
    size_t len = 0;

    for (unsigned i = 0; i < n; i++) {
        const char *s = syllables[random_below(r, sizeof(syllables) / sizeof(*syllables))];
        memcpy(out + len, s, strlen(s));
        len += strlen(s);
    }
    out[len] = '\0';
    out[0] = (char)(out[0] - 32);
}

static void make_row(unsigned long number, struct row *out)
{
    struct random r = {.state = number * 0x9e3779b97f4a7c15ULL + 1};

    for (unsigned i = 0; i < 4; i++) {
        (void)random_next(&r);
    }
    append_syllables(&r, 3, out->first);
    append_syllables(&r, 4, out->last);
    append_syllables(&r, 2, out->city);
    (void)snprintf(out->email, sizeof(out->email), "%s.%s%lu@mail%zu.example", out->first, out->last, number, random_below(&r, 50));
    (void)snprintf(out->phone, sizeof(out->phone), "+49 15%zu %08zu", random_below(&r, 10), random_below(&r, 100000000));
    (void)snprintf(out->customer, sizeof(out->customer), "KD-%04lu-%04lu", number / 10000, number % 10000);
}

static void print_rows(unsigned long n)
{
    struct row row;

    (void)printf("name,email,phone,customer,city\n");
    for (unsigned long i = 0; i < n; i++) {
        make_row(i, &row);
        (void)printf("%s %s,%s,%s,%s,%s\n", row.first, row.last, row.email, row.phone, row.customer, row.city);
    }
}

/* --- one value in another form -------------------------------------------------- */

static const char *cased(const char *text, int from, int to, int by)
{
    static char out[VALUE];
    size_t i = 0;

    for (; text[i] != '\0'; i++) {
        out[i] = (char)(text[i] >= from && text[i] <= to ? text[i] + by : text[i]);
    }
    out[i] = '\0';
    return out;
}

static const char *without(const char *text, const char *separators, char instead)
{
    static char out[VALUE];
    size_t n = 0;

    for (; *text != '\0'; text++) {
        if (strchr(separators, *text) == NULL) {
            out[n++] = *text;
        } else if (instead != '\0') {
            out[n++] = instead;
        }
    }
    out[n] = '\0';
    return out;
}

static void print_wide(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned c = (unsigned char)*text - 0x20U + 0xff00;
        if (*text == ' ') {
            (void)putchar(' ');
        } else {
            (void)printf("%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
        }
    }
}

static void print_base64(const char *text)
{
    char out[4 * VALUE];

    (void)printf("%s", sodium_bin2base64(out, sizeof(out), (const unsigned char *)text, strlen(text), sodium_base64_VARIANT_ORIGINAL));
}

static void print_hex(const char *text)
{
    for (; *text != '\0'; text++) {
        (void)printf("%02x", (unsigned char)*text);
    }
}

static void print_name(const struct row *row, unsigned form)
{
    char name[VALUE], line[2 * VALUE];

    (void)snprintf(name, sizeof(name), "%s %s", row->first, row->last);
    (void)snprintf(line, sizeof(line), "It is %s, she said.", name);
    switch (form) {
    case 0: (void)printf("%s", name); break;
    case 1: (void)printf("%s", cased(name, 'a', 'z', -32)); break;
    case 2: (void)printf("%s", cased(name, 'A', 'Z', 32)); break;
    case 3: (void)printf("%s  \t %s", row->first, row->last); break;
    case 4: (void)printf("%c\xcc\x81%s %s", row->first[0], row->first + 1, row->last); break;
    case 5: print_wide(name); break;
    case 6: (void)printf("%c\xe2\x80\x8b%s %s", row->first[0], row->first + 1, row->last); break;
    case 7: (void)printf("{\"who\": \"\\u%04x%s %s\"}", (unsigned char)name[0], row->first + 1, row->last); break;
    case 8: print_base64(line); break;
    default: break;
    }
}

static void print_text(const struct row *row, unsigned form)
{
    char line[2 * VALUE];

    (void)snprintf(line, sizeof(line), "mail=%s;", row->email);
    switch (form) {
    case 9: (void)printf("<%s>", row->email); break;
    case 10: (void)printf("%s", cased(row->email, 'a', 'z', -32)); break;
    case 11: (void)printf("?to=%.*s%%40%s", (int)strcspn(row->email, "@"), row->email, strchr(row->email, '@') + 1); break;
    case 12: (void)printf("%.*s&#64;%s", (int)strcspn(row->email, "@"), row->email, strchr(row->email, '@') + 1); break;
    case 13: (void)printf("%s", without(row->phone, " +", '\0')); break;
    case 14: (void)printf("%s", without(row->phone, " ", '-')); break;
    case 15: (void)printf("0%s", without(row->phone + 3, " ", '/')); break;
    case 16: (void)printf("00%s", row->phone + 1); break;
    case 17: (void)printf("kd%s", without(row->customer + 2, "-", '\0')); break;
    case 18: (void)printf("%s", without(row->customer, "-", ' ')); break;
    case 19: print_hex(line); break;
    default: print_name(row, form); break;
    }
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (n > 0 && strcmp(argv[1], "rows") == 0) {
        print_rows(n);
        return 0;
    }
    if (n == 0 || argc < 4 || strcmp(argv[1], "texts") != 0) {
        (void)fprintf(stderr, "usage: exact_rows rows N | exact_rows texts N K\n");
        return 2;
    }
    struct random r = {.state = 20261123};
    for (unsigned long i = strtoul(argv[3], NULL, 10); i > 0; i--) {
        struct row row;
        make_row(random_below(&r, n), &row);
        for (unsigned form = 0; form < TEXTS; form++) {
            (void)printf("About %u, we have ", form);
            print_text(&row, form);
            (void)printf(" in the list.\n");
        }
    }
    return 0;
}
