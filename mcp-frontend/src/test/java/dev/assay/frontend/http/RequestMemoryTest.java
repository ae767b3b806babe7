package dev.assay.frontend.http;

import static dev.assay.frontend.limit.SharedQuota.Decision.EXHAUSTED;
import static dev.assay.frontend.limit.SharedQuota.Decision.GRANTED;
import static dev.assay.frontend.limit.SharedQuota.Decision.OVER_SHARE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.FrontEndConfig;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private final RequestMemory memory = new RequestMemory(100);

  @Test
  void allRequestsTogetherHoldNoMoreThanThereIs() {
    RequestMemory.Share one = memory.share(TestEndpoint.ALICE);
    RequestMemory.Share other = memory.share(TestEndpoint.ALICE);

    assertThat(one.hold(60)).isEqualTo(GRANTED);
    assertThat(other.hold(41)).isEqualTo(EXHAUSTED);
    assertThat(other.hold(40)).isEqualTo(GRANTED);
    assertThat(one.hold(61)).isEqualTo(EXHAUSTED);

    assertThat(one.hold(20)).isEqualTo(GRANTED);
    assertThat(other.hold(80)).isEqualTo(GRANTED);
    other.close();
    assertThat(one.hold(100)).isEqualTo(GRANTED);
  }

  @Test
  void whatWasRefusedTakesNothing() {
    try (RequestMemory.Share refused = memory.share(TestEndpoint.ALICE)) {
      assertThat(refused.hold(101)).isEqualTo(EXHAUSTED);
    }
    try (RequestMemory.Share next = memory.share(TestEndpoint.ALICE)) {
      assertThat(next.hold(100)).isEqualTo(GRANTED);
    }
  }

  @Test
  void everythingComesBackFromRequestsAtTheSameTime() throws InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> requests =
          IntStream.range(0, 500).<Callable<Boolean>>mapToObj(i -> () -> holdSome(i)).toList();
      assertThat(threads.invokeAll(requests)).hasSize(500);
    }

    assertThat(memory.share(TestEndpoint.ALICE).hold(100)).isEqualTo(GRANTED);
    assertThat(memory.share(TestEndpoint.ALICE).hold(1)).isEqualTo(EXHAUSTED);
  }

  private boolean holdSome(int i) {
    try (RequestMemory.Share share = memory.share(TestEndpoint.ALICE)) {
      return share.hold(i % 50) == GRANTED && share.hold(i % 7) == GRANTED;
    }
  }

  @Test
  void oneCallerLeavesWhatIsAboveItsShareToOthers() {
    RequestMemory shared = new RequestMemory(100, 60);
    RequestMemory.Share first = shared.share(TestEndpoint.ALICE);
    RequestMemory.Share second = shared.share(TestEndpoint.ALICE);

    assertThat(first.hold(50)).isEqualTo(GRANTED);
    assertThat(second.hold(11)).isEqualTo(OVER_SHARE);
    assertThat(shared.share(TestEndpoint.BOB).hold(50)).isEqualTo(GRANTED);
    assertThat(second.hold(10)).isEqualTo(EXHAUSTED);
    first.keep(40);
    assertThat(second.hold(10)).isEqualTo(GRANTED);
  }

  @Test
  void thereIsAlwaysEnoughForOneRequestOfEachOfTwoCallers() {
    FrontEndConfig config =
        TestEndpoint.config(
            new FrontEndConfig.Limits(1 << 26, 2, 1, null, 65_536, 20_000, null, null, null));
    long most = (long) RequestBody.HEAP_PER_CALL_BYTE << 26;
    RequestMemory memory = RequestMemory.ofHeap(config);

    assertThat(memory.share(TestEndpoint.ALICE).hold(most)).isEqualTo(GRANTED);
    assertThat(memory.share(TestEndpoint.BOB).hold(most)).isEqualTo(GRANTED);
  }
}
