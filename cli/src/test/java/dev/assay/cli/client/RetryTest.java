package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static final ApiException LOST =
      ApiException.disconnected("the connection broke", new IOException());

  private final List<Duration> slept = new ArrayList<>();
  private final Retry retry = new Retry(slept::add);

  @Test
  void waitsLongerEachTimeAndGivesUpAfterAboutTwoMinutes() {
    assertThatThrownBy(
            () -> {
              while (true) {
                retry.await(LOST);
              }
            })
        .isSameAs(LOST);
    assertThat(slept)
        .startsWith(Duration.ofMillis(250), Duration.ofMillis(500))
        .endsWith(Duration.ofSeconds(5))
        .isSorted();
    assertThat(slept.stream().reduce(Duration.ZERO, Duration::plus))
        .isBetween(Duration.ofSeconds(90), Duration.ofSeconds(150));
  }

  @Test
  void beginsAnewAfterProgress() throws Exception {
    retry.await(LOST);
    retry.await(LOST);
    retry.reset();
    retry.await(LOST);
    assertThat(slept.getLast()).isEqualTo(slept.getFirst());
  }

  @Test
  void aRestartAndABusyEndpointAreWaitedForAndARefusalIsNot() throws Exception {
    retry.await(new ApiException(503, "starting"));
    retry.await(new ApiException(429, "busy"));
    assertThat(slept).hasSize(2);
    assertThatThrownBy(() -> retry.await(new ApiException(404, "no run"))).hasMessage("no run");
  }
}
