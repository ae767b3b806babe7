package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.api.v1alpha1.CrdManifests;
import dev.assay.cli.Assay;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.FakeApi;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/** {@code assay doctor --cluster}. */
class DoctorClusterTest {
  private static final String TOKEN = "the-token-of-the-kubeconfig";
  private static final String DEPLOYMENTS =
      "GET /apis/apps/v1/namespaces/assay-system/deployments/";
  private static final String OPERATOR = "assay-operator";
  private static final String FRONT_END = "assay-mcp-frontend";
  private static final String LEASE =
      "GET /apis/coordination.k8s.io/v1/namespaces/assay-system/leases/assay-operator";
  private static final String CONFIG =
      "GET /api/v1/namespaces/assay-system/configmaps/assay-operator";

  @TempDir private Path folder;
  private final FakeApi api = new FakeApi();
  private Path kubeconfig = Path.of("unused");

  private record Result(int exit, String out, String err) {}

  /** A cluster in which all is well. */
  @BeforeEach
  void begin() throws IOException {
    kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: one
            contexts: [{name: one, context: {cluster: one, user: one}}]
            clusters: [{name: one, cluster: {server: "%s"}}]
            users: [{name: one, user: {token: %s}}]
            """
                .formatted(api.address(), TOKEN));
    api.on("GET /version", 200, "{\"major\":\"1\",\"minor\":\"31\",\"gitVersion\":\"v1.31.4\"}");
    CrdManifests.all()
        .forEach(
            crd ->
                api.on(
                    "GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                        + crd.getMetadata().getName(),
                    200,
                    Serialization.asJson(crd)));
    deploys(OPERATOR, 1);
    deploys(FRONT_END, 1);
    api.on(
        LEASE,
        200,
        Serialization.asJson(
            new LeaseBuilder()
                .withNewSpec()
                .withHolderIdentity("assay-operator-1")
                .withLeaseDurationSeconds(15)
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .endSpec()
                .build()));
    api.on(
        "GET /apis/assay.dev/v1alpha1/runclasses",
        200,
        """
        {"apiVersion":"assay.dev/v1alpha1","kind":"RunClassList","metadata":{},"items":[
         {"apiVersion":"assay.dev/v1alpha1","kind":"RunClass","metadata":{"name":"python"}}]}
        """);
    api.on(
        CONFIG,
        200,
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"assay-operator"},
         "data":{"operator.yaml":"namespaces: [{name: runs}]"}}
        """);
    api.on(
        "GET /api/v1/namespaces/runs",
        200,
        """
        {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"runs",
         "labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}
        """);
    for (String program : List.of(OPERATOR, FRONT_END)) {
      api.on(
          "GET /apis/rbac.authorization.k8s.io/v1/namespaces/runs/rolebindings/" + program,
          200,
          """
          {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{}}
          """);
    }
    api.on(
        "GET /api/v1/namespaces/runs/resourcequotas",
        200,
        "{\"apiVersion\":\"v1\",\"kind\":\"ResourceQuotaList\",\"metadata\":{},\"items\":[]}");
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void anInstallationThatIsWellIsSaidToBe() {
    Result result = doctor();

    assertThat(result.out.lines().map(line -> line.replaceAll("\\d+ s ago", "N s ago")))
        .containsExactly(
            "ok       Kubernetes v1.31.4",
            "ok       the CRD analyticsruns.assay.dev serves v1alpha1",
            "ok       the CRD datasets.assay.dev serves v1alpha1",
            "ok       the CRD runclasses.assay.dev serves v1alpha1",
            "ok       the CRD toolservers.assay.dev serves v1alpha1",
            "ok       assay-operator: 1 of 1 replicas available, version 0.2.0",
            "ok       assay-mcp-frontend: 1 of 1 replicas available, version 0.2.0",
            "ok       the operator leads: assay-operator-1 renewed its Lease N s ago",
            "ok       RunClasses: 1",
            "ok       runs: Pod Security is restricted",
            "ok       runs: it has the RoleBinding assay-operator",
            "ok       runs: it has the RoleBinding assay-mcp-frontend",
            "ok       runs: no quota",
            "note     only runs and connections show that all of it works together: helm test mine"
                + " --namespace assay-system --logs");
    assertThat(result.exit).isZero();
    assertThat(api.asked())
        .allSatisfy(
            asked -> {
              assertThat(asked.line()).startsWith("GET ");
              assertThat(asked.key()).isEqualTo("Bearer " + TOKEN);
            });
  }

  @Test
  void aProgramThatDoesNotRunIsAFailureWithItsReason() {
    deploys(OPERATOR, 0);
    api.on(
        "GET /api/v1/namespaces/assay-system/pods?labelSelector=app%3Dassay-operator",
        200,
        """
        {"apiVersion":"v1","kind":"PodList","metadata":{},"items":[{"apiVersion":"v1","kind":"Pod",
         "metadata":{"name":"assay-operator-1","namespace":"assay-system"},"status":{
         "containerStatuses":[{"name":"operator","ready":false,"state":{"waiting":{
         "reason":"ErrImagePull","message":"not \\u001b[31mfound\\nok       all is well"}}}]}}]}
        """);
    Result result = doctor();

    assertThat(result.exit).isEqualTo(4);
    assertThat(result.out)
        .contains(
            "failed   assay-operator: 0 of 1 replicas available; the container operator of the Pod"
                + " assay-operator-1 waits: ErrImagePull (not ?[31mfound ok all is well): correct");
  }

