#!/bin/sh
# check_digits.sh BINDIR: a second implementation of the check digits agrees with the examples of the rules.
cd "$(dirname "$0")/../.." || exit 2
exec /usr/bin/python3 tests/rules/check_digits.py
