package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * How programs read objects that a newer version may have written: the CRDs are replaced before the
 * programs, and after a rollback there are objects of the newer ones. An object that cannot be read
 * would end the watch of all.
 */
public final class KindMapper {
  private KindMapper() {}

  /** Ignores unknown fields, and reads unknown constants as the {@code Unknown} of their enum. */
  public static ObjectMapper create() {
    return new ObjectMapper()
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE);
  }

  /** The same for a client of the Kubernetes API. */
  public static KubernetesSerialization serialization() {
    return new KubernetesSerialization(create(), true);
  }
}
