package dev.assay.frontend;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
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
        new RunClassSpec(
            purpose,
            List.of("*"),
            image,
            null,
            null,
            purpose == RunClassSpec.Purpose.Run ? List.of(Language.PYTHON) : null,
            new RunClassSpec.ClassResources("1", "512Mi", null),
            new RunClassSpec.ClassScratch("64Mi", RunClassSpec.ClassScratch.Medium.Memory),
            new RunClassSpec.ClassTimeouts(defaultSeconds, 600, pendingSeconds),
            new RunClassSpec.ClassOutput(1_048_576),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null));
    return runClass;
  }

  @Override
  public Optional<RunClass> find(String className) {
    return Optional.ofNullable(classes.get(className));
  }
}
