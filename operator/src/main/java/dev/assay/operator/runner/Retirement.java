package dev.assay.operator.runner;

import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.signing.SigningKey;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Has runners that wait for a job take none any more, so that their Pods can be deleted. Otherwise
 * an operator process that does not know yet that it was replaced could start a run in a Pod after
 * this one has found it idle, and before it is deleted. A runner takes the job of one run: it is
 * given one of a run that does not exist, which nobody starts.
 */
public final class Retirement {
  /** How a runner refuses a job that has that of another run. */
  private static final String HAS_ANOTHER_RUN = "RunMismatch";

  private static final Job.Limits LIMITS = new Job.Limits(1, 1, 0, 0);

  private final RunnerClient runners;
  private final SigningKeys keys;

  public Retirement(RunnerClient runners, SigningKeys keys) {
    this.runners = runners;
    this.keys = keys;
  }

  /**
   * Retires a runner; a repeat changes nothing. One that refuses everything, or does not answer any
   * more, must not keep its Pod for ever, and counts as retired.
   *
   * @param pod its Pod, which has an address
   * @param idle what was answered at that address
   * @return false if it has been given the job of a run meanwhile
   */
  public boolean retire(Pod pod, Hello idle) {
    ObjectMeta metadata = pod.getMetadata();
    Optional<SigningKey> key = keys.forPod(CreatedPod.keyIds(pod));
    if (key.isEmpty() || !idle.podUid().equals(metadata.getUid())) {
      // Nobody can give it a job.
      return true;
    }
    Binding binding =
        new Binding(
            RunnerAddress.of(pod),
            metadata.getNamespace(),
            Hello.NO_RUN,
            metadata.getUid(),
            idle.nonce(),
            key.get());
    try {
      runners.stage(binding, job(idle));
      return true;
    } catch (RunnerRefusedException e) {
      return !HAS_ANOTHER_RUN.equals(e.code());
    } catch (IOException e) {
      return true;
    }
  }

  /** One of a kind that the worker of its Pod does. */
  private static Job job(Hello runner) {
    if (runner.supports(Hello.JAVASCRIPT)) {
      return new Job.JavaScript("", "javascript", null, null, LIMITS);
    }
    if (runner.supports(Hello.SQL)) {
      return new Job.Sql("", null, List.of(), new Job.Reply(1, null, null), JobFiles.NONE, LIMITS);
    }
    return new Job.Python("", null, null, null, null, null, null, null, JobFiles.NONE, LIMITS);
  }
}
