package dev.assay.frontend;

import dev.assay.api.v1alpha1.ClassOutputBuilder;
import dev.assay.api.v1alpha1.ClassResourcesBuilder;
import dev.assay.api.v1alpha1.ClassScratchBuilder;
import dev.assay.api.v1alpha1.ClassTimeoutsBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpecBuilder;
import dev.assay.frontend.run.RunClasses;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Classes, as a test says. */
public final class FakeRunClasses implements RunClasses {
  private final Map<String, RunClass> classes = new ConcurrentHashMap<>();

  /** A class for runs and one for snapshots, of one minute at most in the queue and 30 s after. */
  public static FakeRunClasses usual() {
    return new FakeRunClasses()
        .with(runClass("python", RunClassSpec.Purpose.Run, "runner:1", 30, 60))
        .with(runClass("snapshot", RunClassSpec.Purpose.Snapshot, "runner:1", 30, 60));
  }

  public FakeRunClasses with(RunClass runClass) {
    classes.put(runClass.getMetadata().getName(), runClass);
    return this;
  }

  /** A class that is open to all namespaces. */
  public static RunClass runClass(
      String name,
      RunClassSpec.Purpose purpose,
      String image,
      int defaultSeconds,
      int pendingSeconds) {
    RunClass runClass = new RunClass();
    runClass.setMetadata(new ObjectMetaBuilder().withName(name).build());
    runClass.setSpec(
        RunClassSpecBuilder.builder()
            .purpose(purpose)
            .allowedNamespaces(List.of("*"))
            .image(image)
            .languages(purpose == RunClassSpec.Purpose.Run ? List.of(Language.PYTHON) : null)
            .resources(ClassResourcesBuilder.builder().cpu("1").memory("512Mi").build())
            .scratch(
                ClassScratchBuilder.builder()
                    .sizeLimit("64Mi")
                    .medium(RunClassSpec.ClassScratch.Medium.Memory)
                    .build())
            .timeouts(
                ClassTimeoutsBuilder.builder()
                    .defaultSeconds(defaultSeconds)
                    .maxSeconds(600)
                    .pendingSeconds(pendingSeconds)
                    .build())
            .output(ClassOutputBuilder.builder().limitBytes(1_048_576).build())
            .build());
    return runClass;
  }

  @Override
  public Optional<RunClass> find(String className) {
    return Optional.ofNullable(classes.get(className));
  }

  @Override
  public List<RunClass> all() {
    return List.copyOf(classes.values());
  }
}