  @Test
  void whatMayNotBeReadIsANoteAndNoFailure() {
    String said = "leases.coordination.k8s.io is forbidden: User \\\"eve\\\" cannot get it";
    String forbidden =
        """
        {"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Forbidden","code":403,
         "message":"%s"}
        """
            .formatted(said);
    api.on(LEASE, 403, forbidden);
    api.on(CONFIG, 403, forbidden);
    Result result = doctor("--output", "json");

    assertThat(result.exit).isZero();
    JsonNode findings = AssayClient.json(result.out).path("findings");
    assertThat(findings.valueStream()).allMatch(finding -> finding.path("ok").asBoolean());
    assertThat(
            findings
                .valueStream()
                .filter(finding -> !finding.path("level").asString().equals("ok")))
        .extracting(
            finding -> finding.path("level").asString(),
            finding -> finding.path("message").asString().replaceAll(": helm test .*", ""))
        .containsExactly(
            unread("the Lease assay-operator in assay-system"),
            unread("the ConfigMap assay-operator in assay-system, which names the run namespaces"),
            tuple("note", "only runs and connections show that all of it works together"));
  }

  private static Tuple unread(String what) {
    return tuple(
        "note",
        "may not read "
            + what
            + ": ask an administrator of the cluster for this right: leases.coordination.k8s.io is"
            + " forbidden: User \"eve\" cannot get it");
  }

  @Test
  void ofANamespaceThatOthersStillHaveToCreateNothingElseIsRead() {
    api.on(
        CONFIG,
        200,
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"assay-operator",
         "annotations":{"assay.dev/external-namespaces":"later"}},
         "data":{"operator.yaml":"namespaces: [{name: runs}, {name: later}]"}}
        """);
    Result result = doctor();

    assertThat(result.exit).isZero();
    assertThat(result.out.lines().filter(line -> line.contains("later")))
        .containsExactly(
            "note     the run namespace later does not exist yet: whoever creates it applies what"
                + " docs/install.md, Namespaces, lists");
  }

  @Test
  void aReleaseThatIsElsewhereIsAFailure() {
    Result result = doctor("--namespace", "other");
    assertThat(result.exit).isEqualTo(4);
    assertThat(result.out)
        .contains(
            "failed   there is no Deployment assay-operator in the namespace other: name that of"
                + " the release with --namespace, or install the chart",
            "failed   no operator leads");
  }

  @Test
  void aClusterThatCannotBeReachedOrRefusesTheCredentialsIsOneSentence() {
    api.on(
        "GET /version",
        401,
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":401,\"message\":\"Unauthorized\"}");
    assertThat(doctor())
        .isEqualTo(
            new Result(
                3,
                "",
                "assay: the request to the cluster failed (Unauthorized): check it with 'kubectl"
                    + " --kubeconfig %s version'\n".formatted(kubeconfig)));
    assertThat(doctor("--context", "one").err)
        .contains("'kubectl --kubeconfig " + kubeconfig + " --context one version'");
    api.close();
    Result unreachable = doctor();
    assertThat(unreachable.exit).isEqualTo(3);
    assertThat(unreachable.err)
        .startsWith("assay: the request to the cluster failed (")
        .doesNotContain(TOKEN, "\tat ");
  }

  @Test
  void aContextThatTheKubeconfigDoesNotHaveIsNamed() {
    assertThat(doctor("--context", "one").exit).isZero();
    Result result = doctor("--context", "two");
    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err).startsWith("assay: the kubeconfig has no context 'two'; 'kubectl");
  }

  @Test
  void twoChecksAtOnceAreRefused() {
    assertThat(doctor("--code-mode").err).startsWith("assay: --code-mode and --cluster are two");
    String repair = "assay: --repair cannot be combined with --cluster or --code-mode";
    assertThat(doctor("--repair").err).startsWith(repair);
    assertThat(assay("doctor", "--code-mode", "--repair").err).startsWith(repair);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--namespace", "-n", "--kubeconfig", "--context"})
  void optionsOfTheClusterAreRefusedWithoutIt(String option) {
    Result result = assay("doctor", option, "one");
    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err)
        .startsWith("assay: --namespace, --kubeconfig and --context require --cluster");
  }

  private Result doctor(String... arguments) {
    List<String> all = new ArrayList<>(List.of("doctor", "--cluster"));
    all.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    all.addAll(List.of(arguments));
    return assay(all.toArray(String[]::new));
  }

  private static Result assay(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Assay.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int exit = commandLine.execute(arguments);
    return new Result(exit, out.toString(), err.toString());
  }

  private void deploys(String name, int available) {
    api.on(
        DEPLOYMENTS + name,
        200,
        """
        {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"%s",
         "namespace":"assay-system","labels":{"app.kubernetes.io/instance":"mine",
         "app.kubernetes.io/version":"0.2.0"}},"spec":{"replicas":1,
         "selector":{"matchLabels":{"app":"%s"}}},"status":{"availableReplicas":%d,
         "updatedReplicas":%d}}
        """
            .formatted(name, name, available, available));
  }
}
