"""Sends a filterd made-up answers of agents: python3 demo_decisions.py URL TOKEN [--count N] [--seed N] [--hostile].

The same seed sends the same texts. Secrets and identifiers are the examples that filterd's rules carry; persons, companies
and sentences are made up. With --hostile, names of agents and applications are markup, overrides of direction, combining marks."""
import argparse
import http.client
import json
import os
import random
import threading
import urllib.parse

import yaml

RULES = os.path.join(os.path.dirname(__file__), "../../rules")
THREADS = 2
TIMEOUT_S = 60

TENANTS = {  # of each: how much of the traffic, applications, agents
    "acme": (5, ["web", "helpdesk"], ["support-7", "support-9", "support-12", "sales-2"]),
    "globex": (3, ["batch", "ci"], ["coder-1", "coder-4", "nightly-etl"]),
    "initech": (2, ["web", "reports"], ["analyst-3", "mailer"]),
}
ROGUES = [("globex", "ci", "coder-13"), ("acme", "web", "support-99")]  # say so much that the ledger kills them
ROGUE_EVERY, SHARE_FOUND = 10, 0.22
FOUND = {  # rules whose examples are said, and how often
    "aws-access-key-id": 6, "github-personal-token": 6, "slack-webhook-url": 3, "postgres-uri-password": 4, "jwt-signed": 3,
    "iban": 8, "payment-card": 6, "email-address": 10, "phone-international": 6, "private-key-rsa": 1, "password-in-prose": 4,
    "gcp-api-key": 3, "command-download-and-run": 2, "exfiltration-image-payload": 2, "hidden-html-comment": 2,
}
SUBJECTS = ["the invoice", "your booking", "the deployment", "the report for March", "ticket 4471", "the migration",
            "the delivery to Basel", "the retention job", "the quarterly summary", "your warranty"]
CLEAN = ["I looked at {s}: everything is in order, nothing has to be done.", "{s} was updated. The change is live for all users.",
         "We could not reproduce the problem with {s}. Could you say which browser you use?",
         "The table behind {s} has {n} rows; the slowest query took {n} ms.", "Done. {s} will be finished in about {n} minutes.",
         "Here is a summary of {s}: {n} items open, {n} closed, none overdue.",
         "To restart {s}, open the settings, choose the second tab and confirm."]
AROUND = ["About {s}: {v}", "As asked, here is what I found in {s}.\n\n{v}\n\nLet me know when that works.", "{v}\n(from {s})",
          "I put this into {s}:\n```\n{v}\n```"]
HOSTILE = ["<script>fetch('/review')</script>", "\"><img src=x onerror=alert(1)>", "'onfocus=alert(1) x='", "a&lt;b&amp;c",
           "javascript:alert(1)", "агент-7", "日本語の名前", "e" + "\u0301" * 60, "-- '; DROP TABLE item; --", "%3Cb%3E", "{{7*7}}",
           "a" * 128]


def examples():
    """Of each rule in FOUND that there is, its examples."""
    found = {}
    for folder, _, names in os.walk(RULES):
        for name in sorted(names):
            if name.endswith(".yaml") and folder != RULES:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for rule in (yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) or {}).get("rules") or []:
                        if rule["id"] in FOUND:
                            found[rule["id"]] = [text for text in rule["match"] if isinstance(text, str)]
    return found


class Maker:
    def __init__(self, seed, is_hostile):
        self.random, self.is_hostile = random.Random(seed), is_hostile
        self.examples = examples()
        self.rules = [rule for rule in FOUND if rule in self.examples]
        self.leaked = [(rule, self.random.choice(self.examples[rule])) for rule in self.rules[:4]]  # said again and again

    def text(self, share):
        pick = self.random
        subject, number = pick.choice(SUBJECTS), str(pick.randint(2, 900))
        if pick.random() > share:
            return pick.choice(CLEAN).format(s=subject, n=number)
        if pick.random() < 0.3:
            value = pick.choice(self.leaked)[1]
        else:
            rule = pick.choices(self.rules, [FOUND[rule] for rule in self.rules])[0]
            value = pick.choice(self.examples[rule])
        return pick.choice(AROUND).replace("{s}", subject).replace("{v}", value)

    def request(self, number, count):
        pick = self.random
        tenant = pick.choices(list(TENANTS), [share for share, _, _ in TENANTS.values()])[0]
        app, agent, share = pick.choice(TENANTS[tenant][1]), pick.choice(TENANTS[tenant][2]), SHARE_FOUND
        if number % ROGUE_EVERY == 0 and number > count / 4:
            (tenant, app, agent), share = ROGUES[number // ROGUE_EVERY % len(ROGUES)], 1
        if self.is_hostile and number % 10 == 3:
            app, agent = pick.choice(HOSTILE), pick.choice(HOSTILE)
        who = {"tenant": tenant, "app": app, "agent": agent, "session": f"{agent[:20]}-{pick.randint(1, 40)}"}
        text = self.text(share)
        if pick.random() < 0.3:
            return dict(who, messages=[{"role": "user", "content": "What is the state?"}, {"role": "assistant", "content": text}])
        return dict(who, text=text)


class Sender:
    def __init__(self, url, token):
        self.host, self.token, self.refused = urllib.parse.urlsplit(url).netloc, token, {}
        self.lock = threading.Lock()

    def post(self, connection, path, body):
        connection.request("POST", path, json.dumps(body),
                           {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200 and answer.status != 201:
            with self.lock:
                self.refused[answer.status] = self.refused.get(answer.status, 0) + 1
            return {}
        return json.loads(text)

    def stream(self, connection, body):
        text = body.pop("text")
        stream = self.post(connection, "/v1/streams", body).get("id")
        if stream:
            for at in range(0, len(text), 24):
                self.post(connection, f"/v1/streams/{stream}/chunks", {"text": text[at:at + 24]})
            self.post(connection, f"/v1/streams/{stream}/end", {})

    def run(self, bodies):
        connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT_S)
        for number, body in bodies:
            if number % 50 == 7 and "text" in body:
                self.stream(connection, body)
            else:
                self.post(connection, "/v1/filter", body)
        connection.close()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("url")
    options.add_argument("token")
    options.add_argument("--count", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--hostile", action="store_true")
    args = options.parse_args()
    maker, sender = Maker(args.seed, args.hostile), Sender(args.url, args.token)
    bodies = [(number, maker.request(number, args.count)) for number in range(args.count)]
    threads = [threading.Thread(target=sender.run, args=(bodies[first::THREADS],)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({"sent": len(bodies), "refused": sender.refused}))


if __name__ == "__main__":
    main()
