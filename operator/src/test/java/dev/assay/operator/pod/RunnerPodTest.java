package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.ClassResourcesBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassSpecBuilder;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.CacheSerialization;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pod.RunnerPodRequest.SnapshotWorker;
import dev.assay.operator.pod.RunnerPodRequest.SourceMount;
import dev.assay.operator.pod.RunnerPodRequest.Worker;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunnerPodTest {
  private static final Worker PYTHON =
      new RunWorker(
          Program.PYTHON,
          List.of(
              new DatasetMount("sales", "snapshots/s/1-0", null, false),
              new DatasetMount("costs", "snapshots/c/1-0", "All costs", true)),
          List.of());
  private static final Worker INPUTS =
      new RunWorker(Program.PYTHON, List.of(), List.of(3L << 20, 5L));
  private static final Worker NO_DATA = new RunWorker(Program.PYTHON, List.of(), List.of());
  private static final Worker SQL =
      new RunWorker(
          Program.JVM,
          List.of(new DatasetMount("sales", "snapshots/s/1-0", null, false)),
          List.of());
  private static final Worker SCRIPT = new RunWorker(Program.JAVASCRIPT, List.of(), List.of());
  private static final Worker WARM = RunWorker.warm(Program.PYTHON, true);
  private static final Worker INLINE = new SnapshotWorker("snapshots/s/2-0", null, null);
  private static final Worker VOLUME =
      new SnapshotWorker("snapshots/s/2-0", new SourceMount("sources", "team-a"), null);
  private static final Worker UPLOAD = new SnapshotWorker("snapshots/s/2-0", null, 7L);

  static List<Worker> workers() {
    return List.of(PYTHON, NO_DATA, SQL, SCRIPT, INPUTS, WARM, INLINE, VOLUME, UPLOAD);
  }

  @ParameterizedTest
  @MethodSource("workers")
  void everyContainerIsRestrictedAsPodSecurityHasIt(Worker worker) {
    Pod pod = pod(worker);
    var podContext = pod.getSpec().getSecurityContext();
    assertThat(podContext.getRunAsNonRoot()).isTrue();
    assertThat(podContext.getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(podContext.getSysctls()).isEmpty();
    assertThat(pod.getSpec().getContainers()).hasSize(2);
    assertThat(pod.getSpec().getContainers())
        .allSatisfy(
            container -> {
              var context = container.getSecurityContext();
              assertThat(context.getRunAsNonRoot()).isTrue();
              assertThat(context.getRunAsUser()).isPositive();
              assertThat(context.getAllowPrivilegeEscalation()).isFalse();
              assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
              assertThat(context.getCapabilities().getAdd()).isEmpty();
              assertThat(context.getReadOnlyRootFilesystem()).isTrue();
              assertThat(context.getPrivileged()).isNotEqualTo(true);
              assertThat(context.getSeccompProfile()).isNull();
              assertThat(container.getPorts())
                  .allSatisfy(p -> assertThat(p.getHostPort()).isNull());
            });
  }

  @ParameterizedTest
  @MethodSource("workers")
  void nothingOfTheNodeIsShared(Worker worker) {
    var spec = pod(worker).getSpec();
    assertThat(spec.getHostNetwork()).isNotEqualTo(true);
    assertThat(spec.getHostPID()).isNotEqualTo(true);
    assertThat(spec.getHostIPC()).isNotEqualTo(true);
    assertThat(spec.getShareProcessNamespace()).isNotEqualTo(true);
    assertThat(spec.getVolumes())
        .allSatisfy(
            volume ->
                assertThat(
                        volume.getEmptyDir() != null || volume.getPersistentVolumeClaim() != null)
                    .as(volume.getName())
                    .isTrue());
  }

  @ParameterizedTest
  @MethodSource("workers")
  void noTokenAndNoSecretIsInThePod(Worker worker) {
    Pod pod = pod(worker);
    assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getSpec().getEnableServiceLinks()).isFalse();
    assertThat(pod.getSpec().getServiceAccountName()).isNull();
    assertThat(Serialization.asJson(pod)).doesNotContainIgnoringCase("secret");
  }

  @Test
  void theContainersOfARunHaveTheUserAndGroupIdsThatWereAssigned() {
    assertThat(users(pod(PYTHON))).containsExactly(20_101L, 20_101L, 20_100L, 20_100L);
  }

  @Test
  void snapshotsAreMadeByOneUserWhoseGroupTheVolumeHas() {
    Pod pod = pod(VOLUME);
    assertThat(users(pod)).containsExactly(65_532L, 65_532L, 65_531L, 65_531L);
    assertThat(pod.getSpec().getSecurityContext().getFsGroup()).isEqualTo(65_532L);
  }

  @Test
  void aRunReadsSnapshotsByTheirGroupAndNeverChangesTheirOwner() {
    var context = pod(PYTHON).getSpec().getSecurityContext();
    assertThat(context.getSupplementalGroups()).containsExactly(65_532L);
    assertThat(context.getFsGroup()).isNull();
    assertThat(pod(NO_DATA).getSpec().getSecurityContext().getSupplementalGroups()).isEmpty();
  }

  @Test
  void programsFindANameForAUserWhomNoPasswdEntryHas() {
    assertThat(container(pod(PYTHON), "worker").getEnv())
        .filteredOn(variable -> Set.of("USER", "LOGNAME").contains(variable.getName()))
        .hasSize(2)
        .allSatisfy(variable -> assertThat(variable.getValue()).isEqualTo("assay"));
  }

  @Test
  void aClassMayAskForAUserNamespaceOfItsOwn() {
    assertThat(pod(PYTHON).getSpec().getHostUsers()).isNull();
    ObjectNode spec = new ObjectMapper().valueToTree(Samples.classSpec(Purpose.Run));
    RunClassSpec isolated =
        new ObjectMapper().convertValue(spec.put("hostUsers", false), RunClassSpec.class);
    assertThat(RunnerPod.build(request(PYTHON, isolated)).getSpec().getHostUsers()).isFalse();
  }

  @Test
  void theContainersOfAClassWithARuntimeOfItsOwnShareTheirSocketUnlessItSaysOtherwise() {
    assertThat(pod(PYTHON).getMetadata().getAnnotations().keySet())
        .noneMatch(name -> name.startsWith("dev.gvisor"));
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode spec = mapper.valueToTree(Samples.classSpec(Purpose.Run));
    spec.put("runtimeClassName", "gvisor")
        .putObject("podAnnotations")
        .put("dev.gvisor.spec.mount.launcher-socket.type", "bind");
    Pod pod = RunnerPod.build(request(PYTHON, mapper.convertValue(spec, RunClassSpec.class)));
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("dev.gvisor.spec.mount.launcher-socket.share", "pod")
        .containsEntry("dev.gvisor.spec.mount.launcher-socket.options", "rw")
        .containsEntry("dev.gvisor.spec.mount.launcher-socket.type", "bind");
  }

  private static List<Long> users(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .map(Container::getSecurityContext)
        .flatMap(context -> Stream.of(context.getRunAsUser(), context.getRunAsGroup()))
        .toList();
  }

  @Test
  void datasetsAreReadOnlyAndOneDirectoryEach() {
    Pod pod = pod(PYTHON);
    assertThat(mounts(container(pod, "worker")).filter(m -> m.getName().equals("snapshots")))
        .extracting(VolumeMount::getMountPath, VolumeMount::getSubPath, VolumeMount::getReadOnly)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("/datasets/sales", "snapshots/s/1-0", true),
            org.assertj.core.groups.Tuple.tuple("/datasets/costs", "snapshots/c/1-0", true));
    assertThat(volume(pod, "snapshots").getPersistentVolumeClaim().getReadOnly()).isTrue();
    assertThat(mounts(container(pod, "supervisor")).map(VolumeMount::getName))
        .containsExactly("launcher-socket");
  }

  @Test
  void onlyTheSupervisorOfAPodForAnyDatasetMountsSnapshotsAndCannotWriteThem() {
    Pod pod = pod(WARM);
    assertThat(mounts(container(pod, "supervisor")).filter(m -> m.getName().equals("snapshots")))
        .extracting(VolumeMount::getMountPath, VolumeMount::getSubPath, VolumeMount::getReadOnly)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("/snapshots", null, true));
    assertThat(volume(pod, "snapshots").getPersistentVolumeClaim().getReadOnly()).isTrue();
    assertThat(mounts(container(pod, "worker")).map(VolumeMount::getName))
        .doesNotContain("snapshots");
    assertThat(mounts(container(pod, "worker")).map(VolumeMount::getMountPath))
        .contains("/datasets");
    assertThat(pod.getSpec().getSecurityContext().getSupplementalGroups()).containsExactly(65_532L);
    assertThat(CreatedPod.datasetMounts(pod)).isEmpty();
  }

  @Test
  void aRunWithoutDatasetsMountsNoVolumeOfSnapshots() {
    assertThat(pod(NO_DATA).getSpec().getVolumes())
        .extracting(Volume::getName)
        .containsExactly("launcher-socket", "scratch");
  }

  @Test
  void inputsAreWrittenByTheSupervisorAndReadByTheWorker() {
    Pod pod = pod(INPUTS);
    assertThat(mount(pod, "worker", "/inputs").getReadOnly()).isTrue();
    assertThat(mount(pod, "supervisor", "/inputs").getReadOnly()).isNotEqualTo(true);
    Volume volume =
        pod.getSpec().getVolumes().stream()
            .filter(found -> found.getName().equals("inputs"))
            .findFirst()
            .orElseThrow();
    assertThat(volume.getEmptyDir().getSizeLimit()).isEqualTo(new Quantity("4Mi"));
    assertThat(volume.getEmptyDir().getMedium()).isEmpty();
    assertThat(variables(pod, "supervisor"))
        .containsEntry("ASSAY_INPUTS_LIMIT_BYTES", Long.toString((3L << 20) + 5));
  }

  @Test
  void aRunWithoutInputsHasNoPlaceForThem() {
    Pod pod = pod(PYTHON);
    assertThat(pod.getSpec().getVolumes()).extracting(Volume::getName).doesNotContain("inputs");
    assertThat(variables(pod, "supervisor")).doesNotContainKey("ASSAY_INPUTS_LIMIT_BYTES");
  }

  private static VolumeMount mount(Pod pod, String container, String path) {
    return pod.getSpec().getContainers().stream()
        .filter(found -> found.getName().equals(container))
        .flatMap(found -> found.getVolumeMounts().stream())
        .filter(mount -> mount.getMountPath().equals(path))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> variables(Pod pod, String container) {
    return pod.getSpec().getContainers().stream()
        .filter(found -> found.getName().equals(container))
        .flatMap(found -> found.getEnv().stream())
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  @Test
  void aRunCanWriteItsScratchDirectoryAndNothingElse() {
    assertThat(writable(container(pod(PYTHON), "worker")))
        .containsExactly("/scratch", "/tmp", "/workspace");
  }

  @Test
  void temporaryFilesCountTowardsTheLimitOfScratchAndAreNotInTheWorkingDirectory() {
    assertThat(mounts(container(pod(PYTHON), "worker")).filter(m -> m.getName().equals("scratch")))
        .extracting(VolumeMount::getMountPath, VolumeMount::getSubPath)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("/scratch", "work"),
            org.assertj.core.groups.Tuple.tuple("/tmp", "tmp"),
            org.assertj.core.groups.Tuple.tuple("/workspace", "workspace"));
  }

  @Test
  void runsBeginInTheWorkspaceAndSnapshotsInScratch() {
    Container worker = container(pod(SQL), "worker");
    assertThat(worker.getWorkingDir()).isEqualTo("/workspace");
    assertThat(variable(worker, "HOME")).contains("/scratch");
    assertThat(container(pod(INLINE), "worker").getWorkingDir()).isEqualTo("/scratch");
  }

  @Test
  void bothContainersOfAPodForSqlHaveTheWorkerThatRunsIt() {
    assertThat(container(pod(SQL), "worker").getCommand())
        .containsExactly(
            "python3", "-I", "-m", "assay_runner.launcher", "jvm", "--dataset", "sales");
    assertThat(variable(container(pod(SQL), "supervisor"), "ASSAY_WORKER")).contains("jvm");
    assertThat(variable(container(pod(PYTHON), "supervisor"), "ASSAY_WORKER")).isEmpty();
  }

  @Test
  void bothContainersOfAPodForScriptsHaveTheWorkerThatRunsThem() {
    assertThat(container(pod(SCRIPT), "worker").getCommand())
        .containsExactly("python3", "-I", "-m", "assay_runner.launcher", "javascript");
    assertThat(variable(container(pod(SCRIPT), "supervisor"), "ASSAY_WORKER"))
        .contains("javascript");
    assertThat(Program.of(Language.TYPESCRIPT)).isEqualTo(Program.of(Language.JAVASCRIPT));
  }

  @Test
  void thePodNamesTheDatasetsAsTheirOwnersDid() {
    assertThat(variable(container(pod(PYTHON), "worker"), "ASSAY_DISPLAY_NAMES"))
        .contains("costs=All costs");
    assertThat(variable(container(pod(SQL), "worker"), "ASSAY_DISPLAY_NAMES")).isEmpty();
    assertThat(CreatedPod.datasetMounts(pod(PYTHON))).isEqualTo(((RunWorker) PYTHON).datasets());
    assertThat(CreatedPod.datasetMounts(pod(SQL))).isEqualTo(((RunWorker) SQL).datasets());
  }

  @Test
  void onlyAPodThatWaitsForItsRunMayBeEvictedByAnAutoscaler() {
    assertThat(pod(WARM).getMetadata().getAnnotations())
        .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "true")
        .containsEntry("karpenter.sh/do-not-disrupt", "false");
    for (Worker worker : List.of(PYTHON, SQL, SCRIPT, INLINE, UPLOAD)) {
      assertThat(pod(worker).getMetadata().getAnnotations())
          .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "false")
          .containsEntry("karpenter.sh/do-not-disrupt", "true");
    }
  }

  /** Of Pods that are read, annotations of more than 256 characters are dropped. */
  @Test
  void aPodAsReadTellsWhichOfManyDatasetsAreUntrusted() {
    List<DatasetMount> datasets =
        IntStream.range(0, 16)
            .mapToObj(
                i -> new DatasetMount("d%062d".formatted(i), "snapshots/s/" + i, null, i != 3))
            .toList();
    KubernetesSerialization cached = CacheSerialization.create();
    Pod read =
        cached.unmarshal(
            cached.asJson(pod(new RunWorker(Program.PYTHON, datasets, List.of()))), Pod.class);

    assertThat(CreatedPod.datasetMounts(read)).isEqualTo(datasets);
  }

  private static Optional<String> variable(Container container, String name) {
    return container.getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .map(EnvVar::getValue)
        .findFirst();
  }

  @ParameterizedTest
  @CsvSource({"2, 2", "1500m, 2", "250m, 1", "1, 1", "16, 16"})
  void theWorkerIsToldHowManyProcessorsItMayUse(String limit, String processors) {
    RunClassSpec runClass =
        RunClassSpecBuilder.builder(Samples.classSpec(Purpose.Run))
            .resources(ClassResourcesBuilder.builder().cpu(limit).memory("512Mi").build())
            .build();
    assertThat(container(RunnerPod.build(request(PYTHON, runClass)), "worker").getEnv())
        .filteredOn(variable -> variable.getName().equals("ASSAY_CPUS"))
        .extracting(EnvVar::getValue)
        .containsExactly(processors);
  }

  @ParameterizedTest
  @CsvSource({"3Gi, 2Gi, 3221225472, 2147483648", "512M, 1.5Mi, 512000000, 1572864"})
  void theWorkerIsToldHowMuchMemoryAndScratchItHas(
      String memory, String scratch, String memoryBytes, String scratchBytes) {
    RunClassSpec runClass =
        RunClassSpecBuilder.builder(Samples.classSpec(Purpose.Run))
            .resources(ClassResourcesBuilder.builder().cpu("1").memory(memory).build())
            .scratch(new RunClassSpec.ClassScratch(scratch, RunClassSpec.ClassScratch.Medium.Disk))
            .build();
    Container worker = container(RunnerPod.build(request(SQL, runClass)), "worker");
    assertThat(variable(worker, "ASSAY_MEMORY_BYTES")).contains(memoryBytes);
    assertThat(variable(worker, "ASSAY_SCRATCH_BYTES")).contains(scratchBytes);
  }

  @Test
  void onlyTheWorkerOfAWarmPodIsToUseItsLibrariesBeforeItIsReady() {
    Worker warm = RunWorker.warm(Program.PYTHON, false);
    assertThat(variable(container(pod(warm), "worker"), "ASSAY_WARM_UP")).contains("true");
    assertThat(variable(container(pod(NO_DATA), "worker"), "ASSAY_WARM_UP")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("workers")
  void theVariablesOfTheClassAreForTheWorkerOnly(Worker worker) {
    RunClassSpec runClass =
        Samples.classSpec(Purpose.Run)
            .withEnvironment(Map.of("POLARS_MAX_THREADS", "4", "DUCKDB_MEMORY_LIMIT", "2GB"));
    Pod pod = RunnerPod.build(request(worker, runClass));
    assertThat(container(pod, "worker").getEnv())
        .extracting(EnvVar::getName)
        .doesNotHaveDuplicates()
        .endsWith("DUCKDB_MEMORY_LIMIT", "POLARS_MAX_THREADS");
    assertThat(variable(container(pod, "worker"), "POLARS_MAX_THREADS")).contains("4");
    assertThat(variable(container(pod, "supervisor"), "POLARS_MAX_THREADS")).isEmpty();
  }

  @Test
  void aVariableOfTheClassIsTakenAsItIsWritten() {
    RunClassSpec runClass =
        Samples.classSpec(Purpose.Run).withEnvironment(Map.of("A", "$(HOME) and $5"));
    Container worker = container(RunnerPod.build(request(PYTHON, runClass)), "worker");
    assertThat(variable(worker, "A")).contains("$$(HOME) and $5");
  }

  @ParameterizedTest
  @MethodSource("workers")
  void theFileOfTheNodeForLastWordsIsInADirectoryOfRoot(Worker worker) {
    assertThat(pod(worker).getSpec().getContainers())
        .allSatisfy(
            container -> assertThat(container.getTerminationMessagePath()).startsWith("/root/"));
  }

  @Test
  void onlyTheSnapshotWorkerCanWriteTheSnapshot() {
    Pod pod = pod(VOLUME);
    assertThat(writable(container(pod, "worker"))).containsExactly("/scratch", "/tmp", "/snapshot");
    assertThat(writable(container(pod, "supervisor"))).containsExactly("/run/assay");
    assertThat(
            mounts(container(pod, "supervisor")).filter(m -> m.getMountPath().equals("/snapshot")))
        .singleElement()
        .returns("snapshots/s/2-0", VolumeMount::getSubPath)
        .returns(true, VolumeMount::getReadOnly);
  }

  @Test
  void aSourceIsReadOnlyAndOnlyTheOfferedPartOfItIsThere() {
    Pod pod = pod(VOLUME);
    assertThat(mounts(container(pod, "worker")).filter(m -> m.getMountPath().equals("/source")))
        .singleElement()
        .returns("team-a", VolumeMount::getSubPath)
        .returns(true, VolumeMount::getReadOnly);
    assertThat(volume(pod, "source").getPersistentVolumeClaim().getReadOnly()).isTrue();
    assertThat(pod(INLINE).getSpec().getVolumes())
        .extracting(Volume::getName)
        .doesNotContain("source");
  }

  @Test
  void onlyTheSupervisorOfAnUploadMayWriteToTheSnapshotAndTakesNoMoreThanWasSaid() {
    assertThat(snapshotMount(UPLOAD).getReadOnly()).isFalse();
    assertThat(snapshotMount(VOLUME).getReadOnly()).isTrue();
    assertThat(uploadLimit(UPLOAD)).containsExactly("7");
    assertThat(uploadLimit(new SnapshotWorker("p", null, 0L)))
        .as("0 would be no upload at all")
        .containsExactly("1");
    assertThat(uploadLimit(VOLUME)).isEmpty();
  }

  private static VolumeMount snapshotMount(Worker worker) {
    return mounts(container(pod(worker), "supervisor"))
        .filter(mount -> mount.getMountPath().equals("/snapshot"))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> uploadLimit(Worker worker) {
    return container(pod(worker), "supervisor").getEnv().stream()
        .filter(variable -> variable.getName().equals("ASSAY_UPLOAD_LIMIT_BYTES"))
        .map(EnvVar::getValue)
        .toList();
  }

  @Test
  void anEmptyPartOfASourceIsAllOfIt() {
    Pod pod = pod(new SnapshotWorker("p", new SourceMount("sources", ""), null));
    assertThat(mounts(container(pod, "worker")).filter(m -> m.getMountPath().equals("/source")))
        .singleElement()
        .returns(null, VolumeMount::getSubPath);
  }

  @Test
  void theClassCannotOverrideTheLabelsThatThePodIsKnownBy() {
    Map<String, String> hostile =
        Map.of(
            Labels.RUNNER_POD,
            "false",
            Labels.RUN_UID,
            "another",
            Labels.RUN_CLASS,
            "another",
            "app.kubernetes.io/name",
            "another",
            "cost-center",
            "7");
    Pod pod =
        RunnerPod.build(request(PYTHON, Samples.classSpec(Purpose.Run, List.of("*"), hostile)));
    assertThat(pod.getMetadata().getLabels())
        .containsEntry(Labels.RUNNER_POD, "true")
        .containsEntry(Labels.RUN_UID, Samples.RUN_UID)
        .containsEntry(Labels.RUN_CLASS, "python")
        .containsEntry("cost-center", "7")
        .containsAllEntriesOf(Labels.MANAGED);
  }

  @ParameterizedTest
  @MethodSource("workers")
  void theSameRequestGivesTheSamePod(Worker worker) {
    assertThat(pod(worker)).isEqualTo(pod(worker));
    assertThat(Serialization.asJson(pod(worker))).isEqualTo(Serialization.asJson(pod(worker)));
  }

  @ParameterizedTest
  @MethodSource("workers")
  void thePodEndsByItselfAndIsNeverStartedAgain(Worker worker) {
    var spec = pod(worker).getSpec();
    assertThat(spec.getRestartPolicy()).isEqualTo("Never");
    assertThat(spec.getActiveDeadlineSeconds()).isEqualTo(450);
    assertThat(spec.getTerminationGracePeriodSeconds()).isLessThanOrEqualTo(2);
    assertThat(spec.getTolerations())
        .filteredOn(t -> "node.kubernetes.io/unreachable".equals(t.getKey()))
        .singleElement()
        .satisfies(t -> assertThat(t.getTolerationSeconds()).isLessThanOrEqualTo(30))
        .returns("NoExecute", Toleration::getEffect);
  }

  @ParameterizedTest
  @MethodSource("workers")
  void everyContainerAndEveryEmptyDirectoryIsBounded(Worker worker) {
    Pod pod = pod(worker);
    for (Container container : pod.getSpec().getContainers()) {
      assertThat(container.getResources().getLimits()).containsKeys("cpu", "memory");
      assertThat(container.getResources().getRequests().get("memory"))
          .isEqualTo(container.getResources().getLimits().get("memory"));
    }
    assertThat(pod.getSpec().getVolumes())
        .filteredOn(volume -> volume.getEmptyDir() != null)
        .allSatisfy(volume -> assertThat(volume.getEmptyDir().getSizeLimit()).isNotNull());
    assertThat(container(pod, "worker").getResources().getLimits())
        .containsEntry("memory", new Quantity("512Mi"));
    assertThat(container(pod, "worker").getResources().getRequests())
        .containsEntry("cpu", new Quantity("250m"));
  }

  @Test
  void theSupervisorLearnsWhoItIsAndWhomToTrust() {
    Container supervisor = container(pod(PYTHON), "supervisor");
    assertThat(supervisor.getEnv())
        .filteredOn(variable -> variable.getName().equals("ASSAY_POD_UID"))
        .singleElement()
        .satisfies(
            variable ->
                assertThat(variable.getValueFrom().getFieldRef().getFieldPath())
                    .isEqualTo("metadata.uid"));
    assertThat(supervisor.getEnv())
        .filteredOn(variable -> variable.getName().equals("ASSAY_PUBLIC_KEYS"))
        .extracting(EnvVar::getValue)
        .containsExactly("k1=AAAA");
    assertThat(container(pod(PYTHON), "worker").getEnv())
        .extracting(EnvVar::getName)
        .noneMatch(name -> name.contains("KEY") || name.contains("UID"));
  }

  @Test
  void theWorkerIsToldItsKindAndItsDatasetsInOrder() {
    assertThat(container(pod(PYTHON), "worker").getCommand())
        .containsExactly(
            "python3",
            "-I",
            "-m",
            "assay_runner.launcher",
            "python",
            "--dataset",
            "sales",
            "--dataset",
            "costs");
    assertThat(container(pod(VOLUME), "worker").getCommand()).endsWith("snapshot");
    assertThat(container(pod(PYTHON), "worker").getArgs()).isEmpty();
  }

  private static Pod pod(Worker worker) {
    return RunnerPod.build(request(worker, Samples.classSpec(Purpose.Run)));
  }

  private static RunnerPodRequest request(Worker worker, RunClassSpec runClass) {
    return new RunnerPodRequest(
        "run-x",
        Samples.NAMESPACE,
        "python",
        runClass,
        new OwnerReferenceBuilder()
            .withApiVersion("assay.dev/v1alpha1")
            .withKind("AnalyticsRun")
            .withName("run-1")
            .withUid(Samples.RUN_UID)
            .withController(true)
            .build(),
        Map.of(Labels.RUN_UID, Samples.RUN_UID),
        worker,
        worker instanceof SnapshotWorker ? PodUsers.SNAPSHOT : new PodUsers(20_100, 20_101),
        "snapshots-claim",
        "k1=AAAA",
        450);
  }

  private static Container container(Pod pod, String name) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Volume volume(Pod pod, String name) {
    return pod.getSpec().getVolumes().stream()
        .filter(volume -> volume.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static java.util.stream.Stream<VolumeMount> mounts(Container container) {
    return container.getVolumeMounts().stream();
  }

  private static List<String> writable(Container container) {
    return mounts(container)
        .filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
        .map(VolumeMount::getMountPath)
        .toList();
  }
}
