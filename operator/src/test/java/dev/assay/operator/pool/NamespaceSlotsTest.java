package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NamespaceSlotsTest {
  private final NamespaceSlots slots = new NamespaceSlots(2);

  @Test
  void aNamespaceHasSoManyAtOnceWhateverOthersHave() {
    assertThat(slots.tryAcquire("a")).isTrue();
    assertThat(slots.tryAcquire("a")).isTrue();
    assertThat(slots.tryAcquire("a")).isFalse();
    assertThat(slots.tryAcquire("b")).isTrue();
    slots.release("a");
    assertThat(slots.tryAcquire("a")).isTrue();
    assertThat(slots.tryAcquire("a")).isFalse();
  }
}
