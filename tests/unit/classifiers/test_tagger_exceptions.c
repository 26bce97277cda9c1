#include "testing.h"

#include "classifiers/tagger_exceptions.h"
#include "marked_finding.h"

static bool is_no_name(const char *marked)
{
    return said_of_marked(marked, tagger_is_no_name);
}

static void keywords_and_versions_of_models_are_no_names(void **state)
{
    static const char *const none[] = {"    [elif] x > 0:",        "[elif choice] == 2:",   "ask [Claude] 3.5 Sonnet", "[Claude Instant] was",
                                       "[claude]-v2 and others", "by [Gemini] Pro today", "[Llama]-2 has weights",   "[Claude Opus] 4",
                                       "<b [aria]-hidden=\"true\">", "(f-ans [nil])",        "[Eigen]::DenseBase",      "see Eigen::[Eigen]"};
    static const char *const names[] = {"[Elif] came late",       "[Elifa] Okoye",        "[Claude] said so", "[Claude] and 3 others", "[Claude Monet]",
                                        "[Ernie Prost] and Bert", "see [Claude]",         "[Claude]-Marie",   "[Claude]'s 3 cats",      "[Claudette] 3",
                                        "[Nil] Andersen",         "[Anna]-Lena = 3",      "[Aria]-",          "[Nora]: 12"};
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_true(is_no_name(none[i]));
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(is_no_name(names[i]));
    }
}

static void names_in_paths_and_tables_are_no_names(void **state)
{
    static const char *const none[] = {"of file [Cassini].cpp",
                                       "return [W.CHILD].test(a)",
                                       "import [Yi.Keymap].Vim.Common",
                                       "href=\"[Yi]-Keymap-Vim.html\"",
                                       "(Data.[Keymap].Vim)",
                                       "LATIN CAPITAL LETTER Z WITH [CARON]",
                                       "333\t219\tDB\t[DIALYTIKA]",
                                       "[Laura] /lawra/ <pn>"};
    static const char *const names[] = {"[J.R. Olm].",
                                        "said [Anna].he went",
                                        "[Dr. Olm].",
                                        "by [Anna-Lena Olm]-Berg",
                                        "A LETTER FROM [Anna Olm]",
                                        "333\t219\t[Anna Olm]",
                                        "333\t[Anna Olm]\tDB",
                                        "[Anna] / Berta <a@b.example>",
                                        "[Anna]"};
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_true(is_no_name(none[i]));
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(is_no_name(names[i]));
    }
}

static void parts_of_identifiers_are_no_names(void **state)
{
    static const char *const none[] = {"name=\"toc-[Ge-Li]-noJie\"", "#index-line_002c-_0028[Bu-Ke]-no", "toc-Bian-[Shu]-", "a [Schmitt]-trigger symbol",
                                       "setAttribute('[aria]-controls')", "an [Olm]-only gate, too", "[Vera Serif Roman]", "Bitstream [Vera Sans]"};
    static const char *const names[] = {"by [Anna-Lena Olm]-Berg", "by [Fernando Lopez-Olmo]", "[Jean]-loup Olm", "[Anna]-Lena", "[Jan-Ole]-P. Olm", "[Sans]"};
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_true(is_no_name(none[i]));
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(is_no_name(names[i]));
    }
}

static void what_is_called_after_a_person_is_no_name(void **state)
{
    static const char *const none[] = {"the [Hilbert] curve",           "[Wilcoxon] test",    "[Canny]'s algorithm for edges", "[Canny]\xe2\x80\x99s algorithm",
                                       "a [Marquardt-Levenberg] method", "the [Peabody] Museum", "[Johns Hopkins] University",   "[John] 3:16",
                                       "see [Luke] 2:1-14",             "[Fourier] transforms"};
    static const char *const names[] = {"[Anna]'s number",      "[Anna Olm] method",  "[Canny]'s method",  "[John] 3 cats",     "[John] 13 5", "[Maria] 3:16",
                                        "[Anna] curved it",     "[Anna]'s Museum",    "[Anna] museum",     "[Olm], University", "[Olm]"};
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_true(is_no_name(none[i]));
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(is_no_name(names[i]));
    }
}

static void things_are_no_names(void **state)
{
    static const char *const none[] = {"folks - [Vala Binding] Reference", "een pakket [van Debian]",  "by [XML Schema].",           "the [Slovak] translation",
                                       "printers from [Hewlett-Packard]",  "for [Goldman Sachs]",       "with [Borland] v4.5",        "f :: Exp -&gt; ([Pat] -&gt; Exp)",
                                       "forall (w :: [Nat]). BV w",        "-> ([Doc] -> Doc -> Doc)", "f :: Doc -> [Doc] -> Doc",   "for GNU/[Hurd]",
                                       "1 :&gt; 2 :&gt; [Nil]",           "((-1):>[Nil])",             "a [Monte Carlo] simulation", "launch [Cas Processor] in",
                                       "class=\"annottext\">([Pat] -&gt; Bool)", "title=\"Clash.Prelude.[Moore]\">", "in [moore] machine form", "a [Cordaro-Wagner] code",
                                       "<span class=\"hs-identifier hs-type\">[W.Stack]</span>", "<a class=\"el\" href=\"olm.html\">[Olm]</a>"};
    static const char *const names[] = {"by [Vala Olm] Binding", "[Binding]",           "[Debian]",        "[Anna Slovak]", "[Anna Hewlett-Packard]", "[Anna Olm] v4.5",
                                        "[Olm] v. Olm",          "author:: [Anna]",     "[Anna] -> Berta", "-> [Anna]",     "by [Anna Servers]",      "(Doc :: [Anna Olm])",
                                        "<span class=\"n\">[Anna Olm]</span>", "<b>[Anna]</b>", "said \"x.[Anna]\"", "the end.[Anna] said", "<b>([Anna])</b>", "[Nil] is here", "<a class=\"el\">x</a> [Anna]", "[Anna]"};
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        if (!is_no_name(none[i])) {
            fail_msg("%s", none[i]);
        }
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        if (is_no_name(names[i])) {
            fail_msg("%s", names[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_paths_and_tables_are_no_names),
        cmocka_unit_test(parts_of_identifiers_are_no_names),
        cmocka_unit_test(what_is_called_after_a_person_is_no_name),
        cmocka_unit_test(things_are_no_names),
        cmocka_unit_test(keywords_and_versions_of_models_are_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
