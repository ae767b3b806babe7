package dev.assay.gateway.policy;

/**
 * Why a call is not sent.
 *
 * @param code the code
 * @param message one sentence
 */
public record Refusal(ErrorCode code, String message) {}
