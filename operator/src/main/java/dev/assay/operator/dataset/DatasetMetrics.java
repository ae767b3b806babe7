package dev.assay.operator.dataset;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.metrics.ProgramMetrics.Row;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The datasets that there are at a scrape, and how long their snapshots took. */
final class DatasetMetrics {
  private static final int MAX_LOADING = 10_000;

  private final MeterProvider<Timer> snapshots;
  private final Clock clock;

  /** When the loads of this process began, by UID and generation; the oldest are forgotten. */
  private final Map<String, Instant> begun =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > MAX_LOADING;
        }
      };

  DatasetMetrics(ProgramMetrics metrics, Clock clock) {
    this.clock = clock;
    this.snapshots =
        Timer.builder("assay_snapshot_seconds")
            .description("Time from the first step of a load until its end.")
            .serviceLevelObjectives(
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(30),
                Duration.ofMinutes(5),
                Duration.ofHours(1))
            .withRegistry(metrics.registry());
  }

  /** A status was written. */
  void written(Dataset before, Dataset after) {
    String load = after.getMetadata().getUid() + "/" + after.getMetadata().getGeneration();
    Instant now = clock.instant();
    if (!DatasetTransitions.isSettled(after)) {
      synchronized (begun) {
        begun.putIfAbsent(load, now);
      }
      return;
    }
    @Nullable Instant first;
    synchronized (begun) {
      first = begun.remove(load);
    }
    if (first != null && !DatasetTransitions.isSettled(before)) {
      snapshots
          .withTag("outcome", phase(after).name().toLowerCase(Locale.ROOT))
          .record(Duration.between(first, now));
    }
  }

  /** The datasets of some namespaces, by phase. */
  static List<Row> byPhase(Collection<String> namespaces, Collection<Dataset> datasets) {
    List<Row> rows = new ArrayList<>();
    for (String namespace : namespaces) {
      Map<DatasetPhase, Long> counts =
          datasets.stream()
              .filter(dataset -> dataset.getMetadata().getNamespace().equals(namespace))
              .collect(groupingBy(DatasetMetrics::phase, counting()));
      Row.ofEach(namespace, "phase", DatasetPhase.values(), DatasetPhase::name, counts)
          .forEach(rows::add);
    }
    return rows;
  }

  private static DatasetPhase phase(Dataset dataset) {
    DatasetPhase phase = DatasetTransitions.statusOf(dataset).phase();
    return phase == null ? DatasetPhase.Pending : phase;
  }
}
