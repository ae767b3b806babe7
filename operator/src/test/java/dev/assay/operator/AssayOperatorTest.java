package dev.assay.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.operator.config.OperatorConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssayOperatorTest {
  @Test
  void noExecutionOutlivesTheOperator(@TempDir Path outputs) throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    try (FakeApiServer api = new FakeApiServer()) {
      AssayOperator operator = operator(api, outputs);
      operator
          .threads()
          .execute(
              () -> {
                begun.countDown();
                try {
                  new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                  interrupted.countDown();
                }
              });
      begun.await();
      operator.close();
      assertThat(interrupted.getCount()).isZero();
      assertThat(operator.threads().isTerminated()).isTrue();
    }
  }

  @Test
  void noReconcileLeavesATaskOfHoursInTheTimer(@TempDir Path outputs) throws Exception {
    try (FakeApiServer api = new FakeApiServer()) {
      AssayOperator operator = operator(api, outputs);
      assertThat(operator.controllers().configurations())
          .isNotEmpty()
          .allSatisfy(controller -> assertThat(controller.maxReconciliationInterval()).isEmpty());
      operator.close();
    }
  }

  @Test
  void itsMetricsSayWhetherItLeadsAndWhatItHas(@TempDir Path outputs) throws Exception {
    try (FakeApiServer api = new FakeApiServer()) {
      ProgramMetrics metrics = ProgramMetrics.create();
      AssayOperator operator = operator(api.client(), outputs, metrics);
      assertThat(metrics.text())
          .contains("# TYPE assay_newer_objects_left_alone_total counter")
          .contains("assay_operator_leader 0.0")
          .contains("assay_output_store_limit_bytes{namespace=")
          .doesNotContain("assay_runs{");
      operator.close();
    }
  }

  private static AssayOperator operator(FakeApiServer api, Path outputs) throws IOException {
    return operator(api.client(), outputs);
  }

  static AssayOperator operator(KubernetesClient client, Path outputs) throws IOException {
    return operator(client, outputs, ProgramMetrics.unread());
  }

  private static AssayOperator operator(
      KubernetesClient client, Path outputs, ProgramMetrics metrics) throws IOException {
    return new AssayOperator(
        client,
        config(outputs),
        new AssayOperator.Replica("assay-system", "operator-1", "127.0.0.1"),
        new ManualClock(),
        metrics,
        e -> {});
  }

  private static OperatorConfig config(Path outputs) {
    OperatorConfig samples = Samples.config();
    return new OperatorConfig(
        samples.namespaces(),
        60,
        20_000,
        new OperatorConfig.OutputStoreConfig(outputs.toString(), 10, 1_000_000, 1_000_000),
        null,
        null,
        0,
        samples.snapshotCleanup(),
        samples.warmPools(),
        samples.egressCheck(),
        samples.toolGateway(),
        Map.of("app", "assay"));
  }
}
