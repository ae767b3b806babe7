package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Code that exceeds its time limit is stopped, and its output is kept. */
class TimeLimitE2E {
  private static final String PRINT_AND_SPIN = "print('before', flush=True)\nwhile True: pass";

  @Test
  @Everywhere
  void aLimitOfTwoSecondsIsKeptAndNamed(Assay assay) {
    Samples.sales(assay);
    Reply reply = assay.run("sales_data", PRINT_AND_SPIN, 2);
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).isEqualTo("before\nTIMEOUT: Code execution exceeded 2 second limit");
  }

  @Test
  @Everywhere
  void codeThatPrintedNothingLeavesTheOneSentence(Assay assay) {
    Samples.sales(assay);
    assertThat(assay.run("sales_data", "while True: pass", 1).text())
        .isEqualTo("TIMEOUT: Code execution exceeded 1 second limit");
  }

  @Test
  @Everywhere
  void codeThatIgnoresBeingToldToStopIsStoppedAllTheSame(Assay assay) {
    Samples.sales(assay);
    String code =
        """
        import signal, time
        for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(n, signal.SIG_IGN)
        print('stubborn', flush=True)
        while True:
            try:
                time.sleep(60)
            except BaseException:
                pass
        """;
    Reply reply = assay.run("sales_data", code, 2);
    assertThat(reply.text()).isEqualTo("stubborn\nTIMEOUT: Code execution exceeded 2 second limit");
    assertThat(reply.took()).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  @Everywhere
  void aLimitAboveTheCeilingIsRefusedWithTheCeiling(Assay assay) {
    Samples.sales(assay);
    Reply reply = assay.run("sales_data", "print('ran')", 100_000);
    assertThat(reply.isError()).as(reply.text()).isTrue();
    assertThat(reply.text()).contains("600");
  }

  @Test
  @Full
  void withoutALimitOfItsOwnACallHasThirtySeconds(Assay assay) {
    Samples.sales(assay);
    Reply reply = assay.run("sales_data", PRINT_AND_SPIN);
    assertThat(reply.text()).isEqualTo("before\nTIMEOUT: Code execution exceeded 30 second limit");
    assertThat(reply.took()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
  }
}
