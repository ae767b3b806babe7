package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private final RequestMemory memory = new RequestMemory(100);

  @Test
  void allRequestsTogetherHoldNoMoreThanThereIs() {
    RequestMemory.Share one = memory.share();
    RequestMemory.Share other = memory.share();

    assertThat(one.hold(60)).isTrue();
    assertThat(other.hold(41)).isFalse();
    assertThat(other.hold(40)).isTrue();
    assertThat(one.hold(61)).isFalse();

    assertThat(one.hold(20)).isTrue();
    assertThat(other.hold(80)).isTrue();
    other.close();
    assertThat(one.hold(100)).isTrue();
  }

  @Test
  void whatWasRefusedTakesNothing() {
    try (RequestMemory.Share refused = memory.share()) {
      assertThat(refused.hold(101)).isFalse();
    }
    try (RequestMemory.Share next = memory.share()) {
      assertThat(next.hold(100)).isTrue();
    }
  }

  @Test
  void everythingComesBackFromRequestsAtTheSameTime() throws InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> requests =
          IntStream.range(0, 500).<Callable<Boolean>>mapToObj(i -> () -> holdSome(i)).toList();
      assertThat(threads.invokeAll(requests)).hasSize(500);
    }

    assertThat(memory.share().hold(100)).isTrue();
    assertThat(memory.share().hold(1)).isFalse();
  }

  private boolean holdSome(int i) {
    try (RequestMemory.Share share = memory.share()) {
      return share.hold(i % 50) && share.hold(i % 7);
    }
  }

  @Test
  void thereIsAlwaysEnoughForOneRequest() {
    int huge = 1 << 30;

    assertThat(RequestMemory.ofHeap(huge).share().hold((long) RequestBody.HEAP_PER_BYTE * huge))
        .isTrue();
  }
}
