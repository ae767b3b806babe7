package dev.assay.operator.run.admission;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.operator.pool.WarmPodLimits;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of a run. Its Pod carries them as annotations, so that they apply until the end of the
 * run, even if the class changes or another operator takes over.
 *
 * @param timeout its time limit
 * @param outputLimitBytes how many bytes of its output are kept
 * @param memory the memory of its worker, as in its class
 * @param artifacts the limits of the files that it leaves, and of those it reads
 */
public record RunLimits(
    Duration timeout, int outputLimitBytes, String memory, ArtifactLimits artifacts) {
  /**
   * How much longer than the run its Pod may live: how long it holds output while the output store
   * is unavailable.
   */
  public static final Duration STORE_GRACE = Duration.ofHours(1);

  /** From the start to the first instruction. */
  public static final Duration START_TIMEOUT = Duration.ofSeconds(60);

  /** How long code may take to end by itself when its time is over. */
  public static final Duration STOP_GRACE = Duration.ofMillis(500);

  private static final Duration SLACK = Duration.ofSeconds(15);

  /** How long the runner may take to collect the files that the run left. */
  private static final Duration COLLECTION = Duration.ofSeconds(15);

  private static final String TIMEOUT = "assay.dev/timeout-seconds";
  private static final String TIMEOUT_MILLIS = "assay.dev/timeout-millis";
  private static final String OUTPUT_LIMIT = "assay.dev/output-limit-bytes";
  private static final String MEMORY = "assay.dev/memory";
  private static final String ARTIFACT_LIMIT = "assay.dev/artifact-limit-bytes";
  private static final String ARTIFACT_COUNT = "assay.dev/artifact-max-count";

  /** Whether files that the run leaves are collected. */
  public boolean collectsArtifacts() {
    return artifacts.limitBytes() > 0 && artifacts.maxCount() > 0;
  }

  /** The limits that a run requests, capped by its class. */
  public static RunLimits of(AnalyticsRunSpec spec, RunClassSpec runClass) {
    return of(runClass).requestedBy(spec);
  }

  /** The limits of a run that requests none. */
  private static RunLimits of(RunClassSpec runClass) {
    return new RunLimits(
        Duration.ofSeconds(runClass.timeouts().defaultSeconds()),
        runClass.output().limitBytes(),
        runClass.resources().memory(),
        runClass.artifactLimits());
  }

  private RunLimits requestedBy(AnalyticsRunSpec spec) {
    int output =
        spec.outputLimitBytes() == null
            ? outputLimitBytes
            : Math.min(spec.outputLimitBytes(), outputLimitBytes);
    return new RunLimits(requested(spec).orElse(timeout), output, memory, artifacts);
  }

  /** What a Pod of a class is created with before its run is known. */
  public static WarmPodLimits ofWarmPod(RunClassSpec runClass) {
    return new WarmPodLimits(maxRunLife(runClass), of(runClass).annotations());
  }

  /**
   * The limits of a run in the Pod that it has, whatever has become of its class since the Pod was
   * created: of a warm Pod that does not belong to the run yet, those of the class then, with what
   * the run requests. Empty for a Pod of an older operator.
   */
  public static Optional<RunLimits> of(AnalyticsRunSpec spec, Pod pod) {
    return of(pod).map(limits -> limits.requestedBy(spec));
  }

  /** The time limit that a run requests; empty for that of its class. */
  static Optional<Duration> requested(AnalyticsRunSpec spec) {
    Integer millis = spec.timeoutMillis();
    Integer seconds = spec.timeoutSeconds();
    return millis == null
        ? Optional.ofNullable(seconds).map(Duration::ofSeconds)
        : Optional.of(Duration.ofMillis(millis));
  }

  /** The limits that a Pod has as annotations; empty for a Pod of an older operator. */
  static Optional<RunLimits> of(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    if (annotations == null || !annotations.containsKey(MEMORY)) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new RunLimits(
              timeout(annotations),
              Integer.parseInt(annotations.getOrDefault(OUTPUT_LIMIT, "")),
              annotations.getOrDefault(MEMORY, ""),
              // A Pod of an operator that collected nothing has none.
              new ArtifactLimits(
                  Long.parseLong(annotations.getOrDefault(ARTIFACT_LIMIT, "0")),
                  Integer.parseInt(annotations.getOrDefault(ARTIFACT_COUNT, "0")))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** A Pod of an operator that knew seconds only has those. */
  private static Duration timeout(Map<String, String> annotations) {
    String millis = annotations.get(TIMEOUT_MILLIS);
    return millis == null
        ? Duration.ofSeconds(Integer.parseInt(annotations.getOrDefault(TIMEOUT, "")))
        : Duration.ofMillis(Integer.parseInt(millis));
  }

  /** How long a Pod of a class may live at most from when it is given to a run. */
  private static Duration maxRunLife(RunClassSpec runClass) {
    return podLife(START_TIMEOUT, Duration.ofSeconds(runClass.timeouts().maxSeconds()));
  }

  /** From the start to when Kubernetes ends the Pod, as a backstop. */
  public static Duration podLife(Duration startTimeout, Duration timeout) {
    return maxDuration(startTimeout, timeout).plus(STORE_GRACE);
  }

  /**
   * From the start to the latest possible event.
   *
   * @param startTimeout from the start to the first instruction
   */
  public static Duration maxDuration(Duration startTimeout, Duration timeout) {
    return startTimeout.plus(timeout).plus(STOP_GRACE).plus(SLACK).plus(COLLECTION);
  }

  /** The Pod with these limits as annotations. */
  public Pod writtenTo(Pod pod) {
    return new PodBuilder(pod).editMetadata().addToAnnotations(annotations()).endMetadata().build();
  }

  /** These limits as annotations of a Pod. */
  public Map<String, String> annotations() {
    return Map.of(
        TIMEOUT, Long.toString(timeout.plusMillis(999).toSeconds()),
        TIMEOUT_MILLIS, Long.toString(timeout.toMillis()),
        OUTPUT_LIMIT, Integer.toString(outputLimitBytes),
        MEMORY, memory,
        ARTIFACT_LIMIT, Long.toString(artifacts.limitBytes()),
        ARTIFACT_COUNT, Integer.toString(artifacts.maxCount()));
  }
}
