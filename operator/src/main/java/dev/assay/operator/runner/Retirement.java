package dev.assay.operator.runner;

import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Optional;

/**
 * Has runners that have started nothing refuse every run from now on, so that their Pods can be
 * deleted. Otherwise an operator process that does not know yet that it was replaced could start a
 * run in such a Pod before it is deleted.
 */
public final class Retirement {
  /** A runner refuses for whichever run; no object has such a UID. */
  private static final String ANY_RUN = "any";

  private final RunnerClient runners;
  private final SigningKeys keys;

  public Retirement(RunnerClient runners, SigningKeys keys) {
    this.runners = runners;
    this.keys = keys;
  }

  /**
   * Retires a runner; a repeat changes nothing. One that does not answer any more must not keep its
   * Pod for ever, and counts as retired. So does one from before 0.3, which cannot refuse: no run
   * is given such a Pod.
   *
   * @param pod its Pod, which has an address
   * @param hello what was answered at that address
   * @return false if it has started a run
   */
  public boolean retire(Pod pod, Hello hello) {
    ObjectMeta metadata = pod.getMetadata();
    Optional<SigningKey> key = keys.forPod(CreatedPod.keyIds(pod));
    if (key.isEmpty() || !hello.podUid().equals(metadata.getUid())) {
      // Nobody can start a run there.
      return true;
    }
    Binding binding =
        new Binding(
            RunnerAddress.of(pod),
            metadata.getNamespace(),
            ANY_RUN,
            metadata.getUid(),
            hello.nonce(),
            key.get());
    try {
      runners.refuse(binding);
      return true;
    } catch (RunnerRefusedException e) {
      return !RunnerRefusedException.STARTED.equals(e.code());
    } catch (IOException e) {
      return true;
    }
  }
}
