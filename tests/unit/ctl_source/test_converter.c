/* test_converter.c - which files are documents; tests/jail/documents.sh converts them. */
#include "testing.h"

#include "base/span.h"
#include "ctl/source/converter.h"

static void documents_are_known_by_their_endings(void **state)
{
    static const char *const read[] = {"a.pdf", "A.PDF", "a b.docx", "a.docm", "a.pptx", "a.xlsx", "a.odt", "a.ods", "a.Odp", ".x.pdf"};
    static const char *const old[] = {"a.doc", "a.XLS", "a.ppt"};
    static const char *const others[] = {"a.txt", "pdf", ".pdf", "a.pdf.txt", "a.docx~", "~$a.docx", "._a.pdf", ""};

    (void)state;
    for (size_t i = 0; i < COUNT(read); i++) {
        assert_true(converter_knows(read[i]) && converter_reads(read[i]));
    }
    for (size_t i = 0; i < COUNT(old); i++) {
        assert_true(converter_knows(old[i]) && !converter_reads(old[i]));
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(converter_knows(others[i]) || converter_reads(others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_known_by_their_endings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
