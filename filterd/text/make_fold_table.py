#!/usr/bin/env python3
"""Prints fold_table.c, from Unicode's data files and ICU's confusables.

    filterd/text/make_fold_table.py > filterd/text/fold_table.c

Reads UnicodeData.txt, Scripts.txt and DerivedCoreProperties.txt (Debian: unicode-data), and asks
ICU (Debian: libicu72) for UTS #39 skeletons. Not part of the build: the table is committed.
"""
import ctypes
import glob
import re

UCD = "/usr/share/unicode/"
BLOCK_BITS, PAYLOAD_BITS, STRING_MAX = 6, 12, 4
KINDS = ("BREAK", "DROP", "MARK", "FOREIGN", "CONFUSABLE", "LATIN", "COMPAT", "STRING", "DASH",
         "SPACE")
# Alphabets of words between spaces. Letters of other scripts end a run: Chinese, Japanese or Thai
# text touches a token without being part of it.
SPACED_SCRIPTS = {"Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic",
                  "Cherokee", "Coptic", "Inherited"}
TOKEN_PUNCTUATION = "_-.:/@+=~"
MARK_RANGES = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
               (0xFE20, 0xFE2F))
# A letter whose skeleton is a letter that resembles an ASCII one in turn.
RESEMBLES_IN_TURN = {"\u0138": "k"}
# Hyphens, the figure dash, the en dash and the minus sign; longer dashes stand between words.
DASHES = {0x2010, 0x2011, 0x2012, 0x2013, 0x2212, 0xFE58, 0xFE63, 0xFF0D}
LETTER_NAME = re.compile(r"(?:NEGATIVE )?(?:CIRCLED|SQUARED|REGIONAL INDICATOR SYMBOL)"
                         r"(?: LATIN CAPITAL)? LETTER ([A-Z])$")
SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])$")


def read_ranges(name, wanted):
    """{code point: value} of a UCD property file, for the values that wanted() accepts."""
    result = {}
    for line in open(UCD + name, encoding="utf-8"):
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) < 2 or not wanted(fields[1]):
            continue
        ends = [int(end, 16) for end in fields[0].split("..")]
        for cp in range(ends[0], ends[-1] + 1):
            result[cp] = fields[1]
    return result


def read_characters():
    """{code point: (name, category, decomposition, decimal digit)}"""
    result, first = {}, None
    for line in open(UCD + "UnicodeData.txt", encoding="ascii"):
        f = line.split(";")
        cp, row = int(f[0], 16), (f[1], f[2], f[5], f[6])
        for each in range(cp if first is None else first, cp + 1):
            result[each] = row
        first = cp if f[1].endswith(", First>") else None
    return result


class Skeletons:
    """UTS #39 skeletons by ICU."""

    def __init__(self):
        path = sorted(glob.glob("/usr/lib/*/libicui18n.so.[0-9]*"))[0]
        self.version = re.search(r"\.so\.(\d+)", path).group(1)
        library = ctypes.CDLL(path)
        status = ctypes.c_int(0)
        opener = getattr(library, "uspoof_open_" + self.version)
        opener.restype = ctypes.c_void_p
        self.checker = ctypes.c_void_p(opener(ctypes.byref(status)))
        self.skeleton = getattr(library, "uspoof_getSkeletonUTF8_" + self.version)
        unicode_version = (ctypes.c_uint8 * 4)()
        ctypes.CDLL(path.replace("i18n", "uc"))["u_getUnicodeVersion_" + self.version](
            unicode_version)
        self.unicode = "%d.%d" % (unicode_version[0], unicode_version[1])

    def of(self, character):
        status, out, data = ctypes.c_int(0), ctypes.create_string_buffer(256), character.encode()
        n = self.skeleton(self.checker, 0, data, len(data), out, 256, ctypes.byref(status))
        return out.raw[:n].decode()


