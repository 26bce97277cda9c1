/* main.c - part of the build: prints the system call filters of all profiles as C.
 *
 * libseccomp takes several milliseconds to make one, which every start of a jail would pay. They depend
 * on nothing that is known later than now. */
#include <inttypes.h>
#include <stdio.h>

#include "jail/filters/syscalls.h"

static bool print(enum jail_profile profile, struct error *err)
{
    struct jail_filter f;

    if (!jail_filter_make(profile, &f, err)) {
        return false;
    }
    (void)printf("static const struct sock_filter profile_%d[] = {\n", (int)profile);
    for (unsigned i = 0; i < f.n; i++) {
        (void)printf("    {%" PRIu16 ", %" PRIu8 ", %" PRIu8 ", %" PRIu32 "U},\n", f.code[i].code, f.code[i].jt,
                     f.code[i].jf, f.code[i].k);
    }
    (void)printf("};\n\n");
    jail_filter_free(&f);
    return true;
}

int main(void)
{
    struct error err;

    (void)printf("/* Made by jail/filters. */\n#include \"jail/filters/syscalls.h\"\n\n");
    if (!print(JAIL_PROFILE_STRICT, &err) || !print(JAIL_PROFILE_AGENT, &err)) {
        (void)fprintf(stderr, "jail/filters: %s\n", err.text);
        return 2;
    }
    (void)printf("const struct jail_filter jail_filters[JAIL_PROFILE_COUNT] = {\n");
    for (int i = 0; i < JAIL_PROFILE_COUNT; i++) {
        (void)printf("    {profile_%d, sizeof(profile_%d) / sizeof(profile_%d[0])},\n", i, i, i);
    }
    (void)printf("};\n");
    return fflush(stdout) == 0 ? 0 : 2;
}
