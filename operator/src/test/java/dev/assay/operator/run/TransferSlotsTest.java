package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TransferSlotsTest {
  private final TransferSlots slots = new TransferSlots(3, 2);

  @Test
  void aNamespaceWithManySlowTransfersHoldsUpNoOther() {
    assertThat(request("slow", "slow", "slow", "slow", "other"))
        .extracting(TransferSlots.Turn::hasCome)
        .containsExactly(true, true, false, false, true);
  }

  @Test
  void aFreeSlotGoesToTheNamespaceWithTheFewestAndThenToWhoeverCameFirst() {
    List<TransferSlots.Turn> turns = request("a", "b", "b", "a", "c", "c");
    assertCame(turns, true, true, true, false, false, false);
    slots.release("b");
    assertCame(turns, true, true, true, false, true, false);
    slots.release("b");
    assertCame(turns, true, true, true, true, true, false);
    slots.release("a");
    assertCame(turns, true, true, true, true, true, true);
  }

  @Test
  void whoNoLongerWaitsTakesNone() throws Exception {
    request("a", "a");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> slots.acquire("a")).isInstanceOf(InterruptedException.class);
    TransferSlots.Turn next = slots.request("a");
    assertThat(next.hasCome()).isFalse();
    slots.release("a");
    assertThat(next.hasCome()).isTrue();
  }

  private List<TransferSlots.Turn> request(String... namespaces) {
    return Stream.of(namespaces).map(slots::request).toList();
  }

  private static void assertCame(List<TransferSlots.Turn> turns, Boolean... came) {
    assertThat(turns).extracting(TransferSlots.Turn::hasCome).containsExactly(came);
  }
}
