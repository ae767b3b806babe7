package dev.assay.operator.kubernetes;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.VersionedKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.micrometer.core.instrument.FunctionCounter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Objects that only a newer version of the operator understands. */
public final class NewerObjects {
  private static final Logger LOG = LoggerFactory.getLogger(NewerObjects.class);

  /** By kind. An increase can be seen of a counter that was there before. */
  private static final Map<String, LongAdder> LEFT_ALONE =
      new ConcurrentHashMap<>(
          Map.of(
              "AnalyticsRun", new LongAdder(),
              "Dataset", new LongAdder(),
              "ToolServer", new LongAdder()));

  private NewerObjects() {}

  /** Whether an object has to be left alone; the log and a metric then say so. */
  public static <R extends HasMetadata & VersionedKind> boolean isNewer(R object) {
    if (object.understood()) {
      return false;
    }
    LEFT_ALONE.computeIfAbsent(object.getKind(), unused -> new LongAdder()).increment();
    LOG.warn(
        "{} {}/{} is left alone: a newer version has written it; upgrade the operator, or delete it",
        object.getKind(),
        object.getMetadata().getNamespace(),
        object.getMetadata().getName());
    return true;
  }

  /** Has metrics show how often objects were left alone. */
  public static void bindTo(ProgramMetrics metrics) {
    LEFT_ALONE.forEach(
        (kind, times) ->
            FunctionCounter.builder(
                    "assay_newer_objects_left_alone_total", times, LongAdder::doubleValue)
                .description(
                    "How often an object was left alone because a newer version has written it.")
                .tag("kind", kind)
                .register(metrics.registry()));
  }
}
