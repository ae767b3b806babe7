package dev.assay.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.config.ToolNames;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.frontend.http.HttpEndpoint;
import dev.assay.frontend.http.ReplyMemory;
import dev.assay.frontend.http.RequestMemory;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.SharedAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The real endpoint over fakes, and a plain client for it. */
public final class TestEndpoint implements AutoCloseable {
  public static final int MAX_REQUEST_BYTES = 16_777_216;

  /** For tests that do not wait for an idle timeout, so that a busy machine does not cause one. */
  public static final HttpEndpoint.Times SHORT_TIMES =
      new HttpEndpoint.Times(
          HttpEndpoint.Times.DEFAULT.idle(),
          HttpEndpoint.Times.DEFAULT.keepAlive(),
          Duration.ofMillis(150),
          HttpEndpoint.Times.DEFAULT.body(),
          Duration.ofSeconds(1));

  /** For tests that wait for an idle timeout. */
  public static final HttpEndpoint.Times SOON_IDLE =
      new HttpEndpoint.Times(
          Duration.ofMillis(700),
          HttpEndpoint.Times.DEFAULT.keepAlive(),
          Duration.ofMillis(150),
          Duration.ofSeconds(2),
          Duration.ofSeconds(1));

  private static final ReplyMemory UNLIMITED_REPLIES =
      new ReplyMemory(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ZERO);
  public static final Identity ALICE = new Identity("alice", "runs");
  public static final Identity BOB = new Identity("bob", "runs");

  /** A key for tools that read. */
  public static final ToolGrants READING = new ToolGrants(null, List.of(ToolPermission.READ));

  public static final Identities KEYS =
      new Identities() {
        @Override
        public Optional<Identity> of(@Nullable String key) {
          return switch (key == null ? "" : key) {
            case "alice-key", "alice-code-key" -> Optional.of(ALICE);
            case "bob-key" -> Optional.of(BOB);
            case "dora-auditing-key" ->
                Optional.of(new Identity("dora", "runs", null, SharedAccess.READ));
            case "erin-leading-key" ->
                Optional.of(new Identity("erin", "runs", null, SharedAccess.ALL));
            case "carol-reading-key" ->
                Optional.of(new Identity("carol", "runs", READING, SharedAccess.NONE));
            default -> Optional.empty();
          };
        }

        @Override
        public Set<ToolGroup> toolGroups(@Nullable String key) {
          return "alice-code-key".equals(key) ? Set.of(ToolGroup.CODE) : ToolGroup.ALL;
        }
      };

  public final FakeRuns runs = new FakeRuns();
  public final FakeDatasets datasets = new FakeDatasets();
  public final FakeUploads uploads = new FakeUploads(datasets);
  public final FakeRunClasses classes = FakeRunClasses.usual();
  public final FakeOutputs outputs = new FakeOutputs();
  public final FakeScripts scripts = new FakeScripts();
  public final FakeToolServers toolServers = new FakeToolServers();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ProgramMetrics metrics = ProgramMetrics.create();
  private final FrontEnd frontEnd;

  public TestEndpoint() {
    this(SHORT_TIMES);
  }

  /** An endpoint without limits of calls and memory that a test would reach. */
  public TestEndpoint(HttpEndpoint.Times times) {
    this(16, new RequestMemory(Long.MAX_VALUE), times);
  }

  /** An endpoint of which one caller may take everything. */
  public TestEndpoint(int maxConcurrentCalls, RequestMemory memory, HttpEndpoint.Times times) {
    this(maxConcurrentCalls, maxConcurrentCalls, memory, times);
  }

  public TestEndpoint(
      int maxConcurrentCalls, int maxPerCaller, RequestMemory memory, HttpEndpoint.Times times) {
    this(maxConcurrentCalls, maxPerCaller, memory, UNLIMITED_REPLIES, times);
  }

