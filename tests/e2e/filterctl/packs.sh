#!/bin/sh
# filterctl check --git reads packs itself: the same report as from git's loose objects, whatever git packed and how; what is broken is
# git's to say.
. "$(dirname "$0")/fixture"
command -v git >/dev/null || { echo "skip: git is not installed"; exit 0; }
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
ctl=$(cd "$bin" && pwd)/filterctl
git=$(command -v git)
mkdir "$dir/path"
printf '#!/bin/sh\necho "$*" >> "%s/commands"\nexec %s "$@"\n' "$dir" "$git" > "$dir/path/git"; chmod +x "$dir/path/git"

# Files that change at random places, some with what is found; a large one; one commit after the other by fast-import, so that all is there at once.
history() {
    awk -v seed=5 'function data(s) { printf "data %d\n%s\n", length(s), s }
        BEGIN { srand(seed)
            for (f = 0; f < 12; f++) for (l = 0; l < 400; l++) line[f, l] = "line " int(rand() * 1000000) " of file " f
            for (c = 1; c <= 150; c++) {
                printf "commit refs/heads/main\nauthor A <a@example.org> %d +0000\ncommitter A <a@example.org> %d +0000\n", 1700000000 + c, 1700000000 + c
                data("change " c)
                for (k = 0; k < 3; k++) {
                    f = int(rand() * 12); line[f, int(rand() * 400)] = rand() < 0.1 ? "tok_" sprintf("%016d", c * 10 + k) : "new " rand()
                    text = ""; for (l = 0; l < 400; l++) text = text line[f, l] "\n"
                    printf "M 100644 inline f%d.txt\n", f; data(text)
                }
                if (c % 40 == 0) { big = ""; for (l = 0; l < 20000; l++) big = big "big " l * c "\n"; printf "M 100644 inline big.txt\n"; data(big "key-12345678" sprintf("%04d", c) "\n") }
            }
        }'
}
scan() { (cd "$1" && PATH="$dir/path:$PATH" "$ctl" check $rules --format ndjson --git > "$dir/out" 2> "$dir/err"); }
# same FOLDER ASKED: the report is the one of loose objects; git was asked for blobs, or was not.
same() {
    : > "$dir/commands"
    scan "$1"
    cmp -s "$dir/out" "$dir/wanted" || fail "$1: another report: $(diff "$dir/out" "$dir/wanted" | head -n 3; cat "$dir/err")"
    asked=no; ! grep -q cat-file "$dir/commands" || asked=yes
    [ "$asked" = "$2" ] || fail "$1: git was asked for blobs: expected $2, got $asked"
}
history > "$dir/history"
for format in sha256 sha1; do
    repo=$dir/$format; git init -q -b main --object-format=$format "$repo"
    git -C "$repo" -c fastimport.unpackLimit=100000 fast-import --quiet < "$dir/history"
    [ -z "$(ls "$repo"/.git/objects/pack)" ] || fail "loose objects were meant"
    cp -R "$repo" "$repo-loose"
    scan "$repo"
    cp "$dir/out" "$dir/wanted"
    [ "$(grep -c '"rule":"test-token"' "$dir/wanted")" -gt 20 ] || fail "findings expected: $(cat "$dir/err")"
    same "$repo" yes
    git -C "$repo" repack -adfq --depth=50 --window=10; same "$repo" no
    git -C "$repo" repack -adfq --depth=4000 --window=3; same "$repo" no
    git -C "$repo" -c repack.useDeltaBaseOffset=false repack -adfq; same "$repo" no
    git -C "$repo" -c core.bigFileThreshold=1k repack -adfq; same "$repo" no # no deltas, no order
    git -C "$repo" -c pack.indexVersion=1 repack -adfq; same "$repo" yes      # what is not read is git's
    git -C "$repo" repack -adfq --max-pack-size=1m; git -C "$repo" multi-pack-index write 2> /dev/null; same "$repo" no
    git clone -q --shared "$repo" "$repo-shared"; same "$repo-shared" yes
    git -C "$repo" worktree add -q "$repo-tree" HEAD; same "$repo-tree" no; git -C "$repo" worktree remove -f "$repo-tree"
    # Some in a pack, some not; and the same ones in both.
    git -C "$repo-loose" rev-list --objects HEAD~70 | cut -d' ' -f1 | git -C "$repo-loose" pack-objects -q .git/objects/pack/pack > /dev/null
    same "$repo-loose" yes
    git -C "$repo-loose" prune-packed -q; same "$repo-loose" yes
    git -C "$repo-loose" repack -dq; same "$repo-loose" no
done

