package dev.assay.operator.run.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TransferSlotsTest {
  private final TransferSlots slots = new TransferSlots(3, 2, 0);

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

  @Test
  void namespacesThatTakeTheirShareLeaveSlotsForOthers() {
    TransferSlots many = new TransferSlots(32, 8, 8);
    for (String namespace : List.of("a", "b", "c", "d")) {
      Stream.generate(() -> namespace).limit(100).forEach(many::request);
    }
    assertThat(Stream.of("e", "f", "g", "h", "i", "j", "k").map(many::request))
        .as("at once, although the others wait for more")
        .allMatch(TransferSlots.Turn::hasCome);
    assertThat(many.request("l").hasCome()).as("no slot is left").isFalse();
  }

  @Test
  void aReservedSlotThatIsReleasedGoesToANamespaceWithoutOne() {
    TransferSlots two = new TransferSlots(2, 2, 1);
    List<TransferSlots.Turn> turns = Stream.of("a", "a", "b", "a", "c").map(two::request).toList();
    assertCame(turns, true, false, true, false, false);
    two.release("b");
    assertCame(turns, true, false, true, false, true);
    two.release("c");
    assertCame(turns, true, false, true, false, true);
    two.release("a");
    assertCame(turns, true, true, true, false, true);
  }

  private List<TransferSlots.Turn> request(String... namespaces) {
    return Stream.of(namespaces).map(slots::request).toList();
  }

  private static void assertCame(List<TransferSlots.Turn> turns, Boolean... came) {
    assertThat(turns).extracting(TransferSlots.Turn::hasCome).containsExactly(came);
  }
}
