package dev.assay.gateway.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.Await;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallTableTest {
  private static final ServerKey SERVER = new ServerKey("team", "tools");

  /** Keeps two calls with a hundred bytes of outcomes. */
  private final CallTable table = new CallTable(2 * CallReply.CALL_BYTES + 100, Clock.systemUTC());

  private final AtomicInteger made = new AtomicInteger();

  private CallReply reply(int bytes) {
    made.incrementAndGet();
    return new CallReply(true, new byte[bytes], null, null, null, Sent.YES, 1, true);
  }

  private CallReply call(String run, int number, String digest, int bytes) {
    return table.call(run, number, digest, SERVER, () -> reply(bytes)).orElseThrow().join();
  }

  @Test
  void aRepeatGetsTheOutcomeOfTheFirstRequest() {
    CallReply first = call("r", 1, "a", 10);
    assertThat(call("r", 1, "a", 10)).isSameAs(first);
    assertThat(made).hasValue(1);
  }

  @Test
  void aRepeatAttachesToACallThatIsBeingMade() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CallTable.Dispatch waits =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return reply(1);
        };
    var first = table.call("r", 1, "a", SERVER, waits).orElseThrow();
    var second = table.call("r", 1, "a", SERVER, waits).orElseThrow();
    assertThat(table.inFlight()).isEqualTo(1);
    end.countDown();
    assertThat(second.join()).isSameAs(first.join());
    assertThat(made).hasValue(1);
  }

  @Test
  void anOutcomeDoesNotWaitForTheRecordOfItsCallAndTheEndOfTheReplicaDoes() {
    CountDownLatch recorded = new CountDownLatch(1);
    CallTable.Dispatch recordsSlowly =
        new CallTable.Dispatch() {
          @Override
          public CallReply make() {
            return reply(1);
          }

          @Override
          public void made(CallReply outcome) {
            try {
              recorded.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }
        };
    assertThat(table.call("r", 1, "a", SERVER, recordsSlowly).orElseThrow().join().ok()).isTrue();
    assertThat(table.inFlight()).isEqualTo(1);
    recorded.countDown();
    Await.await(() -> table.inFlight() == 0);
  }

  @Test
  void whoeverStopsWaitingDoesNotEndTheCallForOthers() {
    CountDownLatch end = new CountDownLatch(1);
    CallTable.Dispatch waits =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return reply(1);
        };
    table.call("r", 1, "a", SERVER, waits).orElseThrow().cancel(true);
    end.countDown();
    assertThat(table.call("r", 1, "a", SERVER, waits).orElseThrow().join().ok()).isTrue();
  }

  @Test
  void anotherCallCannotHaveANumberThatIsTaken() {
    call("r", 1, "a", 1);
    assertThat(table.call("r", 1, "b", SERVER, () -> reply(1))).isEmpty();
    assertThat(call("r", 2, "b", 1).ok()).isTrue();
    assertThat(call("other", 1, "b", 1).ok()).isTrue();
  }

  @Test
  void anOutcomeThatIsNoLongerKeptIsUnknownAndNotMadeAgain() {
    call("r", 1, "a", 60);
    call("r", 2, "b", 60);
    CallReply repeated = call("r", 1, "a", 60);
    assertThat(repeated.code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
    assertThat(repeated.sent()).isEqualTo(Sent.UNKNOWN);
    assertThat(call("r", 2, "b", 60).ok()).isTrue();
    assertThat(made).hasValue(2);
  }

  @Test
  void callsCountAsKeptThoughTheyReturnNothing() {
    for (int number = 1; number <= 10; number++) {
      assertThat(call("r" + number % 2, number, "a", 0).ok()).isTrue();
    }
    assertThat(table.remembered("r0") + table.remembered("r1")).isEqualTo(2);
    for (int number = 1; number <= 8; number++) {
      assertThat(call("r" + number % 2, number, "a", 0).code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
    }
    assertThat(made).hasValue(10);
  }

  @Test
  void anOutcomeIsKeptBeforeItIsAnswered() {
    call("r", 1, "a", 0);
    call("r", 2, "a", 0);
    CountDownLatch asked = new CountDownLatch(1);
    CallTable.Dispatch waits =
        () -> {
          try {
            asked.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return reply(0);
        };
    var rememberedWhenAnswered =
        table
            .call("r", 3, "a", SERVER, waits)
            .orElseThrow()
            .thenApply(answer -> table.remembered("r"));
    asked.countDown();
    assertThat(rememberedWhenAnswered.join()).isEqualTo(2);
  }

  @Test
  void aNumberBelowOnesThatAreNoLongerKeptCanStillBeGiven() {
    for (int number = 2; number <= 10; number++) {
      assertThat(call("r", number, "a", 0).ok()).isTrue();
    }
    assertThat(table.remembered("r")).isEqualTo(2);
    assertThat(call("r", 1, "a", 0).ok()).isTrue();
    assertThat(made).hasValue(10);
  }

  @Test
  void noCallOfARunThatIsOverIsRememberedNorMadeAgain() {
    CallReply last = call("r", 3, "a", 0);
    assertThat(last.ok()).isTrue();
    table.close("r");
    Await.await(() -> table.remembered("r") == 0);
    assertThat(call("r", 3, "a", 0).code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
    assertThat(call("r", 3, "other", 0).sent()).isEqualTo(Sent.UNKNOWN);
    // It was not made, which is no longer known.
    assertThat(call("r", 2, "a", 0).sent()).isEqualTo(Sent.UNKNOWN);
    assertThat(call("r", 4, "a", 0).sent()).isEqualTo(Sent.NO);
    assertThat(made).hasValue(1);
  }

  @Test
  void theEndOfARunInterruptsItsCallsAndRefusesLaterOnes() {
    CountDownLatch began = new CountDownLatch(1);
    var waiting =
        table
            .call(
                "r",
                1,
                "a",
                SERVER,
                () -> {
                  began.countDown();
                  try {
                    new CountDownLatch(1).await();
                    return reply(1);
                  } catch (InterruptedException e) {
                    return CallReply.failed(
                        CallCode.OUTCOME_UNKNOWN, "over", Sent.UNKNOWN, 0, null);
                  }
                })
            .orElseThrow();
    Await.await(() -> began.getCount() == 0);
    table.close("r");
    assertThat(waiting.join().code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
    assertThat(call("r", 2, "b", 1).sent()).isEqualTo(Sent.NO);
    assertThat(made).hasValue(0);
    Await.await(() -> table.inFlight() == 0);
    assertThat(table.remembered("r")).isZero();
    assertThat(call("r", 1, "a", 1).code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
  }

  @Test
  void aRunThatEndsBeforeItsFirstCallMakesNone() {
    table.close("r");
    assertThat(call("r", 1, "a", 1).sent()).isEqualTo(Sent.NO);
    assertThat(made).hasValue(0);
  }

  @Test
  void aFailureOfTheGatewayItselfLeavesTheOutcomeUnknown() {
    assertThat(
            table
                .call(
                    "r",
                    1,
                    "a",
                    SERVER,
                    () -> {
                      throw new IllegalStateException("a bug");
                    })
                .orElseThrow()
                .join()
                .code())
        .isEqualTo(CallCode.OUTCOME_UNKNOWN);
  }

  @Test
  void aCallThatHasEndedIsNotHeldInMemoryByTheThreadThatMadeIt() {
    byte[] arguments = new byte[1 << 20];
    var unused =
        table.call("r", 1, "a", SERVER, () -> reply(arguments.length >> 20)).orElseThrow().join();
    Await.await(() -> !table.isMade("r", 1));
  }

  @Test
  void theMessageOfAnErrorCountsAsKept() {
    for (int number = 1; number <= 2; number++) {
      var unused =
          table
              .call(
                  "r",
                  number,
                  "a",
                  SERVER,
                  () ->
                      CallReply.failed(CallCode.UPSTREAM_ERROR, "x".repeat(60), Sent.YES, 0, null))
              .orElseThrow()
              .join();
    }
    assertThat(call("r", 1, "a", 1).code()).isEqualTo(CallCode.OUTCOME_UNKNOWN);
    assertThat(call("r", 2, "a", 1).code()).isEqualTo(CallCode.UPSTREAM_ERROR);
  }

  @Test
  void theCallsOfOneServerOrNamespaceDoNotTakeThePlacesOfOthers() {
    CountDownLatch end = new CountDownLatch(1);
    CallTable.Dispatch waits =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return reply(1);
        };
    assertThat(begun(SERVER, waits)).isEqualTo(128);
    assertThat(begun(new ServerKey("team", "more"), waits)).isEqualTo(128);
    assertThat(begun(new ServerKey("team", "third"), waits)).isZero();
    assertThat(begun(new ServerKey("other", "tools"), waits)).isEqualTo(128);
    // A repeat of what was taken attaches, though there is no place.
    assertThat(table.call("team/tools", 1, "a", SERVER, waits)).isPresent();
    end.countDown();
    Await.await(() -> table.inFlight() == 0);
    assertThat(begun(SERVER, () -> reply(1))).isEqualTo(200);
  }

  /** How many of 200 calls of a server are taken. */
  private int begun(ServerKey server, CallTable.Dispatch dispatch) {
    int begun = 0;
    for (int number = 1; number <= 200; number++) {
      try {
        String run = server.namespace() + "/" + server.name();
        var unused = table.call(run, number, "a", server, dispatch);
        begun++;
      } catch (BusyException e) {
        assertThat(e).hasMessage("There are too many calls.");
      }
    }
    return begun;
  }

  @Test
  void aTableThatStopsTakesNoFirstRequestsAndKeepsItsOutcomes() {
    CallReply first = call("r", 1, "a", 10);
    table.stop();
    assertThat(call("r", 1, "a", 10)).isSameAs(first);
    assertThatThrownBy(() -> call("r", 2, "b", 10)).isInstanceOf(BusyException.class);
    assertThat(made).hasValue(1);
  }
}
