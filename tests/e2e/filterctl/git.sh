#!/bin/sh
# filterctl check --git and --staged: real repositories, hostile ones, what is known already; nothing in clear.
. "$(dirname "$0")/fixture"
command -v git >/dev/null || { echo "skip: git is not installed"; exit 0; }
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME='Ann Author' GIT_AUTHOR_EMAIL=ann@example.org
export GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
ctl=$(cd "$bin" && pwd)/filterctl
mkdir "$dir/repo" && cd "$dir/repo" || exit 1
git init -q -b main .
commit() { git add -A . && git commit -q --no-verify -m "$1" && git rev-parse HEAD > "$dir/$1"; }
# found COUNT [FILTER]: how many findings the JSON report has.
found() { [ "$(jq "[.findings[] | select(${2:-true})] | length" "$dir/out")" = "$1" ] || fail "$1 findings expected: ${2:-all}"; }
scan() { wanted_code=$1; shift; expect "$wanted_code" "$ctl" check $rules --format json "$@"; }

# No commit yet; then history: a finding belongs to the commit that brought it, once, however often its file changes after.
scan 0 --git
found 0
seq 1 4000 > long.txt; printf 'fine\n' > a.txt; commit one
scan 0 --git
printf 'one\nthe key-123456789012 here\n' > a.txt; commit two
for i in 1 2 3; do sed -i "1i new line $i" a.txt; sed -i "200s/.*/line $i/" long.txt; commit "more$i"; done
scan 1 --git
found 1
[ "$(jq -r '.findings[0] | [.commit, .author, .email, .date, .file, .line, .column, .rule] | join("|")' "$dir/out")" = \
    "$(cat "$dir/two")|Ann Author|ann@example.org|2023-11-14T22:13:20Z|a.txt|2|5|test-key" ] || fail "attribution"
has_not 123456789012
expect 1 "$ctl" check $rules --git
has "a.txt:2:5  redact  test-key"
has "commit $(cut -c1-12 "$dir/two") by Ann Author <ann@example.org>  fingerprint:"
has "1 finding in"
has "of 9 files in 5 commits"
# The version that is checked out has it, too, at its place there.
scan 1 a.txt
found 1 '.line == 5'

# A change far from the beginning is found with its place; a deletion that makes one is, too; context is seen.
sed -i '300s/.*/tok_abcdefgh12345678/' long.txt; commit far
scan 1 --git
[ "$(jq -c '.findings[] | select(.file == "long.txt") | .bytes' "$dir/out")" = "[$(head -n 299 long.txt | wc -c),$(($(head -n 299 long.txt | wc -c) + 20))]" ] ||
    fail "its bytes are those of the file"
found 1 ".file == \"long.txt\" and .line == 300 and .commit == \"$(cat "$dir/far")\""
printf 'tok_abcdefgh, then\n12345678\n' > split.txt; commit split
scan 1 --git
found 2
printf 'tok_bcdefghi12345678\n' > split.txt; commit joined
scan 1 --git
found 1 '.file == "split.txt"'

# Words that a rule requires are seen at any distance that it looks, though they are far from the changed line.
mkdir -p "$dir/required/secrets"; cp "$dir/rules/policy.yaml" "$dir/required"
cat > "$dir/required/secrets/words.yaml" <<'RULES'
rules:
  - id: test-required
    title: Required words
    category: secret
    severity: medium
    pattern: 'pin-[0-9]{6}'
    context: {words: [vault], within: 900, required: true}
    confidence: 0.7
    match: ['vault: pin-123456', 'the vault has pin-000001', 'vault pin-999999']
    no_match: ['a pin-123456', 'vault', 'pin']
RULES
{ seq 1 40; echo the vault; seq 1000 1140; echo old; seq 2000 3000; } > words.txt; commit words
sed -i 's/^old$/pin-123456/; s/^2900$/pin-654321/' words.txt; commit pins
expect 1 "$ctl" check --rules "$dir/required" --format json --git
found 1
found 1 ".file == \"words.txt\" and .commit == \"$(cat "$dir/pins")\""

