package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Escapes from containers, tried in runc and in gVisor, which {@code dev/cluster up --gvisor} adds.
 * Those of docs/security.md.
 */
@Full
class EscapesE2E {
  private static final String RUNC = "runc";
  private static final String GVISOR = "gvisor";

  /** Would end the run: the launcher is an ordinary process there. */
  private static final String NOT_IN_GVISOR = "launcher-signals";

  /** What holds in runc only; docs/security.md says what there is in gVisor instead. */
  private static final Set<String> BROKEN_IN_GVISOR =
      Set.of(
          "launcher-descriptors",
          "launcher-proc-files",
          "launcher-links",
          "other-datasets",
          "devices",
          "file-handles");

  @BeforeAll
  static void classes(Assay assay) {
    Samples.sales(assay);
    Classes.likePython(assay, className(RUNC), spec -> spec.remove("runtimeClassName"));
    Classes.likePython(assay, className(GVISOR), spec -> spec.put("runtimeClassName", GVISOR));
  }

  @AfterAll
  static void nothingIsLeft(Assay assay) {
    List.of(RUNC, GVISOR).forEach(runtime -> Classes.remove(assay, className(runtime)));
  }

  @ParameterizedTest
  @ValueSource(strings = {RUNC, GVISOR})
  void noEscapeSucceeds(String runtime, Assay assay) {
    assumeThereIs(runtime, assay);
    assertHeld(run(runtime, SecurityPage.escapeProgram(), assay), SecurityPage.escapeProbes());
  }

  @Test
  void inGvisorTheSandboxHoldsButForWhatIsDocumented(Assay assay) {
    assumeThereIs(GVISOR, assay);
    String program = SecurityPage.sandboxProgram("LEFT_OUT = {'" + NOT_IN_GVISOR + "'}");
    Map<String, Finding> found = Finding.in(run(GVISOR, program, assay));
    List<String> tried = new ArrayList<>(SecurityPage.sandboxProbes());
    tried.remove(NOT_IN_GVISOR);
    assertThat(found).containsOnlyKeys(tried);
    assertThat(found)
        .allSatisfy(
            (name, finding) -> {
              assertThat(finding.verdict())
                  .as("%s: %s", name, finding.detail())
                  .isEqualTo(BROKEN_IN_GVISOR.contains(name) ? "broken" : "held");
              assertThat(finding.detail()).doesNotContain("the probe itself failed");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {RUNC, GVISOR})
  void theKernelIsThatOfTheRuntime(String runtime, Assay assay) {
    assumeThereIs(runtime, assay);
    String version = run(runtime, "print(open('/proc/version').read())", assay);
    assertThat(version.contains("gvisor")).as(version).isEqualTo(runtime.equals(GVISOR));
  }

  private static void assumeThereIs(String runtime, Assay assay) {
    assumeThat(
            runtime.equals(RUNC)
                || assay.kubernetes().resources(RuntimeClass.class).withName(runtime).get() != null)
        .as("this cluster has %s", runtime)
        .isTrue();
  }

  private static String run(String runtime, String program, Assay assay) {
    Runs runs = new Runs(assay);
    AnalyticsRunStatus ended =
        runs.awaitEnd(runs.create(className(runtime), program, 120, "sales-data"));
    assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
    return Runs.output(ended);
  }

  private static void assertHeld(String output, List<String> probes) {
    Map<String, Finding> found = Finding.in(output);
    assertThat(found).as(output).containsOnlyKeys(probes);
    assertThat(found)
        .allSatisfy((name, finding) -> assertThat(finding.verdict()).isEqualTo("held"));
  }

  private static String className(String runtime) {
    return "e2e-" + runtime;
  }
}
