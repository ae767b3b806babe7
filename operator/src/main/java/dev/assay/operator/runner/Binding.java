package dev.assay.operator.runner;

import dev.assay.operator.signing.SigningKey;

/**
 * Which run was given to which runner process. Every signed request names all of it.
 *
 * @param address where the runner listens
 * @param namespace of run and Pod
 * @param runUid UID of the AnalyticsRun, or of what else the Pod serves
 * @param podUid UID of the Pod
 * @param nonce the runner process's own; from its hello
 * @param key what requests to the Pod are signed with
 */
public record Binding(
    RunnerAddress address,
    String namespace,
    String runUid,
    String podUid,
    String nonce,
    SigningKey key) {}