# Small changes are searched many at once: a finding is its own file's, and words in one file are not near a match in another.
mkdir many; for i in $(seq 40); do seq 2000 > many/$i.txt; done; commit many
for i in $(seq 40); do sed -i "200s/.*/changed $i/; 1900s/.*/again $i/" many/$i.txt; done
sed -i '200s/.*/the vault/' many/7.txt many/8.txt; sed -i '200s/.*/pin-121212/' many/9.txt
sed -i '200s/.*/pin-131313/; 201s/.*/vault/' many/6.txt; sed -i '200s/.*/tok_abcdefghmany0000/' many/20.txt; commit changes
expect 1 "$ctl" check --rules "$dir/required" --format json --git HEAD~1..HEAD
found 1
found 1 '.file == "many/6.txt" and .line == 200'
for jobs in 1 3; do
    scan 1 --git --jobs $jobs HEAD~1..HEAD
    found 1
    found 1 ".file == \"many/20.txt\" and .line == 200 and .commit == \"$(cat "$dir/changes")\""
    [ "$(jq .summary.texts "$dir/out")" = 80 ] || fail "each change is judged once: $(jq -c .summary "$dir/out")"
done
git reset -q --hard HEAD~4

# Ranges: only what they brought; what was there before is not new, also when its file changes.
sed -i '1i another' a.txt long.txt; commit touched
scan 0 --git HEAD~1..HEAD
found 0
printf 'key-999999999912 and key-123456789012\n' >> a.txt; commit added
scan 1 --git HEAD~1..HEAD
found 1
found 1 '.rule == "test-key" and .file == "a.txt"'
scan 0 --git HEAD..HEAD
scan 2 --git no-such-branch
says "filterctl: git:"
for bad in --output=x -x ''; do
    expect 2 "$ctl" check $rules --git -- "$bad"
    says "a range of commits expected"
done
[ ! -e x ] || fail "an option reached git"

# A renamed file is no news; copies neither.
git mv long.txt moved.txt; cp moved.txt copy.txt; commit renamed
scan 0 --git HEAD~1..HEAD

# Branches and merges: a branch's findings are its own commits'; a merge has what is in neither parent.
git checkout -q -b side HEAD~3; printf 'tok_sidesidesideside\n' > side.txt; commit side
git checkout -q main; git merge -q --no-commit side > /dev/null 2>&1; printf 'tok_evilevilevilevil\n' > evil.txt; commit merged
scan 1 --git
found 1 ".file == \"side.txt\" and .commit == \"$(cat "$dir/side")\""
found 1 ".file == \"evil.txt\" and .commit == \"$(cat "$dir/merged")\""
total=$(jq '.findings | length' "$dir/out")

# Staged: what the next commit would bring, not the working tree, not what is there already.
scan 0 --staged
printf 'key-555555555512\n' >> a.txt
scan 0 --staged
git add a.txt; printf 'clean\n' > a.txt
scan 1 --staged
found 1
found 1 '.file == "a.txt" and (has("commit") | not)'
git checkout -q HEAD -- a.txt
expect 2 "$ctl" check $rules --staged a.txt
expect 2 "$ctl" check $rules --staged --git
says "one of --git, --staged and --pipe expected"

# Kinds of files: documents, lines, packed, UTF-16, binary, links, what a repository cannot hold.
printf '{"a": {"b": "tok_abcdefgh12345679"}}' > doc.json
printf '{"t":"fine"}\n{"t":"key-777777777712"}\n' > lines.ndjson
printf 'one\ntok_packedpacked0000\n' | gzip -n > text.gz
{ printf '\377\376'; printf 'zwei key-666666666612\n' | iconv -f UTF-8 -t UTF-16LE; } > wide.txt
printf 'a\0tok_abcdefgh12345670' > binary; ln -s tok_linklinklinklink link; commit kinds
scan 1 --git HEAD~1..HEAD
for row in 'doc.json|1|/a/b' 'lines.ndjson|2|/t' 'text.gz|2|' 'wide.txt|1|' 'link|1|'; do
    IFS='|' read -r file line path << ROW
$row
ROW
    found 1 ".file == \"$file\" and .line == $line and .path == \"$path\""
