package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.contract.ApiServer;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What users of kubectl may do in a run namespace, as tables of the test resources.
 *
 * <p>After a change of rights or policies: {@code MAVEN_ARGS=-De2e.write dev/e2e --test
 * TenantsE2E}, and read what has changed.
 */
@Core
@ClusterOnly("local mode has one user")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsE2E {
  private static final List<String> VERBS =
      List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");
  private static final List<String> RESOURCES =
      List.of(
          "analyticsruns.assay.dev",
          "analyticsruns.assay.dev/status",
          "datasets.assay.dev",
          "datasets.assay.dev/status",
          "toolservers.assay.dev",
          "toolservers.assay.dev/status",
          "runclasses.assay.dev",
          "runclasses.assay.dev/status",
          "pods",
          "pods/exec",
          "pods/log",
          "secrets",
          "configmaps",
          "networkpolicies.networking.k8s.io");

  /** Whose rights the tables have; their roles are in {@code tenants/users.yaml}. */
  private static final List<String> USERS =
      List.of("alice", "bob", "viewer", "limited", "developer", "owner", "neighbour", "nobody");

  private static final Pattern POLICY =
      Pattern.compile("ValidatingAdmissionPolicy '([^']+)' with binding");

  private final Map<String, KubernetesClient> clients = new LinkedHashMap<>();
  private final ContractNamespace other = new ContractNamespace("assay-e2e-tenant-");

  @BeforeAll
  void createUsersAndObjects(Assay assay) {
    USERS.forEach(user -> clients.put(user, clientAs(assay, user)));
    String accounts = "system:serviceaccount:" + assay.installation().systemNamespace() + ":";
    for (String program : List.of("assay-mcp-frontend", "assay-operator")) {
      clients.put(program, clientAs(assay, accounts + program));
    }
    for (String role : List.of("assay-edit", "assay-view")) {
      Programs.kubectl(
              "-n",
              other.name(),
              "create",
              "rolebinding",
              role,
              "--clusterrole=" + role,
              "--user=neighbour")
          .orFail();
    }
    for (String file : List.of("tenants/objects.yaml", "tenants/users.yaml")) {
      kubectl(assay, file, "apply");
    }
    // The API server learns of roles a moment later, in their order.
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!may("limited", assay.namespace(), "create", "datasets.assay.dev")) {
      assertThat(System.nanoTime()).as("the time of the last binding").isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  @AfterAll
  void remove(Assay assay) {
    for (String file : List.of("tenants/users.yaml", "tenants/objects.yaml")) {
      kubectl(assay, file, "delete", "--ignore-not-found");
    }
    clients.values().forEach(KubernetesClient::close);
    other.close();
  }

  @Test
  void eachUserHasTheRightsOfTheTable(Assay assay) throws IOException {
    compare(
        "tenants/rights.csv",
        table("resource", USERS, RESOURCES, (user, what) -> rights(user, assay.namespace(), what)));
  }

  @Test
  void inTheNamespaceOfAnotherTenantAUserHasNoRights(Assay assay) {
    for (String resource : RESOURCES) {
      for (String user : USERS) {
        String expected =
            user.equals("neighbour") ? rights("alice", assay.namespace(), resource) : "-";
        assertThat(rights(user, other.name(), resource))
            .as("%s, %s", user, resource)
            .isEqualTo(expected);
      }
    }
  }

  /** Yes, no (by RBAC), the policy that refuses it, or why the API server finds it invalid. */
  @Test
  void eachWriteIsAllowedOrRefusedAsInTheTable(Assay assay) throws IOException {
    Map<String, TenantWrite> writes = new LinkedHashMap<>();
    TenantWrite.ALL.forEach(write -> writes.put(write.name(), write));
    compare(
        "tenants/writes.csv",
        table(
            "write",
            clients.keySet(),
            writes.keySet(),
            (user, name) -> answer(user, assay.namespace(), writes.get(name))));
  }

  @Test
  void aControllerCreatesNoPodWithALabelOfTheOperatorForAUser(Assay assay) {
    String forged = "replicaset/e2e-forged";
    kubectl(assay, "tenants/replicas.yaml", "apply", "--as=developer");
    try {
      assay.kubectl("wait", "--for=condition=ReplicaFailure", forged, "--timeout=60s");
      assertThat(assay.kubectl("get", forged, "-o", "jsonpath={.status.conditions[*].message}"))
          .contains("ValidatingAdmissionPolicy 'assay-pods'");
    } finally {
      assay.kubectl("delete", forged);
    }
  }

  private String answer(String user, String namespace, TenantWrite write) {
    KubernetesClient client = clients.get(user);
    String name = client.getConfiguration().getImpersonateUsername();
    ApiServer.Answer answer = write.send(new ApiServer(client), name, namespace);
    if (answer.code() < 300) {
      return "yes";
    }
    Matcher policy = POLICY.matcher(answer.message());
    if (policy.find()) {
      return policy.group(1);
    }
    return answer.code() == 403 ? "no" : answer.code() + " " + answer.at("/reason");
  }

  private String rights(String user, String namespace, String resource) {
    List<String> verbs =
        VERBS.stream().filter(verb -> may(user, namespace, verb, resource)).toList();
    return verbs.isEmpty() ? "-" : verbs.equals(VERBS) ? "all" : String.join(" ", verbs);
  }

  private boolean may(String user, String namespace, String verb, String resource) {
    String[] parts = resource.split("/", 2);
    String[] named = parts[0].split("\\.", 2);
    var review =
        new SelfSubjectAccessReviewBuilder()
            .withNewSpec()
            .withNewResourceAttributes()
            // Classes belong to the cluster.
            .withNamespace(named[0].equals("runclasses") ? null : namespace)
            .withGroup(named.length == 1 ? "" : named[1])
            .withResource(named[0])
            .withSubresource(parts.length == 1 ? null : parts[1])
            .withVerb(verb)
            .endResourceAttributes()
            .endSpec()
            .build();
    return clients
        .get(user)
        .authorization()
        .v1()
        .selfSubjectAccessReview()
        .create(review)
        .getStatus()
        .getAllowed();
  }

  private static String table(
      String corner,
      Collection<String> users,
      Collection<String> rows,
      BinaryOperator<String> cell) {
    Stream<String> head = Stream.of(corner + "," + String.join(",", users));
    return Stream.concat(
            head,
            rows.stream()
                .map(
                    row ->
                        users.stream()
                            .map(user -> cell.apply(user, row))
                            .collect(Collectors.joining(",", row + ",", ""))))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static void compare(String file, String found) throws IOException {
    if (System.getProperty("e2e.write") != null) {
      Files.writeString(Samples.file(file), found);
    }
    assertThat(found).isEqualTo(Files.readString(Samples.file(file)));
  }

  private static KubernetesClient clientAs(Assay assay, String user) {
    Config as =
        new ConfigBuilder(assay.kubernetes().getConfiguration())
            .withImpersonateUsername(user)
            .build();
    return new KubernetesClientBuilder().withConfig(as).build();
  }

  private static void kubectl(Assay assay, String file, String... command) {
    List<String> arguments = new ArrayList<>(List.of("-n", assay.namespace()));
    arguments.addAll(List.of(command));
    arguments.addAll(List.of("-f", "-"));
    Programs.kubectlWithInput(Samples.text(file), arguments.toArray(String[]::new)).orFail();
  }
}
