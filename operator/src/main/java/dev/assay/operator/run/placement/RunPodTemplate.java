package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.pod.DatasetMount;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.pod.RunnerPodRequest;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Builds the Pods of runs. */
public final class RunPodTemplate {
  /** How long the Pod may exceed its run's own limits before Kubernetes terminates it. */
  private static final Duration SLACK = Duration.ofSeconds(60);

  private final OperatorConfig config;
  private final SigningKeys keys;
  private final EgressTarget egress;

  public RunPodTemplate(OperatorConfig config, SigningKeys keys, EgressTarget egress) {
    this.config = config;
    this.keys = keys;
    this.egress = egress;
  }

  /** The namespace of a run. */
  RunNamespace namespace(AnalyticsRun run) {
    return config.namespace(run.getMetadata().getNamespace()).orElseThrow();
  }

  /** What Pods of a class cannot be created without; empty if nothing is missing. */
  Optional<String> missing(RunClass runClass) {
    return egress.missing(runClass.getSpec());
  }

  /** The Pod with the limits of its run, and what it must be refused at, as annotations. */
  Pod pod(AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted, PodUsers users) {
    String publicKeys = keys.current().publicKeyEntry();
    RunnerPodRequest request = of(run, namespace(run), runClass, admitted, users, publicKeys);
    Pod pod = admitted.limits().writtenTo(RunnerPod.build(request));
    return egress.of(runClass.getSpec()).map(address -> address.writtenTo(pod)).orElse(pod);
  }

  private static RunnerPodRequest of(
      AnalyticsRun run,
      RunNamespace namespace,
      RunClass runClass,
      RunAdmission.Admitted admitted,
      PodUsers users,
      String publicKeys) {
    return new RunnerPodRequest(
        PodOfRun.createdName(run),
        namespace.name(),
        runClass.getMetadata().getName(),
        runClass.getSpec(),
        Owners.controller(run),
        Map.of(Labels.RUN_UID, run.getMetadata().getUid()),
        new RunWorker(
            Program.of(run.getSpec().language()),
            admitted.snapshots().stream()
                .map(
                    snapshot ->
                        new DatasetMount(
                            snapshot.dataset(),
                            snapshot.path(),
                            snapshot.displayName(),
                            Boolean.TRUE.equals(snapshot.untrusted())))
                .toList(),
            admitted.inputs().stream().map(PinnedInput::bytes).toList()),
        users,
        namespace.snapshotClaim(),
        publicKeys,
        runClass.getSpec().timeouts().pendingSeconds()
            + RunLimits.START_TIMEOUT
                .plus(admitted.limits().timeout())
                .plus(RunLimits.STORE_GRACE)
                .plus(SLACK)
                .plusMillis(999)
                .toSeconds());
  }
}
