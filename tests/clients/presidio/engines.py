"""Presidio's engines behind its HTTP interface, without a server: what POST /analyze, /anonymize and /deanonymize of
presidio-analyzer/app.py and presidio-anonymizer/app.py would answer, as (status, JSON)."""
import json

import spacy.util
import tldextract.tldextract
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, BatchAnalyzerEngine, Pattern, PatternRecognizer
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine, InvalidParamError
from presidio_anonymizer.services.app_entities_convertor import AppEntitiesConvertor as Convert

# Its own copy of the list of suffixes: it would ask the network for a newer one.
tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())


def as_json(value):
    return json.loads(json.dumps(value, default=lambda o: o.to_dict(), sort_keys=True))


class Analyzer:
    """With Presidio's own recognizers, or with those of the request alone."""

    def __init__(self, has_recognizers):
        models = [{'lang_code': 'en', 'model_name': sorted(spacy.util.get_installed_models())[0]}]
        nlp = NlpEngineProvider(nlp_configuration={'nlp_engine_name': 'spacy', 'models': models}).create_engine()
        self.engine = AnalyzerEngine(nlp_engine=nlp, supported_languages=['en'])
        if not has_recognizers:
            self.engine.registry.recognizers = [PatternRecognizer('NOTHING', patterns=[Pattern('never', '(?!)', 0.5)])] # none at all is an error
        self.batch = BatchAnalyzerEngine(self.engine)

    def analyze(self, body):
        try:
            return 200, self.results(AnalyzerRequest(body))
        except TypeError as e:
            return 400, {'error': 'Failed to parse /analyze request for AnalyzerEngine.analyze(). %s' % e.args[0]}
        except Exception as e:
            return 500, {'error': e.args[0]}

    def results(self, request):
        if not request.text:
            raise Exception('No text provided')
        if not request.language:
            raise Exception('No language provided')
        is_batch = isinstance(request.text, list)
        arguments = {name: getattr(request, name) for name in (
            'correlation_id', 'score_threshold', 'entities', 'return_decision_process', 'ad_hoc_recognizers', 'context', 'allow_list',
            'allow_list_match', 'regex_flags')}
        answers = [list(one) for one in self.batch.analyze_iterator(request.text if is_batch else [request.text], language=request.language,
                                                                    **arguments)]
        for result in (r for one in answers for r in one):
            del result.recognition_metadata
        return as_json(answers if is_batch else answers[0])


class Anonymizer:
    def __init__(self):
        self.engine, self.reverse = AnonymizerEngine(), DeanonymizeEngine()

    def anonymize(self, body):
        return self.call(body, self.replaced)

    def deanonymize(self, body):
        return self.call(body, self.restored)

    @staticmethod
    def call(body, run):
        body = json.loads(json.dumps(body))  # the engines change it
        if not body:
            return 400, {'error': 'Invalid request json'}
        try:
            return run(body)
        except InvalidParamError as e:
            return 422, {'error': e.err_msg}
        except Exception:
            return 500, {'error': 'Internal server error'}

    def replaced(self, body):
        operators = Convert.operators_config_from_json(body.get('anonymizers'))
        if Convert.check_custom_operator(operators):
            return 400, {'error': 'Custom type anonymizer is not supported'}
        results = Convert.analyzer_results_from_json(body.get('analyzer_results'))
        return 200, json.loads(self.engine.anonymize(text=body.get('text', ''), analyzer_results=results, operators=operators).to_json())

    def restored(self, body):
        operators = Convert.operators_config_from_json(body.get('deanonymizers'))
        entities = Convert.deanonymize_entities_from_json(body)
        return 200, json.loads(self.reverse.deanonymize(text=body.get('text', ''), entities=entities, operators=operators).to_json())
