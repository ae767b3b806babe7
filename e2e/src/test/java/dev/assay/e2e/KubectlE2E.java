package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything that an agent's call does can be done and observed with kubectl alone. */
@Core
class KubectlE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path PAGE = Path.of("../docs/code-execution.md");

  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void anAppliedRunRunsAndHoldsItsOutput(Assay assay) {
    String run = "analyticsrun/e2e-by-kubectl";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", run, "--timeout=120s");
      String code = assay.kubectl("get", run, "-o", "jsonpath={.spec.code}");
      assertThat(assay.kubectl("get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo(
              new PlainPandas(assay.installation())
                  .prints(DatasetFormat.CSV, Samples.file("data/sales.csv"), code));
      assertThat(assay.kubectl("get", "arun", "e2e-by-kubectl"))
          .contains("CLASS", "PHASE", "RUN TIME", "Succeeded", "python");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aQueryIsAppliedAndItsValueIsInItsStatus(Assay assay) throws IOException {
    JsonNode status = statusOf(assay, "manifests/sql-run.yaml", "e2e-sql-by-kubectl");
    JsonNode value = JSON.readTree(status.path("result").path("value").asText());
    long rows = Samples.text("data/sales.csv").lines().count() - 1;
    assertThat(value.path("table").path("rows")).hasToString("[[" + rows + ",7]]");
    assertThat(status.path("imageID").asText()).startsWith("sha256:");
    assertThat(status.path("cacheKey").asText()).matches("[0-9a-f]{64}");
    assertThat(assay.kubectl("get", "runclass", "sql", "-o", "jsonpath={.status.imageID}"))
        .isEqualTo(status.path("imageID").asText());
  }

  @Test
  void aProfileIsAppliedWithoutCode(Assay assay) throws IOException {
    JsonNode status = statusOf(assay, "manifests/builtin-run.yaml", "e2e-builtin-by-kubectl");
    assertThat(status.path("result").path("valueBytes").asLong()).isPositive();
    assertThat(status.path("cacheKey").asText()).matches("[0-9a-f]{64}");
  }

  /** That of docs/code-execution.md, with what the page says that it prints. */
  @Test
  void theScriptOfThePageIsAppliedAndItsValueIsInItsStatus(Assay assay) throws IOException {
    String manifest = blockOf("yaml", "kind: AnalyticsRun");
    assertThat(manifest).contains("name: totals\n", "namespace: assay-runs\n");
    JsonNode result = statusOfText(assay, manifest, "totals", "Succeeded").path("result");
    assertThat(result.path("value").asText() + "\n" + result.path("output").asText())
        .isEqualTo(blockOf("", "orders: 2"));
  }

  @Test
  void theStoredScriptOfThePageIsCalledByItsName(Assay assay) {
    String manifest = blockOf("yaml", "kind: ConfigMap");
    String input = "{\"orders\": [{\"amount\": 2.5}, {\"amount\": 4}]}";
    applyText(assay, manifest);
    try {
      Programs.Finished called =
          assay.program("code", "exec", "--script=totals", "--input=" + input);
      assertThat(Script.json(called.orFail()).path("value")).hasToString("{\"total\":6.5}");
    } finally {
      assay.kubectl("delete", "configmap", "team-scripts");
    }
  }

  /** The one block of the page that has a text. */
  private static String blockOf(String language, String part) {
    List<String> found =
        FencedBlock.of(PAGE).stream()
            .filter(block -> block.language().equals(language) && block.text().contains(part))
            .map(FencedBlock::text)
            .toList();
    assertThat(found).as(part).hasSize(1);
    return found.getFirst();
  }

  @Test
  void aRunWhoseInputIsNotJsonIsInvalid(Assay assay) throws IOException {
    JsonNode status =
        statusOf(assay, "manifests/invalid-input-run.yaml", "e2e-invalid-input", "Failed");
    assertThat(status.path("reason").asText()).isEqualTo("InvalidSpec");
    assertThat(status.path("message").asText())
        .startsWith("spec.input must be a single JSON value");
    assertThat(status.path("payloadStarted").asText()).isEqualTo("No");
  }

  private static JsonNode statusOf(Assay assay, String manifest, String name) throws IOException {
    return statusOf(assay, manifest, name, "Succeeded");
  }

  /** The status of an applied run once it has this phase. */
  private static JsonNode statusOf(Assay assay, String manifest, String name, String phase)
      throws IOException {
    return statusOfText(assay, Samples.text(manifest), name, phase);
  }

  private static JsonNode statusOfText(Assay assay, String manifest, String name, String phase)
      throws IOException {
    String run = "analyticsrun/" + name;
    assay.kubectl("delete", run, "--ignore-not-found");
    applyText(assay, manifest);
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=" + phase, run, "--timeout=120s");
      return JSON.readTree(assay.kubectl("get", run, "-o", "json")).path("status");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aRunIsCancelledByOnePatch(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      assay.kubectl("patch", run, "--type=merge", "-p", "{\"spec\":{\"cancel\":true}}");
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Cancelled", run, "--timeout=30s");
      assertThat(assay.kubectl("get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo("begun\n");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aRunWhosePodIsDeletedKeepsItsOutputAndSaysThatItStarted(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      String pod = assay.kubectl("get", run, "-o", "jsonpath={.status.pod.name}");
      assay.kubectl("delete", "pod", pod, "--wait=false");
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", run, "--timeout=60s");
      assertThat(
              assay.kubectl(
                  "get",
                  run,
                  "-o",
                  "jsonpath={.status.reason} {.status.payloadStarted} {.status.result.output}"))
          .isEqualTo("PodLost Yes begun\n");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aCallOfAnAgentIsARunThatKubectlLists(Assay assay) {
    assertThat(assay.run("sales_data", "print('look for me')").isError()).isFalse();
    assertThat(
            assay.kubectl(
                "get",
                "analyticsruns",
                "-o",
                "jsonpath={range .items[*]}{.spec.tool}|{.spec.code}|{.status.phase}{\"\\n\"}{end}"))
        .contains(Assay.TOOL + "|print('look for me')|Succeeded");
  }

  private static void apply(Assay assay, String manifest) {
    applyText(assay, Samples.text(manifest));
  }

  private static void applyText(Assay assay, String manifest) {
    Programs.kubectlWithInput(manifest, "apply", "-n", assay.namespace(), "-f", "-").orFail();
  }
}
