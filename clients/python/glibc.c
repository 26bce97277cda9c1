/* glibc.c - what Debian's libstdc++.a asks of a newer glibc than the wheel may need. */

/* Since 2.32: whether the process has one thread, so that reference counts need no atomic instructions. It may have more. */
char __libc_single_threaded __attribute__((visibility("hidden"))) = 0;
