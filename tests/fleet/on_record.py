#!/usr/bin/env python3
"""on_record.py IDS LOG…: every answer that a client had (load.py's file) is in exactly one of the logs, and the numbers of each log have
no gap. Prints what is not so; else nothing."""
import collections, json, sys

answered = collections.Counter(line.split()[1] for line in open(sys.argv[1]) if line.startswith('200 '))
recorded, status = collections.Counter(), 0
for log in sys.argv[2:]:
    numbers = []
    for line in open(log):
        line = json.loads(line)
        numbers.append(line['seq'])
        if line.get('type') == 'decision':
            recorded[line['req_id']] += 1
    if numbers != list(range(1, len(numbers) + 1)):
        print(f'{log}: numbers from {numbers[:1]} to {numbers[-1:]}, {len(numbers)} lines')
        status = 1
wrong = [id for id in answered if recorded[id] != 1 or answered[id] != 1]
if wrong:
    print(f'{len(wrong)} of {len(answered)} answers are not once on record, such as {wrong[0]}: {recorded[wrong[0]]} times')
sys.exit(status or bool(wrong) or not answered)
