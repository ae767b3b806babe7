package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A run namespace that others create, after the installation that names it. */
@Full
class RunNamespacesE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CHART = "../helm/assay";
  private static final String LATER = "assay-e2e-later";
  private static final String RUN = "analyticsrun/e2e-first-of-its-namespace";
  private static final String OPERATOR = "app.kubernetes.io/component=operator";
  private static final List<String> PROGRAMS =
      List.of("assay-operator", "assay-mcp-frontend", "assay-tool-gateway");

  private final String namespace;
  private final String system;

  RunNamespacesE2E(Assay assay) {
    this.namespace = assay.namespace();
    this.system = assay.installation().systemNamespace();
  }

  @Test
  void itIsServedOnceItsRoleBindingsAreThereAndHarmsNoOtherBefore() throws Exception {
    ArrayNode namespaces = namespaces();
    String before = namespaces.toString();
    namespaces.addObject().put("name", LATER).put("external", true);
    try {
      upgrade(namespaces.toString());
      assertThat(outputOfARunIn(namespace)).isEqualTo("42\n");
      String programs = programs();

      apply(objectsOfLater());
      assertThat(outputOfARunIn(LATER)).isEqualTo("42\n");

      assertThat(programs()).as("no program was started again").isEqualTo(programs);
      assertThat(outputOfARunIn(namespace)).as("others are served as before").isEqualTo("42\n");
      assertThat(Programs.kubectl("-n", system, "logs", "-l", OPERATOR, "--tail=-1").orFail())
          .as("the warm pools of all namespaces are kept")
          .contains("Serving namespace " + LATER)
          .doesNotContain("could not be kept");
    } finally {
      upgrade(before);
      Programs.kubectl("delete", "namespace", LATER, "--ignore-not-found").orFail();
      Programs.kubectl("-n", namespace, "delete", RUN, "--ignore-not-found").orFail();
    }
  }

  private ArrayNode namespaces() throws JsonProcessingException {
    String values = helm("get", "values", "assay", "--all", "--output", "json");
    return (ArrayNode) JSON.readTree(values).get("runNamespaces");
  }

  private void upgrade(String namespaces) {
    String value = "runNamespaces=" + namespaces;
    String unused = helm("upgrade", "assay", CHART, "--reuse-values", "--set-json", value);
    for (String program : PROGRAMS) {
      Programs.kubectl("-n", system, "rollout", "status", "deployment/" + program, "--timeout=170s")
          .orFail();
    }
  }

  /** What the chart puts into a namespace that is not external. */
  private String objectsOfLater() {
    return helm(
        "template",
        "assay",
        CHART,
        "--kube-version=1.30",
        "--show-only=templates/runs/namespaces.yaml",
        "--show-only=templates/runs/rbac.yaml",
        "--set=auth.mode=disabled,toolGateway.enabled=true",
        "--set=toolGateway.apiServer.addresses[0]=192.0.2.1",
        "--set-json",
        "runNamespaces=[{\"name\": \"%s\", \"create\": true}]".formatted(LATER));
  }

  private String helm(String... arguments) {
    List<String> command = new ArrayList<>(List.of("helm", "--namespace", system));
    command.addAll(List.of(arguments));
    return Programs.run(command, "", Map.of()).orFail();
  }

  private static void apply(String manifest) {
    String unused = Programs.kubectlWithInput(manifest, "apply", "-f", "-").orFail();
  }

  private static String outputOfARunIn(String namespace) {
    Programs.kubectl("-n", namespace, "delete", RUN, "--ignore-not-found").orFail();
    Programs.kubectlWithInput(
            Samples.text("manifests/first-run.yaml"), "apply", "-n", namespace, "-f", "-")
        .orFail();
    Programs.kubectl("-n", namespace, "wait", "--for=condition=Finished", RUN, "--timeout=120s")
        .orFail();
    return Programs.kubectl("-n", namespace, "get", RUN, "-o", "jsonpath={.status.result.output}")
        .orFail();
  }

  /** Pods and starts of all programs. */
  private String programs() {
    return Programs.kubectl(
            "-n",
            system,
            "get",
            "pods",
            "-l",
            "app.kubernetes.io/component in (operator,mcp-frontend,tool-gateway)",
            "--field-selector=status.phase=Running",
            "--sort-by=.metadata.name",
            "-o",
            "jsonpath={range .items[*]}{.metadata.name} "
                + "{.status.containerStatuses[0].restartCount}{'\\n'}{end}")
        .orFail();
  }
}
