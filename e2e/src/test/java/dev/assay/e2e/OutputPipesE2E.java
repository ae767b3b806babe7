package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many concurrent runs each have a pipe of full size for their output. */
@Full
class OutputPipesE2E {
  private static final String CLASS = "e2e-output-pipes";

  /** Twice this number run concurrently, which the development cluster has room for. */
  private static final int EACH = 10;

  /** Pipes that code opens, as some libraries do. Together they exceed the quota of one user. */
  private static final String HOLD_PIPES =
      """
      import fcntl, os
      pipes = [os.pipe() for _ in range(8)]
      for _, end in pipes:
          fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 1 << 20)
      """;

  private static final String TELL_SIZE =
      """
      import fcntl, time
      print(fcntl.fcntl(1, fcntl.F_GETPIPE_SZ), flush=True)
      time.sleep(500)
      """;

  private final Assay assay;
  private final Runs runs;
  private final List<AnalyticsRun> created = new ArrayList<>();

  OutputPipesE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeEach
  void makeSmall() {
    Classes.likePython(
        assay,
        CLASS,
        spec -> spec.withObject("/resources").put("cpuRequest", "1m").put("memory", "256Mi"));
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    created.forEach(runs::awaitNoPod);
    Classes.remove(assay, CLASS);
  }

  @Test
  void theSizeIsThatOfARunAlone() {
    String alone = sizes(start(TELL_SIZE, 1)).getFirst();
    List<AnalyticsRun> first = start(HOLD_PIPES + TELL_SIZE, EACH);
    List<AnalyticsRun> second = start(TELL_SIZE, EACH);
    assertThat(sizes(first)).containsOnly(alone);
    assertThat(sizes(second)).containsOnly(alone);
  }

  private List<AnalyticsRun> start(String code, int number) {
    List<AnalyticsRun> started =
        IntStream.range(0, number).mapToObj(i -> runs.create(CLASS, code, 600)).toList();
    created.addAll(started);
    for (AnalyticsRun run : started) {
      AnalyticsRunStatus status = runs.awaitRunning(run);
      assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Running);
    }
    return started;
  }

  /** Ends the runs, because only then their output is complete. */
  private List<String> sizes(List<AnalyticsRun> started) {
    started.forEach(runs::cancel);
    return started.stream().map(run -> Runs.output(runs.awaitEnd(run))).toList();
  }
}
