package dev.assay.operator;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.ClassOutputBuilder;
import dev.assay.api.v1alpha1.ClassResourcesBuilder;
import dev.assay.api.v1alpha1.ClassScratchBuilder;
import dev.assay.api.v1alpha1.ClassTimeoutsBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassSpecBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.SnapshotCleanupConfig;
import dev.assay.operator.config.OperatorConfig.SourceVolume;
import dev.assay.operator.config.OperatorConfig.WarmPoolsConfig;
import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.signing.SigningKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Objects for tests, with no more fields than Kubernetes requires. */
public final class Samples {
  public static final String NAMESPACE = "team-a";
  public static final String RUN_UID = "11111111-aaaa-4aaa-8aaa-111111111111";
  public static final String DATASET_UID = "22222222-bbbb-4bbb-8bbb-222222222222";
  public static final String POD_UID = "33333333-cccc-4ccc-8ccc-333333333333";
  public static final String CREATED = "2026-11-01T10:00:00Z";
  public static final long GENERATION = 3;

  /** The limits of a class that names none. */
  public static final RunClassSpec.ArtifactLimits ARTIFACTS =
      classSpec(Purpose.Run).artifactLimits();

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
    return AnalyticsRunSpecBuilder.builder()
        .className("python")
        .language(Language.PYTHON)
        .code(code)
        .datasets(datasets.length == 0 ? null : List.of(datasets))
        .timeoutSeconds(timeoutSeconds)
        .outputLimitBytes(outputLimitBytes)
        .cancel(cancel)
        .build();
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
    return RunClassSpecBuilder.builder()
        .purpose(purpose)
        .allowedNamespaces(namespaces)
        .image("runner:1")
        .imagePullPolicy(RunClassSpec.PullPolicy.IfNotPresent)
        .languages(purpose == Purpose.Run ? List.of(Language.PYTHON) : null)
        .resources(
            ClassResourcesBuilder.builder().cpu("1").memory(memory).cpuRequest("250m").build())
        .scratch(
            ClassScratchBuilder.builder()
                .sizeLimit("64Mi")
                .medium(RunClassSpec.ClassScratch.Medium.Memory)
                .build())
        .timeouts(
            ClassTimeoutsBuilder.builder()
                .defaultSeconds(30)
                .maxSeconds(120)
                .pendingSeconds(300)
                .build())
        .output(ClassOutputBuilder.builder().limitBytes(1024 * 1024).build())
        .podLabels(podLabels)
        .egressCheck(purpose == Purpose.Run ? RunClassSpec.EgressCheck.Disabled : null)
        .build();
  }

  public static Dataset dataset(DatasetSource source, @Nullable DatasetStatus status) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(metadata("sales", DATASET_UID));
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName("sales")
            .className("snapshot")
            .source(source)
            .build());
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
    return SnapshotBuilder.builder()
        .id(id)
        .path("snapshots/" + id)
        .generation(GENERATION)
        .digest("0".repeat(64))
        .bytes(4)
        .rows(1)
        .columnCount(1)
        .columns(List.of())
        .memoryBytes(8)
        .frame("arrow")
        .build();
  }

  /** A running Pod with an address. */
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

  /** A Pod that the scheduler has found no node for, for a reason in its words. */
  public static PodBuilder unschedulable(PodBuilder pod, String why) {
    return pod.withNewStatus()
        .withPhase("Pending")
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason("Unschedulable")
        .withMessage(why)
        .endCondition()
        .endStatus();
  }

  /** A Pod whose supervisor trusts a key. */
  public static Pod trusting(Pod pod, SigningKey key) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .addNewEnv()
        .withName("ASSAY_PUBLIC_KEYS")
        .withValue(key.publicKeyEntry())
        .endEnv()
        .endContainer()
        .endSpec()
        .build();
  }

  /** A Pod as one that was started for its class, before its run was known. */
  public static Pod warm(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withName("warm-python-1")
        .addToLabels(Labels.RUNNER_POD, "true")
        .addToLabels(Labels.RUN_CLASS, "python")
        .addToLabels(Labels.WARM_POOL, "hash")
        .addToAnnotations("kubectl.kubernetes.io/default-container", "supervisor")
        .withOwnerReferences(Owners.controller(runClass(classSpec(Purpose.Run))))
        .endMetadata()
        .build();
  }

  /** A configuration with one run namespace. */
  public static OperatorConfig config() {
    return config(null);
  }

  /** The namespaces of a configuration, all served. */
  public static ServedNamespaces served(OperatorConfig config, KubernetesClient client) {
    ServedNamespaces namespaces = new ServedNamespaces(client, config.namespaces(), List.of());
    namespaces.serveNew(namespace -> {});
    return namespaces;
  }

  /** The same with user ids of its own. */
  public static OperatorConfig config(@Nullable UserIdRange userIds) {
    return new OperatorConfig(
        List.of(
            new RunNamespace(
                NAMESPACE,
                "snapshots",
                List.of(new SourceVolume("files", "files-claim", "in")),
                userIds)),
        3600,
        20_000,
        new OutputStoreConfig("/nowhere", 10, 1024, 1024),
        new EndpointConfig(8443, "audience", List.of(), "assay-operator"),
        null,
        90,
        new SnapshotCleanupConfig(3600, 1800),
        new WarmPoolsConfig(1L << 40, 1L << 40, false),
        null,
        null,
        Map.of("app", "assay-operator"));
  }

  /** A context for reconcilers that do not use it. */
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
