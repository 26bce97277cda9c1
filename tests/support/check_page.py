"""Is a page of the review what a strict reader expects? Pages come from standard input or from files.

Well-formed: every element is closed in order, attributes are in double quotes and there once, entities are ones we write. Ids are
unique, what refers to an id finds it, every control has a label, there is one h1 and one main, the language and the title are
there, and nothing is inline: no script, style or handler. Prints what is wrong; exit 1.
"""
import re
import sys

VOID = {"meta", "link", "input", "br", "hr", "img", "col", "wbr"}
TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z:-]*(?:="[^"<>]*")?)*) ?(/?)>')
ATTRIBUTE = re.compile(r' ([a-zA-Z][a-zA-Z:-]*)(?:="([^"<>]*)")?')
ENTITY = re.compile(r'&(?:amp|lt|gt|quot|#39|nbsp);')
CONTROLS = {"input", "select", "textarea"}


def check_text(text, faults):
    if "<" in text or ">" in text:
        faults.append("a bracket in text: %r" % text[:60])
    if "&" in ENTITY.sub("", text):
        faults.append("an entity that is none: %r" % text[:60])


def elements(page, faults):
    """Each start tag with its attributes and the stack above it."""
    page = re.sub(r"^<!doctype html>\n", "", page)
    stack, at = [], 0
    for tag in TAG.finditer(page):
        check_text(page[at:tag.start()], faults)
        at = tag.end()
        closing, name, rest, empty = tag.groups()
        if closing:
            if not stack or stack[-1][0] != name:
                faults.append("</%s> within %s" % (name, [s[0] for s in stack]))
            else:
                stack.pop()
            continue
        attributes = {}
        for key, value in ATTRIBUTE.findall(rest):
            if key in attributes:
                faults.append("<%s> has %s twice" % (name, key))
            check_text(value, faults)
            attributes[key] = value
        yield name, attributes, list(stack)
        if name not in VOID and not empty:
            stack.append((name, attributes))
    check_text(page[at:], faults)
    if stack:
        faults.append("not closed: %s" % [s[0] for s in stack])


def check(page):
    faults = []
    if not page.startswith("<!doctype html>\n"):
        faults.append("no doctype")
    found = list(elements(page, faults))
    ids = [a["id"] for _, a, _ in found if "id" in a]
    for repeated in sorted({i for i in ids if ids.count(i) > 1}):
        faults.append("id %s twice" % repeated)
    labels = {a.get("for") for n, a, _ in found if n == "label"}
    for name, attributes, above in found:
        for key in ("for", "aria-describedby", "aria-labelledby", "list"):
            for target in attributes.get(key, "").split():
                if target not in ids:
                    faults.append("<%s %s> refers to %s, which is not there" % (name, key, target))
        if any(key.startswith("on") or key == "style" for key in attributes):
            faults.append("<%s> has a handler or a style" % name)
        if name == "style" or (name == "script" and "src" not in attributes):
            faults.append("inline <%s>" % name)
        hidden = attributes.get("type") == "hidden"
        named = attributes.get("id") in labels or "aria-label" in attributes or any(n == "label" for n, _ in above)
        if name in CONTROLS and not hidden and not named:
            faults.append("<%s name=%s> has no label" % (name, attributes.get("name")))
        if name == "form" and attributes.get("method") == "post" and not attributes.get("action", "").startswith("/review"):
            faults.append("a form to %s" % attributes.get("action"))
        if name in ("th",) and "scope" not in attributes:
            faults.append("<th> without scope")
        if name == "svg" and attributes.get("aria-hidden") != "true" and attributes.get("role") != "img":
            faults.append("<svg> without role")
    names = [n for n, _, _ in found]
    for one in ("html", "title", "h1", "main"):
        if names.count(one) != 1:
            faults.append("%d of <%s>" % (names.count(one), one))
    if not any(n == "html" and a.get("lang") for n, a, _ in found):
        faults.append("no language")
    if len(page.encode()) > 100000:
        faults.append("%d bytes" % len(page.encode()))
    return faults


def main():
    pages = [(f, open(f, encoding="utf-8").read()) for f in sys.argv[1:]] or [("-", sys.stdin.read())]
    status = 0
    for name, page in pages:
        for fault in check(page):
            print("%s: %s" % (name, fault))
            status = 1
    return status


sys.exit(main())
