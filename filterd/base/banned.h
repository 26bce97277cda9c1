/* banned.h - poisons unsafe functions; the Makefile force-includes it.
 *
 * Each has a safer form: snprintf, memcpy with a length, strtol with its checks, gmtime_r. */
#ifndef FILTERD_BASE_BANNED_H
#define FILTERD_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets atoi atol strncpy strncat localtime gmtime system popen

#endif
