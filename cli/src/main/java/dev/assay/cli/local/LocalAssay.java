package dev.assay.cli.local;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.KindMapper;
import dev.assay.api.v1alpha1.MemberPatch;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.LocalKey;
import dev.assay.cli.jvm.JvmRunner;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.frontend.FrontEnd;
import dev.assay.frontend.KubernetesCluster;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.local.api.LocalApiServer;
import dev.assay.local.api.authentication.BearerToken;
import dev.assay.local.api.storage.ObjectStorage;
import dev.assay.local.isolation.ContainerRuntime;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.PythonInterpreter;
import dev.assay.local.kubelet.Claims;
import dev.assay.local.kubelet.Images;
import dev.assay.local.kubelet.Kubelet;
import dev.assay.operator.AssayOperator;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import dev.assay.operator.kubernetes.ApiClients;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All of Assay in this process: an API server in memory, Pods as processes of this machine, and the
 * operator, the front end and the tool gateway as they are in a cluster.
 */
public final class LocalAssay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalAssay.class);

  /** Where runs and datasets are. */
  public static final String NAMESPACE = LocalObjects.RUN_NAMESPACE;

  private static final String LOOPBACK = "127.0.0.1";
  private static final long OUTPUT_BYTES = 1L << 30;

  /**
   * A program that does not reply within the first twenty seconds, as on a machine without idle
   * time, is asked again half a minute later, and then once more.
   */
  private static final long CONNECT_SECONDS = 100;

  /** Of idle Pods; what they take in fact is less, as nothing is reserved. */
  private static final long IDLE_BYTES = 8L << 30;

  private static final int MAX_RUNS = 20_000;

  private final Deque<AutoCloseable> parts;
  private final LocalSettings settings;
  private final Directories directories;
  private final LateKubelet kubelet = new LateKubelet();
  private final Path kubeconfig;
  private final KubernetesClient client;
  private final String key;
  private final AssayOperator operator;
  private final FrontEnd frontEnd;

  /**
   * Starts it; returns when it serves.
   *
   * @throws MachineException where a port or a directory cannot be had
   */
  public static LocalAssay start(
      LocalSettings settings, PythonEnvironment python, Isolation isolation)
      throws MachineException, IOException {
    LocalAssay assay = startWithoutPods(settings);
    try {
      assay.startPods(python, isolation);
      return assay;
    } catch (MachineException | IOException | RuntimeException e) {
      assay.close();
      throw e;
    }
  }

  /**
   * Starts it without what makes and runs Pods, which {@link #startPods} starts; returns when it
   * serves.
   *
   * @throws MachineException where a port or a directory cannot be had
   */
  static LocalAssay startWithoutPods(LocalSettings settings) throws MachineException, IOException {
    Deque<AutoCloseable> parts = new ArrayDeque<>();
    try {
      return new LocalAssay(settings, parts);
    } catch (MachineException | IOException | RuntimeException e) {
      closeAll(parts);
      throw e;
    }
  }

  private LocalAssay(LocalSettings settings, Deque<AutoCloseable> parts)
      throws MachineException, IOException {
    this.parts = parts;
    this.settings = settings;
    this.directories = keep(parts, Directories.make(settings.state()));
    Clock clock = Clock.systemUTC();
    ObjectStorage storage = new ObjectStorage(clock);
    GatewayToken gatewayToken = GatewayToken.random(directories.gatewayToken());
    LocalApiServer api =
        new LocalApiServer(
            new LocalApiServer.Settings(
                kubelet,
                BearerToken.random(directories.kubeconfig().toString()),
                gatewayToken,
                storage,
                clock));
    keep(parts, api);
    if (settings.state() != null) {
      keep(parts, new KeptObjects(directories.objects(), storage, api.definitions())).begin();
    }
    api.start();
    this.kubeconfig = Kubeconfig.write(directories.kubeconfig(), api.secureClientConfig());
    this.client =
        keep(
            parts,
            new KubernetesClientBuilder()
                .withConfig(api.clientConfig())
                .withKubernetesSerialization(KindMapper.serialization())
                .build());
    createIfMissing(LocalObjects.namespace(LocalObjects.SYSTEM_NAMESPACE));
    createIfMissing(LocalObjects.namespace(LocalObjects.RUN_NAMESPACE));
    createIfMissing(LocalObjects.namespace(LocalObjects.CREDENTIAL_NAMESPACE));
    LocalObjects.classes(settings).forEach(this::createIfMissing);
    keep(parts, kubelet);
    @Nullable ToolGatewayConfig toolGateway = null;
    if (settings.scripts().hasTools()) {
      LocalToolGateway tools =
          keep(
              parts, new LocalToolGateway(client, directories.gatewayToken(), gatewayToken, clock));
      tools.start(settings.scripts().toolServers());
      toolGateway = tools.forOperator();
    }
    this.operator =
        keep(
            parts,
            new AssayOperator(
                // Its caches hold no results, and so its client is its own.
                keep(parts, ApiClients.create(api.clientConfig())),
                operatorConfig(directories, settings, toolGateway),
                new AssayOperator.Replica(LocalObjects.SYSTEM_NAMESPACE, "local", LOOPBACK),
                clock,
                ProgramMetrics.unread(),
                e -> LOG.error("The operator cannot work", e)));
    this.key = readOrCreateKey();
    this.frontEnd = frontEnd(parts, directories.keys());
  }

  /** Starts what makes Pods and what runs them, unless this was closed meanwhile. */
  synchronized void startPods(PythonEnvironment python, Isolation isolation)
      throws IOException, MachineException {
    if (!parts.isEmpty()) {
      JvmRunner jvm = JvmRunner.prepare();
      kubelet.start(kubelet(python, jvm, isolation, settings.data()));
      operator.start();
      jvm.trainInBackground();
    }
  }

  private Kubelet kubelet(
      PythonEnvironment python, JvmRunner jvm, Isolation isolation, @Nullable Path data)
      throws IOException, MachineException {
    Map<String, Claims.Claim> claims = new HashMap<>();
    claims.put(LocalObjects.SNAPSHOTS, new Claims.Claim(directories.snapshots(), false));
    if (data != null) {
      claims.put(LocalObjects.DATA, new Claims.Claim(data, true));
    }
    Images.Image image = image(python, jvm, directories);
    return new Kubelet(
        client,
        ContainerRuntime.open(isolation, python.interpreter(), directories.runtime()),
        name -> name.equals(LocalObjects.IMAGE) ? Optional.of(image) : Optional.empty(),
        (namespace, claim) -> Optional.ofNullable(claims.get(claim)),
        directories.pods());
  }

  private static Images.Image image(
      PythonEnvironment python, JvmRunner jvm, Directories directories)
      throws IOException, MachineException {
    PythonInterpreter interpreter = PythonInterpreter.find(python.interpreter().toString());
    List<Path> shown =
        Stream.of(interpreter.readOnlyPaths(), python.directories(), jvm.files())
            .flatMap(List::stream)
            .distinct()
            .toList();
    for (Path secret : List.of(directories.kubeconfig(), LocalKey.ofUser().file())) {
      if (shown.stream().anyMatch(secret::startsWith)) {
        throw new MachineException(
            "code would see %s, which is among the files of Python: choose another directory with"
                    .formatted(secret)
                + " --state, XDG_STATE_HOME or XDG_CACHE_HOME");
      }
    }
    return new Images.Image(
        interpreter.executable(), shown, LocalObjects.SERVER, jvm.environment());
  }

  private static OperatorConfig operatorConfig(
      Directories directories, LocalSettings settings, @Nullable ToolGatewayConfig toolGateway) {
    long cacheBytes = settings.analytics().cacheBytes();
    return new OperatorConfig(
        List.of(
            new OperatorConfig.RunNamespace(
                LocalObjects.RUN_NAMESPACE,
                LocalObjects.SNAPSHOTS,
                settings.data() != null
                    ? List.of(
                        new OperatorConfig.SourceVolume(LocalObjects.DATA, LocalObjects.DATA, null))
                    : List.of(),
                null)),
        86_400,
        MAX_RUNS,
        new OperatorConfig.OutputStoreConfig(
            directories.outputs().toString(), 1000, Math.max(OUTPUT_BYTES, cacheBytes), cacheBytes),
        null,
        null,
        0,
        new OperatorConfig.SnapshotCleanupConfig(3600, 3600),
        new OperatorConfig.WarmPoolsConfig(IDLE_BYTES, IDLE_BYTES, false),
        null,
        toolGateway,
        Map.of("app.kubernetes.io/name", "assay"));
  }

  private static String readOrCreateKey() throws MachineException {
    LocalKey key = LocalKey.ofUser();
    try {
      return key.readOrCreate();
    } catch (IOException e) {
      throw new MachineException(
          "the API key of local mode cannot be kept in %s (XDG_STATE_HOME moves it): %s"
              .formatted(key.file(), e.getMessage()),
          e);
    }
  }

  private FrontEnd frontEnd(Deque<AutoCloseable> made, Path keysFile)
      throws MachineException, IOException {
    FrontEndConfig config = FrontEndConfigs.of(settings, keysFile);
    LocalIdentities identities =
        LocalIdentities.write(keysFile, key, LocalKey.ofUser().file().toString());
    KubernetesCluster cluster =
        keep(
            made,
            new KubernetesCluster(
                client,
                List.of(LocalObjects.RUN_NAMESPACE),
                settings.scripts().codeExecution().isEnabled()));
    FrontEnd.Cluster local =
        cluster.with(new LocalOutputs(operator.outputs()), new LocalUploads(operator.uploads()));
    if (settings.data() != null) {
      local = local.withDatasets(new CurrentFiles(local.datasets(), settings.data()));
    }
    FrontEnd serving =
        keep(
            made,
            new FrontEnd(
                config,
                identities,
                local,
                EndpointMemory.ofHeap(config),
                FrontEnd.Times.DEFAULT,
                ProgramMetrics.unread()));
    try {
      serving.start();
    } catch (RuntimeException e) {
      throw new MachineException(
          "port " + settings.port() + " cannot be used: choose another with --port, or 0 for any",
          e);
    }
    return serving;
  }

  private static <T extends AutoCloseable> T keep(Deque<AutoCloseable> parts, T part) {
    parts.push(part);
    return part;
  }

  private void createIfMissing(HasMetadata object) {
    if (client.resource(object).get() == null) {
      client.resource(object).create();
    }
  }

  /** Creates a dataset, or updates it if its spec is another. */
  void offer(Dataset dataset) {
    Dataset found = client.resource(dataset).get();
    if (found == null) {
      client.resource(dataset).create();
    } else if (!found.getSpec().equals(dataset.getSpec())) {
      client
          .resource(found)
          .patch(
              PatchContext.of(PatchType.JSON),
              MemberPatch.shallow(
                      found.getMetadata().getResourceVersion(),
                      "/spec",
                      found.getSpec(),
                      dataset.getSpec())
                  .toString());
    }
  }

  /** Returns when a tool server is connected, or should be. */
  void awaitConnected(String toolServer) {
    try {
      var unused =
          client
              .resources(ToolServer.class)
              .inNamespace(NAMESPACE)
              .withName(toolServer)
              .waitUntilCondition(LocalAssay::isConnected, CONNECT_SECONDS, TimeUnit.SECONDS);
    } catch (KubernetesClientTimeoutException e) {
      LOG.warn("Tool server {} is not connected: kubectl get toolservers says why", toolServer);
    }
  }

  private static boolean isConnected(@Nullable ToolServer server) {
    return server != null
        && server.getStatus() != null
        && server.getStatus().phase() == ToolServerPhase.Connected;
  }

  /** Where the front end listens, such as {@code http://127.0.0.1:8787}. */
  public URI endpoint() {
    InetSocketAddress address = frontEnd.address();
    return URI.create("http://" + LOOPBACK + ":" + address.getPort());
  }

  /** The API key, which every request to the endpoint needs. */
  public String key() {
    return key;
  }

  /** The kubeconfig, for kubectl. */
  public Path kubeconfig() {
    return kubeconfig;
  }

  /** A client of the API server. */
  KubernetesClient client() {
    return client;
  }

  /** Ends all Pods and closes all parts, the last one first; idempotent. */
  @Override
  public synchronized void close() {
    closeAll(parts);
  }

  private static void closeAll(Deque<AutoCloseable> parts) {
    while (!parts.isEmpty()) {
      AutoCloseable part = parts.pop();
      try {
        part.close();
      } catch (Exception e) {
        LOG.warn("{} could not be closed: {}", part, e.toString());
      }
    }
  }
}
