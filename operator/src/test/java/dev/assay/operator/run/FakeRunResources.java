package dev.assay.operator.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The resources of a run, set by the test. Initially there is a class and no Pod. */
final class FakeRunResources implements RunResources {
  volatile @Nullable Pod pod;
  volatile @Nullable RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Run));
  volatile @Nullable Dataset dataset;

  /** What the cache has; {@link #dataset} is what the API server has. */
  volatile @Nullable Dataset cachedDataset;

  /** Complete runs, by name. */
  final Map<String, AnalyticsRun> runs = new ConcurrentHashMap<>();

  final List<AnalyticsRun> cachedRuns = new ArrayList<>();
  final List<Pod> otherPods = new ArrayList<>();
  final Set<String> runUids = new HashSet<>();
  final Set<String> unfinishedRunUids = new HashSet<>();

  /** How often {@link #unfinishedRunUids(String)} was called. */
  final AtomicInteger unfinishedReads = new AtomicInteger();

  final Set<String> startedRunUids = new HashSet<>();

  /** Those with a run, by its class. */
  final Map<String, List<Pod>> podsOfRuns = new ConcurrentHashMap<>();

  /** Those that own a Pod, by their UIDs. */
  final Map<String, AnalyticsRun> owners = new ConcurrentHashMap<>();

  final Set<String> reusableRunUids = new HashSet<>();
  final Set<String> boundPods = new HashSet<>();
  final Set<String> gone = new HashSet<>();
  final List<AnalyticsRun> waitingForRoom = new ArrayList<>();
  final List<String> woken = new ArrayList<>();
  Consumer<String> podEnded = namespace -> {};
  Consumer<Pod> podChanged = pod -> {};
  final List<Pod> podsMade = new ArrayList<>();
  final List<AnalyticsRun> runsWritten = new ArrayList<>();
  final CountDownLatch askedAgain = new CountDownLatch(1);

  /** Called before a Pod is looked up. */
  volatile Runnable onPodRead = () -> {};

  @Override
  public List<EventSource<?, AnalyticsRun>> prepare(EventSourceContext<AnalyticsRun> context) {
    return List.of();
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    onPodRead.run();
    return Optional.ofNullable(pod).filter(found -> found.getMetadata().getName().equals(name));
  }

  @Override
  public Collection<Pod> pods() {
    List<Pod> all = new ArrayList<>(otherPods);
    Optional.ofNullable(pod).ifPresent(all::add);
    podsOfRuns.values().forEach(all::addAll);
    return all;
  }

  @Override
  public Collection<AnalyticsRun> runs(String namespace) {
    return List.copyOf(cachedRuns);
  }

  @Override
  public Set<String> runUids(String namespace) {
    return Set.copyOf(runUids);
  }

  @Override
  public Set<String> unfinishedRunUids(String namespace) {
    unfinishedReads.incrementAndGet();
    return Set.copyOf(unfinishedRunUids);
  }

  @Override
  public Set<String> startedRunUids(String namespace, String className) {
    return Set.copyOf(startedRunUids);
  }

  @Override
  public Collection<Pod> podsOfRuns(String namespace, String className) {
    return List.copyOf(podsOfRuns.getOrDefault(className, List.of()));
  }

  @Override
  public Optional<AnalyticsRun> runOf(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getLabels().get(Labels.RUN_UID)).map(owners::get);
  }

  @Override
  public Set<String> reusableRunUids(String namespace) {
    return Set.copyOf(reusableRunUids);
  }

  @Override
  public Set<String> bound(Collection<Pod> warmPods) {
    return Set.copyOf(boundPods);
  }

  @Override
  public boolean isActive(AnalyticsRun run) {
    return !gone.contains(run.getMetadata().getUid());
  }

  @Override
  public List<AnalyticsRun> waitingForRoom(String namespace) {
    return waitingForRoom;
  }

  @Override
  public void onPodEnded(Consumer<String> namespace) {
    podEnded = namespace;
  }

  @Override
  public void onPodChanged(Consumer<Pod> pod) {
    podChanged = pod;
  }

  @Override
  public void podCreated(Pod made) {
    podsMade.add(made);
  }

  @Override
  public void runWritten(AnalyticsRun before, AnalyticsRun after) {
    runsWritten.add(after);
  }

  @Override
  public @Nullable RunClass runClass(AnalyticsRun run) {
    return runClass;
  }

  @Override
  public Collection<RunClass> runClasses() {
    return runClass == null ? List.of() : List.of(runClass);
  }

  @Override
  public Optional<Dataset> cachedDataset(AnalyticsRun run, String name) {
    return Optional.ofNullable(cachedDataset);
  }

  @Override
  public Optional<Dataset> dataset(AnalyticsRun run, String name) {
    return Optional.ofNullable(dataset);
  }

  @Override
  public Optional<AnalyticsRun> run(AnalyticsRun run, String name) {
    return Optional.ofNullable(runs.get(name));
  }

  @Override
  public void reconcileAgain(AnalyticsRun run) {
    woken.add(run.getMetadata().getName());
    askedAgain.countDown();
  }
}
