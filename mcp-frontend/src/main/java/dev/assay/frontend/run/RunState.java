package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The state of a run, also of one that has no status yet. */
public final class RunState {
  /** The names of all phases, for people. */
  public static final String PHASES =
      KnownValues.of(RunPhase.class).stream().map(RunPhase::name).collect(Collectors.joining(", "));

  /** The annotation of a run whose result is not to be used again; any value. */
  public static final String CACHE_INVALIDATED = "assay.dev/cache-invalidated";

  /** The annotation of a run whose call has been answered before its end; any value. */
  public static final String DETACHED = "assay.dev/detached";

  /** The annotation of a run with an idempotency key: the digest of what was asked for. */
  public static final String REQUEST_SHA256 = "assay.dev/request-sha256";

  private RunState() {}

  /** Whether its result is not to be used again. */
  public static boolean isInvalidated(AnalyticsRun run) {
    return isAnnotated(run, CACHE_INVALIDATED);
  }

  /** Whether two are the same run: a name that derives from a key is used again. */
  public static boolean isSame(AnalyticsRun one, AnalyticsRun other) {
    return Objects.equals(one.getMetadata().getUid(), other.getMetadata().getUid());
  }

  /** Whether its call was answered before the run ended: a cancellation of the call is ignored. */
  public static boolean isDetached(AnalyticsRun run) {
    return isAnnotated(run, DETACHED);
  }

  /** Whether a caller created it with an idempotency key. */
  public static boolean hasKey(AnalyticsRun run) {
    return isAnnotated(run, REQUEST_SHA256);
  }

  /** Whether one caller asked for both: with one key for the same, or else in one request. */
  public static boolean isOfSameRequest(AnalyticsRun one, AnalyticsRun other) {
    return Objects.equals(one.getSpec().caller(), other.getSpec().caller())
        && Objects.equals(annotation(one, REQUEST_SHA256), annotation(other, REQUEST_SHA256))
        && (hasKey(one) || Objects.equals(one.getSpec().requestId(), other.getSpec().requestId()));
  }

  private static boolean isAnnotated(AnalyticsRun run, String annotation) {
    return annotation(run, annotation) != null;
  }

  private static @Nullable String annotation(AnalyticsRun run, String name) {
    @Nullable Map<String, String> annotations = run.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(name);
  }

  /** Whether its result may become one that other queries use. */
  public static boolean mayBeCached(AnalyticsRun run) {
    return !hasEnded(run) && isRepeatable(run.getSpec());
  }

  /**
   * Whether another run of the same may have the same result. Only SQL does: other code can return
   * something else the next time, and may call tools of other servers, whose answers change.
   */
  public static boolean isRepeatable(AnalyticsRunSpec spec) {
    return spec.language() == Language.SQL;
  }

  /** The phase of a name; empty where it is none. */
  public static Optional<RunPhase> phaseNamed(String name) {
    return KnownValues.of(RunPhase.class).stream()
        .filter(phase -> phase.name().equals(name))
        .findFirst();
  }

  /** Its status; {@link AnalyticsRunStatus#EMPTY} where it has none. */
  public static AnalyticsRunStatus statusOf(AnalyticsRun run) {
    @Nullable AnalyticsRunStatus status = run.getStatus();
    return status == null ? AnalyticsRunStatus.EMPTY : status;
  }

  /** The time limit that it names; empty for that of its class. */
  public static Optional<Duration> timeLimitOf(AnalyticsRunSpec spec) {
    @Nullable Integer millis = spec.timeoutMillis();
    return millis == null
        ? Optional.ofNullable(spec.timeoutSeconds()).map(Duration::ofSeconds)
        : Optional.of(Duration.ofMillis(millis));
  }

  /** Its phase; Pending where it has none. */
  public static RunPhase phaseOf(AnalyticsRun run) {
    @Nullable RunPhase phase = statusOf(run).phase();
    return phase == null ? RunPhase.Pending : phase;
  }

  /** The class that it names or was given; null where it names none and was given none yet. */
  public static @Nullable String classOf(AnalyticsRun run) {
    String named = run.getSpec().className();
    return named == null ? statusOf(run).className() : named;
  }

  /** Whether it has left files that are stored. */
  public static boolean hasArtifacts(AnalyticsRun run) {
    return !statusOf(run).artifactList().isEmpty();
  }

  /** Whether nothing becomes of it any more. */
  public static boolean hasEnded(AnalyticsRun run) {
    return phaseOf(run).isFinal();
  }
}
