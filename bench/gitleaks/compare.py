"""Runs filterctl check and gitleaks over the same repository or folder, in turns, and compares what they find; for git.sh and tree.sh.

usage: compare.py git|dir ROUNDS WORK FILTERCTL GITLEAKS WHERE

Of the findings that one has alone it prints numbers by rule, never a value."""
import collections
import json
import os
import subprocess
import sys
import time


def run(arguments, output):
    """Elapsed and processor time of the process and those it started."""
    start, before = time.monotonic(), os.times()
    with open(output, 'wb') as out:
        code = subprocess.run(arguments, stdout=out, stderr=subprocess.DEVNULL, check=False).returncode
    after = os.times()
    if code not in (0, 1):
        sys.exit(f'compare.py: {arguments[0]} ended with {code}')
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - start, used


def figure(name, unit, value, n):
    print(json.dumps({'name': name, 'unit': unit, 'value': round(value, 3), 'n': n}), flush=True)


def ours(path, where):
    """Place (commit, file, line) to the rules found there."""
    places = collections.defaultdict(set)
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            f = json.loads(line)
            if 'rule' in f and 'file' in f:
                places[f.get('commit', ''), os.path.relpath(f['file'], where), f['line']].add(f['rule'])
    return places


def theirs(path, where):
    """All lines of a finding: ours may begin on another one of them."""
    with open(path, encoding='utf-8') as file:
        return [(f['Commit'], os.path.relpath(f['File'], where) if not f['Commit'] else f['File'],
                 range(f['StartLine'] - 1, f['EndLine'] + 2), f['RuleID']) for f in json.load(file)]


def compare(mode, here, there):
    matched, alone = set(), collections.Counter()
    both = 0
    for commit, file, lines, rule in there:
        at = [(commit, file, line) for line in lines if (commit, file, line) in here]
        matched.update(at)
        both += bool(at)
        alone[rule] += not at
    figure(f'{mode}.gitleaks.findings', '1', len(there), 1)
    figure(f'{mode}.filterctl.places', '1', len(here), 1)
    figure(f'{mode}.gitleaks.found_by_both', '1', both, 1)
    for rule, n in alone.most_common():
        if n:
            print(f'  gitleaks alone: {n} {rule}')
    rules = collections.Counter(' '.join(sorted(names)) for place, names in here.items() if place not in matched)
    for names, n in rules.most_common(40):
        print(f'  filterctl alone: {n} {names}')


def main():
    mode, rounds, work, filterctl, gitleaks, where = sys.argv[1], int(sys.argv[2]), *sys.argv[3:7]
    report = os.path.join(work, 'gitleaks.json')
    commands = {
        'filterctl': [filterctl, 'check', '--format', 'ndjson', *(['--git'] if mode == 'git' else [where])],
        'gitleaks': [gitleaks, mode, '--no-banner', '--exit-code', '0', '--report-format', 'json', '--report-path', report, where],
    }
    outputs = {name: os.path.join(work, name + '.out') for name in commands}
    times = {name: [] for name in commands}
    run(commands['filterctl'], outputs['filterctl'])  # its patterns are compiled once for each user, and the files are read
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(run(command, outputs[name]))
    best = {name: [min(column) for column in zip(*rows)] for name, rows in times.items()}
    for i, what in enumerate(('elapsed', 'processor')):
        for name in commands:
            figure(f'{mode}.{name}.{what}', 's', best[name][i], rounds)
        figure(f'{mode}.ratio.{what}', '1', best['gitleaks'][i] / best['filterctl'][i], rounds)
    compare(mode, ours(outputs['filterctl'], where), theirs(report, where))


main()
