package dev.assay.operator.run.placement;

import static java.util.Objects.requireNonNull;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunState;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs that have no Pod: they are refused, wait, or get a warm Pod or one of their own. */
public final class UnplacedRuns {
  private final RunResources resources;
  private final RunTurns turns;
  private final WarmStarts warm;
  private final PodCreation creation;
  private final RunStatusUpdates updates;
  private final RunEndings endings;

  public UnplacedRuns(
      RunResources resources,
      RunTurns turns,
      WarmStarts warm,
      PodCreation creation,
      RunStatusUpdates updates,
      RunEndings endings) {
    this.resources = resources;
    this.turns = turns;
    this.warm = warm;
    this.creation = creation;
    this.updates = updates;
    this.endings = endings;
  }

  /** Refuses a run, has it wait, or gets it a Pod. */
  UpdateControl<AnalyticsRun> admit(AnalyticsRun run) {
    RunClass runClass = resources.runClass(run);
    turns.restore(run, runClass);
    if (runClass != null) {
      Optional<UpdateControl<AnalyticsRun>> waits = turns.waitOn(run, runClass);
      if (waits.isPresent()) {
        return waits.get();
      }
      if (startedFromCache(run, runClass)) {
        return UpdateControl.noUpdate();
      }
    }
    RunAdmission.Decision decision = decide(run, runClass, name -> resources.dataset(run, name));
    if (!(decision instanceof RunAdmission.Admitted)) {
      turns.giveUp(run);
    }
    return switch (decision) {
      case RunAdmission.Refused refused -> endings.refuse(run, Optional.empty(), refused);
      case RunAdmission.WaitForDataset wait ->
          updates.waitForStart(
              run,
              Optional.empty(),
              requireNonNull(runClass),
              RunReason.DatasetNotReady,
              wait.message());
      case RunAdmission.Admitted admitted ->
          creation.createInTurn(run, requireNonNull(runClass), admitted);
    };
  }

  private RunAdmission.Decision decide(
      AnalyticsRun run, @Nullable RunClass runClass, Function<String, Optional<Dataset>> datasets) {
    return RunAdmission.decide(
        run, runClass, datasets, name -> resources.run(run, name), resources::runClasses);
  }

  /**
   * Gives a new run a warm Pod, on the snapshots that the cache has, so that it does not wait for
   * reads of its datasets: they are read while it is bound. If they have changed, the run is given
   * back, and then decided on what the API server has, since the cache may still be stale, of the
   * datasets and of the run itself.
   *
   * @return false if nothing was done
   */
  private boolean startedFromCache(AnalyticsRun run, RunClass runClass) {
    if (!RunState.isNew(run)
        || warm.hasFailedClaim(run)
        || run.getSpec().datasetNames().isEmpty()
        || !run.getSpec().inputList().isEmpty()
        || !runClass.getSpec().warmPoolLimits().exist()
        || !creation.isDue(run, runClass)) {
      return false;
    }
    return decide(run, runClass, name -> resources.cachedDataset(run, name))
            instanceof RunAdmission.Admitted admitted
        && turns.takeSlot(run, runClass)
        && warm.start(run, runClass, admitted);
  }
}
