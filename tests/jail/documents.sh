#!/bin/sh
# documents.sh BINDIR: filterctl idm build converts PDF and office files, each in a jail: copies of them are found, and what is hostile,
# damaged or cut off is named, and harms nothing.
. "$(dirname "$0")/jail.inc"
for program in pdftotext unzip python3; do
    command -v $program >/dev/null || { skip "documents: no $program"; finish; }
done
caller=root
[ "$(id -u)" -eq 0 ] || caller=user
[ "$caller" = root ] || [ "$doctor" -eq 0 ] || { skip "documents as an ordinary user: no control group"; finish; }
ctl=$bin/filterctl
mkdir "$here/temporary" "$here/rules" "$here/rules/own"
own=$here/rules/own
export TMPDIR="$here/temporary" XDG_CACHE_HOME="$here/cache"
python3 "$(dirname "$0")/documents.py" "$here/documents" || exit 2

# build CODE FOLDER: what it printed is in $here/out and $here/err.
build() {
    tried=$((tried + 1))
    "$ctl" idm build "$here/documents/$2" --key "$own/key" --out "$own/$2.idm" >"$here/out" 2>"$here/err"
    [ $? -eq "$1" ] || { fail "$2: exit code $1 expected"; cat "$here/out" "$here/err"; }
    [ -z "$(ls "$here/temporary")" ] || fail "$2: files are left: $(ls "$here/temporary")"
}
has() { grep -qF -- "$1" "$here/out" || { fail "no output: $1"; cat "$here/out" "$here/err"; }; }
says() { grep -qF -- "$1" "$here/err" || { fail "no message: $1"; cat "$here/err"; }; }

build 0 good
has "of 7 documents"
has "PDF and office files: 7 converted, 0 of them damaged; 0 left out"
[ ! -s "$here/err" ] || fail "good: $(cat "$here/err")"
cat >"$own/own.yaml" <<'RULES'
rules:
  - {id: own, title: Own documents, category: content, severity: high, confidence: 0.95, documents: {file: good.idm, key: key, run: 200}}
RULES
cat >"$here/rules/policy.yaml" <<'POLICY'
policies:
  default:
    rules: [own]
    actions: [{rules: [own], action: redact}]
    notice: "Withheld."
POLICY
for name in turbine rotor compressor gearbox generator condenser furnace; do
    tried=$((tried + 1))
    echo "The third stage of the $name is to be inspected after nine hundred hours of operation, or sooner when the vibration
exceeds four millimetres per second. Inspectors record the clearance of each blade in the logbook, together with the number of the gauge." |
        "$ctl" redact --rules "$here/rules" >"$here/out" 2>"$here/err"
    [ $? -eq 1 ] && grep -q '\[own\]' "$here/out" && ! grep -q 'logbook' "$here/out" || { fail "$name is not found"; cat "$here/out" "$here/err"; }
done

build 1 hostile
has "0 fingerprints of 0 documents"
has "left out: 2 files; 0 documents too short"
has "PDF and office files: 0 converted, 0 of them damaged; 15 left out"
says "zip-bomb.docx: left out: more than 64 MiB unpacked"
says "long-xml.docx: left out: more than 64 MiB unpacked"
says "entity-bomb.docx: left out: part 1: no document type declaration expected"
says "deep.docx: left out: part 1: elements at most 256 deep expected"
says "truncated.docx: left out: no zip archive"
says "empty.docx: left out: no zip archive"
says "locked.docx: left out: protected by a password"
says "locked.pdf: left out: protected by a password"
says "truncated.pdf: left out: pdftotext does not read it"
says "text.pdf: left out: pdftotext does not read it"
says "scanned.pdf: left out: no text in it"
says "climbing.docx: left out: no part of it has text"
says "many-parts.pptx: left out: more than 64 MiB of text"
says "locked.odt: left out: damaged, or protected by a password: part 1: line 1: no XML"
says "old.doc: left out: nothing here converts it"
[ "$(wc -l <"$here/err")" -eq 15 ] || { fail "hostile: 15 lines expected"; cat "$here/err"; }

build 1 damaged
has "PDF and office files: 1 converted, 1 of them damaged; 0 left out"
says "damaged.pdf: damaged: some of its text may be missing"
! grep -q oops "$here/err" || fail "content in a message"

# A converter, its jail, or filterctl itself is killed while a page that does not end is read.
descendant() { # PID NAME: the process of that name below it
    for child in $(pgrep -P "$1"); do
        if [ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$2" ]; then echo "$child"; return 0; fi
        descendant "$child" "$2" && return 0
    done
    return 1
}
killed() { # SIGNAL NAME CODE
    tried=$((tried + 1))
    rm -f "$own/endless.idm"
    "$ctl" idm build "$here/documents/endless" --key "$own/key" --out "$own/endless.idm" >"$here/out" 2>"$here/err" &
    builder=$!
    background="$background $builder"
    reader=
    for _ in $(seq 1000); do reader=$(descendant $builder pdftotext) && break; sleep 0.01; done
    [ -n "$reader" ] || { fail "$2: pdftotext did not begin"; cat "$here/err"; return; }
    case $2 in
    filterctl) kill -"$1" $builder ;;
    *) kill -"$1" "$(descendant $builder "$2")" ;;
    esac
    wait $builder
    code=$?
    [ $code -eq "$3" ] || { fail "$2 killed: exit code $3 expected, not $code"; cat "$here/err"; }
    for _ in $(seq 300); do [ -e "/proc/$reader" ] || break; sleep 0.01; done
    [ ! -e "/proc/$reader" ] || fail "$2 killed: pdftotext goes on"
    [ -z "$(ls "$here/temporary")" ] || fail "$2 killed: files are left"
}
killed KILL pdftotext 1
says "endless.pdf: left out: pdftotext was ended by signal 9"
killed KILL filterd-jail 1
says "endless.pdf: left out: pdftotext: its jail was killed"
killed TERM filterctl 143
[ ! -e "$own/endless.idm" ] || fail "a file after a signal"

# Without a jail, and without a converter, nothing is read.
mkdir "$here/alone" && cp "$ctl" "$here/alone/"
if [ ! -e /usr/bin/filterd-jail ]; then
    ctl=$here/alone/filterctl
    build 1 damaged
    says "damaged.pdf: left out: filterd-jail is not installed"
    printf '#!/bin/sh\necho "filterd-jail: no group (on_missing_mechanism: degrade)" >&2\nexit 125\n' >"$here/alone/filterd-jail"
    chmod 755 "$here/alone/filterd-jail"
    build 1 damaged
    says "damaged.pdf: left out: no jail for pdftotext: no group; see filterd-jail doctor"
fi
finish
