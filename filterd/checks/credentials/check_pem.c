#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "formats/pem.h"

enum { KIND };
enum { PRIVATE, CERTIFICATE, N_KINDS };

static const char *const kinds[N_KINDS] = {"private", "certificate"};

static bool pem_passes(struct span value, const struct check_args *args)
{
    struct pem pem;
    size_t kind = argument_choice(args, KIND, kinds, N_KINDS);

    return pem_parse(value, &pem) &&
           pem.kind == (kind == CERTIFICATE ? PEM_CERTIFICATE : PEM_PRIVATE);
}

static bool pem_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_choice(args, KIND, kinds, N_KINDS, err);
}

const struct check_type check_pem = {
    .name = "pem",
    .summary = "passes when armour holds what it says: DER, OpenSSH or OpenPGP, not elided",
    .parameters = {{"kind", CHECK_TEXT, false}},
    .passes = pem_passes,
    .accepts = pem_accepts,
};
