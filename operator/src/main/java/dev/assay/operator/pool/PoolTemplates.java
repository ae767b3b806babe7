package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.signing.SigningKeys;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The templates of all pools, each made once for a version of its class and a signing key. */
public final class PoolTemplates {
  private final SigningKeys keys;
  private final EgressTarget egress;
  private final Function<RunClassSpec, WarmPodLimits> limits;
  private final Map<PoolKey, PoolTemplate> made = new ConcurrentHashMap<>();

  /**
   * No template yet.
   *
   * @param egress what Pods must be refused at
   * @param limits of the Pods of a class
   */
  public PoolTemplates(
      SigningKeys keys, EgressTarget egress, Function<RunClassSpec, WarmPodLimits> limits) {
    this.keys = keys;
    this.egress = egress;
    this.limits = limits;
  }

  /**
   * The template of a pool as its class and the signing key are now.
   *
   * @throws IllegalStateException if it is not known what its Pods must be refused at
   */
  public PoolTemplate of(RunNamespace namespace, RunClass runClass, Program program) {
    String publicKeys = keys.current().publicKeyEntry();
    Optional<EgressAddress> address = egress.of(runClass.getSpec());
    return made.compute(
        new PoolKey(namespace.name(), runClass.getMetadata().getName(), program),
        (key, known) ->
            known != null && known.isFrom(runClass, publicKeys, address)
                ? known
                : new PoolTemplate(
                    namespace,
                    runClass,
                    program,
                    publicKeys,
                    address,
                    limits.apply(runClass.getSpec())));
  }

  /** The same; empty while it is not known what its Pods must be refused at. */
  public Optional<PoolTemplate> find(RunNamespace namespace, RunClass runClass, Program program) {
    return egress.missing(runClass.getSpec()).isPresent()
        ? Optional.empty()
        : Optional.of(of(namespace, runClass, program));
  }

  /** Forgets the templates of pools. */
  void forget(Predicate<PoolKey> isGone) {
    made.keySet().removeIf(isGone);
  }
}
