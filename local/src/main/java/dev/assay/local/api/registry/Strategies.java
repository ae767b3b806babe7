package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.schema.StructuralSchema;
import dev.assay.local.api.status.FieldError;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The strategies of all resources. */
final class Strategies {
  private static final Strategy PLAIN = new Strategy() {};
  private static final Map<String, Strategy> BY_KIND =
      Map.of(
          "Pod", new PodStrategy(),
          "Namespace", new NamespaceStrategy(),
          "Secret", new SecretStrategy(),
          "ConfigMap", PLAIN,
          "Event", PLAIN,
          "Lease", new LeaseStrategy(),
          "ServiceAccount", new ReturnsObject(),
          "PersistentVolumeClaim", new PendingAtFirst(),
          "NetworkPolicy", new WithGeneration(),
          "EndpointSlice", new WithGeneration());

  private Strategies() {}

  static Strategy of(ResourceDefinition resource) {
    StructuralSchema schema = resource.schema();
    return schema == null
        ? BY_KIND.getOrDefault(resource.names().kind(), PLAIN)
        : new CustomResourceStrategy(schema);
  }

  private static final class LeaseStrategy implements Strategy {
    @Override
    public boolean allowsUnconditionalUpdate() {
      return false;
    }
  }

  private static final class ReturnsObject implements Strategy {
    @Override
    public boolean returnsDeletedObject() {
      return true;
    }
  }

  private static final class WithGeneration implements Strategy {
    @Override
    public boolean hasGeneration() {
      return true;
    }
  }

  private static final class PendingAtFirst implements Strategy {
    @Override
    public boolean returnsDeletedObject() {
      return true;
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
      object.putObject("status").put("phase", "Pending");
    }
  }

  private static final class NamespaceStrategy implements Strategy {
    @Override
    public boolean returnsDeletedObject() {
      return true;
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
      object.withObject("/spec").putArray("finalizers").add("kubernetes");
      object.putObject("status").put("phase", "Active");
    }

    @Override
    public void normalize(ObjectNode object) {
      object
          .withObject("/metadata/labels")
          .set("kubernetes.io/metadata.name", object.path("metadata").path("name"));
    }
  }

  private static final class SecretStrategy implements Strategy {
    @Override
    public void prepareForCreate(ObjectNode object) {
      if (!object.hasNonNull("type")) {
        object.put("type", "Opaque");
      }
    }

    @Override
    public void normalize(ObjectNode object) {
      if (object.remove("stringData") instanceof ObjectNode texts) {
        ObjectNode data = object.withObject("/data");
        texts
            .properties()
            .forEach(
                text ->
                    data.put(
                        text.getKey(),
                        Base64.getEncoder()
                            .encodeToString(
                                text.getValue().asText().getBytes(StandardCharsets.UTF_8))));
      }
    }
  }

  private record CustomResourceStrategy(StructuralSchema schema) implements Strategy {
    @Override
    public boolean hasGeneration() {
      return true;
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
      return false;
    }

    @Override
    public List<FieldError> validate(ObjectNode object, @Nullable ObjectNode old) {
      return schema.validate(object, old);
    }
  }
}