  public TestEndpoint(
      int maxConcurrentCalls,
      int maxPerCaller,
      RequestMemory memory,
      ReplyMemory replies,
      HttpEndpoint.Times times) {
    this(
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES,
                maxConcurrentCalls,
                maxPerCaller,
                null,
                65_536,
                20_000,
                null,
                null,
                null)),
        memory,
        replies,
        times);
  }

  /** An endpoint with settings of scripts. */
  public TestEndpoint(CodeExecution codeExecution) {
    this(
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES, 16, 16, null, 65_536, 20_000, null, null, null),
            null,
            null,
            codeExecution),
        new RequestMemory(Long.MAX_VALUE),
        UNLIMITED_REPLIES,
        SHORT_TIMES);
  }

  /** An endpoint that offers some tools only. */
  public TestEndpoint(List<ToolGroup> offered) {
    this(
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES, 16, 16, null, 65_536, 20_000, null, null, null),
            offered,
            null,
            CodeExecution.on()),
        new RequestMemory(Long.MAX_VALUE),
        UNLIMITED_REPLIES,
        SHORT_TIMES);
  }

  /** An endpoint that lists its tools with the schemas of what they return. */
  public static TestEndpoint withOutputSchemas() {
    return listing(ToolNames.UNDERSCORE, true);
  }

  /** An endpoint whose calls wait for so many seconds where they do not say. */
  public static TestEndpoint waiting(int seconds) {
    FrontEndConfig usual =
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES, 16, 16, null, 65_536, 20_000, null, null, null));
    return new TestEndpoint(
        new FrontEndConfig(
            usual.listen(),
            usual.auth(),
            usual.allowedOrigins(),
            usual.allowedHosts(),
            usual.namespaces(),
            null,
            usual.limits(),
            new FrontEndConfig.Defaults("python", 30, 600, 1, seconds),
            null,
            null,
            usual.analytics(),
            usual.codeExecution()),
        new RequestMemory(Long.MAX_VALUE),
        UNLIMITED_REPLIES,
        SHORT_TIMES);
  }

  /** An endpoint that lists its tools in some form. */
  public static TestEndpoint listing(ToolNames names, boolean outputSchemas) {
    return new TestEndpoint(
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES, 16, 16, null, 65_536, 20_000, null, null, null),
            null,
            outputSchemas,
            new FrontEndConfig.Analytics(names, null, null),
            CodeExecution.on()),
        new RequestMemory(Long.MAX_VALUE),
        UNLIMITED_REPLIES,
        SHORT_TIMES);
  }

  /** An endpoint with a rate limit that a test can exceed. */
  public static TestEndpoint withRequestsPerSecond(int most) {
    return new TestEndpoint(
        config(
            new FrontEndConfig.Limits(
                MAX_REQUEST_BYTES, 16, 16, most, 65_536, 20_000, null, null, null)),
        new RequestMemory(Long.MAX_VALUE),
        UNLIMITED_REPLIES,
        SHORT_TIMES);
  }

  private TestEndpoint(
      FrontEndConfig config, RequestMemory memory, ReplyMemory replies, HttpEndpoint.Times times) {
    this.frontEnd =
        new FrontEnd(
            config,
            KEYS,
            new FrontEnd.Cluster(
                runs, datasets, classes, outputs, uploads, scripts, toolServers, () -> true),
            new EndpointMemory(memory, replies),
            new FrontEnd.Times(
                Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(20), times),
            metrics);
    frontEnd.start();
  }

  /** As the endpoint has it, with API keys that are told apart elsewhere. */
  public static FrontEndConfig config(FrontEndConfig.Limits limits) {
    return config(limits, null, null, CodeExecution.on());
  }

  private static FrontEndConfig config(
      FrontEndConfig.Limits limits,
      @Nullable List<ToolGroup> toolGroups,
      @Nullable Boolean outputSchemas,
      CodeExecution codeExecution) {
    return config(
        limits,
        toolGroups,
        outputSchemas,
        new FrontEndConfig.Analytics(null, null, null),
        codeExecution);
  }

  private static FrontEndConfig config(
      FrontEndConfig.Limits limits,
      @Nullable List<ToolGroup> toolGroups,
      @Nullable Boolean outputSchemas,
      FrontEndConfig.Analytics analytics,
      CodeExecution codeExecution) {
    return new FrontEndConfig(
        new FrontEndConfig.Listen("127.0.0.1", 0),
        new FrontEndConfig.Auth(FrontEndConfig.AuthMode.API_KEYS, Path.of("unused"), null, null),
        List.of("https://chat.example"),
        List.of("assay.example"),
        List.of("runs"),
        null,
        limits,
        new FrontEndConfig.Defaults("python", 30, 600, 1, 50),
        toolGroups,
        outputSchemas,
        analytics,
        codeExecution);
  }

  public String url() {
    return "http://127.0.0.1:" + frontEnd.address().getPort();
  }

  /** The counts that Prometheus reads. */
  public String metrics() {
    return metrics.text();
  }

  public int port() {
    return frontEnd.address().getPort();
  }

  /** A request as most tests need it; headers can be set on it. */
  public HttpRequest.Builder request(String body) {
    return request("/mcp", body);
  }

  /** The same to another path. */
  public HttpRequest.Builder request(String path, String body) {
    return HttpRequest.newBuilder(URI.create(url() + path))
        .timeout(Duration.ofSeconds(10))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .POST(HttpRequest.BodyPublishers.ofByteArray(body.getBytes(UTF_8)));
  }

  public HttpResponse<String> send(HttpRequest request) {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends a body as Alice. */
  public HttpResponse<String> post(String body) {
    return send(request(body).header("Authorization", "Bearer alice-key").build());
  }

  public HttpClient client() {
    return client;
  }

  @Override
  public void close() {
    frontEnd.close();
    client.close();
  }
}
