package dev.assay.cli.local;

import dev.assay.api.v1alpha1.ClassOutputBuilder;
import dev.assay.api.v1alpha1.ClassResourcesBuilder;
import dev.assay.api.v1alpha1.ClassSourceBuilder;
import dev.assay.api.v1alpha1.ClassToolsBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassScratch;
import dev.assay.api.v1alpha1.RunClassSpec.ClassSource;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTimeouts;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.EgressCheck;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassSpecBuilder;
import dev.assay.cli.jvm.JvmRunner;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects that the chart installs in a cluster, for one machine. */
final class LocalObjects {
  static final String SYSTEM_NAMESPACE = "assay-system";
  static final String RUN_NAMESPACE = "assay-runs";

  /** Where the credentials of tool servers are. */
  static final String CREDENTIAL_NAMESPACE = "assay-tool-credentials";

  /** The image of all Pods; local mode runs the Python environment in its place. */
  static final String IMAGE = "assay/runner:local";

  /** The command of the image that the operator dials. */
  static final List<String> SERVER = List.of("python3", "-I", "-m", "assay_runner.supervisor");

  /** The claim that snapshots are on. */
  static final String SNAPSHOTS = "assay-snapshots";

  /** The volume with the files of a person's folder, and its claim. */
  static final String DATA = "data";

  private static final int OUTPUT_BYTES = 1 << 20;

  private LocalObjects() {}

  static Namespace namespace(String name) {
    return new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  /** The classes of a local mode with these settings. */
  static List<RunClass> classes(LocalSettings settings) {
    AnalyticsSettings analytics = settings.analytics();
    List<RunClass> classes = new ArrayList<>();
    classes.add(python(analytics, !settings.scripts().toolServers().isEmpty()));
    classes.add(code(analytics));
    classes.add(sql(analytics));
    if (JvmRunner.runsScripts()) {
      classes.add(scripts(settings.scripts().scriptsAtOnce()));
    }
    classes.add(snapshots(analytics));
    return classes;
  }

  /**
   * The class of Python and Polars.
   *
   * @param callsTools whether code may call tools; a script may without being asked
   */
  static RunClass python(AnalyticsSettings settings, boolean callsTools) {
    List<Language> languages = List.of(Language.PYTHON, Language.POLARS);
    RunClassSpec spec = spec(Purpose.Run, languages, "2Gi", "256Mi", 30);
    ClassTools tools = ClassToolsBuilder.builder().servers(List.of("*")).build();
    return runClass(
        "python",
        spec.with()
            .environment(settings.pythonEnvironment())
            .tools(callsTools ? tools : null)
            .build());
  }

  /** The class of code with the analytics library; no run gets it that does not name it. */
  static RunClass code(AnalyticsSettings settings) {
    RunClassSpec spec = spec(Purpose.Run, List.of(Language.PYTHON), "2Gi", "256Mi", 120);
    return runClass(
        "code", spec.with().defaultFor(null).environment(settings.pythonEnvironment()).build());
  }

  static RunClass sql(AnalyticsSettings settings) {
    RunClassSpec spec = spec(Purpose.Run, List.of(Language.SQL), "3Gi", "2Gi", 30);
    return runClass("sql", spec.withEnvironment(settings.sqlEnvironment()));
  }

  /**
   * The class of scripts.
   *
   * @param atOnce how many run at a time
   */
  static RunClass scripts(int atOnce) {
    List<Language> languages = List.of(Language.JAVASCRIPT, Language.TYPESCRIPT);
    RunClassSpec spec = spec(Purpose.Run, languages, "384Mi", "16Mi", 120);
    return runClass("javascript", spec.withMaxConcurrentRuns(atOnce));
  }

  static RunClass snapshots(AnalyticsSettings settings) {
    RunClassSpec spec = spec(Purpose.Snapshot, null, "4Gi", "256Mi", 120);
    ClassSource source = ClassSourceBuilder.builder().frameBytes(settings.frameBytes()).build();
    return runClass("snapshot", spec.withSource(source));
  }

  private static RunClass runClass(String name, RunClassSpec spec) {
    RunClass runClass = new RunClass();
    runClass.setMetadata(new ObjectMetaBuilder().withName(name).build());
    runClass.setSpec(spec);
    return runClass;
  }

  private static RunClassSpec spec(
      Purpose purpose,
      @Nullable List<Language> languages,
      String memory,
      String scratch,
      int defaultSeconds) {
    return RunClassSpecBuilder.builder()
        .purpose(purpose)
        .allowedNamespaces(List.of(RUN_NAMESPACE))
        .image(IMAGE)
        .languages(languages)
        .defaultFor(languages)
        .resources(ClassResourcesBuilder.builder().cpu("1").memory(memory).build())
        .scratch(new ClassScratch(scratch, ClassScratch.Medium.Disk))
        .timeouts(new ClassTimeouts(defaultSeconds, 600, 300))
        .output(ClassOutputBuilder.builder().limitBytes(OUTPUT_BYTES).build())
        // Pods share the loopback with everything that listens there.
        .egressCheck(purpose == Purpose.Run ? EgressCheck.Disabled : null)
        .build();
  }

  static Dataset dataset(String resourceName, String displayName, DatasetSource source) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(metadata(resourceName));
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName(displayName)
            .className("snapshot")
            .source(source)
            .build());
    return dataset;
  }

  private static ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(RUN_NAMESPACE).build();
  }
}
