package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Pods that wait for runs: each serves one, and none is left when its class is gone. */
class WarmPoolE2E {
  private static final String CLASS = "e2e-warm";
  private static final String TO_ZERO = "e2e-warm-to-zero";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Long enough to look at the Pod of a run that has ended. */
  private static final int RETENTION_SECONDS = 20;

  /** Reads two datasets, and tries what only the supervisor could do. */
  private static final String READ_AND_TRY =
      """
      import os
      print(int(df['amount'].sum()), list(warm_stores), sorted(datasets))
      print(pd.read_csv('warm-fruit.csv')['amount'].sum(), open('warm-stores.csv').read().split())
      def tried(what, action, *arguments):
          try:
              action(*arguments)
          except OSError:
              return f'no {what}'
          return what
      path = '/datasets/warm-fruit/source.csv'
      link = os.readlink(path) if os.path.islink(path) else path
      print(
          tried('writing', open, 'warm-fruit.csv', 'r+b'),
          tried('replacing', os.replace, 'main.py', path),
          tried('listing', os.listdir, '/snapshots'),
          tried('path to a neighbour', os.listdir, link + '/..'),
          sep=', ',
      )
      print(sorted(os.listdir('/datasets')), os.path.exists(os.path.realpath(link)))
      """;

  @Everywhere
  @Test
  void eachRunIsGivenAnotherPodThatWasThereBefore(Assay assay) {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.put("podRetentionSeconds", RETENTION_SECONDS);
          spec.putObject("warmPool").put("min", 1);
        });
    try {
      Set<String> pods = new HashSet<>();
      for (int number = 0; number < 2; number++) {
        AnalyticsRun run = awaitWarm(assay, CLASS);
        BoundPod pod = requireNonNull(requireNonNull(run.getStatus()).pod());
        assertThat(pods.add(pod.uid())).as("a Pod serves one run").isTrue();
        awaitAdoption(assay, run, pod);
      }
    } finally {
      Classes.remove(assay, CLASS);
    }
    awaitNoPods(assay, CLASS);
  }

  @Everywhere
  @Test
  void aPoolThatScalesToZeroHasPodsFromTheFirstCallUntilTheIdleTime(Assay assay) {
    Classes.likePython(
        assay,
        TO_ZERO,
        spec -> spec.putObject("warmPool").put("min", 0).put("max", 1).put("idleSeconds", 10));
    try {
      Runs runs = new Runs(assay);
      AnalyticsRunStatus first = runs.awaitEnd(runs.create(TO_ZERO, "print(6 * 7)", 20));
      assertThat(requireNonNull(first.pod()).warm()).as("no Pod was there before").isFalse();
      awaitSuccessor(assay, awaitWarm(assay, TO_ZERO));
      awaitNoPods(assay, TO_ZERO);
      awaitCounts(assay);
    } finally {
      Classes.remove(assay, TO_ZERO);
    }
  }

  /**
   * Waits until the pool has replaced the Pod that a run was given. Before that the class may have
   * no Pods, as if its pool had scaled to zero.
   */
  private static void awaitSuccessor(Assay assay, AnalyticsRun run) {
    String taken = requireNonNull(requireNonNull(run.getStatus()).pod()).uid();
    var unused =
        new PoolPods(assay, TO_ZERO)
            .await(
                pods ->
                    PoolPods.uids(PoolPods.withoutRun(pods)).stream()
                        .anyMatch(uid -> !uid.equals(taken)));
  }

  /** The status of the class counts the calls, and has no Pods any more. */
  private static void awaitCounts(Assay assay) {
    WarmPoolStatus pools =
        Classes.awaitPools(
            assay,
            TO_ZERO,
            PATIENCE,
            seen -> seen.hits() > 0 && seen.ready() == 0 && seen.starting() == 0);
    assertThat(pools.hits()).isEqualTo(1);
    assertThat(pools.misses()).isPositive();
    if (assay.installation().cluster() != null) {
      assertListed(assay, pools);
    }
  }

  /** kubectl prints what the status of the class has. */
  private static void assertListed(Assay assay, WarmPoolStatus pools) {
    List<List<String>> lines =
        assay
            .kubectl("get", "runclasses", TO_ZERO)
            .lines()
            .map(line -> List.of(line.strip().split(" {2,}")))
            .toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).containsSequence("READY", "STARTING", "HITS", "MISSES");
    int first = lines.getFirst().indexOf("READY");
    assertThat(lines.getLast().subList(first, first + 4))
        .containsExactly(
            String.valueOf(pools.ready()),
            String.valueOf(pools.starting()),
            String.valueOf(pools.hits()),
            String.valueOf(pools.misses()));
  }

  @Everywhere
  @Test
  void aRunWithADatasetGetsAWarmPod(Assay assay) {
    assay.uploadCsv("warm-fruit", "fruit,amount\napple,3\npear,4\n");
    assay.uploadCsv("warm-stores", "store\nnorth\n");
    assay.uploadCsv("warm-other", "secret\n1\n");
    for (String like : List.of("python", "sql")) {
      Classes.like(
          like, assay, CLASS + "-" + like, spec -> spec.putObject("warmPool").put("min", 1));
    }
    try {
      Runs runs = new Runs(assay);
      assertThat(
              awaitWarm(
                  assay,
                  () ->
                      runs.create(
                          CLASS + "-python", READ_AND_TRY, 20, "warm-fruit", "warm-stores")))
          .isEqualTo(
              """
              7 ['store'] ['warm-fruit', 'warm-stores']
              7 ['store', 'north']
              no writing, no replacing, no listing, no path to a neighbour
              ['warm-fruit', 'warm-stores'] False
              """);
      AnalyticsRunSpec polars =
          AnalyticsRunSpecBuilder.builder()
              .className(CLASS + "-python")
              .language(Language.POLARS)
              .code("df.select(pl.sum('amount'))")
              .datasets(List.of("warm-fruit"))
              .timeoutSeconds(20)
              .build();
      awaitWarm(assay, () -> runs.create(polars));
      String sql =
          "SELECT sum(amount), (SELECT min(store) FROM \"warm-stores\") FROM \"warm-fruit\"";
      awaitWarm(assay, () -> runs.createSql(CLASS + "-sql", sql, 20, "warm-fruit", "warm-stores"));
    } finally {
      Classes.remove(assay, CLASS + "-python");
      Classes.remove(assay, CLASS + "-sql");
    }
  }

  @Everywhere
  @Test
  void scriptsGetWarmPodsOfOnePool(Assay assay) {
    String name = CLASS + "-javascript";
    Classes.like("javascript", assay, name, spec -> spec.putObject("warmPool").put("min", 1));
    try {
      Set<String> pods = new HashSet<>();
      for (Language language : List.of(Language.JAVASCRIPT, Language.TYPESCRIPT)) {
        Runs runs = new Runs(assay);
        AnalyticsRunSpec script =
            AnalyticsRunSpecBuilder.builder()
                .className(name)
                .language(language)
                .code(
                    """
                    console.log('orders:', input.orders.length);
                    ({total: input.orders.reduce((sum, order) => sum + order.amount, 0)})
                    """)
                .input("{\"orders\": [{\"amount\": 2.5}, {\"amount\": 4}]}")
                .timeoutSeconds(20)
                .build();
        AnalyticsRun run = runs.awaitWarm(() -> runs.create(script), WarmPoolE2E::assertTotal);
        BoundPod pod = requireNonNull(requireNonNull(run.getStatus()).pod());
        assertThat(pod.name()).startsWith("warm-" + name);
        assertThat(pods.add(pod.uid())).as("a Pod serves one run").isTrue();
      }
    } finally {
      Classes.remove(assay, name);
    }
    awaitNoPods(assay, name);
  }

  private static void assertTotal(AnalyticsRunStatus status) {
    assertThat(Runs.output(status)).isEqualTo("orders: 2\n");
    assertThat(requireNonNull(status.result()).value()).isEqualTo("{\"total\":6.5}");
  }

  private static String awaitWarm(Assay assay, Supplier<AnalyticsRun> create) {
    AnalyticsRun run = new Runs(assay).awaitWarm(create, ended -> {});
    AnalyticsRunStatus status = requireNonNull(run.getStatus());
    assertThat(requireNonNull(status.snapshots())).isNotEmpty();
    return Runs.output(status);
  }

  /** Runs code until a run is given a warm Pod. */
  private static AnalyticsRun awaitWarm(Assay assay, String className) {
    Runs runs = new Runs(assay);
    AnalyticsRun run =
        runs.awaitWarm(
            () -> runs.create(className, "print(6 * 7)", 20),
            status -> assertThat(Runs.output(status)).isEqualTo("42\n"));
    BoundPod pod = requireNonNull(requireNonNull(run.getStatus()).pod());
    assertThat(pod.name()).startsWith("warm-" + className);
    return run;
  }

  /**
   * The Pod becomes that of the run, after the end of a short one: it may be gone by then, unless
   * its class keeps Pods.
   */
  private static void awaitAdoption(Assay assay, AnalyticsRun run, BoundPod bound) {
    Pod pod =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.namespace())
            .withName(bound.name())
            .waitUntilCondition(
                found -> found != null && found.getMetadata().getLabels().containsKey(Runs.RUN_UID),
                PATIENCE.toSeconds(),
                TimeUnit.SECONDS);
    assertThat(pod.getMetadata().getLabels())
        .containsEntry(Runs.RUN_UID, run.getMetadata().getUid());
    assertThat(pod.getMetadata().getOwnerReferences().getFirst().getKind())
        .isEqualTo("AnalyticsRun");
  }

  private static void awaitNoPods(Assay assay, String className) {
    var unused =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.namespace())
            .withLabel("assay.dev/run-class", className)
            .informOnCondition(List::isEmpty)
            .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .join();
  }
}
