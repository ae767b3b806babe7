package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.MachineException;
import dev.assay.cli.text.Progress;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SetupTest {
  private static final long LONG = 60;

  @Test
  void aCallWaitsForTheSetupAndGoesOnWithoutItsRest() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Setup setup = new Setup(Progress.NONE, LONG)) {
      setup.begin(() -> never::await);
      assertThat(setup.obstacle()).isEmpty();
      assertThat(setup.hasFailed()).isFalse();
    }
  }

  @Test
  void aCallThatWouldWaitTooLongIsToldToComeAgain() throws Exception {
    try (Setup setup = new Setup(Progress.NONE, 0)) {
      assertThat(setup.obstacle().orElseThrow())
          .startsWith("EXECUTION ERROR: Assay is still being set up")
          .contains("Nothing was run: retry");
    }
  }

  @Test
  void whatTheMachineLacksIsToldToTheAgentAndToThePerson() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    try (Setup setup = new Setup(new Sayings(said), LONG)) {
      setup.begin(
          () -> {
            throw new MachineException("no Python was found: install it");
          });
      assertThat(setup.obstacle().orElseThrow())
          .startsWith("EXECUTION ERROR: ")
          .contains("no Python was found: install it");
      assertThat(said).containsExactly("assay: no Python was found: install it");
      assertThat(setup.hasFailed()).isTrue();
    }
  }

  @Test
  void afterItsEndNothingIsSaid() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    CountDownLatch closed = new CountDownLatch(1);
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    Setup setup = new Setup(new Sayings(said), LONG);
    setup.begin(
        () -> {
          worker.complete(Thread.currentThread());
          try {
            closed.await();
          } catch (InterruptedException e) {
            throw new IOException("closed", e);
          }
          return () -> {};
        });
    Thread thread = worker.join();
    setup.close();
    thread.join();
    assertThat(said).isEmpty();
  }
}
