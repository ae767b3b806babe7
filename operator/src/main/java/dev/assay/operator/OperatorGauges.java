package dev.assay.operator;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.metrics.ProgramMetrics.Row;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.kubernetes.ServedNamespaces;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pool.PoolKeeper;
import dev.assay.operator.pool.PoolKeeper.PoolSize;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import java.util.stream.Stream;

/** What the operator is and has at a scrape: leadership, the output store, the warm pools. */
final class OperatorGauges {
  private OperatorGauges() {}

  static void bind(
      ProgramMetrics metrics,
      OperatorConfig config,
      ServedNamespaces namespaces,
      Leadership leadership,
      RunOutputs outputs,
      PoolKeeper pools) {
    Gauge.builder("assay_operator_leader", () -> leadership.leads() ? 1 : 0)
        .description("1 if this replica leads.")
        .register(metrics.registry());
    metrics.gauges(
        "assay_run_namespace_served",
        "1 if the operator serves a run namespace; 0 if it may not watch it.",
        () ->
            config.namespaceNames().stream()
                .map(name -> row(name, namespaces.names().contains(name) ? 1 : 0))
                .toList());
    // Only the leader has an index of what is stored.
    metrics.gauges(
        "assay_output_store_bytes",
        "Bytes of output, values and artifacts that are stored.",
        () ->
            config.namespaceNames().stream()
                .filter(outputs::isIndexed)
                .map(namespace -> row(namespace, stored(outputs, namespace)))
                .toList());
    metrics.gauges(
        "assay_output_store_limit_bytes",
        "Bytes above which the oldest output is removed.",
        () ->
            config.namespaceNames().stream()
                .map(namespace -> row(namespace, config.outputStore().maxBytesPerNamespace()))
                .toList());
    metrics.gauges(
        "assay_warm_pods",
        "Pods of the warm pools.",
        () -> pools.sizes().stream().flatMap(OperatorGauges::rows).toList());
  }

  private static Row row(String namespace, long value) {
    return new Row(Tags.of("namespace", namespace), value);
  }

  private static long stored(RunOutputs outputs, String namespace) {
    return outputs.entries(namespace).stream().mapToLong(OutputEntry::bytes).sum();
  }

  private static Stream<Row> rows(PoolSize pool) {
    Tags tags =
        Tags.of("namespace", pool.namespace(), "class", pool.className(), "worker", pool.worker());
    return Stream.of(
        new Row(tags.and("state", "idle"), pool.idle()),
        new Row(tags.and("state", "starting"), pool.starting()),
        new Row(tags.and("state", "wanted"), pool.wanted()));
  }
}
