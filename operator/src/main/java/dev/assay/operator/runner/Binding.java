package dev.assay.operator.runner;

import dev.assay.operator.signing.SigningKey;
import java.util.List;

/**
 * Identifies the runner process that a run is assigned to. Every signed request contains all of it.
 *
 * @param address where the runner listens
 * @param namespace of run and Pod
 * @param runUid UID of the AnalyticsRun, or id of the snapshot
 * @param podUid UID of the Pod
 * @param nonce the nonce of the runner process, from its hello
 * @param key signs requests to the Pod
 * @param features what the runner supports, as in its hello
 */
public record Binding(
    RunnerAddress address,
    String namespace,
    String runUid,
    String podUid,
    String nonce,
    SigningKey key,
    List<String> features) {

  /** A runner without further features. */
  public Binding(
      RunnerAddress address,
      String namespace,
      String runUid,
      String podUid,
      String nonce,
      SigningKey key) {
    this(address, namespace, runUid, podUid, nonce, key, List.of());
  }
}
