package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.MachineException;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.McpService;
import dev.assay.cli.text.Progress;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class SetupTest {
  private static final long LONG = 60;

  @Test
  void aCallWaitsForTheSetupAndGoesOnWithoutItsRest() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    try (Setup setup = setup(Progress.NONE, serves -> never::await, LONG)) {
      setup.start();
      assertThat(setup.obstacle()).isEmpty();
      assertThat(setup.hasFailed()).isFalse();
    }
  }

  @Test
  void aCallThatWouldWaitTooLongIsToldToComeAgain() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Setup.Work endless =
        serves -> {
          never.await();
          return () -> {};
        };
    try (Setup setup = setup(Progress.NONE, endless, 0)) {
      setup.start();
      assertThat(setup.obstacle().orElseThrow())
          .startsWith("EXECUTION ERROR: Assay is still being set up")
          .contains("Nothing was run: retry");
    }
  }

  @Test
  void whatTheMachineLacksIsToldToTheAgentAndToThePerson() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    Setup.Work failing =
        serves -> {
          throw new MachineException("no Python was found: install it");
        };
    try (Setup setup = setup(new Sayings(said), failing, LONG)) {
      setup.start();
      assertThat(setup.obstacle().orElseThrow())
          .startsWith("EXECUTION ERROR: ")
          .contains("no Python was found: install it");
      assertThat(said).containsExactly("assay: no Python was found: install it");
      assertThat(setup.hasFailed()).isTrue();
      assertThatThrownBy(setup::endpoint)
          .isInstanceOf(McpService.NotStartedException.class)
          .hasMessageContaining("no Python was found: install it");
      assertThat(setup.earlyReply("still")).isPresent();
    }
  }

  @Test
  void fromItsStartOnTheEndpointAnswersForItself() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Endpoint endpoint = Endpoint.of("http://127.0.0.1:1", null);
    Setup.Work work =
        serves -> {
          serves.accept(endpoint);
          never.await();
          return () -> {};
        };
    try (Setup setup = setup(Progress.NONE, work, LONG)) {
      assertThat(setup.earlyReply("before")).isPresent();
      setup.start();
      assertThat(setup.endpoint()).isEqualTo(endpoint);
      assertThat(setup.earlyReply("after")).isEmpty();
    }
  }

  @Test
  void aFullDiskIsToldWithWhatToDo() throws Exception {
    Setup.Work failing =
        serves -> {
          throw new IOException("No space left on device");
        };
    try (Setup setup = setup(new Sayings(new CopyOnWriteArrayList<>()), failing, LONG)) {
      setup.start();
      assertThat(setup.obstacle().orElseThrow()).contains("the disk is full", "free some space");
    }
  }

  @Test
  void whatWasClosedIsNotStarted() {
    CompletableFuture<String> begun = new CompletableFuture<>();
    Setup.Work work =
        serves -> {
          begun.complete("");
          return () -> {};
        };
    Setup setup = setup(Progress.NONE, work, LONG);
    setup.close();
    setup.start();
    setup.close();
    assertThat(begun).isNotDone();
  }

  @Test
  void afterItsEndNothingIsSaid() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    CountDownLatch closed = new CountDownLatch(1);
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    Setup.Work work =
        serves -> {
          worker.complete(Thread.currentThread());
          try {
            closed.await();
          } catch (InterruptedException e) {
            throw new IOException("closed", e);
          }
          return () -> {};
        };
    Setup setup = setup(new Sayings(said), work, LONG);
    setup.start();
    Thread thread = worker.join();
    setup.close();
    thread.join();
    assertThat(said).isEmpty();
  }

  private static Setup setup(Progress progress, Setup.Work work, long waitSeconds) {
    return new Setup(
        message -> Optional.of(JsonMapper.shared().createObjectNode()),
        progress,
        work,
        waitSeconds);
  }
}
