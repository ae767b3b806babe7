package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.VersionedKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Objects that only a newer version of the operator understands. */
public final class NewerObjects {
  private static final Logger LOG = LoggerFactory.getLogger(NewerObjects.class);
  private static final Counter LEFT_ALONE =
      new Counter(
          "assay_newer_objects_left_alone_total",
          "How often an object was left alone because a newer version has written it.");

  static {
    // An increase can be seen of a counter that was there before.
    List.of("AnalyticsRun", "Dataset", "ToolServer").forEach(kind -> count(kind, 0));
  }

  private NewerObjects() {}

  private static void count(String kind, int times) {
    LEFT_ALONE.add("kind=\"%s\"".formatted(kind), times);
  }

  /** Whether an object has to be left alone; the log and a metric then say so. */
  public static <R extends HasMetadata & VersionedKind> boolean isNewer(R object) {
    if (object.understood()) {
      return false;
    }
    count(object.getKind(), 1);
    LOG.warn(
        "{} {}/{} is left alone: a newer version has written it; upgrade the operator, or delete it",
        object.getKind(),
        object.getMetadata().getNamespace(),
        object.getMetadata().getName());
    return true;
  }

  /** How often objects were left alone, in the text format of Prometheus. */
  public static String metrics() {
    return LEFT_ALONE.text();
  }
}
