#include "checks/checks_table.h"

#include <stdlib.h>

/* In the order of their names. */
static const struct check_type *const checks[] = {
    &check_aadhaar_in,
    &check_aba_us,
    &check_abn_au,
    &check_ahv_ch,
    &check_amka_gr,
    &check_assigned_secret,
    &check_aws_account_id,
    &check_azure_cask,
    &check_azure_devops_pat,
    &check_azure_entra_secret,
    &check_base58check,
    &check_base64_bytes,
    &check_base64_json,
    &check_base64_text,
    &check_bech32,
    &check_bip39,
    &check_birth_number_cz,
    &check_brn_kr,
    &check_bsn_nl,
    &check_card_issuer,
    &check_cbu_ar,
    &check_char_classes,
    &check_citizen_card_pt,
    &check_cnp_ro,
    &check_cnpj_br,
    &check_confluent_key,
    &check_corporate_number_jp,
    &check_cpf_br,
    &check_cpr_dk,
    &check_crc32_base36,
    &check_crc32_base62,
    &check_crc32_hex,
    &check_cui_pe,
    &check_curp_mx,
    &check_date,
    &check_dea_us,
    &check_discord_token,
    &check_domain,
    &check_drawn_letters,
    &check_edrpou_ua,
    &check_ein_us,
    &check_eip55,
    &check_english_share,
    &check_entropy,
    &check_fiscal_code_it,
    &check_fnr_no,
    &check_github_pat,
    &check_gstin_in,
    &check_hetu_fi,
    &check_hex_only,
    &check_hkid_hk,
    &check_iban,
    &check_id_card_de,
    &check_ipv4,
    &check_ipv6,
    &check_ird_nz,
    &check_iso7064,
    &check_itin_us,
    &check_jwt,
    &check_kvnr_de,
    &check_length,
    &check_luhn,
    &check_luhn_mod_n,
    &check_mac_address,
    &check_marvin32,
    &check_matricule_lu,
    &check_mbi_us,
    &check_mod97_complement,
    &check_mrz731,
    &check_national_be,
    &check_national_id_tw,
    &check_nhi_nz,
    &check_nhs_uk,
    &check_nif_es,
    &check_nif_pt,
    &check_nino_uk,
    &check_nip_pl,
    &check_nir_fr,
    &check_nit_co,
    &check_nkey,
    &check_not_code,
    &check_not_hex,
    &check_not_named,
    &check_not_placeholder,
    &check_not_uuid,
    &check_not_words,
    &check_npi_us,
    &check_nric_sg,
    &check_number_range,
    &check_ogrn_ru,
    &check_pem,
    &check_personal_code_baltic,
    &check_personal_code_lv,
    &check_personnummer_se,
    &check_pesel_pl,
    &check_phn_ca,
    &check_phone,
    &check_phone_plan,
    &check_ppsn_ie,
    &check_random_string,
    &check_rfc_mx,
    &check_ric_cn,
    &check_rif_ve,
    &check_rvnr_de,
    &check_sin_ca,
    &check_slack_token,
    &check_social_security_es,
    &check_spi_fr,
    &check_ssn_us,
    &check_stellar_seed,
    &check_svnr_at,
    &check_tax_id_de,
    &check_tckn_tr,
    &check_telegram_token,
    &check_upn_gb,
    &check_uri_password,
    &check_utr_uk,
    &check_vat_eu,
    &check_verhoeff,
    &check_vin,
    &check_weighted_mod,
    &check_wif,
};

static int compare_name(const void *key, const void *element)
{
    const struct span *name = key;
    const struct check_type *const *type = element;
    size_t len = strlen((*type)->name);
    int order = memcmp(name->ptr, (*type)->name, name->len < len ? name->len : len);

    return order != 0 ? order : (name->len > len) - (name->len < len);
}

const struct check_type *check_find(struct span name)
{
    const struct check_type *const *found =
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the table holds pointers. */
        bsearch(&name, checks, COUNT(checks), sizeof(checks[0]), compare_name);

    return found == NULL ? NULL : *found;
}

const struct check_type *const *check_all(size_t *n)
{
    *n = COUNT(checks);
    return checks;
}
