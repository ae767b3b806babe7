package dev.assay.training;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.AssayOperator;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool as it is kept with the caches of the SDK. */
@Tag("slow")
class WarmPodsTest {
  private final List<Exception> failures = new CopyOnWriteArrayList<>();

  @Test
  void eachRunIsGivenTheIdlePodWhichIsThenReplaced(@TempDir Path directory) throws Exception {
    try (InProcess assay = new InProcess(directory);
        KubernetesClient requests = new RequestLog().client(assay.config());
        AssayOperator operator = assay.operator("one", requests, null, failures::add)) {
      assay.haveOneIdlePod();
      operator.start();
      for (int hits = 0; hits < 3; hits++) {
        assay.awaitIdlePod(hits);
        assertThat(requireNonNull(assay.run("run-" + hits).pod()).warm()).isTrue();
      }
    }
    assertThat(failures).isEmpty();
  }
}
