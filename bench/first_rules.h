/* first_rules.h - the rules that a first version needs, 120 of the shipped ones: what bench_growth.c compares a
 * thousand with. Chosen by what they find, never by what they cost: formats of secrets with a fixed prefix or a
 * checksum of well-known providers, then each other group that the requirement names. */
#ifndef FILTERD_BENCH_FIRST_RULES_H
#define FILTERD_BENCH_FIRST_RULES_H

static const char *const first_rules[] = {
    /* 77 formats of secrets: clouds */
    "aws-access-key-id", "aws-bedrock-api-key", "alibaba-access-key-id", "azure-cask-key", "azure-devops-pat",
    "azure-entra-client-secret", "gcp-api-key", "google-oauth-access-token", "google-oauth-client-secret",
    "digitalocean-personal-token", "heroku-api-key", "netlify-access-token", "flyio-access-token",
    "cloudflare-user-api-token", "supabase-secret-key", "planetscale-password", "databricks-token",
    /* code and packages */
    "github-personal-token", "github-fine-grained-token", "github-oauth-token", "github-user-token",
    "github-server-token", "github-refresh-token", "gitlab-personal-token", "gitlab-deploy-token",
    "gitlab-runner-token", "npm-access-token", "pypi-upload-token", "rubygems-api-key", "nuget-api-key",
    "docker-personal-token",
    /* models */
    "openai-api-key", "openai-project-key", "openai-admin-key", "anthropic-api-key", "huggingface-access-token",
    "groq-api-key", "xai-api-key", "perplexity-api-key", "replicate-api-token", "openrouter-api-key",
    "nvidia-api-key",
    /* messages and mail */
    "slack-bot-token", "slack-user-token", "slack-app-token", "slack-webhook-url", "discord-webhook-url",
    "telegram-bot-token", "twilio-api-key", "twilio-account-sid", "sendgrid-api-key", "mailgun-api-key",
    "mailchimp-api-key", "brevo-api-key", "postman-api-key",
    /* payment and shops */
    "stripe-secret-key", "stripe-restricted-key", "stripe-webhook-secret", "shopify-access-token",
    "square-production-token", "paypal-braintree-token",
    /* operation and offices */
    "vault-service-token", "terraform-cloud-token", "doppler-token", "pulumi-access-token", "tailscale-key",
    "onepassword-service-account-token", "age-secret-key", "grafana-service-account-token", "newrelic-user-key",
    "sentry-user-token", "dynatrace-api-token", "atlassian-api-token", "linear-api-key", "notion-api-token",
    "airtable-personal-token", "figma-access-token",
    /* private keys, and certificates with keys */
    "private-key-rsa", "private-key-ec", "private-key-openssh", "private-key-pkcs8", "pgp-private-key",
    /* JWTs */
    "jwt-signed",
    /* connection strings and credentials in URLs */
    "postgres-uri-password", "mysql-uri-password", "mongodb-uri-password", "url-basic-auth",
    /* "password = …" and what else is assigned */
    "generic-assigned-password", "generic-assigned-secret",
    /* payment, tax and social security of the US, contact */
    "payment-card", "iban", "ssn-us", "itin-us", "email-address", "phone-international",
    /* network and crypto addresses */
    "ipv4-address", "ipv6-address", "mac-address", "crypto-address-base58", "crypto-address-bech32",
    "crypto-address-ethereum",
    /* passports; national ids of the ten largest EU countries, UK, Canada, India, Brazil (US: above) */
    "passport-number", "passport-mrz", "id-card-de", "nir-fr", "fiscal-code-it", "nif-es", "pesel-pl", "cnp-ro",
    "bsn-nl", "national-number-be", "birth-number-cz", "citizen-card-pt", "nino-uk", "sin-ca", "aadhaar-in",
    "cpf-br",
    /* markers of injection */
    "instruction-override", "chat-template-token", "new-instructions-banner",
};

#endif
