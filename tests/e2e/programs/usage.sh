#!/bin/sh
# Mistakes on the command lines of all programs: exit code 2, and a message that says what is wrong and what was expected.
. "$(dirname "$0")/../service.inc"
# refused MESSAGE PROGRAM ARGUMENT…: the whole of standard error.
refused() {
    message=$1 program=$2; shift 2
    "$bin/$program" "$@" >/dev/null 2>"$work/err" </dev/null; code=$?
    expect "$program $*" "2 $message" "$code $(cat "$work/err")"
}
printf 'foo: bar\n' >"$work/foo.yaml"
absent=$work/absent

refused "error filterd: command line: unknown option '--lissten' (did you mean --listen?); see --help" filterd --lissten=80
refused "error filterd: command line: spans: on or off expected" filterd --spans=maybe
refused "error filterd: $work/foo.yaml:1:1: unknown option 'foo'; see --print-defaults" filterd --config "$work/foo.yaml"
refused "error filterd: $absent: No such file or directory" filterd --config "$absent"

refused "filterctl: unknown command 'chek' (did you mean check?); see filterctl --help" filterctl chek
refused "filterctl check: unknown option '--nosuch'; see filterctl check --help" filterctl check --nosuch
refused "filterctl: the id of a rule expected, there is no 'nosuch'" filterctl rules show nosuch
refused "filterctl rules explain: RULE TEXT|-, RULE [--on FILE] or --checks expected" filterctl rules explain
refused "filterctl: $absent: No such file or directory" filterctl policy check "$absent"
refused "filterctl: $work/foo.yaml:1:1: key 'foo' is not known here: expected policies, tenants, violations" \
    filterctl policy check "$work/foo.yaml"

refused "filterd-jail: unknown command 'rum' (did you mean run?); see filterd-jail --help" filterd-jail rum
refused "filterd-jail run: unknown option '--nosuch'; see filterd-jail run --help" filterd-jail run --nosuch
refused "filterd-jail run: a file expected after '-p'; see filterd-jail run --help" filterd-jail run -p
refused "filterd-jail run: --policy FILE expected; see filterd-jail run --help" filterd-jail run
refused "filterd-jail verify: KEY REPORT… expected; see filterd-jail verify --help" filterd-jail verify key

refused "filterd-egress: --policy FILE expected; see --help" filterd-egress
refused "filterd-egress: no operand expected; see --help" filterd-egress --policy "$absent" operand
# shellcheck disable=SC2046 # one word each
refused "filterd-egress: --listen and --capture expected at most 64 times" filterd-egress --policy "$absent" \
    $(i=0; while [ $i -lt 65 ]; do echo --listen; echo 127.0.0.1:0; i=$((i + 1)); done)
refused "filterd-egress: $work/foo.yaml:1:1: key 'foo' is not known here: expected rules, credentials, limits" \
    filterd-egress --policy "$work/foo.yaml"

refused "filterd-ship: no operand expected; see --help" filterd-ship operand
refused "error filterd-ship: $absent: No such file or directory" filterd-ship --config "$absent"
# Before a configuration is looked for.
refused "filterd-link: unknown command 'nosuch'; see --help" filterd-link --config "$absent" nosuch
refused "filterd-link: unknown command 'statsu' (did you mean status?); see --help" filterd-link --config "$absent" statsu
refused "error filterd-link: $absent: No such file or directory" filterd-link --config "$absent" status
refused "filterd-witness: $absent: No such file or directory" filterd-witness --config "$absent"

# What cannot be written is an error of every program: a configuration that a full disk cut off must not look whole.
for program in filterctl filterd filterd-egress filterd-jail filterd-link filterd-ship filterd-witness; do
    for option in --help --version; do
        "$bin/$program" $option >/dev/full 2>"$work/err"; code=$?
        expect "$program $option on a full disk" "2 $program: standard output: No space left on device" "$code $(cat "$work/err")"
    done
done
"$bin/filterd" --print-defaults >/dev/full 2>"$work/err"; code=$?
expect 'defaults on a full disk' '2 filterd: standard output: No space left on device' "$code $(cat "$work/err")"

# Lists of commands: the name, two spaces at least, an imperative sentence.
for program in filterctl filterd-jail filterd-link; do
    "$bin/$program" --help | sed -n '/^Commands:/,/^$/p' | sed '1d;$d' >"$work/commands"
    expect "$program --help" '' "$(grep -vE '^  [a-z-]+( [a-z-]+)?  +[A-Z]' "$work/commands")"
    expect "$program --help: imperative" '' "$(grep -E '  [A-Z][a-z]*[^s]s ' "$work/commands")"
done
finish
