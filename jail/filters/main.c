/* main.c - part of the build: prints the system call filters of all profiles as C.
 *
 * libseccomp takes several milliseconds to compile one, which would slow every start of a jail. All their inputs are known at
 * build time. */
#include <inttypes.h>
#include <stdio.h>

#include "jail/filters/syscalls.h"

static bool print(enum jail_profile profile, enum jail_filter_kind kind, struct error *err)
{
    static const char *const names[] = {"plain", "notify", "learning"};
    struct jail_filter f;

    if (!jail_filter_make(profile, kind, &f, err)) {
        return false;
    }
    (void)printf("static const struct sock_filter %s_%d[] = {\n", names[kind], (int)profile);
    for (unsigned i = 0; i < f.n; i++) {
        (void)printf("    {%" PRIu16 ", %" PRIu8 ", %" PRIu8 ", %" PRIu32 "U},\n", f.code[i].code, f.code[i].jt,
                     f.code[i].jf, f.code[i].k);
    }
    (void)printf("};\n\n");
    jail_filter_free(&f);
    return true;
}

static void print_list(const char *name, const char *prefix)
{
    (void)printf("const struct jail_filter %s[JAIL_PROFILE_COUNT] = {\n", name);
    for (int i = 0; i < JAIL_PROFILE_COUNT; i++) {
        (void)printf("    {%s_%d, sizeof(%s_%d) / sizeof(%s_%d[0])},\n", prefix, i, prefix, i, prefix, i);
    }
    (void)printf("};\n");
}

int main(void)
{
    struct error err;

    (void)printf("/* Made by jail/filters. */\n#include \"jail/filters/syscalls.h\"\n\n");
    for (int i = 0; i < JAIL_PROFILE_COUNT; i++) {
        if (!print((enum jail_profile)i, JAIL_FILTER_PLAIN, &err) || !print((enum jail_profile)i, JAIL_FILTER_NOTIFY, &err)) {
            (void)fprintf(stderr, "jail/filters: %s\n", err.text);
            return 2;
        }
    }
    if (!print(JAIL_PROFILE_AGENT, JAIL_FILTER_LEARNING, &err)) {
        (void)fprintf(stderr, "jail/filters: %s\n", err.text);
        return 2;
    }
    print_list("jail_filters", "plain");
    print_list("jail_filters_notify", "notify");
    (void)printf("const struct jail_filter jail_filter_learning = {learning_%d, sizeof(learning_%d) / sizeof(learning_%d[0])};\n",
                 (int)JAIL_PROFILE_AGENT, (int)JAIL_PROFILE_AGENT, (int)JAIL_PROFILE_AGENT);
    return fflush(stdout) == 0 ? 0 : 2;
}
