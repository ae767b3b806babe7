package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.e2e.NetworkProbe.Alone;
import dev.assay.e2e.NetworkProbe.Control;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Code in a run can access only its datasets and its scratch directory, and only the operator can
 * connect to its Pod, or to the tool gateway. The probes are those of docs/security.md.
 */
@Full
class NoWayOutE2E {
  private static final Logger LOG = LoggerFactory.getLogger(NoWayOutE2E.class);
  private static final String GATE = "metadata tcp4";
  private static final String CLAIMED = "e2e-claimed";

  /** Long enough to look at the Pod of a run that has ended. */
  private static final int RETENTION_SECONDS = 20;

  /** How long each target is tried. */
  private static final int PATIENCE_SECONDS = 20;

  private static final int OBSTINACY_SECONDS = 2;

  private static Runs runs;
  private static AnalyticsRun otherRun;
  private static Pod otherRunPod;
  private static Neighbours neighbours;
  private static NetworkTargets targets;

  @BeforeAll
  static void targets(Assay assay) {
    Samples.sales(assay);
    // Another dataset of the namespace, which is not visible to runs over the first.
    assay.inlineDataset("survey", DatasetFormat.CSV, Samples.text("data/survey.csv"));
    runs = new Runs(assay);
    Classes.likePython(
        assay,
        CLAIMED,
        spec -> {
          spec.put("podRetentionSeconds", RETENTION_SECONDS);
          spec.putObject("warmPool").put("min", 1);
        });
    otherRun = runs.create("python", "import time\ntime.sleep(290)", 300, "sales-data");
    runs.awaitRunning(otherRun);
    otherRunPod = runs.awaitPod(otherRun);
    neighbours = new Neighbours(assay, otherRunPod);
    targets = new NetworkTargets(assay, otherRunPod, neighbours);
  }

  @AfterAll
  static void nothingIsLeft(Assay assay) {
    Classes.remove(assay, CLAIMED);
    neighbours.close();
    runs.delete(otherRun);
    runs.awaitNoPod(otherRun);
  }

  @Test
  void withTheFilterNoSocketOfTheNetworkOpens(Assay assay) {
    Reply reply = assay.run("sales_data", targets.program(NetworkProbe.ALL, probe -> 0, null));
    assertThat(reply.isError()).as(reply.text()).isFalse();
    assertNoSocketOpens(reply.text());
  }

  @Test
  void withTheFilterNoSocketOpensInAPodThatWasThereBeforeTheRun() {
    AnalyticsRun run = claimed(targets.program(NetworkProbe.ALL, probe -> 0, null));
    assertNoSocketOpens(Runs.output(run.getStatus()));
  }

  private static void assertNoSocketOpens(String output) {
    Map<String, Finding> found = Finding.in(output);
    assertThat(found).containsOnlyKeys(names(probe -> true));
    found.forEach(
        (name, finding) ->
            assertThat(finding)
                .as(name)
                .isEqualTo(
                    name.equals("dns-name name")
                        // The resolver of the C library does not report why it has no socket.
                        ? new Finding("unreached", "[Errno -3] Network access is disabled")
                        : new Finding("no-socket", "EACCES")));
  }

  @Test
  void withoutTheFilterTheNetworkPolicyRefusesAllTheSame(Assay assay) {
    assertPolicyRefuses(assay, otherRunPod, "e2e-without-filter");
  }

  /** Its Pod has other labels than that of a cold run. */
  @Test
  void withoutTheFilterTheNetworkPolicyRefusesAllTheSameToAPodThatWasThereBeforeTheRun(
      Assay assay) {
    BoundPod bound = requireNonNull(claimed("print(1)").getStatus().pod());
    Pod pod =
        assay.kubernetes().pods().inNamespace(assay.namespace()).withName(bound.name()).require();
    assertPolicyRefuses(assay, pod, "e2e-without-filter-claimed");
  }

