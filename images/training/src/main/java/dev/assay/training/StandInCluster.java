package dev.assay.training;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.local.api.LocalApiServer;
import dev.assay.local.api.authentication.BearerToken;
import dev.assay.local.api.authentication.TokenReviewer;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.storage.ObjectStorage;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewSpec;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** An API server with what the chart installs, and Pods that answer as run Pods do. */
final class StandInCluster implements AutoCloseable {
  static final String SYSTEM_NAMESPACE = "assay-system";
  static final String RUN_NAMESPACE = "assay-runs";
  private static final String CREDENTIAL_NAMESPACE = "assay-tool-credentials";

  private static final String FRONT_END = "system:serviceaccount:assay-system:assay-mcp-frontend";
  private static final String OPERATOR_CA = "assay-operator-ca";
  private static final long TIMEOUT_SECONDS = 60;

  private final LocalApiServer server;
  private final KubernetesClient client;
  private final StandInPods pods;

  /**
   * Starts it.
   *
   * @param frontEndToken the token of the front end's service account
   */
  StandInCluster(String frontEndToken) throws IOException {
    this(frontEndToken, () -> {});
  }

  /**
   * Starts one whose runs end when they may.
   *
   * @param beforeResult called before a Pod sends its result, which it can delay
   */
  StandInCluster(String frontEndToken, Runnable beforeResult) throws IOException {
    Clock clock = Clock.systemUTC();
    this.server =
        new LocalApiServer(
            new LocalApiServer.Settings(
                PodLogs.NONE,
                BearerToken.random("the environment"),
                review(frontEndToken),
                new ObjectStorage(clock),
                clock));
    server.start();
    this.client = new KubernetesClientBuilder().withConfig(server.clientConfig()).build();
    createNamespace(SYSTEM_NAMESPACE);
    createNamespace(RUN_NAMESPACE);
    String classes = TrainingFiles.resource("classes.yaml");
    client.load(new ByteArrayInputStream(classes.getBytes(StandardCharsets.UTF_8))).create();
    this.pods = new StandInPods(client, RUN_NAMESPACE, beforeResult);
    pods.start();
  }

  private static TokenReviewer review(String frontEndToken) {
    return (TokenReviewSpec spec) -> status(spec, frontEndToken.equals(spec.getToken()));
  }

  private static TokenReviewStatus status(TokenReviewSpec spec, boolean isFrontEnd) {
    return isFrontEnd
        ? new TokenReviewStatusBuilder()
            .withAuthenticated(true)
            .withAudiences(spec.getAudiences())
            .withNewUser()
            .withUsername(FRONT_END)
            .endUser()
            .build()
        : new TokenReviewStatusBuilder().withAuthenticated(false).build();
  }

  private void createNamespace(String name) {
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** Adds a tool server, with the credential that it is connected to with. */
  void addToolServer(StandInToolServer server) {
    createNamespace(CREDENTIAL_NAMESPACE);
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("demo")
                .withNamespace(CREDENTIAL_NAMESPACE)
                .addToAnnotations(ToolServer.HOSTS_ANNOTATION, "http://" + server.authority())
                .addToAnnotations(ToolServer.NAMESPACES_ANNOTATION, RUN_NAMESPACE)
                .endMetadata()
                .addToData(
                    ToolServer.SECRET_KEY,
                    Base64.getEncoder()
                        .encodeToString("a-credential".getBytes(StandardCharsets.UTF_8)))
                .build())
        .create();
    ToolServer declared = new ToolServer();
    declared.setMetadata(
        new ObjectMetaBuilder().withName("demo").withNamespace(RUN_NAMESPACE).build());
    declared.setSpec(
        ToolServerSpecBuilder.builder()
            .url(server.url())
            .protocol(ToolServerSpec.Protocol.StreamableHttp)
            .session(ToolServerSpec.Session.Shared)
            .auth(new ToolServerSpec.Auth("demo", null, null))
            .approval(ToolServerSpec.Approval.None)
            .build());
    client.resource(declared).create();
  }

  /** A client of the API server. */
  KubernetesClient client() {
    return client;
  }

  /** What a program in a Pod knows of the API server, with the files in a directory. */
  Map<String, String> serviceAccount(TrainingFiles files) throws IOException {
    Config config = server.secureClientConfig();
    URI url = URI.create(config.getMasterUrl());
    Path token = files.write("token", config.getOauthToken());
    String pem =
        new String(Base64.getDecoder().decode(config.getCaCertData()), StandardCharsets.US_ASCII);
    return Map.of(
        "KUBERNETES_SERVICE_HOST", url.getHost(),
        "KUBERNETES_SERVICE_PORT", Integer.toString(url.getPort()),
        "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN", token.toString(),
        "KUBERNETES_CERTS_CA_FILE", files.write("ca.crt", pem).toString(),
        "KUBERNETES_AUTH_TRYKUBECONFIG", "false");
  }

  /** The certificate that the operator has published; waits for it. */
  String operatorCertificate() {
    ConfigMap published =
        client
            .configMaps()
            .inNamespace(SYSTEM_NAMESPACE)
            .withName(OPERATOR_CA)
            .waitUntilCondition(
                found -> found != null && found.getData().containsKey("ca.crt"),
                TIMEOUT_SECONDS,
                TimeUnit.SECONDS);
    return Objects.requireNonNull(published.getData().get("ca.crt"));
  }

  @Override
  public void close() {
    pods.close();
    client.close();
    server.close();
  }
}
