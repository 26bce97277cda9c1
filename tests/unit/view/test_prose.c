/* test_prose.c - text that hides nothing is read once: no child, or next to none. */
#include "views.h"
#include "text/fold_table.h"

static const char *const prose[] = {
    "The quick brown fox doesn’t jump over the lazy dog – not even “for money”… It costs £5½ (≈ "
    "$6). "
    "Figures from 1939–1945, see § 3, 10 × 10 cm² at 20 °C.",
    "Быстрая лисица прыгает через ленивую собаку, а COVID-19 и USB-кабель здесь ни при чём. "
    "Рентабельность собственного капитала (ROE) — 25 %, А4, 2023-х годов; IT-специалист.",
    "Η γρήγορη αλεπού πηδάει πάνω από το τεμπέλικο σκυλί. Η α-λακταλβουμίνη και ο TNF-α, 5 μm.",
    "敏捷的棕色狐狸跳过了懒狗，然后说：“你好！”（２０２３年）GDP 增长了 5%。使用 Python 和 API。",
    "素早い茶色の狐は怠け者の犬を飛び越えた。ＮＨＫは１０月に「テスト」を放送した。ｶﾀｶﾅ。",
    "빠른 갈색 여우가 게으른 개를 뛰어넘었다. API를 사용합니다. 3.5배 증가했다.",
    "Le vif renard brun saute par-dessus le chien paresseux ; ça coûte 1 000 € à l’œuvre. Être "
    "naïf.",
    "Der schnelle braune Fuchs springt über den faulen Hund. Größe, Straße, Übermäßig, 3,5 Mio. €.",
    "El zorro marrón rápido salta sobre el perro perezoso. ¿Mañana? ¡Sí! Años, niño, pingüino.",
    "Hızlı kahverengi tilki tembel köpeğin üzerinden atlar. Yaptığı çalışmaların ışığında, "
    "bakımından.",
    "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng. Tiếng Việt có nhiều dấu thanh điệu.",
    "Con ca\xcc\x81o na\xcc\x82u nhanh nhe\xcc\xa3n; le cafe\xcc\x81 d’e\xcc\x81te\xcc\x81 (NFD).",
    "الثعلب البني السريع يقفز فوق الكلب الكسول. في عام ٢٠٢٣ كان السعر ١٢٫٥ دولار.",
    "روباه قهوه‌ای سریع می‌پرد. کتاب‌ها را می‌خواهم؛ "
    "سال "
    "۱۴۰۲.",
    "השועל החום המהיר קופץ מעל הכלב העצלן. בשנת 2023 ה-API שונה.",
    "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। वर्ष २०२३ में।",
    "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ ใช้ API ได้",
    "Szybki brązowy lis przeskakuje nad leniwym psem. Źdźbło, żółć, łódź nr 2.",
    "Швидка бура лисиця стрибає через лінивого пса; її ім'я — Їжачок, ґанок №7.",
    "Emoji 👩‍💻👍🏽🇩🇪🇺🇸❤️ and ✔️ 1️⃣ are no words. ①②③ neither, nor ™, ©, №, ½, "
    "ﬁne "
    "print.",
    "The α-helix and β-sheet of NF-κB, TNF-α; ΔG = −5.2 kJ·mol⁻¹; H₂O, CO₂, x² + y² = r², σ₁ ≤ σ₂.",
};

static const char *const other[] = {
    "| Name | Age | City |\n|------|-----|------|\n| Ann  | 31  | Rome |\n| Bob  | 7   | Oslo |\n",
    "# Title\n\n- [a link](https://example.com/path/to/page?x=1&y=2#part)\n- `code`\n\n---\n\n> "
    "quoted\n",
    "def f(x):\n    return [i ** 2 for i in range(x) if i % 2 == 0]\n\nprint(f(10), 'a', \"b\")\n",
    "int main(void)\n{\n    if (a && b || !c) {\n        call(&x, y->z, \"text\");\n    }\n}\n",
    "for i in $(seq 1 10); do echo \"$i\" | tee -a /var/log/some/file.log; done\n",
    "{\n  \"name\": \"demo\",\n  \"version\": \"1.2.3\",\n  \"list\": [1, 2, 3, 4, 5, 6, 7, 8, "
    "9]\n}\n",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: A. Person\nDate: Mon Jan 1 "
    "10:20:30\n",
    "\"integrity\": "
    "\"sha512-jLQXAQjFvp4GlZkLJ6y4DfXbWcHqMfTF0tJk4Sx8gRCT4wWJg1Kj1yXk6bD4iU0S==\"\n",
    "550e8400-e29b-41d4-a716-446655440000, 2023-10-05T12:30:45Z, 192.168.10.20, +1 (555) "
    "010-9999\n",
    "CI_JOB_TOKEN=jY1ODUYs8a9K7wvq8BCDdwO8Vyfr\nCI_COMMIT_SHA=d747e351ca0f32436b1638da8c4276cf\n"
    "CI_PIPELINE_IID=94223\n",
    "He said \"yes\" and 'no' and \"maybe so\" \"or not at all\". It's 'fine'.\n",
    "import antigravity\nfrom some_package.some_module import some_function_name\n\nclass Foo:\n",
    "  x = compute_the_total_amount\nend\n\nprivate static final String SOME_CONSTANT_NAME;\n}\n",
};

/* Bytes of all children together. */
static size_t child_bytes(const char *text)
{
    struct views views;
    size_t n = 0;

    views_make(&views, span_str(text));
    for (size_t i = 1; i <= VIEW_LEVELS_MAX && views.level[i] != NULL; i++) {
        n += views.level[i]->text.len;
        print_message("%s: \"%.*s\"\n", views.level[i]->pieces[0].transform,
                      (int)views.level[i]->text.len, views.level[i]->text.ptr);
    }
    views_release(&views);
    return n;
}

static void prose_of_many_languages_has_no_child(void **state)
{
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(prose); i++) {
        n += child_bytes(prose[i]);
    }
    assert_int_equal(n, 0);
}

static void code_and_markup_without_escapes_have_no_child(void **state)
{
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(other); i++) {
        n += child_bytes(other[i]);
    }
    assert_int_equal(n, 0);
}

/* Folding passes over them by their first byte. */
static void no_ideograph_folds(void **state)
{
    (void)state;
    for (uint32_t code_point = 0x4000; code_point <= 0x9fff; code_point++) {
        assert_int_equal(fold_value(code_point), 0);
    }
}

static void random_bytes_in_base64_give_no_text(void **state)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[20001];
    uint32_t random = 12345;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        random = random * 1664525 + 1013904223;
        text[i] = alphabet[random >> 26];
    }
    text[sizeof(text) - 1] = '\0';
    assert_true(child_bytes(text) < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prose_of_many_languages_has_no_child),
        cmocka_unit_test(code_and_markup_without_escapes_have_no_child),
        cmocka_unit_test(no_ideograph_folds),
        cmocka_unit_test(random_bytes_in_base64_give_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
