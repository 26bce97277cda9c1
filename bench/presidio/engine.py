"""engine.py TEXTS SECONDS PROCESSES: Presidio's AnalyzerEngine over the texts (a JSON object with `text` per line), round and round.

Without HTTP, which its server would add. The engine and its English model are loaded before the time is read. Prints one line: texts per second over
all processes, and processor milliseconds per text.
"""
import json
import multiprocessing
import os
import sys
import time


def engine():
    import tldextract.tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    # Its own copy of the list of suffixes: it would ask the network for a newer one.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=())
    models = [{'lang_code': 'en', 'model_name': os.environ['PRESIDIO_MODEL']}]
    return AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration={'nlp_engine_name': 'spacy', 'models': models}).create_engine(),
                          supported_languages=['en'])


def work(texts, seconds, ready, results):
    analyzer = engine()
    for text in texts[:20]:
        analyzer.analyze(text=text, language='en')
    ready.wait()
    began, cpu, n = time.monotonic(), time.process_time(), 0
    while time.monotonic() < began + seconds:
        json.dumps([r.to_dict() for r in analyzer.analyze(text=texts[n % len(texts)], language='en')])
        n += 1
    results.put((n / (time.monotonic() - began), (time.process_time() - cpu) / n * 1e3))


def main(path, seconds, processes):
    with open(path) as f:
        texts = [json.loads(line)['text'] for line in f]
    ready, results = multiprocessing.Barrier(processes), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(texts, seconds, ready, results)) for _ in range(processes)]
    for w in workers:
        w.start()
    rows = [results.get() for _ in workers]
    for w in workers:
        w.join()
    print('%.1f %.3f' % (sum(r[0] for r in rows), sum(r[1] for r in rows) / processes))


if __name__ == '__main__':
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
