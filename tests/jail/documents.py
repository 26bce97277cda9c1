"""documents.py FOLDER: documents of each kind that filterctl idm build converts, with text made up for them, and hostile ones."""
import io
import pathlib
import sys
import zipfile

TEXT = ("The third stage of the {0} is to be inspected after nine hundred hours of operation, or sooner when the vibration exceeds four "
        "millimetres per second. Inspectors record the clearance of each blade in the logbook, together with the number of the gauge. "
        "A blade of the {0} whose clearance is below half a millimetre is replaced &amp; melted.")


def sentences(name):
    return [part + "." for part in TEXT.format(name).rstrip(".").split(". ")]


def plain(text):
    return text.replace("&amp;", "&")


def archive(parts, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in parts.items():
            z.writestr(name, content)
    return out.getvalue()


def word(name):
    # Each word is a run of its own, as after edits.
    runs = "".join("<w:p>%s</w:p>" % "".join("<w:r><w:t xml:space='preserve'>%s </w:t></w:r>" % w for w in s.split(" "))
                   for s in sentences(name))
    return archive({"[Content_Types].xml": "<Types/>", "word/styles.xml": "<w:styles><w:t>style</w:t></w:styles>",
                    "word/document.xml": "<w:document><w:body>%s</w:body></w:document>" % runs})


def slides(name):
    return archive({"ppt/slides/slide%d.xml" % i: "<p:sld><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:sld>" % s
                    for i, s in enumerate(sentences(name))})


def sheet(name):
    # Shared strings in another order than the cells.
    cells = TEXT.format(name).split(" ")
    shared = sorted(set(cells))
    row = "".join("<c t='s'><v>%d</v></c>" % shared.index(c) for c in cells)
    return archive({"xl/worksheets/sheet1.xml": "<worksheet><sheetData><row>%s</row></sheetData></worksheet>" % row,
                    "xl/sharedStrings.xml": "<sst>%s</sst>" % "".join("<si><t>%s</t></si>" % s for s in shared)})


def open_document(name):
    body = "".join("<text:p><text:span>%s</text:span></text:p>" % s for s in sentences(name))
    return archive({"mimetype": "application/vnd.oasis.opendocument.text", "styles.xml": "<office:document-styles/>",
                    "content.xml": "<office:document-content>%s</office:document-content>" % body})


def pdf(objects, trailer=b""):
    out, places = io.BytesIO(), []
    out.write(b"%PDF-1.4\n")
    for i, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (i, body))
    at = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % p for p in places))
    out.write(b"trailer << /Root 1 0 R /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, at))
    return out.getvalue()


def stream(content, more=b""):
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), more, content)


def page(content, resources=b"<< /Font << /F 5 0 R >> >>", more=()):
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    return [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2000 800] /Contents 4 0 R /Resources %s >>" % resources,
            stream(content), font, *more]


def printed(name):
    lines = b"".join(b"(%s) Tj T* " % plain(s).encode() for s in sentences(name))
    return b"BT /F 10 Tf 20 700 Td 14 TL %s ET" % lines


def endless():
    """A page that draws a form, which draws ten times the next one, and so on."""
    n = 12
    forms = [stream(b"/X Do " * 10, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>" % (7 + i))
             for i in range(n)]
    return pdf(page(b"/X Do", b"<< /XObject << /X 6 0 R >> >>",
                    [*forms, stream(b"q Q", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")]))


def locked_zip(content):
    """With the bit that says a member is encrypted."""
    data = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + place] |= 1
            at = data.find(mark, at + 4)
    return bytes(data)


def write(folder, files):
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def main():
    top = pathlib.Path(sys.argv[1])
    good = {"word.docx": word("turbine"), "slides.PPTX": slides("rotor"), "sheet.xlsx": sheet("compressor"),
            "open.odt": open_document("gearbox"), "calc.ods": open_document("generator"), "show.odp": open_document("condenser"),
            "print.pdf": pdf(page(printed("furnace")))}
    write(top / "good", good)
    bomb = "<!DOCTYPE a [<!ENTITY a0 'lol'>%s]><w:p><w:t>&a9;</w:t></w:p>" % "".join(
        "<!ENTITY a%d '%s'>" % (i, "&a%d;" % (i - 1) * 10) for i in range(1, 10))
    write(top / "hostile", {
        "zip-bomb.docx": archive({"word/document.xml": "<w:p><w:t>" + " " * 250_000_000}),
        "long-xml.docx": archive({"word/document.xml": "<w:p><w:t>" + "x" * 100_000_000}),
        "entity-bomb.docx": archive({"word/document.xml": bomb}),
        "deep.docx": archive({"word/document.xml": "<a>" * 100_000}),
        "truncated.docx": good["word.docx"][:-200],
        "truncated.pdf": good["print.pdf"][:700],
        "locked.docx": locked_zip(good["word.docx"]),
        "locked.pdf": pdf(page(printed("furnace")), b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >> /ID [<01> <01>]"
                          % (b"00" * 32, b"11" * 32)),
        "climbing.docx": archive({"../../word/document.xml": "<w:p/>"}),
        "many-parts.pptx": archive({"ppt/slides/slide%d.xml" % i: "<a:t>%s</a:t>" % (" " * 20_000_000) for i in range(4)}),
        "locked.odt": archive({"content.xml": bytes(range(256)) * 4}, zipfile.ZIP_STORED),
        "empty.docx": b"", "text.pdf": b"no PDF at all",
        "scanned.pdf": pdf(page(b"0 0 100 100 re f")),
        "old.doc": b"\xd0\xcf\x11\xe0", "~$word.docx": b"\x05owner\x00", "._word.docx": b"\x00\x05\x16\x07",
    })
    write(top / "damaged", {"damaged.pdf": pdf(page(printed("furnace") + b" \x01\x02 ]] >> ( oops"))})
    write(top / "endless", {"endless.pdf": endless()})


main()
