#include "lexical/assigned_words.h"

#include <pthread.h>
#include <string.h>

#include "lexical/literals.h"

struct entry {
    const char *word;
    enum assigned_meaning meaning;
    bool is_ending; /* words that end so mean the same: apikey, dbpassword */
};

/* Longer endings first: passkey is no key of a map. */
static const struct entry entries[] = {
    {"password", ASSIGNED_PASSWORD, true},
    {"passwort", ASSIGNED_PASSWORD, true},
    {"passphrase", ASSIGNED_PASSWORD, true},
    {"passcode", ASSIGNED_PASSWORD, true},
    {"passwd", ASSIGNED_PASSWORD, true},
    {"passord", ASSIGNED_PASSWORD, true},
    {"passwrd", ASSIGNED_PASSWORD, true},
    {"paswd", ASSIGNED_PASSWORD, true},
    {"pasword", ASSIGNED_PASSWORD, true},
    {"passw", ASSIGNED_PASSWORD, true},
    {"pass", ASSIGNED_PASSWORD, true},
    {"pwd", ASSIGNED_PASSWORD, true},
    {"pswd", ASSIGNED_PASSWORD, true},
    {"psswd", ASSIGNED_PASSWORD, true},
    {"psswrd", ASSIGNED_PASSWORD, true},
    {"psswd", ASSIGNED_PASSWORD, true},
    {"pword", ASSIGNED_PASSWORD, true},
    {"psw", ASSIGNED_PASSWORD, false},
    {"pw", ASSIGNED_PASSWORD, false},
    {"mdp", ASSIGNED_PASSWORD, false},
    {"kennwort", ASSIGNED_PASSWORD, true},
    {"contraseña", ASSIGNED_PASSWORD, true},
    {"contrasena", ASSIGNED_PASSWORD, true},
    {"contrasenya", ASSIGNED_PASSWORD, true},
    {"clave", ASSIGNED_PASSWORD, false},
    {"senha", ASSIGNED_PASSWORD, true},
    {"motdepasse", ASSIGNED_PASSWORD, true},
    {"parola", ASSIGNED_PASSWORD, true},
    {"wachtwoord", ASSIGNED_PASSWORD, true},
    {"lösenord", ASSIGNED_PASSWORD, true},
    {"losenord", ASSIGNED_PASSWORD, true},
    {"adgangskode", ASSIGNED_PASSWORD, true},
    {"kodeord", ASSIGNED_PASSWORD, true},
    {"salasana", ASSIGNED_PASSWORD, true},
    {"heslo", ASSIGNED_PASSWORD, true},
    {"hasło", ASSIGNED_PASSWORD, true},
    {"haslo", ASSIGNED_PASSWORD, true},
    {"jelszó", ASSIGNED_PASSWORD, true},
    {"jelszo", ASSIGNED_PASSWORD, true},
    {"şifre", ASSIGNED_PASSWORD, true},
    {"sifre", ASSIGNED_PASSWORD, true},
    {"lozinka", ASSIGNED_PASSWORD, true},
    {"пароль", ASSIGNED_PASSWORD, true},
    {"пароля", ASSIGNED_PASSWORD, true},
    {"κωδικός", ASSIGNED_PASSWORD, true},
    {"비밀번호", ASSIGNED_PASSWORD, true},
    {"비번", ASSIGNED_PASSWORD, true},
    {"패스워드", ASSIGNED_PASSWORD, true},
    {"암호", ASSIGNED_PASSWORD, true},
    {"密码", ASSIGNED_PASSWORD, true},
    {"密碼", ASSIGNED_PASSWORD, true},
    {"口令", ASSIGNED_PASSWORD, true},
    {"パスワード", ASSIGNED_PASSWORD, true},
    {"secret", ASSIGNED_SECRET, true},
    {"secrets", ASSIGNED_SECRET, true},
    {"secretkey", ASSIGNED_SECRET, true},
    {"token", ASSIGNED_SECRET, true},
    {"tokens", ASSIGNED_SECRET, true},
    {"apikey", ASSIGNED_SECRET, true},
    {"apikeys", ASSIGNED_SECRET, true},
    {"authkey", ASSIGNED_SECRET, true},
    {"accesskey", ASSIGNED_SECRET, true},
    {"privatekey", ASSIGNED_SECRET, true},
    {"credential", ASSIGNED_SECRET, true},
    {"credentials", ASSIGNED_SECRET, true},
    {"creds", ASSIGNED_SECRET, true},
    {"cred", ASSIGNED_SECRET, false},
    {"auth", ASSIGNED_SECRET, true},
    {"authorization", ASSIGNED_SECRET, true},
    {"authentication", ASSIGNED_SECRET, true},
    {"bearer", ASSIGNED_SECRET, false},
    {"pat", ASSIGNED_SECRET, false},
    {"jwt", ASSIGNED_SECRET, true},
    {"sas", ASSIGNED_SECRET, false},
    {"salt", ASSIGNED_SECRET, true},
    {"pepper", ASSIGNED_SECRET, false},
    {"otp", ASSIGNED_SECRET, false},
    {"totp", ASSIGNED_SECRET, false},
    {"seed", ASSIGNED_SECRET, false},
    {"license", ASSIGNED_SECRET, false},
    {"licence", ASSIGNED_SECRET, false},
    {"sessionid", ASSIGNED_SECRET, true},
    {"cookie", ASSIGNED_SECRET, false},
    {"webhook", ASSIGNED_SECRET, false},
    {"sig", ASSIGNED_SECRET, false},
    {"psk", ASSIGNED_SECRET, false},
    {"key", ASSIGNED_KEY, true},
    {"keys", ASSIGNED_KEY, true},
    {"api", ASSIGNED_KEY, true},
    {"clé", ASSIGNED_KEY, false},
    {"schlüssel", ASSIGNED_KEY, true},
    {"ключ", ASSIGNED_KEY, true},
    {"密钥", ASSIGNED_KEY, true},
    {"金鑰", ASSIGNED_KEY, true},
    {"키", ASSIGNED_KEY, true},
    {"キー", ASSIGNED_KEY, true},
    {"hash", ASSIGNED_DIGEST, true},
    {"digest", ASSIGNED_DIGEST, true},
    {"sha", ASSIGNED_DIGEST, true},
    {"md", ASSIGNED_DIGEST, false},
    {"checksum", ASSIGNED_DIGEST, true},
    {"sum", ASSIGNED_DIGEST, false},
    {"crc", ASSIGNED_DIGEST, false},
    {"integrity", ASSIGNED_DIGEST, false},
    {"etag", ASSIGNED_DIGEST, false},
    {"fingerprint", ASSIGNED_DIGEST, true},
    {"thumbprint", ASSIGNED_DIGEST, true},
    {"commit", ASSIGNED_DIGEST, false},
    {"revision", ASSIGNED_DIGEST, false},
    {"rev", ASSIGNED_DIGEST, false},
    {"ref", ASSIGNED_DIGEST, false},
    {"tree", ASSIGNED_DIGEST, false},
    {"blob", ASSIGNED_DIGEST, false},
    {"image", ASSIGNED_DIGEST, false},
    {"id", ASSIGNED_IDENTIFIER, false},
    {"ids", ASSIGNED_IDENTIFIER, false},
    {"uid", ASSIGNED_IDENTIFIER, false},
    {"uuid", ASSIGNED_IDENTIFIER, true},
    {"guid", ASSIGNED_IDENTIFIER, true},
    {"name", ASSIGNED_IDENTIFIER, true},
    {"user", ASSIGNED_IDENTIFIER, true},
    {"login", ASSIGNED_IDENTIFIER, false},
    {"account", ASSIGNED_IDENTIFIER, false},
    {"email", ASSIGNED_IDENTIFIER, true},
    {"mail", ASSIGNED_IDENTIFIER, false},
    {"tenant", ASSIGNED_IDENTIFIER, false},
    {"project", ASSIGNED_IDENTIFIER, false},
    {"bucket", ASSIGNED_IDENTIFIER, false},
    {"region", ASSIGNED_IDENTIFIER, false},
    {"serial", ASSIGNED_IDENTIFIER, false},
    {"trace", ASSIGNED_IDENTIFIER, false},
    {"span", ASSIGNED_IDENTIFIER, false},
    {"request", ASSIGNED_IDENTIFIER, false},
    {"class", ASSIGNED_IDENTIFIER, false},
    {"type", ASSIGNED_IDENTIFIER, false},
    {"tag", ASSIGNED_IDENTIFIER, false},
    {"label", ASSIGNED_IDENTIFIER, false},
    {"arn", ASSIGNED_IDENTIFIER, false},
    {"url", ASSIGNED_PLACE, true},
    {"uri", ASSIGNED_PLACE, true},
    {"href", ASSIGNED_PLACE, false},
    {"src", ASSIGNED_PLACE, false},
    {"link", ASSIGNED_PLACE, false},
    {"host", ASSIGNED_PLACE, false},
    {"hostname", ASSIGNED_PLACE, false},
    {"domain", ASSIGNED_PLACE, false},
    {"endpoint", ASSIGNED_PLACE, true},
    {"server", ASSIGNED_PLACE, false},
    {"path", ASSIGNED_PLACE, true},
    {"file", ASSIGNED_PLACE, false},
    {"dir", ASSIGNED_PLACE, false},
    {"folder", ASSIGNED_PLACE, false},
    {"size", ASSIGNED_NUMBER, true},
    {"length", ASSIGNED_NUMBER, true},
    {"len", ASSIGNED_NUMBER, false},
    {"count", ASSIGNED_NUMBER, true},
    {"index", ASSIGNED_NUMBER, true},
    {"date", ASSIGNED_NUMBER, false},
    {"time", ASSIGNED_NUMBER, true},
    {"timestamp", ASSIGNED_NUMBER, true},
    {"version", ASSIGNED_NUMBER, true},
    {"port", ASSIGNED_NUMBER, false},
    {"phone", ASSIGNED_NUMBER, false},
    {"color", ASSIGNED_NUMBER, true},
    {"public", ASSIGNED_PUBLIC, false},
    {"pubkey", ASSIGNED_PUBLIC, true},
    {"pub", ASSIGNED_PUBLIC, false},
    {"foreign", ASSIGNED_PUBLIC, false},
    {"primary", ASSIGNED_PUBLIC, false},
    {"partition", ASSIGNED_PUBLIC, false},
    {"idempotency", ASSIGNED_PUBLIC, false},
    {"csrf", ASSIGNED_PUBLIC, false},
    {"xsrf", ASSIGNED_PUBLIC, false},
    {"authenticity", ASSIGNED_PUBLIC, false},
    {"nonce", ASSIGNED_PUBLIC, false},
    {"cursor", ASSIGNED_PUBLIC, false},
    {"page", ASSIGNED_PUBLIC, false},
    {"next", ASSIGNED_PUBLIC, false},
    {"certificate", ASSIGNED_PUBLIC, false},
    {"cert", ASSIGNED_PUBLIC, false},
    {"ciphertext", ASSIGNED_PUBLIC, false},
};

static struct literals by_last;
static pthread_once_t by_last_once = PTHREAD_ONCE_INIT;

_Static_assert(COUNT(entries) < LITERALS_MAX, "literals_add");

static void index_entries(void)
{
    for (size_t i = 0; i < COUNT(entries); i++) {
        literals_add(&by_last, entries[i].word[strlen(entries[i].word) - 1], i);
    }
}

enum assigned_meaning assigned_word_meaning(struct span word)
{
    size_t longest = 0;
    enum assigned_meaning meaning = ASSIGNED_UNKNOWN;

    (void)pthread_once(&by_last_once, index_entries);
    for (size_t i = word.len > 0 ? literals_first(&by_last, word.ptr[word.len - 1]) : LITERALS_MAX; i != LITERALS_MAX;
         i = literals_next(&by_last, i)) {
        struct span known = span_str(entries[i].word);
        bool is_end = known.len <= word.len && memcmp(word.ptr + word.len - known.len, known.ptr, known.len) == 0;
        if (is_end && known.len > longest && (entries[i].is_ending || known.len == word.len)) {
            longest = known.len;
            meaning = entries[i].meaning;
        }
    }
    return meaning;
}
