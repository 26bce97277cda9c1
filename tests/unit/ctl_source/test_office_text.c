#include "testing.h"

#include "base/cleanup.h"
#include "ctl/source/office_text.h"

enum { TEXT_MAX = 4096 };

/* Up to four parts; NULL: no more. */
static bool read_parts(enum office_kind kind, const char *const parts[4], struct buf *out, struct error *err)
{
    struct buf framed CLEANUP(buf_deinit);

    buf_init(&framed, 64 * 1024);
    buf_init(out, TEXT_MAX);
    for (size_t i = 0; i < 4 && parts[i] != NULL; i++) {
        assert_true(buf_appendf(&framed, err, "%zu\n%s", strlen(parts[i]), parts[i]));
    }
    return office_text(kind, buf_span(&framed), out, err);
}

static void expect_text(enum office_kind kind, const char *part, const char *expected)
{
    const char *const parts[4] = {part};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    assert_true(read_parts(kind, parts, &out, &err) && buf_append_char(&out, '\0', &err));
    assert_string_equal(out.data, expected);
}

static void expect_error(enum office_kind kind, const char *part, const char *expected)
{
    const char *const parts[4] = {"<p/>", part};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    assert_false(read_parts(kind, parts, &out, &err));
    assert_string_equal(err.text, expected);
    assert_int_equal(out.len, 0);
}

static void runs_are_joined_and_paragraphs_are_not(void **state)
{
    (void)state;
    expect_text(OFFICE_WORDS,
                "<w:d><w:p><w:r><w:t>on</w:t></w:r><w:r><w:t>e</w:t></w:r></w:p><w:p/><w:p><w:t>two</w:t><w:br/><w:t>3</w:t></w:p>"
                "<w:tc><w:t>a</w:t></w:tc><w:tc><w:t>b</w:t></w:tc></w:d>",
                "one\ntwo\n3\na\nb\n");
    expect_text(OFFICE_OPEN, "<o><text:h>on<text:span>e</text:span></text:h><text:p>t<text:s text:c='3'/>wo</text:p><style:style/></o>",
                "one\nt\nwo\n");
}

static void what_is_not_shown_is_left_out(void **state)
{
    (void)state;
    expect_text(OFFICE_WORDS,
                "<w:p><w:t>a</w:t><w:del><w:delText>deleted</w:delText></w:del><w:instrText>DATE</w:instrText><w:moveFrom><w:t>moved</w:t>"
                "</w:moveFrom><mc:Fallback><w:p><w:t>twice</w:t></w:p></mc:Fallback><w:t>b</w:t></w:p>",
                "ab\n");
    expect_text(OFFICE_OPEN,
                "<o><office:binary-data>QUJD</office:binary-data><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
                "<number:text>-</number:text><text:p>a<!-- b --><?c d?></text:p></o>",
                "a\n");
}

static void notes_and_text_boxes_do_not_divide_a_paragraph(void **state)
{
    (void)state;
    expect_text(OFFICE_OPEN,
                "<o><text:p>be<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>note</text:p></text:note-body>"
                "</text:note>fore</text:p><text:p>x<draw:frame><svg:title>picture</svg:title><draw:text-box><text:p>box</text:p>"
                "</draw:text-box></draw:frame>y</text:p></o>",
                "before\nxy\nnote\nbox\n");
    expect_text(OFFICE_WORDS, "<w:p><w:t>be</w:t><w:txbxContent><w:p><w:t>box</w:t></w:p></w:txbxContent><w:t>fore</w:t></w:p>",
                "before\nbox\n");
}

static void references_are_decoded(void **state)
{
    (void)state;
    expect_text(OFFICE_WORDS, "<t>A&amp;B &lt;&#x43;&#68;&gt; <![CDATA[<e>]]></t>", "A&B <CD> <e>\n");
    expect_text(OFFICE_WORDS, "<?xml version='1.0' encoding='ISO-8859-1'?><t>caf\xe9</t>", "caf\xc3\xa9\n");
}

