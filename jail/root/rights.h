/* rights.h - the Landlock access rights to files in a jail. */
#ifndef FILTERD_JAIL_ROOT_RIGHTS_H
#define FILTERD_JAIL_ROOT_RIGHTS_H

#include "base/landlock.h"

enum jail_right {
    JAIL_RIGHT_LIST = LANDLOCK_READ_DIR,                     /* folders */
    JAIL_RIGHT_READ = LANDLOCK_READ_FILE | LANDLOCK_EXECUTE, /* files; includes running them */
    /* All rights that change files and folders, except creating devices. */
    JAIL_RIGHT_WRITE = LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_DIR | LANDLOCK_REMOVE_FILE | LANDLOCK_MAKE_DIR |
                       LANDLOCK_MAKE_REG | LANDLOCK_MAKE_SOCK | LANDLOCK_MAKE_FIFO | LANDLOCK_MAKE_SYM | LANDLOCK_REFER |
                       LANDLOCK_TRUNCATE,
    /* Reading, writing and ioctl of existing devices. */
    JAIL_RIGHT_DEVICE = LANDLOCK_READ_FILE | LANDLOCK_READ_DIR | LANDLOCK_WRITE_FILE | LANDLOCK_IOCTL_DEV,
};

#endif
