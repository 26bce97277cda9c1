#!/bin/sh
# One reading of a request: what another server on the way could read differently is refused at once, and the
# connection closed, so that nothing behind it is taken for a request of its own.
. "$(dirname "$0")/service.inc"
. "$(dirname "$0")/proxy.inc"
upstream
printf 'upstreams:\n  ai: {protocol: openai, url: "http://127.0.0.1:%s"}\n' "$port" >"$upstreams"
start --upstreams="$upstreams"

: >"$work/seen-by-upstream"

# A second request stands behind each: an answer to it would show that two readings were possible.
next='GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
: >"$work/cases"
case_of() { # case_of NAME EXPECTED BYTES: the status, how many answers, and what becomes of the connection
    printf '%s\t%s\n' "$1" "$3" >>"$work/cases"
    printf '%s\t%s\n' "$1" "$2" >>"$work/expected"
}
# Each fault before each kind of route: judged, without a body, an upstream's, none at all.
fault() { # fault NAME EXPECTED HEADER-BYTES [BODY]
    for path in /v1/filter /healthz /ai/v1/chat/completions /nowhere; do
        method=POST type='Content-Type: text/plain\r\n'
        [ "$path" != /healthz ] || method=GET
        [ "$path" != /ai/v1/chat/completions ] || type='Content-Type: application/json\r\n'
        case_of "$1, $path" "$2" "$method $path HTTP/1.1\r\n$type$3\r\n${4-}$next"
    done
}
host='Host: localhost\r\n'
fault 'two lengths that differ' '400 1 closed' "${host}Content-Length: 5\r\nContent-Length: 3\r\n" hello
fault 'two lengths that agree' '400 1 closed' "${host}Content-Length: 5\r\nContent-Length: 5\r\n" hello
fault 'a list of lengths' '400 1 closed' "${host}Content-Length: 5, 5\r\n" hello
fault 'a signed length' '400 1 closed' "${host}Content-Length: +5\r\n" hello
fault 'a length in hexadecimal' '400 1 closed' "${host}Content-Length: 0x5\r\n" hello
fault 'an empty length' '400 1 closed' "${host}Content-Length:\r\n" hello
fault 'length and coding' '400 1 closed' "${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" '0\r\n\r\n'
fault 'coding and length' '400 1 closed' "${host}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n" '0\r\n\r\n'
fault 'a space before the colon' '400 1 closed' "${host}Transfer-Encoding : chunked\r\nContent-Length: 5\r\n" '0\r\n\r\n'
fault 'a tab before the colon' '400 1 closed' "${host}Content-Length\t: 5\r\n" hello
fault 'a folded line' '400 1 closed' "${host}X-A: one\r\n two\r\nContent-Length: 5\r\n" hello
fault 'a folded coding' '400 1 closed' "${host}Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n" '0\r\n\r\n'
fault 'a first line that is folded' '400 1 closed' " X-A: one\r\n${host}Content-Length: 5\r\n" hello
fault 'a bare CR in a value' '400 1 closed' "${host}X-A: one\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n" hello
fault 'a bare CR at the end' '400 1 closed' "${host}Content-Length: 5\r\nX-A: one\r\r\n" hello
fault 'a bare LF' '400 1 closed' "${host}X-A: one\nContent-Length: 5\r\n" hello
fault 'a NUL in a value' '400 1 closed' "${host}X-A: o\x00e\r\nContent-Length: 5\r\n" hello
fault 'a NUL in a name' '400 1 closed' "${host}X\x00A: one\r\nContent-Length: 5\r\n" hello
fault 'a control character in a value' '400 1 closed' "${host}X-A: o\x0be\r\nContent-Length: 5\r\n" hello
fault 'a name that is no token' '400 1 closed' "${host}X(A): one\r\nContent-Length: 5\r\n" hello
fault 'no name' '400 1 closed' "${host}: one\r\nContent-Length: 5\r\n" hello
fault 'no colon' '400 1 closed' "${host}X-A one\r\nContent-Length: 5\r\n" hello
fault 'no Host' '400 1 closed' 'Content-Length: 5\r\n' hello
fault 'two Hosts' '400 1 closed' "${host}${host}Content-Length: 5\r\n" hello
fault 'a Host of two' '400 1 closed' 'Host: localhost, evil.example\r\nContent-Length: 5\r\n' hello
fault 'a Host with a path' '400 1 closed' 'Host: localhost/evil\r\nContent-Length: 5\r\n' hello
fault 'an empty Host' '400 1 closed' 'Host:\r\nContent-Length: 5\r\n' hello
# libmicrohttpd 1.0 answers these itself, with another status.
fault 'an unknown coding (400 or 501)' 'refused 1 closed' "${host}Transfer-Encoding: gzip\r\n" hello
fault 'two codings (400 or 501)' 'refused 1 closed' "${host}Transfer-Encoding: gzip, chunked\r\n" '0\r\n\r\n'
fault 'chunked twice' '400 1 closed' "${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" '0\r\n\r\n'
fault 'chunked and identity (400 or 501)' 'refused 1 closed' "${host}Transfer-Encoding: chunked, identity\r\n" '0\r\n\r\n'
fault 'an unknown expectation' '417 1 closed' "${host}Expect: 200-maybe\r\nContent-Length: 5\r\n" hello
fault 'two expectations' '417 1 closed' "${host}Expect: 100-continue, other\r\nContent-Length: 5\r\n" hello
for version in 400=HTTP/1.2 505=HTTP/2.0 505=HTTP/0.9 400=HTTP/11 400=http/1.1 400=FOO/1.1; do
    case_of "version ${version#*=}" "${version%%=*} 1 closed" "GET /healthz ${version#*=}\r\n$host\r\n$next"
