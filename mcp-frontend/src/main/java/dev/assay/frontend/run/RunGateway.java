package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs in the cluster. */
public interface RunGateway {
  /** Follows a run, which need not exist yet. */
  Subscription<AnalyticsRun> follow(String namespace, String name);

  /**
   * Creates a run under the name that it carries. Asking twice for one request, or with one
   * idempotency key, creates one run.
   *
   * @throws dev.assay.frontend.watch.ClusterException where it was refused or its fate is unknown
   */
  AnalyticsRun create(AnalyticsRun run);

  /** Reads a run from the API server itself; empty where it does not exist. */
  Optional<AnalyticsRun> read(String namespace, String name);

  /** The runs of a namespace, from the cache, in no order: what a list shows of them. */
  List<AnalyticsRun> list(String namespace);

  /** Asks for a run to be stopped. A run that is gone or has ended is left alone. */
  void cancel(String namespace, String name);

  /** Says that the result of a run is not to be used again. A run that is gone is left alone. */
  void invalidate(String namespace, String name);

  /**
   * Says that the call of a run has been answered, and that its caller is to go on with the run
   * itself. A run that is gone is left alone.
   */
  void detach(String namespace, String name);

  /**
   * Tells of every run that this replica gets to know from now on, from light copies. The listener
   * must return at once.
   */
  void onSeen(Consumer<AnalyticsRun> listener);
}
