package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolStatusTest {
  @Test
  void aClassWithoutPoolsHasNone() {
    assertThat(PoolStatus.of(List.of())).isEmpty();
  }

  @Test
  void theSumsCountAllPoolsAndTheListHasTheBusiest() {
    List<NamespacePool> pools = new ArrayList<>();
    for (int number = 0; number <= Bounds.MAX_STATUS_POOLS; number++) {
      pools.add(new NamespacePool("team-" + number, "python", 1, 2, number, 1, null));
    }
    WarmPoolStatus status = PoolStatus.of(pools).orElseThrow();
    assertThat(status.ready()).isEqualTo(pools.size());
    assertThat(status.starting()).isEqualTo(2 * pools.size());
    assertThat(status.misses()).isEqualTo(pools.size());
    assertThat(status.pools())
        .hasSize(Bounds.MAX_STATUS_POOLS)
        .doesNotContain(pools.getFirst())
        .contains(pools.getLast());
  }
}
