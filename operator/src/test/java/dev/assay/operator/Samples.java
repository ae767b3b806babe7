package dev.assay.operator;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.SnapshotCleanupConfig;
import dev.assay.operator.config.OperatorConfig.SourceVolume;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects that tests begin from: as small as Kubernetes would take them. */
public final class Samples {
  public static final String NAMESPACE = "team-a";
  public static final String RUN_UID = "11111111-aaaa-4aaa-8aaa-111111111111";
  public static final String DATASET_UID = "22222222-bbbb-4bbb-8bbb-222222222222";
  public static final String POD_UID = "33333333-cccc-4ccc-8ccc-333333333333";
  public static final String CREATED = "2026-11-01T10:00:00Z";
  public static final long GENERATION = 3;

  private Samples() {}

  public static AnalyticsRun run(AnalyticsRunSpec spec, @Nullable AnalyticsRunStatus status) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(metadata("run-1", RUN_UID));
    run.setSpec(spec);
    if (status != null) {
      run.setStatus(status);
    }
    return run;
  }

  public static AnalyticsRun run(String... datasets) {
    return run(spec("print(1)", null, null, null, datasets), null);
  }

  public static AnalyticsRunSpec spec(
      String code,
      @Nullable Integer timeoutSeconds,
      @Nullable Integer outputLimitBytes,
      @Nullable Boolean cancel,
      String... datasets) {
    return new AnalyticsRunSpec(
        "python",
        Language.PYTHON,
        code,
        datasets.length == 0 ? null : List.of(datasets),
        timeoutSeconds,
        outputLimitBytes,
        null,
        null,
        null,
        null,
        cancel);
  }

  public static RunClass runClass(RunClassSpec spec) {
    RunClass runClass = new RunClass();
    runClass.setMetadata(new ObjectMetaBuilder().withName("python").withUid("class-uid").build());
    runClass.setSpec(spec);
    return runClass;
  }

  public static RunClassSpec classSpec(Purpose purpose) {
    return classSpec(purpose, List.of("*"), null);
  }

  public static RunClassSpec classSpec(
      Purpose purpose, List<String> namespaces, @Nullable Map<String, String> podLabels) {
    return classSpec(purpose, namespaces, podLabels, "512Mi");
  }

  public static RunClassSpec classSpec(
      Purpose purpose,
      List<String> namespaces,
      @Nullable Map<String, String> podLabels,
      String memory) {
    return new RunClassSpec(
        purpose,
        namespaces,
        "runner:1",
        RunClassSpec.PullPolicy.IfNotPresent,
        null,
        purpose == Purpose.Run ? List.of(Language.PYTHON) : null,
        new RunClassSpec.ClassResources("1", memory, "250m"),
        new RunClassSpec.ClassScratch("64Mi", RunClassSpec.ClassScratch.Medium.Memory),
        new RunClassSpec.ClassTimeouts(30, 120, 300),
        new RunClassSpec.ClassOutput(1024 * 1024),
        null,
        null,
        null,
        null,
        null,
        podLabels,
        null,
        null,
        null,
        null);
  }

  public static Dataset dataset(DatasetSource source, @Nullable DatasetStatus status) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(metadata("sales", DATASET_UID));
    dataset.setSpec(new DatasetSpec("sales", "snapshot", source));
    if (status != null) {
      dataset.setStatus(status);
    }
    return dataset;
  }

  public static Dataset dataset(@Nullable DatasetStatus status) {
    return dataset(inline("a\n1\n"), status);
  }

  public static DatasetSource inline(String text) {
    return DatasetSource.inline(DatasetFormat.CSV, text);
  }

  public static Snapshot snapshot(String id) {
    return new Snapshot(
        id, "snapshots/" + id, GENERATION, "0".repeat(64), 4, 1, 1, List.of(), 8, null, "arrow");
  }

  /** A Pod with an address that runs. */
  public static Pod runningPod(int port) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("run-" + RUN_UID)
        .withNamespace(NAMESPACE)
        .withUid(POD_UID)
        .withCreationTimestamp(CREATED)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("supervisor")
        .addNewPort()
        .withName("runner")
        .withContainerPort(port)
        .endPort()
        .withNewSecurityContext()
        .withRunAsUser(20_001L)
        .endSecurityContext()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .withPodIP("127.0.0.1")
        .addNewContainerStatus()
        .withName("supervisor")
        .withNewState()
        .withNewRunning(CREATED)
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }

  /** A configuration with the one run namespace. */
  public static OperatorConfig config() {
    return new OperatorConfig(
        List.of(
            new RunNamespace(
                NAMESPACE,
                "snapshots",
                List.of(new SourceVolume("files", "files-claim", "in")),
                null)),
        3600,
        new OutputStoreConfig("/nowhere", 10, 1024),
        new EndpointConfig(8443, "audience", List.of(), "assay-operator"),
        null,
        90,
        new SnapshotCleanupConfig(3600, 1800),
        Map.of("app", "assay-operator"));
  }

  /** A reconciler's context of which nothing is asked. */
  @SuppressWarnings("unchecked")
  public static <P extends HasMetadata> Context<P> context() {
    return (Context<P>)
        Proxy.newProxyInstance(
            Samples.class.getClassLoader(),
            new Class<?>[] {Context.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("Nobody expects " + method.getName());
            });
  }

  private static ObjectMeta metadata(String name, String uid) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(NAMESPACE)
        .withUid(uid)
        .withGeneration(GENERATION)
        .withResourceVersion("7")
        .withCreationTimestamp(CREATED)
        .build();
  }
}