done
[ "$(jq .summary.skipped "$dir/out")" = 1 ] || fail "the binary file"
printf '{"t":"fine"}\n{"t":"new"}\n{"t":"key-777777777712"}\n{"t":"key-888888888812"}\n' > lines.ndjson; commit lines
scan 1 --git HEAD~1..HEAD
found 1
found 1 '.line == 4'

# Known findings: a baseline is written, has no secret, and hides what it has; what is new is reported.
expect 0 "$ctl" check $rules --git --quiet --write-baseline "$dir/baseline"
! grep -qE 'tok_[a-z0-9]{8}|key-[0-9]{6}' "$dir/baseline" || fail "a secret in the baseline"
scan 0 --git --baseline "$dir/baseline"
found 0
[ "$(jq .summary.ignored "$dir/out")" -gt "$total" ] || fail "they are counted"
printf 'key-444444444412\n' > new.txt; commit new
scan 1 --git --baseline "$dir/baseline"
found 1 '.file == "new.txt"'
expect 1 "$ctl" check $rules --git --all --baseline "$dir/baseline"
has "(ignored by baseline)"
expect 2 "$ctl" check $rules --git --baseline "$dir/none"
printf 'fingerprint:zz\n' > "$dir/bad"
expect 2 "$ctl" check $rules --git --baseline "$dir/bad"
says "bad:1: path:PATTERN"
# It is whole or not there: nothing is written when the scan fails, or is killed.
cp "$dir/baseline" "$dir/before"
expect 2 "$ctl" check $rules --git no-such --write-baseline "$dir/baseline"
cmp -s "$dir/baseline" "$dir/before" || fail "a failure wrote the baseline"
for delay in 0.01 0.05 0.1; do
    timeout -s KILL $delay "$ctl" check $rules --git --quiet --write-baseline "$dir/baseline" > /dev/null 2>&1
    lines=$(wc -l < "$dir/baseline")
    [ "$lines" = "$(wc -l < "$dir/before")" ] || [ "$lines" = "$(($(wc -l < "$dir/before") + 1))" ] || fail "half a baseline"
done

# The ignore file of the repository's top folder, from below as well; comments in the text.
print=$(jq -r '.findings[] | select(.file == "new.txt") | .fingerprint' "$dir/out" 2> /dev/null)
scan 1 --git HEAD~1..HEAD
print=$(jq -r '.findings[0].fingerprint' "$dir/out")
mkdir -p sub
for line in "path:new.txt" "path:n*t" "rule:test-key" "rule:test-key path:new.txt" "fingerprint:$print"; do
    printf '# ours\n%s\n' "$line" > .filterdignore
    scan 0 --git HEAD~1..HEAD
    (cd sub && "$ctl" check $rules --quiet --git HEAD~1..HEAD) || fail "from a folder: $line"
    scan 1 --git --ignores off HEAD~1..HEAD
done
for line in "path:other.txt" "rule:test-token" "rule:test-key path:sub/" "fingerprint:0000000000000000:1"; do
    printf '%s\n' "$line" > .filterdignore
    scan 1 --git HEAD~1..HEAD
done
for line in "rule:no-such" "paths:x" "new.txt" "path:" "path:*********a" "rule:test-key new.txt"; do
    printf '\n%s\n' "$line" > .filterdignore
    expect 2 "$ctl" check $rules --git HEAD~1..HEAD
    says ".filterdignore:2:"
done
rm .filterdignore
printf 'path:new.txt\n' > "$dir/mine"
scan 0 --git --ignore-file "$dir/mine" HEAD~1..HEAD
printf 'key-222222222212 // filterd:allow\nkey-333333333312 # filterd:allow=test-key,x\nkey-111111111112 # filterd:allow=other\n' > comments.txt
commit comments
scan 1 --git HEAD~1..HEAD
found 1
found 1 '.line == 3'

