package dev.assay.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.CrdManifests;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator as a process. */
@Tag("slow")
class MainTest {
  private static final String CONFIG =
      """
      namespaces:
        - name: %s
          snapshotClaim: snapshots
      runTtlSeconds: 60
      maxRunsPerNamespace: 20000
      outputStore:
        directory: %s
        maxRunsPerNamespace: 10
        maxBytesPerNamespace: 1000000
        cacheMaxBytesPerNamespace: 1000000
      signingKeyMaxAgeDays: 0
      snapshotCleanup:
        everySeconds: 0
        minAgeSeconds: 60
      warmPools:
        maxIdleMemoryBytesPerNamespace: 0
        maxIdleMemoryBytes: 0
        watchNodes: true
      operatorPodLabels:
        app: assay
      """;

  @TempDir Path directory = Path.of("");
  private final FakeApiServer api = new FakeApiServer();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void anOperatorThatCannotStartEndsAndSaysWhy() throws Exception {
    api.refuse("GET", "/apis/assay.dev/", 404, "NotFound", "the server has no such resource");
    Process operator = start();
    try {
      assertThat(operator.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(operator.exitValue()).isEqualTo(1);
      assertThat(log())
          .satisfiesOnlyOnce(line -> assertThat(line).contains("The operator cannot start: "));
    } finally {
      operator.destroyForcibly().waitFor();
    }
  }

  @Test
  void noCrdIsAppliedIfOneWouldLoseObjects() throws Exception {
    CrdManifests.all().forEach(api::put);
    api.put(
        new CustomResourceDefinitionBuilder(CrdManifests.all().getLast())
            .withNewStatus()
            .withStoredVersions("v1alpha0")
            .endStatus()
            .build());
    Process crds = start("crds");
    try {
      assertThat(crds.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(crds.exitValue()).isEqualTo(1);
      assertThat(log()).last().asString().contains("stored in version v1alpha0");
      assertThat(api.requests("PATCH", "")).isEmpty();
    } finally {
      crds.destroyForcibly().waitFor();
    }
  }

  @Test
  void theProgramThatUpgradesCrdsEndsOnceTheyAreApplied() throws Exception {
    CrdManifests.all().forEach(api::put);
    Process crds = start("crds");
    try {
      assertThat(crds.waitFor(2, TimeUnit.MINUTES)).as("it ends").isTrue();
      assertThat(crds.exitValue()).isZero();
      assertThat(api.requests("PATCH", "/customresourcedefinitions/")).hasSize(4);
    } finally {
      crds.destroyForcibly().waitFor();
    }
  }

  private Process start(String... arguments) throws IOException {
    Path config = directory.resolve("operator.yaml");
    Files.writeString(config, CONFIG.formatted(Samples.NAMESPACE, directory.resolve("output")));
    List<String> command = new ArrayList<>();
    Collections.addAll(
        command,
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m",
        "-cp",
        System.getProperty("java.class.path"),
        "-Dkubernetes.master=" + api.uri(),
        "-Dkubernetes.auth.tryKubeConfig=false",
        "-Dkubernetes.auth.tryServiceAccount=false",
        Main.class.getName());
    Collections.addAll(command, arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("ASSAY_CONFIG", config.toString());
    builder.environment().put("ASSAY_HEALTH_PORT", "0");
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }

  private List<String> log() throws IOException {
    return Files.readAllLines(directory.resolve("log"), UTF_8);
  }
}
