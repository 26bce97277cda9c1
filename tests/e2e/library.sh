#!/bin/sh
# library.sh BINDIR: libfilterd.so as other programs use it: what it exports and what it leaves alone, its example in C, the package for Python.
bin=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 2
lib=${bin%/bin}/lib/libfilterd.so.1
if [ ! -f "$lib" ]; then echo "skip: the library is built in release mode alone"; exit 0; fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
complain() { echo "FAILED: $*"; status=1; }

cache=$work/cache
mkdir -m 700 "$cache"
[ ! -d "${XDG_CACHE_HOME:-/nonexistent}/filterd" ] || cp "$XDG_CACHE_HOME"/filterd/* "$cache"

exported=$(nm -D --defined-only "$lib" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort)
declared=$(grep -o '\bfilterd_[a-z_]*(' filterd/library/filterd.h | tr -d '(' | sort -u | grep -v -e '^filterd_verdict_finding$')
[ "$exported" = "$declared" ] || complain "the library exports other functions than filterd.h declares: $exported"

# No output, no end of the process, nothing that the process has one of: signals, environment, locale, folder; no network, no program.
own='_?exit|quick_exit|abort|raise|kill|fork|vfork|exec.*|posix_spawn.*|system|popen|v?printf|__v?printf_chk|v?fprintf|__v?fprintf_chk|v?dprintf|perror|puts|fputs|putchar|fwrite
stdout|stderr|syslog|openlog|signal|sigaction|sigprocmask|atexit|setenv|putenv|unsetenv|setlocale|chdir|umask|setrlimit|socket|connect|bind|prctl'
taken=$(nm -D --undefined-only "$lib" | awk '{ sub("@.*", "", $2); print $2 }' | grep -xE "$(echo "$own" | paste -sd'|')")
[ -z "$taken" ] || complain "the library uses what belongs to the process: $taken"

make -s install-library DESTDIR="$work/root" PREFIX=/usr >/dev/null || complain "make install-library"
export PKG_CONFIG_PATH="$work/root/usr/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/root" LD_LIBRARY_PATH="$work/root/usr/lib"
cc -Wall -Werror -o "$work/program" tests/bulk/program.c $(pkg-config --cflags --libs libfilterd) || complain "the example does not compile"
answer=$(echo 'IBAN DE38 3704 0044 0532 0136 27' | "$work/program" "$cache")
[ "$answer" = 'redact iban IBAN [iban]' ] || complain "the example answers: $answer"
echo '#include <filterd.h>' | c++ -Wall -Werror -fsyntax-only -xc++ $(pkg-config --cflags libfilterd) - || complain "filterd.h is not for C++"

PYTHONPATH=clients/python/src FILTERD_LIBRARY="$lib" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/bulk/package.py "$bin/filterctl" "$cache" ||
    complain "the package for Python"
exit $status
