package dev.assay.frontend.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SubscriptionTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  private final Subscription<String> subscription = new Subscription<>(() -> {});

  @Test
  void onlyTheNewestStateIsKept() throws InterruptedException {
    subscription.publish(new Change<>("running", false));
    subscription.publish(new Change<>("ended", false));

    assertThat(subscription.next(SOON)).isEqualTo(new Change<>("ended", false));
    assertThat(subscription.next(Duration.ZERO)).isNull();
  }

  @Test
  void aDeletionDoesNotHideTheStateBeforeIt() throws InterruptedException {
    subscription.publish(new Change<>("ended, with all of its output", false));
    subscription.publish(new Change<>("ended", true));

    assertThat(subscription.next(SOON))
        .isEqualTo(new Change<>("ended, with all of its output", true));
  }

  @Test
  void aDeletionAfterAStateThatWasSeenHasItsOwn() throws InterruptedException {
    subscription.publish(new Change<>("running", false));
    assertThat(subscription.next(SOON)).isEqualTo(new Change<>("running", false));
    subscription.publish(new Change<>("ended", true));

    assertThat(subscription.next(SOON)).isEqualTo(new Change<>("ended", true));
  }
}
