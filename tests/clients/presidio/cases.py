"""cases.py: requests for compare.py. A case is (name, body), or (name, body, reason, filterd's answer) where filterd means to answer otherwise."""

PARSE = 'Failed to parse /analyze request for AnalyzerEngine.analyze(). '
RECOGNIZER = {'name': 'Zip recognizer', 'supported_language': 'en', 'supported_entity': 'ZIP',
              'patterns': [{'name': 'zip (weak)', 'regex': r'\b\d{5}(?:-\d{4})?\b', 'score': 0.01}], 'context': ['zip', 'code']}
TITLES = {'name': 'Titles', 'supported_language': 'en', 'supported_entity': 'TITLE', 'deny_list': ['Mr', 'Mr.', 'Mrs. dr', 'Señor']}


def analyze(text, recognizers=None, **more):
    body = {'text': text, 'language': 'en', 'ad_hoc_recognizers': [RECOGNIZER] if recognizers is None else recognizers, **more}
    return body


def recognizer(**more):
    return {**{k: v for k, v in RECOGNIZER.items() if k != 'context'}, **more}


def pattern(regex, score=0.5, **more):
    return recognizer(patterns=[{'name': 'p', 'regex': regex, 'score': score}], **more)


ANALYZE = [
    # recognizers of the request
    ('a pattern', analyze('The parcel goes to 10023 today.')),
    ('nothing there', analyze('The parcel goes today.')),
    ('context raises the score', analyze('The zip is 10023.')),
    ('context inside a word', analyze('Our zipper 10023 fits.')),
    ('context too far away', analyze('Zip parcels leave every single morning with green vans before 10023 comes.')),
    ('context behind stop words', analyze('The zip that you will have from them is 10023.')),
    ('context after it does not count', analyze('10023 is the zip.')),
    ('context of the request', analyze('The parcel goes to 10023 today.', context=['ZIP Code'])),
    ('context of the request that is no support', analyze('The parcel goes to 10023 today.', context=['colour'])),
    ('explained', analyze('The zip is 10023.', return_decision_process=True)),
    ('explained by 1', analyze('The parcel goes to 10023 today.', return_decision_process=1)),
    ('not explained by 0', analyze('The parcel goes to 10023 today.', return_decision_process=0)),
    ('a list explained', analyze('Ask Mr. Li', [TITLES], return_decision_process=True)),
    ('score threshold above', analyze('The parcel goes to 10023 today.', score_threshold=0.5)),
    ('score threshold reached with context', analyze('The zip is 10023.', score_threshold=0.4)),
    ('score threshold 0', analyze('The parcel goes to 10023 today.', score_threshold=0)),
    ('score 0 is dropped', analyze('a 10023', [pattern(r'\d{5}', 0)])),
    ('correlation id', analyze('The parcel goes to 10023 today.', correlation_id='6f1c')),
    ('a batch', analyze(['The parcel goes to 10023.', 'No number.', 'The zip is 10023 or 94103-1234.'])),
    ('a batch of one', analyze(['The zip is 10023.'])),
    ('code points', analyze('Zoë \U0001f600 lives in 10023.')),
    ('deny list', analyze('mr Li, MR. Wu, Mrs. DR and Señor Mr2', [TITLES])),
    ('deny list with its own score', analyze('Ask Mr Li', [{**TITLES, 'deny_list_score': 0.3}])),
    ('deny list and pattern', analyze('Ask Mr Li at 10023', [recognizer(deny_list=['Li'])])),
    ('words with marks', analyze('pay $5 (now) a+b', [{**TITLES, 'deny_list': ['$5', '(now)', 'a+b']}])),
    ('two recognizers', analyze('Mr. Li of 10023', [RECOGNIZER, TITLES])),
    ('of the same type, one in the other', analyze('a 10023-1234', [pattern(r'\d{5}-\d{4}', 0.9), pattern(r'\d{5}', 0.4, name='b')])),
    ('the inner one scores higher', analyze('a 10023-1234', [pattern(r'\d{5}-\d{4}', 0.4), pattern(r'\d{5}', 0.9, name='b')])),
    ('of other types, one in the other', analyze('a 10023-1234', [pattern(r'\d{5}-\d{4}', 0.9), pattern(r'\d{5}', 0.4, name='b', supported_entity='B')])),
    ('equal places', analyze('a 10023', [pattern(r'\d{5}', 0.5), pattern(r'10\d*', 0.5, name='b')])),
    ('sorted', analyze('1 22 333', [pattern(r'\b\d\b', 0.5), pattern(r'\b\d\d\b', 0.7, supported_entity='B'), pattern(r'\d{3}', 0.5, supported_entity='C')])),
    ('wanted entity', analyze('Mr. Li of 10023', [RECOGNIZER, TITLES], entities=['ZIP'])),
    ('wanted entities', analyze('Mr. Li of 10023', [RECOGNIZER, TITLES], entities=['ZIP', 'TITLE'])),
    ('no entity wanted', analyze('Mr. Li of 10023', [RECOGNIZER, TITLES], entities=[])),
    ('an unknown entity beside a known one', analyze('Mr. Li of 10023', [RECOGNIZER, TITLES], entities=['ZIP', 'NOT_AN_ENTITY'])),
    ('only an unknown entity', analyze('Mr. Li of 10023', [RECOGNIZER], entities=['NOT_AN_ENTITY'])),
    ('entity in the plural', analyze('10023', [{**{k: v for k, v in RECOGNIZER.items() if k != 'supported_entity'}, 'supported_entities': ['ZIP', 'B']}])),
    ('another language', analyze('10023', [recognizer(supported_language='de')], entities=['ZIP'])),
    ('language by default', analyze('10023', [{k: v for k, v in RECOGNIZER.items() if k != 'supported_language'}])),
    ('no name', analyze('10023', [{k: v for k, v in RECOGNIZER.items() if k != 'name'}], return_decision_process=True)),
    ('version and country', analyze('10023', [recognizer(version='1.2', country_code='se')])),
    ('case', analyze('Ab aB', [pattern('ab')])),
    ('case that counts', analyze('Ab ab', [pattern('ab', global_regex_flags=0 + 8)])),
    ('dot and lines', analyze('a\nb c', [pattern('a.b')])),
    ('lines', analyze('x\nyy\nx', [pattern('^x$')])),
    ('verbose', analyze('a 10023', [pattern('\\d{5} # five', global_regex_flags=64)])),
    ('Unicode classes', analyze('été über', [pattern(r'\b\w{3}\b')])),
    ('look-around', analyze('id:77 no:88', [pattern(r'(?<=id:)\d+')])),
    ('a named group', analyze('abab', [pattern(r'(?P<x>ab)(?P=x)')])),
    ('a back-reference', analyze('1881', [pattern(r'(\d)(\d)\2\1')])),
    ('possessive', analyze('aaab', [pattern('a++b')])),
    ('an empty match', analyze('bbb', [pattern('a*')])),
    ('lazy', analyze('aab', [pattern('a+?')])),
    # allow lists
    ('allowed', analyze('10023 and 94103', allow_list=['10023'])),
    ('allowed as it is written', analyze('Ask MR Li', [TITLES], allow_list=['mr'])),
    ('allowed by a pattern', analyze('10023 and 94103', allow_list=[r'^10\d+$'], allow_list_match='regex')),
    ('allowed by one of the patterns', analyze('10023 and 94103', allow_list=['77', '', '03$'], allow_list_match='regex')),
    ('allowed whatever the case', analyze('Ask MR Li', [TITLES], allow_list=['mr'], allow_list_match='regex')),
    ('allowed with flags', analyze('Ask MR Li', [TITLES], allow_list=['mr'], allow_list_match='regex', regex_flags=0)),
    ('an empty allow list', analyze('10023', allow_list=[])),
    ('an empty pattern', analyze('10023', allow_list=[''], allow_list_match='regex')),
    ('allow list of another kind', analyze('10023', allow_list=['10023'], allow_list_match='fuzzy')),
    # faults
    ('no text', {'language': 'en'}),
    ('empty text', {'text': '', 'language': 'en'}),
    ('no language', {'text': 'a'}),
    ('empty language', {'text': 'a', 'language': ''}),
    ('no entity', analyze('a', [{k: v for k, v in RECOGNIZER.items() if k != 'supported_entity'}])),
    ('an empty entity', analyze('a', [recognizer(supported_entity='')])),
    ('neither patterns nor list', analyze('a', [{k: v for k, v in RECOGNIZER.items() if k != 'patterns'}])),
    ('entity twice', analyze('a', [recognizer(supported_entities=['A'])])),
    ('an unknown member', analyze('a', [recognizer(type='x')])),
    ('an unknown member of a pattern', analyze('a', [recognizer(patterns=[{'name': 'a', 'regex': 'a', 'score': 0.5, 'type': 'x'}])])),
    ('a pattern without a score', analyze('a', [recognizer(patterns=[{'name': 'a', 'regex': 'a'}])])),
    ('a bad pattern', analyze('a', [pattern('(')]), "the words are PCRE2's", (500, {'error': 'Invalid regex pattern: missing closing parenthesis at position 1'})),
    ('a bad pattern for another language', analyze('a', [pattern('[', supported_language='de')]), "the words are PCRE2's",
     (500, {'error': 'Invalid regex pattern: missing terminating ] for character class at position 1'})),
    ('a bad score', analyze('a', [pattern('a', 1.5)]), 'input is not repeated', (500, {'error': 'Invalid score. Score should be between 0 and 1'})),
    # what only filterd bounds
    ('a pattern that is too dear', analyze('a' * 26 + 'b', [pattern('(?:a|a)*$|(?:a|a)*c')]), 'Presidio searches for up to 60 s, and then leaves the recognizer out',
     (400, {'error': PARSE + 'ad_hoc_recognizers: their patterns take too many steps for these texts; simpler patterns or shorter texts expected'})),
    ('too many recognizers', analyze('10023', [RECOGNIZER] * 33), 'filterd has a bound', (400, {'error': PARSE + 'ad_hoc_recognizers: at most 32 expected'})),
    ('too many results', analyze('a ' * 4097, [pattern('a')]), 'filterd has a bound', (400, {'error': PARSE + 'ad_hoc_recognizers: at most 4096 results expected'})),
    ('a pattern that is too long', analyze('a', [pattern('a' * 1025)]), 'filterd has a bound', (500, {'error': 'Invalid regex pattern: at most 1024 bytes expected'})),
    # meant otherwise
    ('a context word in the plural', analyze('Both numbers 10023', [recognizer(context=['numbers'])]), 'filterd compares words, Presidio their lemmas',
     (200, [{'analysis_explanation': None, 'end': 18, 'entity_type': 'ZIP', 'score': 0.4, 'start': 13}])),
    ('fuzzy matching', analyze('colr', [pattern('(?:color){e<=1}')]), 'the dialect is PCRE2', (200, [])),
    ('flags of the list that PCRE2 has not', analyze('10023', allow_list=['1'], allow_list_match='regex', regex_flags=4096), 'the dialect is PCRE2',
     (400, {'error': PARSE + 'regex_flags: a sum of 2, 8, 16, 32 and 64 expected'})),
    ('allowed, but not what is in it', analyze('a 10023-1234', [pattern(r'\d{5}-\d{4}', 0.9), pattern(r'\d{5}', 0.4, name='b')], allow_list=['10023-1234']),
     'an allowed result hides no other', (200, [{'analysis_explanation': None, 'end': 7, 'entity_type': 'ZIP', 'score': 0.4, 'start': 2}])),
]

