#!/bin/sh
# profile_coding_agent.sh BINDIR: a change to a C project, made, built, tested and handed over under `profile: coding-agent`.
. "$(dirname "$0")/jail.inc"
for tool in gcc make git; do command -v $tool >/dev/null || { skip "profile coding-agent: no $tool"; finish; }; done

mkdir -p "$here/project/src"
cat >"$here/project/Makefile" <<'P'
CFLAGS = -O2 -Wall -flto -g -fsanitize=undefined
objects = src/main.o src/sum.o
prog: $(objects)
	$(CC) $(CFLAGS) -pthread -o $@ $^
check: prog
	./prog 4 5 | grep -qx 9
P
cat >"$here/project/src/main.c" <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int sum(int a, int b);
static int numbers[2], result;
static void *run(void *unused) { result = sum(numbers[0], numbers[1]); return unused; }
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3) return 2;
    numbers[0] = atoi(argv[1]); numbers[1] = atoi(argv[2]);
    if (pthread_create(&t, NULL, run, NULL) != 0 || pthread_join(t, NULL) != 0) return 1;
    printf("%d\n", result);
    return 0;
}
P
echo 'int sum(int a, int b) { return a - b; }' >"$here/project/src/sum.c"
echo secret >"$here/project/.env"
( cd "$here/project" && git init -q -b main . && git add Makefile src &&
  git -c user.name=tester -c user.email=tester@jail.invalid commit -q -m first ) || fail "no repository"
chmod -R a+rX "$here/project"

for caller in $callers; do
    mkdir -m 700 "$here/$caller/quarantine"
    [ "$caller" != user ] || [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$here/user/quarantine"
    printf 'profile: coding-agent\ninputs: [{from: %s, to: /src}]\noutputs: {path: /out, quarantine: quarantine}\n' \
        "$here/project" | policy "$caller" agent
    tried=$((tried + 1))
    in_jail "$caller" agent sh -ec '
        git clone -q /src project; cd project
        make -s -j4 check 2>/dev/null && exit 9 # the fault is there
        sed -i s/-\ b/+\ b/ src/sum.c; make -s -j4 check
        printf "#!/bin/sh\necho hook >/work/hook\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
        git commit -q -a -m "sum adds"; [ "$(cat /work/hook)" = hook ]
        [ "$(git log -1 --format=%an)" = agent ]
        printf "int main(){}" >a.cpp; ! command -v g++ >/dev/null || g++ -std=c++17 -o a a.cpp
        ! command -v ar >/dev/null || { ar rcs lib.a src/sum.o; nm lib.a | grep -q " T sum"; }
        ! cat /src/.env 2>/dev/null
        git format-patch -q -1 -o /out; echo all passed'
    grep -qx 'all passed' "$here/out" || { fail "a change as $caller"; cat "$here/out" "$here/err"; }
    patch=$(find "$here/$caller/quarantine" -name '0001-sum-adds.patch')
    grep -q '^+int sum.*a + b' "$patch" || fail "no patch came out as $caller"

    tried=$((tried + 1))
    if [ -x /usr/bin/python3 ] && command -v npm >/dev/null; then
        in_jail "$caller" agent sh -ec '/usr/bin/python3 -m venv --without-pip e; e/bin/python -m unittest -q 2>&1 | tail -1
            mkdir p; cd p; npm init -y >/dev/null; npm pkg set scripts.test="node --test"
            echo "require(\"node:test\")(\"it\", () => {})" >a.test.js; npm test --silent | grep -q "pass 1"; echo all passed'
        grep -qx 'all passed' "$here/out" || { fail "python and node as $caller"; cat "$here/out" "$here/err"; }
    else
        skip "profile coding-agent: no python3 or npm"
    fi
done
finish
