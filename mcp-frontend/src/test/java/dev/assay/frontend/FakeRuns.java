package dev.assay.frontend;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs without a cluster: each created run is handed to a script that plays the operator. */
public final class FakeRuns implements RunGateway {
  public final List<AnalyticsRun> created = new CopyOnWriteArrayList<>();
  private final List<Consumer<AnalyticsRun>> listeners = new CopyOnWriteArrayList<>();
  public final List<String> detached = new CopyOnWriteArrayList<>();
  public final BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();
  public final BlockingQueue<String> started = new LinkedBlockingQueue<>();
  private final Map<String, AnalyticsRun> runs = new ConcurrentHashMap<>();
  private final Map<String, List<Subscription<AnalyticsRun>>> subscriptions =
      new ConcurrentHashMap<>();
  private volatile BiConsumer<FakeRuns, AnalyticsRun> operator = (fake, run) -> {};

  /** Names of runs that the next read comes too early for. */
  public final Set<String> early = ConcurrentHashMap.newKeySet();

  public volatile @Nullable RuntimeException refusal;
  public volatile @Nullable RuntimeException readRefusal;
  public volatile @Nullable RuntimeException cancelRefusal;

  /** Sets the script. */
  public FakeRuns operator(BiConsumer<FakeRuns, AnalyticsRun> script) {
    this.operator = script;
    return this;
  }

  /** Puts a run there. */
  public FakeRuns with(AnalyticsRun run) {
    runs.put(run.getMetadata().getName(), run);
    return this;
  }

  /** Publishes a status. */
  public void status(AnalyticsRun run, AnalyticsRunStatus status) {
    AnalyticsRun next = new AnalyticsRun();
    next.setMetadata(run.getMetadata());
    next.setSpec(run.getSpec());
    next.setStatus(status);
    runs.put(run.getMetadata().getName(), next);
    publish(next, false);
  }

  /** Deletes a run. */
  public void delete(AnalyticsRun run) {
    runs.remove(run.getMetadata().getName());
    publish(run, true);
  }

  /** Takes a run away without anybody hearing of it. */
  public void vanish(AnalyticsRun run) {
    runs.remove(run.getMetadata().getName());
  }

  private void publish(AnalyticsRun run, boolean deleted) {
    subscriptions
        .getOrDefault(run.getMetadata().getName(), List.of())
        .forEach(subscription -> subscription.publish(new Change<>(run, deleted)));
  }

  /** Who still follows something. */
  public Set<String> followed() {
    return subscriptions.keySet();
  }

  @Override
  public Subscription<AnalyticsRun> follow(String namespace, String name) {
    List<Subscription<AnalyticsRun>> made = new ArrayList<>();
    Subscription<AnalyticsRun> subscription =
        new Subscription<>(
            () -> subscriptions.computeIfPresent(name, (k, all) -> without(all, made)));
    made.add(subscription);
    subscriptions.computeIfAbsent(name, k -> new CopyOnWriteArrayList<>()).add(subscription);
    return subscription;
  }

  private static @Nullable List<Subscription<AnalyticsRun>> without(
      List<Subscription<AnalyticsRun>> all, List<Subscription<AnalyticsRun>> gone) {
    all.removeAll(gone);
    return all.isEmpty() ? null : all;
  }

  @Override
  public AnalyticsRun create(AnalyticsRun run) {
    failIf(refusal);
    @Nullable AnalyticsRun there = runs.putIfAbsent(run.getMetadata().getName(), run);
    if (there != null) {
      if (RunState.isOfSameRequest(there, run)) {
        return there;
      }
      throw ClusterException.keyReused();
    }
    run.getMetadata().setUid("uid-" + run.getMetadata().getName());
    run.getMetadata().setCreationTimestamp("2026-01-02T03:04:05Z");
    created.add(run);
    started.add(run.getMetadata().getName());
    listeners.forEach(listener -> listener.accept(run));
    Thread.ofVirtual().start(() -> operator.accept(this, run));
    return run;
  }

  @Override
  public Optional<AnalyticsRun> read(String namespace, String name) {
    failIf(readRefusal);
    if (early.remove(name)) {
      return Optional.empty();
    }
    return Optional.ofNullable(runs.get(name))
        .filter(run -> namespace.equals(run.getMetadata().getNamespace()));
  }

  @Override
  public List<AnalyticsRun> list(String namespace) {
    return runs.values().stream()
        .filter(run -> namespace.equals(run.getMetadata().getNamespace()))
        .toList();
  }

  @Override
  public void cancel(String namespace, String name) {
    failIf(cancelRefusal);
    cancelled.add(name);
    runs.computeIfPresent(name, (k, run) -> cancelled(run));
  }

  @Override
  public void invalidate(String namespace, String name) {
    failIf(cancelRefusal);
    runs.computeIfPresent(
        name,
        (k, run) -> {
          annotate(run, RunState.CACHE_INVALIDATED);
          return run;
        });
  }

  private static void annotate(AnalyticsRun run, String name) {
    @Nullable Map<String, String> known = run.getMetadata().getAnnotations();
    Map<String, String> all = known == null ? new HashMap<>() : new HashMap<>(known);
    all.put(name, "true");
    run.getMetadata().setAnnotations(all);
  }

  private static void failIf(@Nullable RuntimeException refusal) {
    if (refusal != null) {
      throw refusal;
    }
  }

  private static AnalyticsRun cancelled(AnalyticsRun run) {
    AnalyticsRunSpec spec = run.getSpec();
    AnalyticsRun next = new AnalyticsRun();
    next.setMetadata(run.getMetadata());
    next.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className(spec.className())
            .language(spec.language())
            .code(spec.code())
            .datasets(spec.datasets())
            .timeoutSeconds(spec.timeoutSeconds())
            .timeoutMillis(spec.timeoutMillis())
            .outputLimitBytes(spec.outputLimitBytes())
            .caller(spec.caller())
            .tool(spec.tool())
            .requestId(spec.requestId())
            .ttlSecondsAfterFinished(spec.ttlSecondsAfterFinished())
            .cancel(true)
            .build());
    if (run.getStatus() != null) {
      next.setStatus(run.getStatus());
    }
    return next;
  }

  @Override
  public void onSeen(Consumer<AnalyticsRun> listener) {
    listeners.add(listener);
  }

  @Override
  public void detach(String namespace, String name) {
    failIf(cancelRefusal);
    detached.add(name);
    runs.computeIfPresent(
        name,
        (k, run) -> {
          annotate(run, RunState.DETACHED);
          return run;
        });
  }
}
