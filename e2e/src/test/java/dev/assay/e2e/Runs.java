package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs that scenarios create as kubectl would. */
final class Runs {
  static final String RUN_UID = "assay.dev/run-uid";
  private static final long LONGEST_SECONDS = 150;
  private static final long WARM_SECONDS = 120;

  private final Assay assay;

  Runs(Assay assay) {
    this.assay = assay;
  }

  /** Creates a run of a class, without a dataset. */
  AnalyticsRun create(String className, String code, int timeoutSeconds, String... datasets) {
    return createFor(null, className, code, timeoutSeconds, datasets);
  }

  /** Creates a run of a caller, as the front end does. */
  AnalyticsRun createFor(
      @Nullable String caller,
      String className,
      String code,
      int timeoutSeconds,
      String... datasets) {
    return create(
        AnalyticsRunSpecBuilder.builder()
            .className(className)
            .language(Language.PYTHON)
            .code(code)
            .datasets(datasets.length == 0 ? null : List.of(datasets))
            .timeoutSeconds(timeoutSeconds)
            .caller(caller)
            .build());
  }

  /** Creates a run of SQL. */
  AnalyticsRun createSql(String className, String code, int timeoutSeconds, String... datasets) {
    return create(
        AnalyticsRunSpecBuilder.builder()
            .className(className)
            .language(Language.SQL)
            .code(code)
            .datasets(List.of(datasets))
            .timeoutSeconds(timeoutSeconds)
            .build());
  }

  /** Creates a run with a name of its own. */
  AnalyticsRun create(AnalyticsRunSpec spec) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder().withGenerateName("e2e-").withNamespace(assay.namespace()).build());
    run.setSpec(spec);
    return assay.kubernetes().resource(run).create();
  }

  /** Waits until a run has ended. */
  AnalyticsRunStatus awaitEnd(AnalyticsRun run) {
    return awaitEnd(run, LONGEST_SECONDS);
  }

  /** Waits until a run has ended, with a shorter timeout. */
  AnalyticsRunStatus awaitEnd(AnalyticsRun run, long maxSeconds) {
    return awaitPhase(run, RunPhase::isFinal, maxSeconds);
  }

  /**
   * Creates runs until one is given a warm Pod: the first may come before there is one. All have to
   * succeed.
   *
   * @param check of each run that has ended
   * @return the run, with its status
   */
  AnalyticsRun awaitWarm(Supplier<AnalyticsRun> create, Consumer<AnalyticsRunStatus> check) {
    Instant end = Instant.now().plusSeconds(WARM_SECONDS);
    while (true) {
      AnalyticsRun run = create.get();
      AnalyticsRunStatus status = awaitEnd(run);
      assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
      check.accept(status);
      if (Objects.requireNonNull(status.pod()).warm()) {
        run.setStatus(status);
        return run;
      }
      assertThat(Instant.now()).as("no run was given a warm Pod").isBefore(end);
    }
  }

  /** Waits until the code of a run is running. */
  AnalyticsRunStatus awaitRunning(AnalyticsRun run) {
    return awaitPhase(run, phase -> phase == RunPhase.Running || phase.isFinal(), LONGEST_SECONDS);
  }

  /** Waits until a run reports why it waits. */
  AnalyticsRunStatus awaitReason(AnalyticsRun run, String reason) {
    return await(run, status -> reason.equals(String.valueOf(status.reason())));
  }

  /** Waits until the status of a run matches. */
  AnalyticsRunStatus await(AnalyticsRun run, Predicate<AnalyticsRunStatus> fits) {
    return status(
        resource(run)
            .waitUntilCondition(
                seen -> seen != null && fits.test(status(seen)),
                LONGEST_SECONDS,
                TimeUnit.SECONDS));
  }

  /** Waits until the run's Pod exists. */
  Pod awaitPod(AnalyticsRun run) {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withName("run-" + run.getMetadata().getUid())
        .waitUntilCondition(Objects::nonNull, LONGEST_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until no Pod of the run is left. */
  void awaitNoPod(AnalyticsRun run) {
    assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withName("run-" + run.getMetadata().getUid())
        .waitUntilCondition(Objects::isNull, LONGEST_SECONDS, TimeUnit.SECONDS);
  }

  /** Force-deletes the Pod of a run. */
  void forceDeletePod(AnalyticsRun run) {
    assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withName("run-" + run.getMetadata().getUid())
        .withGracePeriod(0)
        .delete();
  }

  void cancel(AnalyticsRun run) {
    resource(run).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"cancel\":true}}");
  }

  void delete(AnalyticsRun run) {
    resource(run).delete();
  }

  /** How often the code of a run was started, by the logs of the supervisors of its Pods. */
  static int startsIn(Assay assay, AnalyticsRun run) {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel(RUN_UID, run.getMetadata().getUid())
        .list()
        .getItems()
        .stream()
        .mapToInt(pod -> starts(assay, pod))
        .sum();
  }

  private static int starts(Assay assay, Pod pod) {
    String log = assay.kubernetes().pods().resource(pod).inContainer("supervisor").getLog();
    return (int) log.lines().filter(line -> line.startsWith("{\"event\":\"sent\"")).count();
  }

  /** The part of an ended run's output that its status contains. */
  static String output(AnalyticsRunStatus status) {
    String output = status.result() == null ? null : status.result().output();
    return output == null ? "" : output;
  }

  private AnalyticsRunStatus awaitPhase(
      AnalyticsRun run, Predicate<RunPhase> reached, long maxSeconds) {
    return status(
        resource(run)
            .waitUntilCondition(
                seen -> {
                  RunPhase phase = seen == null ? null : status(seen).phase();
                  return phase != null && reached.test(phase);
                },
                maxSeconds,
                TimeUnit.SECONDS));
  }

  private Resource<AnalyticsRun> resource(AnalyticsRun run) {
    return assay.runs().inNamespace(assay.namespace()).withName(run.getMetadata().getName());
  }

  private static AnalyticsRunStatus status(@Nullable AnalyticsRun run) {
    AnalyticsRunStatus status = run == null ? null : run.getStatus();
    return status == null ? AnalyticsRunStatus.EMPTY : status;
  }
}
