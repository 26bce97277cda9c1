"""Makes filterd/formats/numbering_plan_codes.c: for every calling code, which first two digits of a national number may
have which lengths (more digits would go stale with every new area code). Not part of the build; run it when numbering
plans have changed:

    pip install phonenumbers && python3 filterd/formats/make_numbering_plan.py > filterd/formats/numbering_plan_codes.c

The facts are those of the national numbering plans that the ITU publishes (E.164), as collected in the metadata of
libphonenumber (Apache License 2.0, https://github.com/google/libphonenumber), which the package phonenumbers carries."""
from re import _parser as parser
from re import _constants as constants

import phonenumbers
from phonenumbers import PhoneMetadata

LEAD = 2
LENGTH_MAX = 15
KINDS = ("fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip", "pager", "uan",
         "voicemail")


class Automaton:
    """What a pattern of digits accepts; states are numbers, 0 the first and 1 the last."""

    def __init__(self, pattern):
        self.steps, self.empty = {}, {}
        self.n = 2
        self.add(parser.parse(pattern), 0, 1)

    def state(self):
        self.n += 1
        return self.n - 1

    def add(self, items, start, end):
        items = list(items)
        for i, item in enumerate(items):
            target = end if i == len(items) - 1 else self.state()
            self.item(item, start, target)
            start = target
        if not items:
            self.empty.setdefault(start, []).append(end)

    def item(self, item, start, end):
        kind, value = item
        if kind in (constants.LITERAL, constants.IN):
            digits = {chr(value)} if kind is constants.LITERAL else self.members(value)
            self.steps.setdefault(start, []).append((digits, end))
        elif kind is constants.SUBPATTERN:
            self.add(value[-1], start, end)
        elif kind is constants.BRANCH:
            for branch in value[1]:
                self.add(branch, start, end)
        elif kind is constants.MAX_REPEAT:
            least, most, what = value
            for i in range(most):
                if i >= least:
                    self.empty.setdefault(start, []).append(end)
                target = end if i == most - 1 else self.state()
                self.add(what, start, target)
                start = target
        else:
            raise ValueError(f"not expected in a pattern: {kind}")

    @staticmethod
    def members(value):
        found = set()
        for kind, what in value:
            if kind is constants.LITERAL:
                found.add(chr(what))
            elif kind is constants.RANGE:
                found |= {chr(c) for c in range(what[0], what[1] + 1)}
            elif kind is constants.CATEGORY and what is constants.CATEGORY_DIGIT:
                found |= set("0123456789")
            else:
                raise ValueError(f"not expected in a set: {kind}")
        return found

    def closure(self, states):
        todo, found = list(states), set(states)
        while todo:
            for target in self.empty.get(todo.pop(), ()):
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return found

    def step(self, states, digit):
        """The states after a digit; None stands for any."""
        return self.closure({end for state in states for digits, end in self.steps.get(state, ())
                             if digit is None or digit in digits})

    def lengths(self, states, done):
        """Lengths of what is accepted, `done` digits being read."""
        found = set()
        while states and done <= LENGTH_MAX:
            if 1 in states:
                found.add(done)
            states = self.step(states, None)
            done += 1
        return found


def leads_of(pattern, allowed):
    automaton = Automaton(pattern)
    found = {}

    def walk(states, prefix):
        if not states:
            return
        if len(prefix) == LEAD:
            found[int(prefix)] = automaton.lengths(states, LEAD) & allowed
            return
        for digit in "0123456789":
            walk(automaton.step(states, digit), prefix + digit)

    walk(automaton.closure({0}), "")
    return found


def metadata_of(code, region):
    if region == "001":
        return PhoneMetadata.metadata_for_nongeo_region(code)
    return PhoneMetadata.metadata_for_region(region)


def plan(code):
    masks = [0] * 10 ** LEAD
    for region in phonenumbers.COUNTRY_CODE_TO_REGION_CODE[code]:
        metadata = metadata_of(code, region)
        for kind in KINDS:
            desc = getattr(metadata, kind)
            if desc is None or desc.national_number_pattern is None:
                continue
            general = metadata.general_desc.possible_length
            allowed = {n for n in (desc.possible_length or general) if n > 0}
            for lead, lengths in leads_of(desc.national_number_pattern, allowed).items():
                for length in lengths:
                    masks[lead] |= 1 << length
    return masks


def rows(code):
    masks = plan(code)
    first = 0
    for lead in range(1, 10 ** LEAD + 1):
        if lead == 10 ** LEAD or masks[lead] != masks[first]:
            if masks[first]:
                yield code, first, lead - 1, masks[first]
            first = lead


def main():
    table = [row for code in sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE, key=int) for row in rows(code)]
    print("/* Made by make_numbering_plan.py; not to be edited. From the national numbering plans that the ITU\n"
          f" * publishes (E.164), as collected in the metadata of libphonenumber {phonenumbers.__version__} (Apache License"
          " 2.0). */\n"
          '#include "formats/numbering_plan.h"\n\n'
          "const struct numbering_row numbering_rows[] = {")
    line = "   "
    for code, first, last, mask in table:
        text = f" {{{code}, {first}, {last}, 0x{mask:x}}},"
        if len(line) + len(text) > 120:
            print(line)
            line = "   "
        line += text
    print(line + "\n};\n\nconst size_t numbering_rows_n = COUNT(numbering_rows);")


main()
