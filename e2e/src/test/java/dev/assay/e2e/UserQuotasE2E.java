package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunTimings;
import dev.assay.e2e.TenCallers.Answers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits that the kernel enforces per user are not shared: a run that exhausts one does not affect
 * others.
 */
@Full
class UserQuotasE2E {
  private static final Logger LOG = LoggerFactory.getLogger(UserQuotasE2E.class);

  /** An attack may use CPU time, and nothing else. */
  private static final int MAX_SLOWDOWN = 4;

  private static final Duration SLACK = Duration.ofSeconds(10);

  private static Answers alone;
  private static Duration oneAlone;

  @BeforeAll
  static void undisturbed(Assay assay) {
    Samples.sales(assay);
    // The first call may find nodes without the image and front ends without connections.
    trivialRun(assay);
    oneAlone = trivialRun(assay);
    alone = new TenCallers(assay).call();
    LOG.info("Alone, the ten callers took {}, and got {}", alone.took(), alone.texts().getFirst());
    assertThat(alone.texts().subList(0, 10))
        .as("answers of the ten callers")
        .allMatch(text -> text.contains("region"));
    assertThat(alone.texts().getLast()).as("what is loaded beside them").isEqualTo("Ready 2");
  }

  static List<UserQuota> quotas() {
    return UserQuota.all();
  }

  @ParameterizedTest
  @MethodSource("quotas")
  void aRunThatUsesUpAQuotaOfItsUserDisturbsNobody(UserQuota quota, Assay assay) {
    try (ControlPlaneWatch watch = new ControlPlaneWatch(assay)) {
      Answers beside;
      boolean throughout;
      try (QuotaAttack attack = new QuotaAttack(assay, quota)) {
        beside = new TenCallers(assay).call();
        throughout = attack.isUnderWay();
      }
      LOG.info("{}: the ten callers took {}", quota, beside.took());
      assertSoftly(
          softly -> {
            softly.assertThat(throughout).as("the attack went on throughout").isTrue();
            softly.assertThat(beside.notIn(alone)).as("what nobody got alone").isEmpty();
            softly.assertThat(beside.texts()).as("answers").isEqualTo(alone.texts());
            softly.assertThat(beside.took()).isLessThan(bound(alone.took()));
            softly
                .assertThatCode(() -> assertThat(trivialRun(assay)).isLessThan(bound(oneAlone)))
                .as("a run afterwards")
                .doesNotThrowAnyException();
            softly.assertThat(watch.disturbances()).isEmpty();
          });
    }
  }

  @Test
  void muchIsPrintedAsFastBesideARunThatHoldsAllPagesOfPipes(Assay assay) {
    Duration before = printing(assay);
    Duration beside;
    try (QuotaAttack attack = new QuotaAttack(assay, new UserQuota("pipe_pages"))) {
      beside = printing(assay);
      assertThat(attack.isUnderWay()).isTrue();
    }
    LOG.info("20 MB were printed in {} alone, in {} beside the attack", before, beside);
    assertThat(beside).isLessThan(before.multipliedBy(MAX_SLOWDOWN).plusSeconds(2));
  }

  /** How long code takes to print 20 MB. */
  private static Duration printing(Assay assay) {
    Runs runs = new Runs(assay);
    AnalyticsRun run =
        runs.create("python", "for _ in range(200_000):\n    print('x' * 99)\n", 120);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.result()).as("%s", ended).isNotNull();
    assertThat(Objects.requireNonNull(ended.result()).outputBytes()).isEqualTo(20_000_000);
    RunTimings timings = Objects.requireNonNull(ended.timings());
    return Duration.between(
        Instant.parse(Objects.requireNonNull(timings.started())),
        Instant.parse(Objects.requireNonNull(timings.finished())));
  }

  private static Duration trivialRun(Assay assay) {
    Reply reply = assay.run("sales_data", "print(len(df))", 60);
    assertThat(reply.text()).isEqualTo("150\n");
    return reply.took();
  }

  private static Duration bound(Duration alone) {
    return alone.multipliedBy(MAX_SLOWDOWN).plus(SLACK);
  }
}
