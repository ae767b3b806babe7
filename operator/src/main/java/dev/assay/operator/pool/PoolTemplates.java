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
  private final Map<PoolKey, Made> made = new ConcurrentHashMap<>();

  /** What a template depends on, apart from its namespace, which does not change. */
  private record Source(
      String classVersion, String publicKeys, Optional<EgressAddress> egressAddress) {}

  private record Made(Source source, PoolTemplate template) {}

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
    Source source =
        new Source(
            runClass.getMetadata().getUid() + "/" + runClass.getMetadata().getGeneration(),
            keys.current().publicKeyEntry(),
            egress.of(runClass.getSpec()));
    PoolKey key = new PoolKey(namespace.name(), runClass.getMetadata().getName(), program);
    return made.compute(
            key,
            (unused, known) ->
                known != null && known.source().equals(source)
                    ? known
                    : new Made(
                        source,
                        new PoolTemplate(
                            namespace,
                            runClass,
                            program,
                            source.publicKeys(),
                            source.egressAddress(),
                            limits.apply(runClass.getSpec()))))
        .template();
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
