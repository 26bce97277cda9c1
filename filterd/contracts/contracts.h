/* contracts.h - the contracts, each in its own file. docs/contracts.md has the source of each shape. */
#ifndef FILTERD_CONTRACTS_CONTRACTS_H
#define FILTERD_CONTRACTS_CONTRACTS_H

#include "contracts/contract.h"

extern const struct contract contract_moderations,  /* OpenAI POST /v1/moderations */
    contract_presidio_analyze,                      /* Presidio analyzer (presidio.c) */
    contract_detector_contents, contract_detector_generation, contract_detector_chat,
    contract_detector_context,                      /* FMS and TrustyAI detectors (detector.c) */
    contract_webhook_request, contract_webhook_response, /* agentgateway's webhook (webhook.c) */
    contract_portkey,                               /* Portkey's webhook (portkey.c) */
    contract_evaluate,                              /* OpenGuardrails' runtime (evaluate.c) */
    contract_analyze_output, contract_scan_output, contract_analyze_prompt, contract_scan_prompt, /* LLM Guard (llm_guard.c) */
    contract_apply_guardrail,                       /* Amazon Bedrock (apply_guardrail.c) */
    contract_guardrail_checks,                      /* NeMo (nemo.c) */
    contract_hooks_claude_code, contract_hooks_codex, /* hooks of coding agents (hooks.c) */
    contract_guards_validate,                       /* Guardrails AI (guards.c) */
    contract_sanitize, contract_sanitize_credentials; /* Kong's sanitizer (sanitize.c) */

#endif
