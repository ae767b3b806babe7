package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.CacheKey;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunInputs;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunAccess;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Earlier runs whose results can be used again. There is no other store: a result is cached as long
 * as its run exists, has not been invalidated, and is not too old.
 */
public final class CachedResults {
  private static final int MAX_INVALIDATED = 500;

  private final RunGateway runs;
  private final RunClasses classes;
  private final DatasetGateway datasets;
  private final Duration ttl;
  private final InstantSource clock;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * Results of all namespaces.
   *
   * @param ttl how long after its end a run is used; zero for never
   */
  public CachedResults(
      RunGateway runs,
      RunClasses classes,
      DatasetGateway datasets,
      Duration ttl,
      InstantSource clock) {
    this.runs = runs;
    this.classes = classes;
    this.datasets = datasets;
    this.ttl = ttl;
    this.clock = clock;
  }

  /**
   * How the cache was used.
   *
   * @param hits queries since the start of this replica that needed no Pod
   * @param misses those that did
   * @param entries results that the caller can use
   * @param bytes of them
   */
  public record Counters(long hits, long misses, long entries, long bytes) {}

  /**
   * Results that were invalidated.
   *
   * @param names of those that there were, in the order of their runs
   * @param inProgress how many runs were invalidated before their end
   * @param hasMore whether others are left
   */
  public record Invalidated(List<String> names, int inProgress, boolean hasMore) {
    public Invalidated {
      names = List.copyOf(names);
    }
  }

  /**
   * The run, read from the API server, whose result is that of a spec, if the caller may read it:
   * the reply names it, for later calls to read or export.
   *
   * @param spec complete, with a class
   * @param read the datasets of the spec, in their order
   */
  public Optional<AnalyticsRun> find(Identity caller, AnalyticsRunSpec spec, List<Dataset> read) {
    List<PinnedSnapshot> snapshots =
        read.stream().flatMap(dataset -> PinnedSnapshot.of(dataset).stream()).toList();
    Optional<String> key = key(caller, spec, snapshots, read.size());
    return key.flatMap(
            wanted ->
                runs.list(caller).stream()
                    .filter(isUsable(wanted))
                    .max(Comparator.comparing(CachedResults::finished)))
        .flatMap(found -> runs.read(caller, found.getMetadata().getName()))
        .filter(run -> isUsable(key.orElseThrow()).test(run))
        // The cache of datasets may be behind what the caller knows.
        .filter(run -> areCurrent(caller.namespace(), snapshots));
  }

  private Optional<String> key(
      Identity caller, AnalyticsRunSpec spec, List<PinnedSnapshot> snapshots, int datasetCount) {
    @Nullable String className = spec.className();
    if (className == null
        || ttl.isZero()
        || snapshots.size() < datasetCount
        || !RunState.isRepeatable(spec)) {
      return Optional.empty();
    }
    return RunInputs.resolve(spec, name -> runs.read(caller, name))
            instanceof RunInputs.Resolution.Resolved resolved
        ? classes
            .find(className)
            .flatMap(RunClass::seenImageID)
            .map(imageID -> CacheKey.of(spec, className, snapshots, resolved.inputs(), imageID))
        : Optional.empty();
  }

  private boolean areCurrent(String namespace, List<PinnedSnapshot> snapshots) {
    return snapshots.stream()
        .allMatch(
            snapshot ->
                datasets
                    .read(namespace, snapshot.dataset())
                    .flatMap(PinnedSnapshot::of)
                    .filter(snapshot::equals)
                    .isPresent());
  }

  private Predicate<AnalyticsRun> isUsable(String key) {
    return run -> key.equals(RunState.statusOf(run).cacheKey()) && isUsable(run);
  }

  private boolean isUsable(AnalyticsRun run) {
    return run.understood()
        && RunState.phaseOf(run) == RunPhase.Succeeded
        && RunState.statusOf(run).cacheKey() != null
        && !RunState.isInvalidated(run)
        && finished(run).plus(ttl).isAfter(clock.instant());
  }

  private static Instant finished(AnalyticsRun run) {
    @Nullable RunTimings timings = RunState.statusOf(run).timings();
    @Nullable String finished = timings == null ? null : timings.finished();
    try {
      return finished == null ? Instant.EPOCH : Instant.parse(finished);
    } catch (DateTimeException e) {
      return Instant.EPOCH;
    }
  }

  /**
   * Invalidates results that the caller may change, at most 500 at once: each is a request to the
   * API server. Those of runs in progress are among them, since such a run may have started before
   * what its caller knows of.
   *
   * @param pattern of their names; null for all
   * @param dataset resource name of one that they read; null for any
   */
  public Invalidated invalidate(
      Identity caller, @Nullable String pattern, @Nullable String dataset) {
    Wildcard wildcard = new Wildcard(pattern == null ? "*" : pattern);
    List<AnalyticsRun> found =
        runs.list(caller).stream()
            .filter(run -> RunAccess.mayChange(run, caller))
            .filter(run -> isUsable(run) || isInProgress(run))
            .filter(run -> wildcard.matches(nameOf(run)))
            .filter(run -> dataset == null || run.getSpec().datasetNames().contains(dataset))
            .sorted(Comparator.comparing(run -> run.getMetadata().getName()))
            .toList();
    List<AnalyticsRun> first = found.stream().limit(MAX_INVALIDATED).toList();
    List<String> names = first.stream().filter(this::isUsable).map(CachedResults::nameOf).toList();
    first.forEach(run -> runs.invalidate(caller.namespace(), run.getMetadata().getName()));
    return new Invalidated(names, first.size() - names.size(), found.size() > first.size());
  }

  private static boolean isInProgress(AnalyticsRun run) {
    return RunState.mayBeCached(run) && !RunState.isInvalidated(run);
  }

  /** The name that its caller gave it, or that of its run. */
  private static String nameOf(AnalyticsRun run) {
    @Nullable String name = run.getSpec().cacheName();
    return name == null ? run.getMetadata().getName() : name;
  }

  /** Counts a query. */
  public void count(boolean hit) {
    (hit ? hits : misses).increment();
  }

  /** How it was used. */
  public Counters counters(Identity caller) {
    List<AnalyticsRun> usable = runs.list(caller).stream().filter(this::isUsable).toList();
    return new Counters(
        hits.sum(),
        misses.sum(),
        usable.size(),
        usable.stream().mapToLong(CachedResults::valueBytes).sum());
  }

  private static long valueBytes(AnalyticsRun run) {
    var result = RunState.statusOf(run).result();
    return result == null || result.valueBytes() == null ? 0 : result.valueBytes();
  }
}