# What commits changed is found in packed trees, else git says it: the same, whatever their shape.
n=0
token() { n=$((n + 1)); printf 'tok_%016d\n' $n; }
shapes() { # FOLDER FORMAT
    git init -q -b main --object-format="$2" "$1"; cd "$1" || exit 1
    commit() { git add -A; git commit -q --allow-empty --no-verify -m x; }
    mkdir -p a/b/c a.d; for f in a/b/c/one a/b/two a.d/three a-file b "with space" ümlaut; do token > "$f"; done; ln -s b link; commit
    commit # nothing
    token >> a/b/c/one; chmod +x b; commit
    rm link; mkdir link; token > link/file; git mv a-file a-folder; commit
    rm -r link; token > link; rm -r a/b; token > a/b; commit                       # a folder, then a file
    git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),module"; git commit -q -m x; git rm -q --cached module; token > module; commit
    git checkout -q -b side HEAD~2; token > side-only; token >> b; commit; git checkout -q main
    token >> ümlaut; commit; git merge -q --no-edit -X ours side > /dev/null 2>&1 || { git checkout -q --ours .; commit; }
    git checkout -q -b evil HEAD~1; token > evil; commit; git checkout -q main; git merge -q --no-commit --no-ff evil > /dev/null 2>&1; token > only-in-the-merge; token >> b; git rm -qf a.d/three; commit
    for i in 1 2 3; do git checkout -q -b many$i main~1; token > many$i; commit; done; git checkout -q main; git merge -q --no-edit many1 many2 many3 > /dev/null 2>&1
    git checkout -q --orphan other; token > root; commit; git checkout -q main; git merge -q --no-edit --allow-unrelated-histories other > /dev/null 2>&1
    # A version of one file, copied over another one, then changed there: packed versions are read file by file.
    for i in 1 2 3 4 5; do token > copy$i; commit; token > origin$i; commit; cp origin$i copy$i; commit; seq 400 >> copy$i; token >> copy$i; commit; done
    git tag -a -m x old HEAD~3; git checkout -q --detach; token > detached; commit
    cd "$dir" || exit 1
}
listed() { : > "$dir/commands"; scan "$1"; git_said=no; ! grep -q -e ' --raw ' "$dir/commands" || git_said=yes; [ "$git_said" = "$2" ] || fail "$1: git was asked for changes: expected $2, got $git_said"; }
for format in sha256 sha1; do
    n=0; shapes "$dir/shapes-$format" $format
    listed "$dir/shapes-$format" yes
    cp "$dir/out" "$dir/wanted"
    [ "$(grep -c '"rule":"test-token"' "$dir/wanted")" -gt 20 ] || fail "$format: findings of all shapes expected: $(cat "$dir/err")"
    git -C "$dir/shapes-$format" repack -adfq
    listed "$dir/shapes-$format" no
    cmp -s "$dir/out" "$dir/wanted" || fail "$format: packed trees: $(diff "$dir/out" "$dir/wanted" | head -n 3)"
done
# A clone that has the last commits alone.
git -c advice.detachedHead=false clone -q --depth 2 "file://$dir/shapes-sha1" "$dir/shallow" && git -C "$dir/shallow" repack -adfq
listed "$dir/shallow" no
cp "$dir/out" "$dir/packed"; (cd "$dir/shallow" && mv .git/objects/pack/pack-*.pack "$dir/all.pack" && rm -f .git/objects/pack/* && git unpack-objects -q < "$dir/all.pack")
listed "$dir/shallow" yes
cmp -s "$dir/out" "$dir/packed" || fail "a shallow clone: $(diff "$dir/out" "$dir/packed" | head -n 3)"

# Broken: an error, no verdict, nothing in clear. Where the bytes are the same all the same, the report is.
broken=$dir/broken
break_at() { # FILE OFFSET
    rm -rf "$broken"; cp -R "$dir/sha1" "$broken"
    git -C "$broken" -c core.bigFileThreshold=1g repack -adfq
    rm -f "$broken"/.git/objects/pack/*.rev "$broken"/.git/objects/info/commit-graph; chmod u+w "$broken"/.git/objects/pack/*
    set -- "$broken"/.git/objects/pack/pack-*."$1" "$2"
    printf '\377\377\377\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2> /dev/null
}
size=$(git -C "$dir/sha1" -c core.bigFileThreshold=1g repack -adfq; wc -c < "$(echo "$dir"/sha1/.git/objects/pack/pack-*.pack)")
scan "$dir/sha1"; cp "$dir/out" "$dir/wanted" # in place of that of the last shape
for at in 0 8 $((size / 2)) $((size / 3)) $((size - 20)) $((size - 3000)); do
    break_at pack "$at"
    scan "$broken"; code=$?
    [ $code -eq 2 ] || { [ $code -eq 1 ] && cmp -s "$dir/out" "$dir/wanted"; } || fail "a pack broken at $at: code $code: $(cat "$dir/err")"
    [ $code -ne 2 ] || grep -qE 'filterctl: git: (fatal|error)|not in this repository' "$dir/err" || fail "a pack broken at $at: $(cat "$dir/err")"
    ! grep -qE 'tok_[0-9]{16}|key-1234' "$dir/out" "$dir/err" || fail "in clear"
done
for at in 0 8 1028 2000; do
    break_at idx "$at"
    scan "$broken"; code=$?
    [ $code -eq 2 ] || { [ $code -eq 1 ] && cmp -s "$dir/out" "$dir/wanted"; } || fail "an index broken at $at: code $code: $(cat "$dir/err")"
done
# A pack that is no file, or elsewhere.
break_at pack 0
pack=$(echo "$broken"/.git/objects/pack/pack-*.pack); rm -f "$pack"; mkfifo "$pack"
(cd "$broken" && timeout 20 "$ctl" check $rules --git HEAD > /dev/null 2> "$dir/err"); [ $? -ne 1 ] || fail "a pack that is a pipe: a verdict"
exit 0
