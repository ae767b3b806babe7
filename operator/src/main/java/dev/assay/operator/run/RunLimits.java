package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunClassSpec;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a run may take. The Pod of a run carries the limits that it was made for, so that they hold
 * to the end of the run, whatever its class says by then and whichever operator asks.
 *
 * @param timeoutSeconds its time limit
 * @param outputLimitBytes how much of its output is kept
 * @param memory of its worker, as its class has it
 */
record RunLimits(int timeoutSeconds, int outputLimitBytes, String memory) {
  /**
   * How much longer than the run itself may take its Pod lives at most: for so long output waits in
   * it for an output store that is not available.
   */
  static final Duration STORE_GRACE = Duration.ofHours(1);

  private static final String TIMEOUT = "assay.dev/timeout-seconds";
  private static final String OUTPUT_LIMIT = "assay.dev/output-limit-bytes";
  private static final String MEMORY = "assay.dev/memory";

  /** What a run asks for within what its class allows. */
  static RunLimits of(AnalyticsRunSpec spec, RunClassSpec runClass) {
    int timeout =
        spec.timeoutSeconds() == null
            ? runClass.timeouts().defaultSeconds()
            : spec.timeoutSeconds();
    int output =
        spec.outputLimitBytes() == null
            ? runClass.output().limitBytes()
            : Math.min(spec.outputLimitBytes(), runClass.output().limitBytes());
    return new RunLimits(timeout, output, runClass.resources().memory());
  }

  /** The limits that a Pod was made for; empty of a Pod that an older operator made. */
  static Optional<RunLimits> of(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    if (annotations == null || !annotations.containsKey(MEMORY)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new RunLimits(
              Integer.parseInt(annotations.getOrDefault(TIMEOUT, "")),
              Integer.parseInt(annotations.getOrDefault(OUTPUT_LIMIT, "")),
              annotations.getOrDefault(MEMORY, "")));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The Pod, carrying these limits. */
  Pod writtenTo(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .addToAnnotations(TIMEOUT, Integer.toString(timeoutSeconds))
        .addToAnnotations(OUTPUT_LIMIT, Integer.toString(outputLimitBytes))
        .addToAnnotations(MEMORY, memory)
        .endMetadata()
        .build();
  }
}