class Folding:
    def __init__(self):
        self.characters = read_characters()
        self.scripts = read_ranges("Scripts.txt", lambda v: True)
        self.ignorable = read_ranges("DerivedCoreProperties.txt",
                                     lambda v: v == "Default_Ignorable_Code_Point")
        self.prepended = read_ranges("PropList.txt", lambda v: v == "Prepended_Concatenation_Mark")
        self.skeletons = Skeletons()
        self.strings = []

    def decompose(self, cp):
        decomposition = self.characters.get(cp, ("", "", "", ""))[2].split()
        parts = [int(p, 16) for p in decomposition if not p.startswith("<")]
        return "".join(self.decompose(p) for p in parts) if parts else chr(cp)

    def is_mark(self, cp):
        return any(low <= cp <= high for low, high in MARK_RANGES)

    def resembles(self, cp, category):
        """The ASCII character that this one resembles, or None."""
        skeleton = self.skeletons.of(chr(cp))
        skeleton = RESEMBLES_IN_TURN.get(skeleton, skeleton)
        if skeleton == "rn":  # UTS #39 takes apart what ASCII has as one
            skeleton = "m"
        if category == "Lu" and skeleton == "l":  # … and maps I and 1 to l
            skeleton = "I"
        return skeleton if len(skeleton) == 1 and " " < skeleton <= "~" else None

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return ("STRING", self.strings.index(text))

    def compatible(self, cp, name):
        """What NFKD makes of it, if that is ASCII; enclosed letters without their enclosure."""
        letter = LETTER_NAME.search(name)
        text = letter.group(1) if letter else self.decompose(cp)
        if text == chr(cp) or not text.isascii():
            return None
        text = re.fullmatch(r"\(?([A-Za-z0-9]+)[).,]?|.*", text).group(1) or text
        if len(text) == 1:
            return ("COMPAT", ord(text))
        return self.string(text) if len(text) <= STRING_MAX and text[0].isalnum() else None

    def accented(self, cp):
        text = self.decompose(cp)
        if text[0].isascii() and text[0].isalpha() and all(self.is_mark(ord(c)) for c in text[1:]):
            return ("LATIN", ord(text[0]))
        return None

    def looks(self, cp, category):
        """By resemblance, else by what kind of letter it is."""
        like = self.resembles(cp, category)
        script = self.scripts.get(cp)
        # Mathematics is full of symbols that resemble letters: a product is not spelt with an x.
        if like is not None and like.isalnum() and category[0] != "S":
            return ("LATIN" if script == "Latin" else "CONFUSABLE", ord(like))
        if like is not None and category[0] != "L" and like in TOKEN_PUNCTUATION:
            return ("COMPAT", ord(like))
        is_letter = category[0] in "LM" and script in SPACED_SCRIPTS
        return ("FOREIGN" if is_letter else "BREAK", 0)

    def fold(self, cp):
        if cp in (0x1A, 0xFFFD):  # stand for a byte that was no UTF-8, here and elsewhere
            return ("DROP", 0)
        if cp < 0x80:
            return ("BREAK", 0)
        if cp < 0xA0:  # controls of C1 show as nothing, as those of C0 that utf8_repair leaves out
            return ("DROP", 0)
        if cp in self.ignorable:
            return ("DROP", 0)
        if cp not in self.characters:
            return ("BREAK", 0)
        name, category, _, digit = self.characters[cp]
        if category == "Cf" and cp not in self.prepended:
            return ("DROP", 0)
        if category == "Zs":
            return ("SPACE", ord(" "))
        if self.is_mark(cp):
            return ("MARK", 0)
        if cp in DASHES:
            return ("DASH", ord("-"))
        small = SMALL_CAPITAL.match(name)
        if small:
            return ("LATIN", ord(small.group(1).lower()))
        if category == "Nd" and digit:
            return ("COMPAT", ord(digit))
        return self.compatible(cp, name) or self.accented(cp) or self.looks(cp, category)


def print_numbers(declaration, numbers, form, per_line):
    print(declaration + " = {")
    for i in range(0, len(numbers), per_line):
        print("    " + " ".join(form % n + "," for n in numbers[i:i + per_line]))
    print("};")


def main():
    folding = Folding()
    size = 1 << BLOCK_BITS
    blocks, values, seen = [], [], {}
    for start in range(0, 0x110000, size):
        folded = [folding.fold(cp) for cp in range(start, start + size)
                  if not 0xD800 <= cp < 0xE000] or [("BREAK", 0)] * size
        block = tuple(KINDS.index(kind) << PAYLOAD_BITS | payload for kind, payload in folded)
        if block not in seen:
            seen[block] = len(seen)
            values.extend(block)
        blocks.append(seen[block])
    assert len(seen) <= 256
    print("/* Generated by make_fold_table.py from Unicode's UnicodeData.txt, Scripts.txt,")
    print(" * PropList.txt and DerivedCoreProperties.txt 15.0 and from the confusables (UTS #39) that")
    print(" * ICU %s holds, of Unicode %s. Do not edit. */" % (folding.skeletons.version,
                                                               folding.skeletons.unicode))
    print('#include "text/fold_table.h"\n')
    print_numbers("const uint8_t fold_blocks[]", blocks, "%d", 20)
    print()
    print_numbers("const uint16_t fold_values[]", values, "0x%04x", 12)
    print("\nconst char fold_strings[][FOLD_STRING_MAX + 1] = {")
    for i in range(0, len(folding.strings), 8):
        print("    " + " ".join('"%s",' % s for s in folding.strings[i:i + 8]))
    print("};")


if __name__ == "__main__":
    main()
