package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.signing.SigningKeys;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The templates of all pools, each made once for a version of its class and a signing key. */
public final class PoolTemplates {
  private final SigningKeys keys;
  private final Function<RunClassSpec, Duration> maxRunLife;
  private final Map<PoolKey, Made> made = new ConcurrentHashMap<>();

  private record Made(String classVersion, String publicKeys, PoolTemplate template) {
    boolean isOf(String version, String current) {
      return classVersion.equals(version) && publicKeys.equals(current);
    }
  }

  /**
   * No template yet.
   *
   * @param maxRunLife how long a Pod of a class may live from when it is given to a run
   */
  public PoolTemplates(SigningKeys keys, Function<RunClassSpec, Duration> maxRunLife) {
    this.keys = keys;
    this.maxRunLife = maxRunLife;
  }

  /** The template of a pool as its class and the signing key are now. */
  public PoolTemplate of(RunNamespace namespace, RunClass runClass, Program program) {
    String publicKeys = keys.current().publicKeyEntry();
    String version = runClass.getMetadata().getUid() + "/" + runClass.getMetadata().getGeneration();
    PoolKey key = new PoolKey(namespace.name(), runClass.getMetadata().getName(), program);
    return made.compute(
            key,
            (unused, known) ->
                known != null && known.isOf(version, publicKeys)
                    ? known
                    : new Made(
                        version,
                        publicKeys,
                        new PoolTemplate(
                            namespace,
                            runClass,
                            program,
                            publicKeys,
                            maxRunLife.apply(runClass.getSpec()))))
        .template();
  }
}
