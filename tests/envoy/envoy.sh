#!/bin/sh
# envoy.sh PROGRAMS ENVOY: a real Envoy with filterd as its external processor. Each answer of the tests' upstream reaches the client as
# through filterd's own proxy, in each mode of bodies; what is blocked is searched for in every byte.
. "$(dirname "$0")/../e2e/service.inc"
. "$(dirname "$0")/../e2e/proxy.inc"
envoy=$2
bomb=E2EBOMB0001
front='before 

'
timeout_s=20
upstream
api=$port
cat >"$upstreams" <<YAML
upstreams:
  ai: {protocol: openai, url: "http://127.0.0.1:$api", heartbeat: 1}
  hard: {protocol: openai, url: "http://127.0.0.1:$api", block: hard}
YAML
grpc=$work/ext-proc.sock
printf 'proxy-token-of-envoy-0001' | "$bin/filterd" --hash-token --role=proxy --name=envoy >"$work/tokens"
printf 'operator-token-for-the-test' | "$bin/filterd" --hash-token --role=operator --name=op >>"$work/tokens"
start --upstreams="$upstreams" --ext-proc=unix:"$grpc" --tokens="$work/tokens"

free_port() { /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# envoy_with MODE TRAILERS [UPSTREAM [TOKEN]]: starts one and sets through and envoy_pid.
envoy_with() {
    listen=$(free_port)
    sed -e "s|@LISTEN@|$listen|" -e "s|@API@|$api|" -e "s|@MODE@|$1|" -e "s|@TRAILERS@|$2|" -e "s|@UPSTREAM@|${3:-ai}|" \
        -e "s|@TOKEN@|${4:-proxy-token-of-envoy-0001}|" -e "s|@FILTERD@|{pipe: {path: $grpc}}|" \
        "$(dirname "$0")/envoy.yaml" >"$work/envoy.$listen.yaml"
    "$envoy" -c "$work/envoy.$listen.yaml" --disable-hot-restart --concurrency 1 --log-level warning 2>"$work/envoy.$listen.log" &
    envoy_pid=$!
    upstream_pids="$upstream_pids $envoy_pid"
    through=http://127.0.0.1:$listen
    for _ in $(seq 1200); do
        curl -s -o /dev/null --max-time 1 "$through/" && break
        kill -0 $envoy_pid 2>/dev/null || { cat "$work/envoy.$listen.log"; exit 1; }
        sleep 0.05
    done
}
# post URL MODEL TEXT STREAM [CURL-OPTION…]: the status, then the body; 000 is a connection that was broken off.
post_chat() {
    to=$1 model=$2 text=$3 streams=$4; shift 4
    curl -s --max-time $timeout_s -H "$json" -w '\nstatus %{http_code} %{exitcode}' "$@" \
        --data-binary "{\"model\":\"$model\",\"stream\":$streams,\"messages\":[{\"role\":\"user\",\"content\":\"$text\"}]}" \
        "$to/v1/chat/completions"
}
status_line() { printf '%s\n' "$1" | tail -n 1; }
# What the client has understood: the text of a stream or of a whole answer, or the error.
understood() {
    printf '%s\n' "$1" | sed '$d' | grep -v '^: ' >"$work/answer"
    if grep -q '^data: ' "$work/answer"; then
        said <"$work/answer"; finish_reason <"$work/answer" | tr '\n' ' '
    else
        jq -r '.choices[0].message.content // .error.message // .' "$work/answer" 2>/dev/null || cat "$work/answer"
    fi
}

for row in BUFFERED:SKIP STREAMED:SKIP FULL_DUPLEX_STREAMED:SEND; do
    mode=${row%:*}
    for up in ai hard; do
        envoy_with "$mode" "${row#*:}" $up
        for model in m bytes bytes bytes call html garbage redirect error-429 error-500; do
            for text in 'all is well' "the key $secret is here" "before $bomb after"; do
                for streams in true false; do
                    what="$mode, $up, $model, stream $streams: $text"
                    wanted=$(post_chat "$url/$up" $model "$text" $streams -H 'X-Filterd-Token: proxy-token-of-envoy-0001')
                    got=$(post_chat "$through" $model "$text" $streams)
                    expect "$what: nothing leaks" 0 "$(printf '%s' "$got" | grep -cE "$secret|$bomb")"
                    # Whether the text in front of a hard block leaves before it depends on how the bytes come, and so does
                    # the form of the block: in the proxy, too.
                    [ $up = hard ] && [ "$text" = "before $bomb after" ] && continue
                    understood=$(understood "$wanted")
                    # As it is taken whole it is one chunk, of which one that blocks releases nothing.
                    [ "$mode" != BUFFERED ] || understood=${understood#"$front"}
                    case "$(status_line "$wanted") $mode" in
                    # The head of a stream has left before the block, so that the client's connection is broken off.
                    'status 400 0 STREAMED' | 'status 502 0 STREAMED' | 'status 504 0 STREAMED')
                        case "$(status_line "$got")" in
                        'status 400 0' | 'status 502 0' | 'status '???' '[1-9]*) ;;
                        *) expect "$what: refused or broken off" 'an error' "$(status_line "$got")" ;;
                        esac ;;
                    *)
                        expect "$what: status" "$(status_line "$wanted")" "$(status_line "$got")"
                        expect "$what" "$understood" "$(understood "$got")" ;;
                    esac
                done
            done
        done
        # Other routes: a list of models, and one that no protocol has.
        expect "$mode: models" '["m"]' "$(curl -s --max-time $timeout_s "$through/v1/models" | jq -c '[.data[].id]')"
        expect "$mode: an unknown route" 404 "$(status_of "$through/v1/nowhere")"
        head=$(curl -s --max-time $timeout_s -D - -o /dev/null "$through/v1/models" | tr -d '\r')
        expect "$mode: headers that do not come down" 0 "$(printf '%s' "$head" | grep -ciE '^(set-cookie|x-secret-of-upstream):')"
        expect "$mode: headers that do" 1 "$(printf '%s' "$head" | grep -ci '^x-request-id:')"
        kill $envoy_pid; wait $envoy_pid 2>/dev/null
    done
