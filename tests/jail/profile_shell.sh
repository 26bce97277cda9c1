#!/bin/sh
# profile_shell.sh BINDIR: shell tools and git on a repository that is shown, under `profile: shell` and `profile: offline`.
. "$(dirname "$0")/jail.inc"

mkdir "$here/tree"
seq 5000 >"$here/tree/numbers"; printf 'b,2\na,1\n' >"$here/tree/table.csv"
if command -v git >/dev/null; then
    ( cd "$here/tree" && git init -q -b main . && git add . &&
      git -c user.name=tester -c user.email=tester@jail.invalid commit -q -m first ) || fail "no repository"
fi
chmod -R a+rX "$here/tree"

for caller in $callers; do
    for profile in shell offline; do
        printf 'profile: %s\ninputs: [{from: %s, to: /src}]\n' $profile "$here/tree" | policy "$caller" $profile
        tried=$((tried + 1))
        in_jail "$caller" $profile sh -ec '
            [ "$(grep -c 7 /src/numbers)" -eq 1355 ]; [ "$(sed -n 17p /src/numbers)" = 17 ]
            [ "$(awk "{s += \$1} END {print s}" /src/numbers)" -eq 12502500 ]
            [ "$(sort /src/table.csv | cut -d, -f2 | paste -sd+ )" = 1+2 ]
            find /src -name "*.csv" -print0 | xargs -0 wc -l | grep -q "2 /src/table.csv"
            tar -czf a.tgz -C /src numbers && tar -xzf a.tgz && cmp numbers /src/numbers
            sha256sum numbers | sed s,numbers,/src/numbers, | sha256sum -c --quiet
            head -c 100000 /dev/urandom | base64 | tr -d "\n" | wc -c | grep -qx 133336
            cp -r /src copy && diff -r /src copy && mkfifo p && { echo through >p & } && [ "$(cat p)" = through ]
            (for i in 1 2 3; do sleep 0.1 & done; wait); date -d @0 -u +%Y | grep -qx 1970
            test "$(ls -l /proc/self/exe | wc -l)" -eq 1 && ps >/dev/null && echo all passed' 
        grep -qx 'all passed' "$here/out" || { fail "tools under $profile as $caller"; cat "$here/out" "$here/err"; }
    done
    in_jail "$caller" shell sh -c 'cp /bin/true . && ./true'; [ $? -eq 126 ] || fail "what is written can be run as $caller"

    command -v git >/dev/null || { skip "git: not installed"; continue; }
    tried=$((tried + 1))
    in_jail "$caller" shell sh -ec 'git -C /src log --format=%s | grep -qx first; git -C /src status --porcelain
        git clone -q /src here; cd here; git config user.name agent; git config user.email agent@jail.invalid
        echo more >>numbers; git checkout -q -b work; git commit -q -a -m second; git diff main work | grep -q "^+more"
        git format-patch -q -1; git log --oneline | wc -l; git gc -q; git fsck; echo all passed'
    grep -qx 'all passed' "$here/out" || { fail "git as $caller"; cat "$here/out" "$here/err"; }
done
finish