  private static void assertPolicyRefuses(Assay assay, Pod runPod, String name) {
    String program =
        targets.program(
            NetworkProbe.ALL,
            probe -> probe.alone() == Alone.SAME_POD ? PATIENCE_SECONDS : OBSTINACY_SECONDS,
            GATE);
    String output = ProbePods.run(assay.kubernetes(), ProbePods.likeRun(runPod, name, program));
    Map<String, Finding> found = Finding.in(output);
    // The network plugin learns about a Pod only after its creation; runs do not start that early.
    assertThat(found).containsKey("gate");
    LOG.info("Before its NetworkPolicy the Pod without a filter {}", found.get("gate"));
    for (NetworkProbe probe : NetworkProbe.ALL) {
      String expected = probe.alone() == Alone.SAME_POD ? "reached" : "unreached";
      assertThat(found)
          .hasEntrySatisfying(
              probe.name(),
              finding ->
                  assertThat(finding.verdict())
                      .as("%s: %s", probe.name(), finding.detail())
                      .isEqualTo(expected));
    }
    assertThat(found)
        .hasEntrySatisfying(
            "own-loopback command",
            finding -> assertThat(finding.detail()).startsWith("HTTP/1.1 401"));
  }

  @Test
  void whatARunMayNotReachIsReachedByAPodThatMay(Assay assay) {
    assertReached(assay, Control.ORDINARY, neighbours.namespace(), Map.of());
  }

  @Test
  void theOperatorAndNobodyElseReachesARunPodOrTheToolGateway(Assay assay) {
    String system = assay.installation().systemNamespace();
    assertReached(assay, Control.OPERATOR, system, labels("operator"));
    Predicate<NetworkProbe> toThem = probe -> probe.control() == Control.OPERATOR;
    for (Pod stranger :
        List.of(
            ProbePods.ordinary(
                otherRunPod,
                neighbours.namespace(),
                "e2e-stranger",
                Map.of(),
                program(toThem, OBSTINACY_SECONDS)),
            ProbePods.unready(
                otherRunPod,
                system,
                "e2e-stranger",
                labels("mcp-frontend"),
                program(toThem, OBSTINACY_SECONDS)))) {
      Map<String, Finding> found = Finding.in(ProbePods.run(assay.kubernetes(), stranger));
      assertThat(found).containsOnlyKeys(names(toThem));
      assertThat(found.values()).extracting(Finding::verdict).containsOnly("unreached");
    }
  }

  @Test
  void theToolGatewayReachesWhatItNeedsAndWhatIsPublic(Assay assay) {
    List<NetworkProbe> probes =
        NetworkProbe.OF_TOOL_GATEWAY.keySet().stream().map(NetworkProbe::tcp).toList();
    String program =
        targets.program(
            probes,
            probe ->
                NetworkProbe.OF_TOOL_GATEWAY.get(probe.target())
                    ? PATIENCE_SECONDS
                    : OBSTINACY_SECONDS,
            GATE);
    String output =
        ProbePods.run(
            assay.kubernetes(),
            ProbePods.unready(
                otherRunPod,
                assay.installation().systemNamespace(),
                "e2e-tool-gateway",
                labels("tool-gateway"),
                program));
    Map<String, Finding> found = Finding.in(output);
    for (NetworkProbe probe : probes) {
      assertThat(found)
          .hasEntrySatisfying(
              probe.name(),
              finding ->
                  assertThat(finding.verdict())
                      .as("%s: %s", probe.name(), finding.detail())
                      .isEqualTo(
                          NetworkProbe.OF_TOOL_GATEWAY.get(probe.target())
                              ? "reached"
                              : "unreached"));
    }
  }

  @Test
  void theFrontEndReachesTheOperator(Assay assay) {
    assertReached(
        assay, Control.FRONT_END, assay.installation().systemNamespace(), labels("mcp-frontend"));
  }

  @Test
  void theSandboxHoldsAndTheRunEndsAsIfNothingHadBeenTried(Assay assay) {
    Reply reply = assay.run("sales_data", SecurityPage.sandboxProgram());
    assertSandboxHolds(reply.text());
    assertThat(reply.isError()).isFalse();
  }

  @Test
  void theSandboxHoldsInAPodThatWasThereBeforeTheRun() {
    String settings = "CLAIMED = True\nWRITABLE.add('/datasets')";
    AnalyticsRun run = claimed(SecurityPage.sandboxProgram(settings));
    assertSandboxHolds(Runs.output(run.getStatus()));
  }

