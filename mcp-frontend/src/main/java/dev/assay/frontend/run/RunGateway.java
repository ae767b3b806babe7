package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunInputs;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

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

  /**
   * Requires that a caller may read the inputs of a run: the operator reads them for everybody.
   *
   * @throws ClusterException where one does not exist for the caller
   */
  default void requireInputs(AnalyticsRunSpec spec, Identity caller) {
    if (spec.inputList().isEmpty()) {
      return;
    }
    Set<String> known =
        list(caller).stream().map(run -> run.getMetadata().getName()).collect(Collectors.toSet());
    for (RunInput input : spec.inputList()) {
      // The cache may be behind.
      if (!known.contains(input.run()) && read(caller, input.run()).isEmpty()) {
        throw ClusterException.refused(RunInputs.notFound(input));
      }
    }
  }

  /** Reads a run from the API server itself; empty where it does not exist. */
  Optional<AnalyticsRun> read(String namespace, String name);

  /** The same; empty where it does not exist for a caller. */
  default Optional<AnalyticsRun> read(Identity caller, String name) {
    return read(caller.namespace(), name).filter(run -> RunAccess.mayRead(run, caller));
  }

  /** The runs of a namespace, from the cache, in no order: what a list shows of them. */
  List<AnalyticsRun> list(String namespace);

  /** The same; those that exist for a caller. */
  default List<AnalyticsRun> list(Identity caller) {
    return list(caller.namespace()).stream().filter(run -> RunAccess.mayRead(run, caller)).toList();
  }

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
