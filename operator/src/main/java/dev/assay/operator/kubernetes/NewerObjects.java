package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.VersionedKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Objects that only a newer version of the operator understands. */
public final class NewerObjects {
  private static final Logger LOG = LoggerFactory.getLogger(NewerObjects.class);

  private NewerObjects() {}

  /** Whether an object has to be left alone; the log then says so. */
  public static <R extends HasMetadata & VersionedKind> boolean isNewer(R object) {
    if (object.understood()) {
      return false;
    }
    LOG.warn(
        "{} {}/{} is left alone: a newer version has written it; upgrade the operator, or delete it",
        object.getKind(),
        object.getMetadata().getNamespace(),
        object.getMetadata().getName());
    return true;
  }
}