# What was not judged, or was allowed, in one version is judged in the next that shows it.
{ printf 'nul: \0\n'; seq 2000; printf 'key-161616161612\n'; seq 2000; } > was-binary.txt; commit was-binary
sed -i 1d was-binary.txt; commit text-now
scan 1 --git HEAD~2..HEAD
found 1 ".file == \"was-binary.txt\" and .commit == \"$(cat "$dir/text-now")\""
printf '%s\n' 'tok_ab' 'cdefghijklmnopqr' > split.ndjson; printf 'key-171717171712 # filterd:allow\n' > allowed.txt; commit kinds-before
git mv split.ndjson joined.txt; sed -i 's/ #.*//' allowed.txt; commit kinds-after
scan 1 --git HEAD~2..HEAD
found 1 ".file == \"allowed.txt\" and .commit == \"$(cat "$dir/kinds-after")\""
"$ctl" check $rules --format json joined.txt > "$dir/joined"
found "$(jq '.findings | length' "$dir/joined")" '.file == "joined.txt"'
mkdir -p fixtures real; printf 'key-181818181812\n' > fixtures/x.txt; commit fixture; cp fixtures/x.txt real/y.txt; commit copied
printf 'path:fixtures/\n' > .filterdignore
scan 1 --git HEAD~2..HEAD
found 1
found 1 '.file == "real/y.txt"'
rm .filterdignore

# Folders: nothing is ignored unless it is asked for, as an agent may have written the folder.
printf 'out/\n' > .gitignore; mkdir out; printf 'key-121212121212\n' > out/made.txt
printf 'path:new.txt\n' > .filterdignore
scan 1 .
found 1 '.file == "./out/made.txt"'
found 1 '.file == "./new.txt"'
found 3 '.file == "./comments.txt"'
scan 1 --ignores on .
found 0 '.file == "./out/made.txt"'
found 0 '.file == "./new.txt"'
found 1 '.file == "./comments.txt"'
found 1 '.file == "./doc.json"'
found 0 '.file == "./link"'
rm .filterdignore

# SARIF: the commit, and suppressions for what is known.
expect 1 "$ctl" check $rules --git --format sarif --all "$(cat "$dir/comments")~1..$(cat "$dir/comments")"
[ "$(jq -c '[.runs[0].results[] | .suppressions[0].kind]' "$dir/out")" = '["inSource","inSource",null]' ] || fail "suppressions"
[ "$(jq -r '.runs[0].results[2].properties.commit' "$dir/out")" = "$(cat "$dir/comments")" ] || fail "SARIF's commit"

# Forms of repositories: SHA-256, bare, a worktree, shallow, objects of another repository, a blob that is only at the remote, an
# owner that git does not trust.
forms=$dir/forms; mkdir "$forms"
git init -q -b main --object-format=sha256 "$forms/sha256"
(cd "$forms/sha256" && printf 'key-191919191912\n' > a.txt && git add . && git commit -q --no-verify -m a && "$ctl" check $rules --format json --git > "$dir/out")
found 1 '.file == "a.txt" and (.commit | length) == 64'
"$ctl" check $rules --format json --git > "$dir/all"
wanted=$(jq '.findings | length' "$dir/all")
git clone -q --bare . "$forms/bare"; git worktree add -q "$forms/tree" HEAD; git clone -q --shared . "$forms/shared"
for form in bare tree shared; do
    (cd "$forms/$form" && "$ctl" check $rules --format json --git > "$dir/out")
    found "$wanted"
done
git worktree remove -f "$forms/tree"
git clone -q --depth 1 "file://$PWD" "$forms/shallow"
(cd "$forms/shallow" && "$ctl" check $rules --format json --git > "$dir/out")
found 1 ".file == \"new.txt\" and .commit == \"$(git rev-parse HEAD)\""
git config uploadpack.allowFilter true
git clone -q --no-checkout --filter=blob:none "file://$PWD" "$forms/partial"
(cd "$forms/partial" && "$ctl" check $rules --format json --git > "$dir/out" 2> "$dir/err"; [ $? -eq 2 ]) || fail "a repository without blobs"
# git before 2.45 ends at the first blob that it may not fetch, later ones say of each that it is missing.
grep -q 'filterctl: git:\|not in this repository' "$dir/err" || fail "a repository without blobs: errors do not say so"
if [ "$(id -u)" -eq 0 ]; then
    cp -R "$forms/bare" "$forms/foreign" && chown -R 12345 "$forms/foreign"
    (cd "$forms/foreign" && SUDO_UID= "$ctl" check $rules --git > "$dir/out" 2> "$dir/err"; [ $? -eq 2 ]) || fail "a repository of another user"
    says "filterctl: git: fatal: detected dubious ownership"