done
case_of 'no version' '400 1 closed' "GET /healthz\r\n$host\r\n$next"
case_of 'two blanks in the request line' '400 1 closed' "GET  /healthz HTTP/1.1\r\n$host\r\n$next"
case_of 'a tab in the request line (400 or no answer)' 'refused closed' "GET\t/healthz HTTP/1.1\r\n$host\r\n$next"
case_of 'a blank behind the version' '400 1 closed' "GET /healthz HTTP/1.1 \r\n$host\r\n$next"
case_of 'a bare CR in the request line' '400 1 closed' "GET /healthz HTTP/1.1\rX-A: one\r\n$host\r\n$next"
case_of 'a bare LF behind the request line' '400 1 closed' "GET /healthz HTTP/1.1\n$host\r\n$next"
case_of 'coding in HTTP/1.0' '400 1 closed' "POST /v1/filter HTTP/1.0\r\n${host}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n$next"
# Chunks that another server could end elsewhere: whether they are read or not, nothing behind them is a request.
chunks() { # chunks NAME BODY
    for path in /v1/filter /ai/v1/chat/completions /nowhere; do
        case_of "chunks, $1, $path" 'any 1 closed' "POST $path HTTP/1.1\r\n${host}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n$2$next"
    done
}
chunks 'a bare LF behind a size' '5\nhello\r\n0\r\n\r\n'
chunks 'a bare LF behind the bytes' '5\r\nhello\n0\r\n\r\n'
chunks 'a bare LF at the end' '5\r\nhello\r\n0\n\n'
chunks 'an extension with a bare LF' '5;a\nhello\r\n0\r\n\r\n'
chunks 'an extension with a bare CR' '5;a\rb\r\nhello\r\n0\r\n\r\n'
chunks 'a trailer with a bare LF' '5\r\nhello\r\n0\r\nX-A: b\n\r\n'
chunks 'a trailer of framing' '5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n'
chunks 'no end of line behind the bytes' '5\r\nhello0\r\n\r\n'
# What has one reading is read.
case_of 'plain' '200 2 closed' "POST /v1/filter HTTP/1.1\r\n${host}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello$next"
case_of 'chunked' '200 1 closed' "POST /v1/filter HTTP/1.1\r\n${host}Content-Type: text/plain\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n$next"
case_of 'blanks and tabs around values' '200 2 closed' "POST /v1/filter HTTP/1.1\r\nHost:localhost\r\nContent-Type: \ttext/plain \t\r\nX-Empty:\r\nX-Blank: \r\nContent-Length:  5\r\n\r\nhello$next"
case_of 'letters beyond ASCII in a value' '200 2 closed' "POST /v1/filter HTTP/1.1\r\n${host}X-A: b\xc3\xbc\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello$next"
case_of 'an empty line before' '200 1 closed' "\r\n$next"
case_of 'HTTP/1.0' '200 1 closed' "GET /healthz HTTP/1.0\r\n$host\r\n"
case_of 'a Host with a port' '200 1 closed' 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:8470\r\nConnection: close\r\n\r\n'
case_of 'a long head' '200 1 closed' "GET /healthz HTTP/1.1\r\n${host}X-Long: $(head -c 6000 /dev/zero | tr '\0' a)\r\nConnection: close\r\n\r\n"
case_of 'many headers' '200 1 closed' "GET /healthz HTTP/1.1\r\n${host}$(for i in $(seq 60); do printf 'X-%d: v\\r\\n' "$i"; done)Connection: close\r\n\r\n"

/usr/bin/python3 tests/support/raw_requests.py "$address" <"$work/cases" >"$work/statuses"
sed -E '/^chunks,/s/\t[0-9]+ /\tany /; /\(400 or 501\)/s/\t(400|501) /\trefused /; /\(400 or no answer\)/s/\t(400 1|- 0) /\trefused /' "$work/statuses" >"$work/answers"
expect 'every case was tried' "$(wc -l <"$work/cases")" "$(wc -l <"$work/answers")"
expect 'how each was answered' '' "$(diff "$work/expected" "$work/answers")"
expect 'nothing went up' 0 "$(seen_by_upstream | wc -l)"
stop
expect 'nothing was judged but what was expected' "$(grep -c '/v1/filter.*	200 \|^plain	200\|^chunked	200\|^blanks.*	200\|^letters.*	200' "$work/statuses")" "$(exchanges | grep -c .)"
finish
