package dev.assay.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What users do with the real kubectl. */
@Timeout(120)
public interface KubectlContract extends Contract {
  /** The program, if there is one. */
  Optional<Path> kubectlProgram();

  /** Options that connect kubectl to the server. */
  List<String> kubectlOptions();

  private Kubectl kubectl() {
    Optional<Path> program = kubectlProgram();
    assumeThat(program).as("no kubectl on this machine: dev/cluster up makes one").isPresent();
    return new Kubectl(
        program.orElseThrow(),
        Stream.concat(kubectlOptions().stream(), Stream.of("--namespace", namespace())).toList());
  }

  private String runYaml(String name) {
    return """
        apiVersion: assay.dev/v1alpha1
        kind: AnalyticsRun
        metadata:
          name: %s
        spec:
          code: print(1)
          caller: somebody
        """
        .formatted(name);
  }

  private void create(Kubectl kubectl, String name) {
    kubectl.run(runYaml(name), "create", "--validate=false", "-f", "-").orFail();
  }

  @Test
  default void getPrintsTheColumnsOfTheCrd() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    server()
        .mergePatch(
            runs() + "/" + name + "/status", "{\"status\": {\"className\": \"python-large\"}}")
        .orFail();
    List<String> lines = kubectl.run("", "get", "arun", name).orFail().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst().split(" {2,}"))
        .containsExactly("NAME", "CLASS", "PHASE", "REASON", "RUN TIME", "AGE");
    assertThat(lines.getLast()).matches(name + " +python-large +[0-9]+s");
    assertThat(kubectl.run("", "get", "analyticsrun", name, "-o", "wide").orFail())
        .contains("CALLER", "somebody");
    assertThat(kubectl.run("", "get", "assay").orFail()).contains(name);
    assertThat(kubectl.run("", "get", "arun", name, "-o", "jsonpath={.spec.language}").orFail())
        .isEqualTo("python");
  }

  @Test
  default void getFollowsChanges() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    // For a single name, kubectl drops the first event, and with it an earlier change.
    String selector = "metadata.name=" + name;
    try (Kubectl.Running watch = kubectl.start("get", "arun", "--field-selector", selector, "-w")) {
      assertThat(watch.lineWith(name)).doesNotContain("Failed");
      server()
          .mergePatch(
              runs() + "/" + name + "/status",
              "{\"status\": {\"phase\": \"Failed\", \"reason\": \"CodeError\"}}")
          .orFail();
      assertThat(watch.lineWith("Failed")).contains(name, "CodeError");
    }
  }

  @Test
  default void createIsValidatedByTheServer() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    kubectl.run(runYaml(name), "create", "-f", "-").orFail();
    var unknown =
        kubectl.run(
            runYaml(freshName()).replace("code:", "nonsense: 1\n  code:"), "create", "-f", "-");
    assertThat(unknown.exit()).isNotZero();
    assertThat(unknown.errors()).contains("unknown field \"spec.nonsense\"");
    var invalid =
        kubectl.run(
            runYaml(freshName()).replace("code:", "timeoutSeconds: 0\n  code:"),
            "create",
            "--validate=false",
            "-f",
            "-");
    assertThat(invalid.exit()).isNotZero();
    assertThat(invalid.errors()).contains("is invalid", "spec.timeoutSeconds");
  }

  @Test
  default void applyCreatesAndChanges() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    assertThat(kubectl.run(runYaml(name), "apply", "--validate=false", "-f", "-").orFail())
        .contains("created");
    assertThat(
            kubectl
                .run(runYaml(name) + "  cancel: true\n", "apply", "--validate=false", "-f", "-")
                .orFail())
        .contains("configured");
    assertThat(kubectl.run("", "get", "arun", name, "-o", "jsonpath={.spec.cancel}").orFail())
        .isEqualTo("true");
  }

  @Test
  default void describeShowsTheObjectAndItsEvents() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    var run = server().get(runs() + "/" + name).orFail();
    server()
        .post(
            "/api/v1/namespaces/" + namespace() + "/events",
            """
            {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "%s"},
             "involvedObject": {"apiVersion": "assay.dev/v1alpha1", "kind": "AnalyticsRun",
               "namespace": "%s", "name": "%s", "uid": "%s"},
             "type": "Normal", "reason": "Told", "message": "something was told", "count": 1,
             "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z"}"""
                .formatted(freshName(), namespace(), name, run.at("/metadata/uid").asText()))
        .orFail();
    assertThat(kubectl.run("", "describe", "arun", name).orFail())
        .contains("Name:", name, "Caller:", "somebody", "Told", "something was told");
  }

  @Test
  default void patchAndLabelChangeAnObject() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    kubectl
        .run("", "patch", "arun", name, "--type=merge", "-p", "{\"spec\":{\"cancel\":true}}")
        .orFail();
    kubectl.run("", "label", "arun", name, "team=blue").orFail();
    assertThat(kubectl.run("", "get", "arun", "-l", "team=blue", "-o", "name").orFail())
        .isEqualTo("analyticsrun.assay.dev/" + name + "\n");
    var unset =
        kubectl.run(
            "", "patch", "arun", name, "--type=merge", "-p", "{\"spec\":{\"cancel\":false}}");
    assertThat(unset.exit()).isNotZero();
    assertThat(unset.errors()).contains("cancel cannot be unset");
  }

  @Test
  default void waitSeesACondition() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    server()
        .mergePatch(runs() + "/" + name + "/status", "{\"status\": {\"phase\": \"Succeeded\"}}")
        .orFail();
    kubectl
        .run(
            "",
            "wait",
            "--for=jsonpath={.status.phase}=Succeeded",
            "analyticsrun/" + name,
            "--timeout=60s")
        .orFail();
  }

  @Test
  default void deleteWaitsUntilTheObjectIsGone() {
    Kubectl kubectl = kubectl();
    String name = freshName();
    create(kubectl, name);
    assertThat(kubectl.run("", "delete", "arun", name).orFail()).contains("deleted");
    var gone = kubectl.run("", "get", "arun", name);
    assertThat(gone.exit()).isNotZero();
    assertThat(gone.errors()).contains("(NotFound)", name);
  }
}
