package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operator, front end and tool gateway have no more permissions than they need. */
@Core
class LeastPrivilegeE2E {
  @ParameterizedTest(name = "{0} may {1} {2} {3}: {4}")
  @CsvSource({
    "assay-mcp-frontend, create, analyticsruns.assay.dev, run, yes",
    "assay-mcp-frontend, create, datasets.assay.dev, run, yes",
    "assay-mcp-frontend, patch, analyticsruns.assay.dev/status, run, no",
    "assay-mcp-frontend, patch, datasets.assay.dev/status, run, no",
    "assay-mcp-frontend, delete, analyticsruns.assay.dev, run, no",
    "assay-mcp-frontend, delete, datasets.assay.dev, run, yes",
    "assay-mcp-frontend, use, runclasses.assay.dev, run, no",
    "assay-mcp-frontend, operate, analyticsruns.assay.dev, run, no",
    "assay-mcp-frontend, create, pods, run, no",
    "assay-mcp-frontend, get, pods, run, no",
    "assay-mcp-frontend, create, pods/exec, run, no",
    "assay-mcp-frontend, get, pods/log, run, no",
    "assay-mcp-frontend, get, secrets, run, no",
    "assay-mcp-frontend, get, secrets, system, no",
    "assay-mcp-frontend, create, events, system, yes",
    "assay-mcp-frontend, patch, events, system, no",
    "assay-mcp-frontend, get, events, system, no",
    "assay-mcp-frontend, create, events, run, no",
    "assay-mcp-frontend, create, runclasses.assay.dev, run, no",
    "assay-mcp-frontend, create, analyticsruns.assay.dev, default, no",
    "assay-operator, create, pods, run, yes",
    "assay-operator, patch, analyticsruns.assay.dev/status, run, yes",
    "assay-operator, create, analyticsruns.assay.dev, run, no",
    "assay-operator, create, datasets.assay.dev, run, no",
    "assay-operator, operate, analyticsruns.assay.dev, run, no",
    "assay-operator, create, pods/exec, run, no",
    "assay-operator, get, pods/log, run, no",
    "assay-operator, get, secrets, run, no",
    "assay-operator, create, pods, system, no",
    "assay-operator, create, pods, default, no",
    "assay-operator, list, secrets, system, no",
    "assay-operator, get, secrets:assay-api-keys, system, no",
    "assay-operator, create, clusterrolebindings.rbac.authorization.k8s.io, system, no",
    "assay-operator, patch, runclasses.assay.dev, run, no",
    "assay-operator, patch, runclasses.assay.dev/status, run, yes",
    "assay-mcp-frontend, patch, runclasses.assay.dev/status, run, no",
    "assay-operator, watch, nodes, run, yes",
    "assay-operator, get, nodes, run, no",
    "assay-operator, patch, nodes, run, no",
    "assay-mcp-frontend, list, nodes, run, no",
    "assay-operator, get, secrets:assay-operator-keys, system, yes",
    "assay-operator, patch, toolservers.assay.dev/status, run, yes",
    "assay-operator, patch, toolservers.assay.dev, run, no",
    "assay-operator, get, secrets, credentials, no",
    "assay-mcp-frontend, get, secrets, credentials, no",
    "assay-mcp-frontend, patch, toolservers.assay.dev, run, no",
    "assay-tool-gateway, get, secrets, credentials, yes",
    "assay-tool-gateway, list, secrets, credentials, no",
    "assay-tool-gateway, get, secrets, run, no",
    "assay-tool-gateway, get, secrets, system, no",
    "assay-tool-gateway, watch, toolservers.assay.dev, run, yes",
    "assay-tool-gateway, patch, toolservers.assay.dev/status, run, no",
    "assay-tool-gateway, get, analyticsruns.assay.dev, run, no",
    "assay-tool-gateway, create, pods, run, no",
    "assay-tool-gateway, get, pods, run, no",
    "default, get, analyticsruns.assay.dev, run, no",
  })
  void mayDoThisAndNoMore(
      String account, String verb, String resource, String where, String answer, Assay assay) {
    String system = assay.installation().systemNamespace();
    String namespace =
        switch (where) {
          case "run" -> assay.namespace();
          case "system" -> system;
          case "credentials" -> assay.installation().credentialNamespace();
          default -> where;
        };
    List<String> question = new ArrayList<>(List.of("auth", "can-i", verb));
    // kubectl parses the part after a slash as an object name; a subresource is an option.
    List<String> parts = Arrays.asList(resource.split("/", 2));
    question.add(parts.getFirst().replace(':', '/'));
    if (parts.size() == 2) {
      question.add("--subresource=" + parts.getLast());
    }
    question.addAll(
        List.of("-n", namespace, "--as=system:serviceaccount:" + system + ":" + account));
    assertThat(Programs.kubectl(question.toArray(String[]::new)).output().strip())
        .as("%s may %s %s in %s", account, verb, resource, namespace)
        .isEqualTo(answer);
  }
}
