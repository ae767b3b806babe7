package dev.assay.frontend.cluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.KindMapper;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * How the front end's client reads and writes objects: without {@code metadata.managedFields},
 * which the API server keeps if a write has none. They are a third of a run, and each call waits
 * until its run is deserialized.
 */
public final class ObjectSerialization {
  private ObjectSerialization() {}

  /** Creates the serialization for a client. */
  public static KubernetesSerialization create() {
    ObjectMapper mapper = KindMapper.create();
    mapper.addMixIn(ObjectMeta.class, WithoutManagedFields.class);
    return new KubernetesSerialization(mapper, true);
  }

  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}
}