  @Test
  void ofHostileFilesThoseThatAreFilesAreCollectedInAPodThatWasThereBeforeTheRun() {
    AnalyticsRunStatus ended = claimed(Samples.text("probes/artifacts.py")).getStatus();
    String[] printed = Runs.output(ended).split("\\s+");
    assertThat(ended.artifactList())
        .extracting(RunArtifact::path)
        .containsExactly("artifacts/again", "artifacts/good", "artifacts/survivor", "registered");
    assertThat(ended.artifactList()).extracting(RunArtifact::sha256).contains(printed);
    assertThat(ended.artifactsMessage())
        .contains("not a regular file", "with a path that is", "over the", "too deep")
        .doesNotContain("\n", "\u001b", "passwd");
  }

  /** Inputs are not tried: a run that has some gets a Pod of its own. */
  @Test
  void filesOfTheJobHarmNoDatasetInAPodThatWasThereBeforeTheRun() {
    AnalyticsRun run =
        claimed(
            """
            import os
            source = "/datasets/sales-data/source.csv"
            print(open("sales_data.csv").read(), len(df), len(pd.read_csv(source)))
            for path in (source, os.path.realpath(source)):
                try:
                    open(path, "r+b").close()
                    print("opened", path)
                except OSError:
                    print("refused")
            """,
            spec -> spec.withFiles(List.of(new RunFile("sales_data.csv", "mine"))));
    assertThat(Runs.output(run.getStatus())).isEqualTo("mine 150 150\nrefused\nrefused\n");
  }

  /** A run over {@code sales-data} that has succeeded in a warm Pod, with its status. */
  private static AnalyticsRun claimed(String program) {
    return claimed(program, spec -> spec);
  }

  private static AnalyticsRun claimed(String program, UnaryOperator<AnalyticsRunSpec> change) {
    AnalyticsRunSpec spec =
        change.apply(
            AnalyticsRunSpecBuilder.builder()
                .className(CLAIMED)
                .language(Language.PYTHON)
                .code(program)
                .datasets(List.of("sales-data"))
                .timeoutSeconds(60)
                .build());
    AnalyticsRun run = runs.awaitWarm(() -> runs.create(spec), ended -> {});
    assertThat(requireNonNull(run.getStatus().pod()).warm()).isTrue();
    return run;
  }

  private static void assertSandboxHolds(String output) {
    Map<String, Finding> found = Finding.in(output);
    assertThat(found).as(output).containsOnlyKeys(SecurityPage.sandboxProbes());
    Map<String, Finding> broken =
        found.entrySet().stream()
            .filter(entry -> !entry.getValue().verdict().equals("held"))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    assertThat(broken).isEmpty();
  }

  private static void assertReached(
      Assay assay, Control control, String namespace, Map<String, String> labels) {
    Predicate<NetworkProbe> mine = probe -> probe.control() == control;
    String name = "e2e-" + control.name().toLowerCase(Locale.ROOT).replace('_', '-');
    Pod pod =
        ProbePods.unready(otherRunPod, namespace, name, labels, program(mine, PATIENCE_SECONDS));
    Map<String, Finding> found = Finding.in(ProbePods.run(assay.kubernetes(), pod));
    assertThat(found).containsOnlyKeys(names(mine));
    found.forEach(
        (probe, finding) ->
            assertThat(finding.verdict())
                .as("%s: %s", probe, finding.detail())
                .isEqualTo("reached"));
  }

  private static String program(Predicate<NetworkProbe> which, int patience) {
    List<NetworkProbe> probes = NetworkProbe.ALL.stream().filter(which).toList();
    return targets.program(probes, probe -> patience, null);
  }

  private static List<String> names(Predicate<NetworkProbe> which) {
    return NetworkProbe.ALL.stream().filter(which).map(NetworkProbe::name).toList();
  }

  private static Map<String, String> labels(String component) {
    return Map.of("app.kubernetes.io/name", "assay", "app.kubernetes.io/component", component);
  }
}