# The requests of Presidio's API documentation, with its own recognizers.
LICENSE = {'analysis_explanation': None, 'end': 38, 'score': 0.65, 'start': 30}
DOCUMENTED = [
    ('the least', {'text': 'John Smith drivers license is AC432223', 'language': 'en'},
     "names are found by a model, which the default policy does not name; a rule that finds the licences of many countries says none; scores are the rule's",
     (200, [{**LICENSE, 'entity_type': 'DRIVER_LICENCE_NUMBER'}])),
    ('all members', analyze('John Smith drivers license is AC432223 and the zip code is 12345', entities=['US_DRIVER_LICENSE', 'ZIP'], score_threshold=0.6,
                            correlation_id='123e4567-e89b-12d3-a456-426614174000', return_decision_process=False, trace=False),
     "scores are the rule's", (200, [{**LICENSE, 'entity_type': 'US_DRIVER_LICENSE'}])),
    ('its recognizer without a threshold', analyze('the zip code is 12345', entities=['US_DRIVER_LICENSE', 'ZIP'])),
]

# (entity, text), or with a reason, what Presidio finds and what filterd finds.
RULES = [
    ('CREDIT_CARD', 'Pay with 4012 8888 8888 1881 please.'),
    ('CREDIT_CARD', 'Pay with 4012888888881881.'),
    ('CREDIT_CARD', 'The order 4012888888881882 is late.'),
    ('EMAIL_ADDRESS', 'Write to anna.berg@nordwind-software.se soon.'),
    ('EMAIL_ADDRESS', 'No address at all.'),
    ('IBAN_CODE', 'The account is DE89 3704 0044 0532 0130 00.'),
    ('IBAN_CODE', 'The account is GB82WEST12345698765432, thanks.'),
    ('IP_ADDRESS', 'It came from 81.2.69.142 yesterday.'),
    ('CRYPTO', 'Send it to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT now.'),
    ('US_SSN', 'My social security number is 536-22-8871.'),
    ('US_DRIVER_LICENSE', 'My drivers license is AC432223.'),
    ('US_PASSPORT', 'My passport number is 912803456.'),
    ('US_BANK_NUMBER', 'My bank account number is 945456787654.'),
]

