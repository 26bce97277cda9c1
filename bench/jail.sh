#!/bin/sh
# The start of /bin/true in a jail with all mechanisms (default policy), beside that of bubblewrap with comparable flags: the same namespaces,
# the same files shown, the same system call filter, no nested user namespaces, no capabilities; it has no control group, no Landlock,
# no limits and no process that ends it. Each round has its own order. Prints one JSON line per figure.
#
# usage: bench/jail.sh BUILD [ROUNDS]
set -u
build=$(realpath "${1:?folder of the build expected}") || exit 2
rounds=${2:-150}
cd "$(dirname "$0")/.." || exit 2
command -v bwrap >/dev/null || { echo "bench/jail.sh: no bwrap" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/filterd-bench.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
"$build/bench/jail_filter" >"$work/filter" || exit 1
printf 'name: bench\n' >"$work/policy.yaml"; chmod 600 "$work/policy.yaml"

set --
for path in /bin /sbin /lib /lib32 /lib64 /libx32; do
    if [ -L $path ]; then set -- "$@" --symlink "$(readlink $path)" $path; elif [ -d $path ]; then set -- "$@" --ro-bind $path $path; fi
done
for path in /etc/alternatives /etc/ld.so.cache /etc/localtime /etc/services /etc/ssl/certs /etc/ssl/openssl.cnf; do
    [ ! -e $path ] || set -- "$@" --ro-bind $path $path
done
bwrap=$(command -v bwrap)
"$build/bench/jail_timer" "$rounds" "$work/filter" \
    true /bin/true :: \
    filterd "$build/bin/filterd-jail" run -p "$work/policy.yaml" -- /bin/true :: \
    bwrap "$bwrap" --unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup --die-with-parent --new-session \
    --disable-userns --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /work --setenv USER agent --setenv LOGNAME agent \
    --setenv LANG C.UTF-8 --uid 1000 --gid 1000 --hostname jail --ro-bind /usr /usr "$@" --proc /proc --dev /dev --tmpfs /tmp \
    --tmpfs /work --chdir /work --remount-ro / --cap-drop ALL --seccomp 9 -- /bin/true :: \
    bwrap_bare "$bwrap" --unshare-all --die-with-parent --new-session --clearenv --ro-bind /usr /usr "$@" --proc /proc --dev /dev \
    --tmpfs /tmp --tmpfs /work --chdir /work -- /bin/true >"$work/figures" || exit 1

awk -v n="$rounds" '
    { least[$1] = $2; median[$1] = $4
      printf "{\"name\":\"jail.start.%s\",\"unit\":\"ms, median\",\"value\":%s,\"n\":%d}\n", $1, $4, n
      printf "{\"name\":\"jail.start.%s.least\",\"unit\":\"ms\",\"value\":%s,\"n\":%d}\n", $1, $2, n }
    END {
      printf "{\"name\":\"jail.start.ratio\",\"unit\":\"to bubblewrap, medians\",\"value\":%.3f,\"n\":%d}\n", median["filterd"] / median["bwrap"], n
      printf "{\"name\":\"jail.start.least_ratio\",\"unit\":\"to bubblewrap, least\",\"value\":%.3f,\"n\":%d}\n", least["filterd"] / least["bwrap"], n
    }' "$work/figures"