fi

# Hostile names: authors, files.
name=$(printf 'a\033]0;x\007\342\200\256b\nc')
printf 'tok_hostilehostile00' > "$name"
GIT_AUTHOR_NAME=$(printf 'Evil\033[31m\342\200\256x') commit hostile
expect 1 "$ctl" check $rules --git HEAD~1..HEAD
[ "$(wc -l < "$dir/out")" = 2 ] || fail "a name broke its line"
! grep -q "$(printf '\033')" "$dir/out" || fail "a terminal's sequence"
for format in json sarif ndjson; do
    expect 1 "$ctl" check $rules --git --format $format HEAD~1..HEAD
    jq -e . "$dir/out" > /dev/null || fail "$format"
done

# Hostile configuration: nothing is executed, nothing is left out.
scan 1 --git
all=$(jq '.findings | length' "$dir/out")
printf '#!/bin/sh\ntouch "%s/executed"\ncat\n' "$dir" > "$dir/program"; chmod +x "$dir/program"
for key in core.fsmonitor core.pager core.sshCommand diff.external diff.x.textconv diff.x.command filter.x.smudge filter.x.clean \
    filter.x.process gpg.program gpg.ssh.program core.alternateRefsCommand core.editor pager.log core.askpass; do
    git config "$key" "$dir/program"
done
printf '* diff=x filter=x\n' > .git/info/attributes
git config log.showSignature true; git config log.showRoot false; git config log.follow true; git config diff.relative true
git config diff.orderFile /nonexistent; git config diff.noprefix true; git config diff.renames copies; git config log.diffMerges off
git config log.decorate full; git config color.ui always; git config format.pretty 'format:nothing'; git config core.abbrev 5
git config diff.ignoreSubmodules all; git config i18n.logOutputEncoding UTF-16; git config log.date relative; git config core.quotePath true
mkdir -p .git/hooks; cp "$dir/program" .git/hooks/post-index-change; cp "$dir/program" .git/hooks/reference-transaction
git replace HEAD HEAD~2 2> /dev/null || fail "a replacement"
(cd sub && "$ctl" check $rules --format json --git > "$dir/out" 2> "$dir/err")
found "$all"
rm -f "$dir/executed"; printf 'key-131313131312\n' > staged.txt; git -c core.fsmonitor=false add staged.txt > /dev/null 2>&1; rm -f "$dir/executed"
git -c core.fsmonitor=false reset -q --mixed 2> /dev/null; git -c core.fsmonitor=false -c filter.x.clean= -c filter.x.process= add staged.txt > /dev/null 2>&1
rm -f "$dir/executed"
(cd sub && "$ctl" check $rules --format json --staged > "$dir/out" 2> "$dir/err")
found 1 '.file == "staged.txt"'
expect 1 "$ctl" check $rules --ignores on .
[ ! -e "$dir/executed" ] || fail "the repository's configuration was executed"

# A repository that is broken: an error, no verdict.
blob=$(git rev-parse HEAD:new.txt)
object=.git/objects/$(echo "$blob" | cut -c1-2)/$(echo "$blob" | cut -c3-)
chmod u+w "$object"; printf 'garbage' > "$object"
expect 2 "$ctl" check $rules --git
rm -f "$object"
expect 2 "$ctl" check $rules --git
says "new.txt: could not be judged: not in this repository"
cd "$dir" || exit 1
mkdir plain; cd plain || exit 1
GIT_CEILING_DIRECTORIES=$dir expect 2 "$ctl" check $rules --git
says "filterctl: git: fatal: not a git repository"
mkdir "$dir/path"
PATH="$dir/path" expect 2 "$ctl" check $rules --git
says "filterctl: git: No such file or directory"
exit 0
