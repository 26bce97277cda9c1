/* attack.h - one attempt to get out of a jail, tried from inside it for real.
 *
 * `attack ID [ARGUMENT]` exits 0 when the jail held, 1 when it did not, 2 when it could not be tried.
 * The ids are those of the escape list that the jail is built against; the same program can be run in
 * any other jail. `attack without WHAT COMMAND…` runs a command on a machine whose kernel lacks something. */
#ifndef FILTERD_TESTS_JAIL_ATTACK_H
#define FILTERD_TESTS_JAIL_ATTACK_H

#include <stdbool.h>

enum verdict { HELD, ESCAPED, NOT_TRIED };

struct attack {
    const char *id;
    enum verdict (*try)(const char *argument);
};

extern const struct attack attacks_kernel[], attacks_process[], attacks_files[], attacks_network[];

/* Prints what happened, for the log. ESCAPED when `has_worked`. */
enum verdict judge(bool has_worked, const char *what);
/* The stricter of two. */
enum verdict both(enum verdict a, enum verdict b);
/* Runs it in a child; true when the child exits with 0: it got through. */
bool child_succeeds(int (*run)(void));
/* Runs the command where "landlock" or "userns" is not to be had. Returns only when it cannot: 2. */
int run_without(const char *what, char **command);

#endif