NAME = {'start': 3, 'end': 6, 'score': 0.8, 'entity_type': 'NAME'}


def anonymize(text='é, Ann x', results=(NAME,), **operators):
    return {'text': text, 'analyzer_results': list(results), 'anonymizers': operators}


def result(start, end, entity='A', score=1.0):
    return {'start': start, 'end': end, 'score': score, 'entity_type': entity}


ANONYMIZE = [
    ('by default', anonymize()),
    ('DEFAULT', anonymize(DEFAULT={'type': 'redact'})),
    ('its own before DEFAULT', anonymize(DEFAULT={'type': 'redact'}, NAME={'type': 'replace', 'new_value': 'X'})),
    ('replace with nothing', anonymize(NAME={'type': 'replace', 'new_value': ''})),
    ('mask', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': 2, 'from_end': False})),
    ('mask more than there is', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': 20, 'from_end': True})),
    ('hash', anonymize(NAME={'type': 'hash', 'salt': 's' * 16})),
    ('hash, SHA-512', anonymize(NAME={'type': 'hash', 'hash_type': 'sha512', 'salt': 's' * 16})),
    ('keep', anonymize(NAME={'type': 'keep'})),
    ('no results', anonymize(results=())),
    ('no text', {'analyzer_results': []}),
    ('no operators', {'text': 'é, Ann x', 'analyzer_results': [NAME]}),
    ('an empty result', anonymize(results=[result(2, 2)])),
    ('touching', anonymize('abcdef', [result(0, 3), result(3, 6)])),
    ('spaces between', anonymize('abc  def', [result(0, 3), result(5, 8)])),
    ('spaces and a line', anonymize('abc \ndef', [result(0, 3), result(5, 8)])),
    ('other types with spaces between', anonymize('abc def', [result(0, 3), result(4, 7, 'B')])),
    ('overlapping, same type', anonymize('abcdef', [result(0, 4), result(2, 6)])),
    ('overlapping, kept', anonymize('abcdef', [result(0, 4), result(2, 6, 'B')], A={'type': 'keep'}, B={'type': 'keep'})),
    ('overlapping, one kept', anonymize('abcdef', [result(0, 4), result(2, 6, 'B')], A={'type': 'keep'})),
    ('equal, other types', anonymize('abcdef', [result(0, 4), result(0, 4, 'B')])),
    ('equal, the better one', anonymize('abcdef', [result(0, 4, 'A', 0.9), result(0, 4, 'B', 0.3)])),
    ('contained', anonymize('abcdef', [result(0, 6), result(1, 3, 'B')])),
    # of Presidio's API documentation
    ('redact and replace', anonymize('hello world, my name is Jane Doe. My number is: 034453334',
                                     [result(24, 32, 'PERSON', 0.8), result(48, 57, 'PHONE_NUMBER', 0.95)],
                                     PERSON={'type': 'redact'}, PHONE_NUMBER={'type': 'replace', 'new_value': 'ANONYMIZED'})),
    ('replace by default', anonymize('hello world, my name is Jane Doe.', [result(24, 32, 'PERSON', 0.8)],
                                     DEFAULT={'type': 'replace', 'new_value': 'ANONYMIZED'})),
    # faults
    ('an empty body', {}),
    ('no results at all', {'text': 'a'}),
    ('no start', anonymize(results=[{k: v for k, v in NAME.items() if k != 'start'}])),
    ('no end', anonymize(results=[{k: v for k, v in NAME.items() if k != 'end'}])),
    ('no entity', anonymize(results=[{k: v for k, v in NAME.items() if k != 'entity_type'}])),
    ('no score', anonymize(results=[{k: v for k, v in NAME.items() if k != 'score'}])),
    ('a negative start', anonymize(results=[result(-1, 3)])),
    ('start after end', anonymize(results=[result(3, 2)])),
    ('behind the end', anonymize(results=[result(3, 90)])),
    ('no type', anonymize(NAME={'new_value': 'x'})),
    ('custom', anonymize(NAME={'type': 'custom'})),
    ('mask without a character', anonymize(NAME={'type': 'mask', 'chars_to_mask': 2, 'from_end': False})),
    ('mask without a number', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'from_end': False})),
    ('mask without a side', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': 2})),
    ('mask with two characters', anonymize(NAME={'type': 'mask', 'masking_char': '**', 'chars_to_mask': 2, 'from_end': False})),
    ('a number for a text', anonymize(NAME={'type': 'replace', 'new_value': 1})),
    ('a text for a number', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': 'x', 'from_end': False})),
    ('a list for a flag', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': 1, 'from_end': [1]})),
    ('an object for a text', anonymize(NAME={'type': 'replace', 'new_value': {'a': 1}})),
    ('a short salt', anonymize(NAME={'type': 'hash', 'salt': 'short'})),
    ('an empty salt', anonymize(NAME={'type': 'hash', 'salt': ''})),
    ('a short key', anonymize(NAME={'type': 'encrypt', 'key': 'short'})),
    ('no key', anonymize(NAME={'type': 'encrypt'})),
    # meant otherwise
    ('an unknown operator', anonymize(NAME={'type': 'shred'}), 'input is not repeated', (422, {'error': 'Invalid operator class.'})),
    ('another digest', anonymize(NAME={'type': 'hash', 'hash_type': 'md5'}), 'input is not repeated',
     (422, {'error': "Parameter hash_type value is not in range of values ['sha256', 'sha512']"})),
    ('an unknown operator that is not used', anonymize(OTHER={'type': 'shred'}), 'every operator is checked', (422, {'error': 'Invalid operator class.'})),
    ('mask less than nothing', anonymize(NAME={'type': 'mask', 'masking_char': '*', 'chars_to_mask': -1, 'from_end': False}), 'Presidio answers with the text unmasked',
     (422, {'error': "Invalid parameter value for 'chars_to_mask'."})),
]

DEANONYMIZE = [
    ('an empty body', {}),
    ("of Presidio's API documentation", {'text': 'My name is S184CMt9Drj7QaKQ21JTrpYzghnboTF9pn/neN8JME0=', 'deanonymizers': {'PERSON': {
        'type': 'decrypt', 'key': 'WmZq4t7w!z%C&F)J'}}, 'anonymizer_results': [{'start': 11, 'end': 55, 'entity_type': 'PERSON'}]}),
    ('no results', {'text': 'abc', 'deanonymizers': {}}),
    ('kept', {'text': 'abc', 'anonymizer_results': [{'start': 0, 'end': 2, 'entity_type': 'A'}], 'deanonymizers': {'A': {'type': 'deanonymize_keep'}}}),
    ('a short key', {'text': 'abc', 'anonymizer_results': [{'start': 0, 'end': 2, 'entity_type': 'A'}], 'deanonymizers': {'A': {'type': 'decrypt', 'key': 'short'}}}),
    ('no ciphertext', {'text': 'abcd', 'anonymizer_results': [{'start': 0, 'end': 4, 'entity_type': 'A'}],
                       'deanonymizers': {'A': {'type': 'decrypt', 'key': 'k' * 16}}}),
    ('no operator', {'text': 'abc', 'anonymizer_results': [{'start': 0, 'end': 2, 'entity_type': 'A'}], 'deanonymizers': {}}, 'Presidio fails',
     (200, {'text': 'abc', 'items': [{'start': 0, 'end': 2, 'entity_type': 'A', 'text': 'ab', 'operator': 'deanonymize_keep', 'score': None}]})),
]
