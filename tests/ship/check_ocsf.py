"""check_ocsf.py FILE...: every event is valid by the published schema of OCSF 1.8.0 (ocsf-json-schema from PyPI), its objects
and their constraints included; prints how many of each class. No event has content or a token."""
import collections
import json
import sys

import jsonschema
from ocsf_json_schema import OcsfJsonSchema, get_ocsf_schema
from ocsf_json_schema.embedded import OcsfJsonSchemaEmbedded

NEVER = ('pattern_match', 'prompt_text', 'response_text', 'value_tok', 'k1:')

schema = get_ocsf_schema('1.8.0')
maker = OcsfJsonSchemaEmbedded(OcsfJsonSchema(schema))
validators, seen, bad = {}, collections.Counter(), 0


def validator(event):
    name = {2004: 'detection_finding', 2006: 'data_security_finding'}[event['class_uid']]
    profiles = tuple(event['metadata'].get('profiles', []))
    if (name, profiles) not in validators:
        made = maker.get_class_schema(name, list(profiles))
        validators[name, profiles] = jsonschema.Draft202012Validator(made)
    return validators[name, profiles]


def check_constraints(value, kind):
    """at_least_one and just_one of each object, which the JSON Schema does not have."""
    wanted = schema['objects'][kind]
    for rule, names in (wanted.get('constraints') or {}).items():
        n = sum(name in value for name in names)
        if n == 0 or (rule == 'just_one' and n != 1):
            yield f'{kind}: {rule} of {names}'
    for name, item in value.items():
        attribute = wanted['attributes'].get(name)
        if attribute is None:
            yield f'{kind}: {name} is no attribute'
        elif attribute['type'] == 'object_t' and attribute['object_type'] != 'object':
            for one in item if isinstance(item, list) else [item]:
                yield from check_constraints(one, attribute['object_type'])


def errors_of(event, text):
    yield from (f'{list(e.path)}: {e.message[:200]}' for e in validator(event).iter_errors(event))
    for name, kind in (('metadata', 'metadata'), ('finding_info', 'finding_info'), ('policy', 'policy'), ('data_security', 'data_security')):
        if name in event:
            yield from check_constraints(event[name], kind)
    for one in event.get('resources', []):
        yield from check_constraints(one, 'resource_details')
    if event['type_uid'] != event['class_uid'] * 100 + event['activity_id']:
        yield 'type_uid'
    yield from (f'{word} is there' for word in NEVER if word in text)


uids = set()
for path in sys.argv[1:]:
    for number, text in enumerate(open(path), 1):
        event = json.loads(text)
        seen[event['type_uid']] += 1
        found = list(errors_of(event, text))
        if event['metadata']['uid'] in uids:
            found.append('its metadata.uid is another event\'s')
        uids.add(event['metadata']['uid'])
        if found and bad < 10:
            print(f'{path}:{number}:', *found, sep='\n  ')
        bad += bool(found)
# What is not valid is found: this checks the checker.
broken = [dict(event, severity_id=77), dict(event, pattern=1), {k: v for k, v in event.items() if k != 'time'},
          dict(event, finding_info={'title': 'x'}), dict(event, policy={'version': '1'}), dict(event, count='1')]
for one in broken:
    if not list(errors_of(one, '')):
        print('taken for valid:', {k: v for k, v in one.items() if event.get(k) != v} or 'without time')
        bad += 1
print('ocsf:', sum(seen.values()), 'events,', ', '.join(f'{n} of {kind}' for kind, n in sorted(seen.items())), f'{bad} not valid')
sys.exit(bad > 0 or len(seen) < 4)
