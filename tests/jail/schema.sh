#!/bin/sh
# schema.sh BINDIR: the JSON Schema for editors accepts and refuses what the program does.
bin=$(cd "${1:?usage: $0 BINDIR}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
/usr/bin/python3 tests/jail/schema.py "$bin/filterd-jail" "$folder"
