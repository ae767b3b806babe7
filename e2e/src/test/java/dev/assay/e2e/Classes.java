package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** RunClasses that scenarios create. */
final class Classes {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Classes() {}

  /**
   * Creates a class like {@code python} with {@code change} applied to its spec; replaces one of
   * that name.
   */
  static void likePython(Assay assay, String name, Consumer<ObjectNode> change) {
    like("python", assay, name, change);
  }

  /** The same, based on another class. */
  static void like(String original, Assay assay, String name, Consumer<ObjectNode> change) {
    RunClass found = assay.kubernetes().resources(RunClass.class).withName(original).require();
    ObjectNode spec = JSON.valueToTree(found.getSpec());
    // A run that names no class must not get this one.
    spec.remove("defaultFor");
    change.accept(spec);
    RunClass made = new RunClass();
    made.setMetadata(new ObjectMetaBuilder().withName(name).build());
    made.setSpec(JSON.convertValue((JsonNode) spec, RunClassSpec.class));
    remove(assay, name);
    assay.kubernetes().resource(made).create();
  }

  /** Changes the spec of a class. */
  static void change(Assay assay, String name, Consumer<ObjectNode> change) {
    assay
        .kubernetes()
        .resources(RunClass.class)
        .withName(name)
        .edit(
            found -> {
              ObjectNode spec = JSON.valueToTree(found.getSpec());
              change.accept(spec);
              found.setSpec(JSON.convertValue((JsonNode) spec, RunClassSpec.class));
              return found;
            });
  }

  static void remove(Assay assay, String name) {
    assay.kubernetes().resources(RunClass.class).withName(name).delete();
  }

  /** Waits until the status of a class says something of its warm pools; returns what it says. */
  static WarmPoolStatus awaitPools(
      Assay assay, String name, Duration patience, Predicate<WarmPoolStatus> fits) {
    RunClass found =
        assay
            .kubernetes()
            .resources(RunClass.class)
            .withName(name)
            .waitUntilCondition(
                seen -> pools(seen).filter(fits).isPresent(),
                patience.toSeconds(),
                TimeUnit.SECONDS);
    return pools(found).orElseThrow();
  }

  /** What the status of a class says of its warm pools, if it has any. */
  static Optional<WarmPoolStatus> pools(@Nullable RunClass runClass) {
    return Optional.ofNullable(runClass).map(RunClass::getStatus).map(RunClassStatus::warmPool);
  }
}
