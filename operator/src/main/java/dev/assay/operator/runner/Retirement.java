package dev.assay.operator.runner;

import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * Has runners that have started nothing refuse every run from now on, so that their Pods can be
 * deleted. Otherwise an operator process that does not know yet that it was replaced could start a
 * run in such a Pod before it is deleted.
 */
public final class Retirement {
  /** {@code refuse} needs the UID of a run, and ignores it. */
  private static final String ANY_RUN = "any";

  /** The answer to a request that came late says nothing of what the runner has. */
  private static final Set<String> MAY_HAVE_STARTED =
      Set.of(RunnerRefusedException.STARTED, "Expired");

  private final RunnerClient runners;
  private final SigningKeys keys;

  public Retirement(RunnerClient runners, SigningKeys keys) {
    this.runners = runners;
    this.keys = keys;
  }

  /**
   * Retires a runner; a repeat changes nothing. One that does not answer any more must not keep its
   * Pod for ever, and counts as retired. So does an idle one from before 0.3, which cannot refuse.
   *
   * @param pod its Pod, which has an address
   * @param hello what was answered at that address
   * @return false if it may have started a run
   */
  public boolean retire(Pod pod, Hello hello) {
    ObjectMeta metadata = pod.getMetadata();
    Optional<SigningKey> key = keys.forPod(CreatedPod.keyIds(pod));
    if (key.isEmpty() || !hello.podUid().equals(metadata.getUid())) {
      // Nobody can start a run there.
      return true;
    }
    if (!hello.supports(Hello.REFUSE)) {
      return hello.isIdle();
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
      return !MAY_HAVE_STARTED.contains(e.code());
    } catch (IOException e) {
      return true;
    }
  }
}
