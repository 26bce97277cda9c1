"""Runs filterctl check and gitleaks over the same repository or folders, in turns, and compares what they find; for git.sh and tree.sh.

usage: compare.py git|dir ROUNDS WORK FILTERCTL GITLEAKS WHERE…

Of several folders the times are summed: what else the machine does falls on both. FILTERD_POLICY: a policy for filterctl check.
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


class Comparison:
    def __init__(self, mode, work, filterctl, gitleaks):
        self.mode, self.report = mode, os.path.join(work, 'gitleaks.json')
        self.outputs = {name: os.path.join(work, name + '.out') for name in ('filterctl', 'gitleaks')}
        policy = os.environ.get('FILTERD_POLICY')
        self.filterctl = [filterctl, 'check', '--format', 'ndjson', *(['--policy', policy] if policy else [])]
        self.gitleaks = [gitleaks, mode, '--no-banner', '--exit-code', '0', '--report-format', 'json', '--report-path', self.report]

    def commands(self, where):
        return {'filterctl': [*self.filterctl, *(['--git'] if self.mode == 'git' else [where])], 'gitleaks': [*self.gitleaks, where]}

    def times(self, where, rounds):
        """The best of the rounds, elapsed and processor time of each."""
        rows = {name: [] for name in self.outputs}
        for _ in range(rounds):
            for name, command in self.commands(where).items():
                rows[name].append(run(command, self.outputs[name]))
        return {name: [min(column) for column in zip(*rows[name])] for name in rows}

    def findings(self, where):
        return ours(self.outputs['filterctl'], where), theirs(self.report, where)


def print_times(mode, times, rounds):
    for i, what in enumerate(('elapsed', 'processor')):
        for name, row in times.items():
            figure(f'{mode}.{name}.{what}', 's', row[i], rounds)
        figure(f'{mode}.ratio.{what}', '1', times['gitleaks'][i] / times['filterctl'][i], rounds)


def main():
    mode, rounds, work, filterctl, gitleaks, *places = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    c = Comparison(mode, work, filterctl, gitleaks)
    # Its patterns are compiled once for each user; a repository's files are read.
    run(c.commands(places[0])['filterctl'] if mode == 'git' else [*c.filterctl, __file__], c.outputs['filterctl'])
    sums, here, there = {}, {}, []
    for i, where in enumerate(places):
        times = c.times(where, rounds)
        sums = {name: [a + b for a, b in zip(times[name], sums.get(name, (0, 0)))] for name in times}
        if len(places) > 1:
            print_times(f'{mode}.{i + 1}_of_{len(places)}', times, rounds)
        found, theirs_found = c.findings(where)
        here.update({(commit, (i, file), line): rules for (commit, file, line), rules in found.items()})
        there += [(commit, (i, file), lines, rule) for commit, file, lines, rule in theirs_found]
    print_times(mode, sums, rounds)
    compare(mode, here, there)


main()
