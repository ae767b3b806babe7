package dev.assay.gateway.policy;

import dev.assay.api.toolcall.CallCode;

/**
 * Why a call is not sent.
 *
 * @param code the code
 * @param message one sentence
 */
public record Refusal(CallCode code, String message) {}