done

# More than the buffers between them hold, read slowly and read at once.
envoy_with FULL_DUPLEX_STREAMED SEND
for rate in 3M 1G; do
    expect "a long stream, $rate: all of it" "$(post_chat "$url/ai" long '' true -H 'X-Filterd-Token: proxy-token-of-envoy-0001' | said | cksum)" \
        "$(post_chat "$through" long '' true --limit-rate $rate | said | cksum)"
done

# An upstream that is late: no heartbeat of filterd's takes the place of its head.
expect 'a late answer' 'all is wellstop ' "$(understood "$(post_chat "$through" late 'all is well' true)")"
expect 'a late error' 'status 500 0' "$(status_line "$(post_chat "$through" late-error '' true)")"

# A client that leaves in the middle, an upstream that dies, and filterd gone: the rest does not pass.
envoy_with FULL_DUPLEX_STREAMED SEND
post_chat "$through" half "the key $secret" true >"$work/half"
expect 'a broken upstream: nothing leaks' 0 "$(grep -c "$secret" "$work/half")"
curl -sN --max-time 1 -H "$json" --data-binary '{"model":"slow","stream":true,"messages":[{"role":"user","content":"one two three four five six"}]}' \
    "$through/v1/chat/completions" >/dev/null
await 'a client that left: on record' client eval 'records | jq -r "select(.phase==\"aborted\") | .end" | grep -x client | tail -1'
await 'calls' 0 metric filterd_ext_proc_calls
envoy_with BUFFERED SKIP ai another-token-that-is-wrong
expect 'another token' 'status 500 0' "$(status_line "$(post_chat "$through" m fine false)")"
# SIGTERM: what is under way ends as it would.
envoy_with FULL_DUPLEX_STREAMED SEND
post_chat "$through" slow 'one two three four five six seven' true >"$work/slow" &
asked=$!
await 'a stream is under way' 1 metric filterd_ext_proc_calls
stop
wait $asked
expect 'drained: exit code' 0 "$status"
expect 'drained: the answer' 'one two three four five six sevenstop ' "$(understood "$(cat "$work/slow")")"
start --upstreams="$upstreams" --ext-proc=unix:"$grpc" --tokens="$work/tokens"
# filterd takes the request and never answers: Envoy's message_timeout.
envoy_with BUFFERED SKIP
kill -STOP "$pid"
expect 'filterd silent' 'status 504 0' "$(status_line "$(post_chat "$through" m "$secret" true)")"
kill -CONT "$pid"
envoy_with STREAMED SKIP
kill -9 "$pid"; wait "$pid" 2>/dev/null; pid=''
expect 'filterd gone' 'status 500 0' "$(status_line "$(post_chat "$through" m "$secret" true)")"
finish