static void cells_of_sheets_are_in_the_order_of_the_sheet(void **state)
{
    const char *const parts[4] = {"<sst><si><t>town</t></si><si><r><t>na</t></r><r><t>me</t></r><rPh><t>spoken</t></rPh></si><si/></sst>",
                                  "<worksheet><row><c t='s'><v>1</v></c><c t='s'><v>0</v></c></row>"
                                  "<row><c><f>6*7</f><v>42</v></c><c t='inlineStr'><is><t>in</t><t>line</t></is></c>"
                                  "<c t='str'><v>text</v></c><c t='b'><v>1</v></c><c t='e'><v>#REF!</v></c></row>"
                                  "<row><c t='s'><v>2</v></c><c t='s'><v>3</v></c><c t='s'><v>-1</v></c><c t='s'><v>4294967296</v></c>"
                                  "<c t='s'/></row></worksheet>",
                                  "<comments><comment><text><r><t>remark</t></r></text></comment></comments>"};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    assert_true(read_parts(OFFICE_SHEETS, parts, &out, &err) && buf_append_char(&out, '\0', &err));
    assert_string_equal(out.data, "name\ntown\n42\ninline\ntext\nremark\n");
}

static void what_is_no_xml_is_an_error_with_its_place(void **state)
{
    (void)state;
    expect_error(OFFICE_WORDS, "<p>\n<t>secret</p>", "part 2: line 2: no XML: mismatched tag");
    expect_error(OFFICE_WORDS, "", "part 2: line 1: no XML: no element found");
    expect_error(OFFICE_WORDS, "<t>secret</t><t/>", "part 2: line 1: no XML: junk after document element");
}

static void entities_are_not_expanded(void **state)
{
    (void)state;
    expect_error(OFFICE_OPEN, "<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;&b;'>]><p>&c;</p>",
                 "part 2: no document type declaration expected");
    expect_error(OFFICE_OPEN, "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><p>a</p>", "part 2: no document type declaration expected");
    expect_error(OFFICE_OPEN, "<p>&b;</p>", "part 2: line 1: no XML: undefined entity");
}

static void depth_and_length_have_limits(void **state)
{
    static char deep[3 * (OFFICE_DEPTH + 1) + 1], text[TEXT_MAX + 16];
    const char *const parts[4] = {text};
    struct buf out CLEANUP(buf_deinit) = {0};
    struct error err;

    (void)state;
    for (size_t i = 0; i <= OFFICE_DEPTH; i++) {
        memcpy(deep + 3 * i, "<a>", 4);
    }
    expect_error(OFFICE_WORDS, deep, "part 2: elements at most 256 deep expected");
    (void)snprintf(text, sizeof(text), "<t>%0*d</t>", TEXT_MAX + 1, 0);
    assert_false(read_parts(OFFICE_WORDS, parts, &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void parts_are_as_long_as_they_say(void **state)
{
    static const char *const wrong[] = {"5\n<a/>", "<a/>", "\n<a/>", "4", "4 <a/>", "-4\n<a/>", "9999999999\n<a/>", "4\n<a/>x"};
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(office_text(OFFICE_WORDS, span_str(wrong[i]), &out, &err));
        assert_string_equal(err.text, "a part behind its length expected");
    }
    assert_true(office_text(OFFICE_WORDS, span_str(""), &out, &err));
    assert_int_equal(out.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_joined_and_paragraphs_are_not),
        cmocka_unit_test(what_is_not_shown_is_left_out),
        cmocka_unit_test(notes_and_text_boxes_do_not_divide_a_paragraph),
        cmocka_unit_test(references_are_decoded),
        cmocka_unit_test(cells_of_sheets_are_in_the_order_of_the_sheet),
        cmocka_unit_test(what_is_no_xml_is_an_error_with_its_place),
        cmocka_unit_test(entities_are_not_expanded),
        cmocka_unit_test(depth_and_length_have_limits),
        cmocka_unit_test(parts_are_as_long_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
