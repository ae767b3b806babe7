package dev.assay.api.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a program, and the text that Prometheus reads of them. Meters are registered under
 * the names that Prometheus shows, with the suffixes {@code _total} and {@code _seconds}.
 *
 * <p>A label has few values: enums, and the names of namespaces, classes and tools. It never has
 * what a caller or code can choose, unless the number of its values is limited.
 */
public final class ProgramMetrics implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramMetrics.class);

  /** Labels of the Java Operator SDK: a retry has a number, and may be retried for ever. */
  private static final String[] UNLIMITED = {
    "reconciliations.retries.number", "reconciliations.retries.last"
  };

  private final MeterRegistry registry;
  private final @Nullable PrometheusMeterRegistry read;
  private final List<JvmGcMetrics> listeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> refreshes = new CopyOnWriteArrayList<>();

  private ProgramMetrics(MeterRegistry registry, @Nullable PrometheusMeterRegistry read) {
    this.registry = registry;
    this.read = read;
  }

  /** Libraries ask for dozens of buckets for each histogram. */
  private static final class FewBuckets implements MeterFilter {
    private static final double[] NANOS = {1e6, 1e7, 1e8, 1e9, 1e10};

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig asked) {
      return id.getType() == Meter.Type.TIMER && Boolean.TRUE.equals(asked.isPercentileHistogram())
          ? DistributionStatisticConfig.builder()
              .percentilesHistogram(false)
              .serviceLevelObjectives(NANOS)
              .build()
              .merge(asked)
          : asked;
    }
  }

  /** Metrics of a part of a process. */
  public static ProgramMetrics create() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.config().meterFilter(MeterFilter.ignoreTags(UNLIMITED)).meterFilter(new FewBuckets());
    return new ProgramMetrics(registry, registry);
  }

  /** Metrics of a process, with those of its JVM: memory, threads, collections, files, CPU. */
  public static ProgramMetrics ofProcess() {
    ProgramMetrics metrics = create();
    JvmGcMetrics collections = new JvmGcMetrics();
    metrics.listeners.add(collections);
    Stream.of(
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new FileDescriptorMetrics(),
            new ProcessorMetrics(),
            collections)
        .forEach(binder -> binder.bindTo(metrics.registry));
    return metrics;
  }

  /** Metrics that nobody reads, as in local mode: nothing is kept, and {@link #text} is empty. */
  public static ProgramMetrics unread() {
    return new ProgramMetrics(new CompositeMeterRegistry(), null);
  }

  /** Where meters are registered. */
  public MeterRegistry registry() {
    return registry;
  }

  /** One gauge of several that share a name. */
  public record Row(Tags labels, double value) {
    /**
     * A row for each of some values, 0 for those that none has.
     *
     * @param label whose values these are, in addition to {@code namespace}
     * @param text of a value
     */
    public static <T> Stream<Row> ofEach(
        String namespace, String label, T[] values, Function<T, String> text, Map<T, Long> counts) {
      return Stream.of(values)
          .map(
              value ->
                  new Row(
                      Tags.of("namespace", namespace, label, text.apply(value)),
                      counts.getOrDefault(value, 0L)));
    }
  }

  /**
   * Registers gauges that are counted anew for each scrape, as from caches.
   *
   * @param help one sentence
   * @param shown whether there is anything to count now; none are shown otherwise
   * @param rows a labelled value each; no two with the same labels
   */
  public void gauges(String name, String help, BooleanSupplier shown, Supplier<List<Row>> rows) {
    MultiGauge gauge = MultiGauge.builder(name).description(help).register(registry);
    refreshes.add(
        () ->
            gauge.register(
                (shown.getAsBoolean() ? rows.get() : List.<Row>of())
                    .stream().map(row -> MultiGauge.Row.of(row.labels(), row.value())).toList(),
                true));
  }

  /** The same, which are always shown. */
  public void gauges(String name, String help, Supplier<List<Row>> rows) {
    gauges(name, help, () -> true, rows);
  }

  /** All metrics in the text format of Prometheus. */
  public synchronized String text() {
    if (read == null) {
      return "";
    }
    refreshes.forEach(ProgramMetrics::refresh);
    return read.scrape();
  }

  /** A failure leaves the values of the scrape before: the others are shown all the same. */
  private static void refresh(Runnable refresh) {
    try {
      refresh.run();
    } catch (RuntimeException e) {
      LOG.warn("Some metrics could not be counted: {}", e.toString());
    }
  }

  @Override
  public void close() {
    listeners.forEach(JvmGcMetrics::close);
    registry.close();
  }
}
