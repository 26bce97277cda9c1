#!/bin/sh
# schemas.sh BINDIR: the JSON Schemas for editors accept every shipped rule file and the policy, refuse what the program
# refuses, and list the checks and arguments that the program has.
bin=${1:?usage: $0 BINDIR}
cd "$(dirname "$0")/../.." || exit 2
"$bin/filterctl" rules explain --checks | exec /usr/bin/python3 tests/support/schemas.py "$bin/filterd"
