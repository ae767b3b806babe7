package dev.assay.frontend;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.ResultTables;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.artifact.RunResources;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.call.CallsInFlight;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.dataset.CountedUploads;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.LimitedDatasets;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.execution.ExecutionReplies;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.frontend.http.HttpEndpoint;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.mcp.Cancellations;
import dev.assay.frontend.mcp.Json;
import dev.assay.frontend.mcp.McpEndpoint;
import dev.assay.frontend.mcp.Message;
import dev.assay.frontend.mcp.MessageReader;
import dev.assay.frontend.rest.RestApi;
import dev.assay.frontend.run.LimitedRuns;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.ToolUse;
import dev.assay.frontend.script.ScriptExecution;
import dev.assay.frontend.script.StoredScripts;
import dev.assay.frontend.tool.AnalyticsCall;
import dev.assay.frontend.tool.ArtifactSource;
import dev.assay.frontend.tool.CacheInvalidate;
import dev.assay.frontend.tool.CancelRun;
import dev.assay.frontend.tool.CodeExecutionTool;
import dev.assay.frontend.tool.DeleteDataset;
import dev.assay.frontend.tool.DescribeDataset;
import dev.assay.frontend.tool.DescribeRuntime;
import dev.assay.frontend.tool.DescribeTools;
import dev.assay.frontend.tool.ExecuteCustomAnalyticsCode;
import dev.assay.frontend.tool.ExecuteQuery;
import dev.assay.frontend.tool.ExportResult;
import dev.assay.frontend.tool.GetRun;
import dev.assay.frontend.tool.GuardedTool;
import dev.assay.frontend.tool.ListDatasets;
import dev.assay.frontend.tool.ListRuns;
import dev.assay.frontend.tool.LoadDataset;
import dev.assay.frontend.tool.LoadReplies;
import dev.assay.frontend.tool.ProfileDataset;
import dev.assay.frontend.tool.QueryParameters;
import dev.assay.frontend.tool.RunCall;
import dev.assay.frontend.tool.RunReplies;
import dev.assay.frontend.tool.SearchTools;
import dev.assay.frontend.tool.StreamSample;
import dev.assay.frontend.tool.ToolGroups;
import dev.assay.frontend.toolserver.ToolCatalogs;
import dev.assay.frontend.toolserver.ToolServers;
import dev.assay.frontend.toolserver.ToolSignatures;
import dev.assay.frontend.toolserver.ToolText;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The front end, put together. Knows nothing of how the cluster is reached. */
public final class FrontEnd implements AutoCloseable {
  private final FrontEndConfig config;
  private final EndpointMemory memory;
  private final HttpEndpoint.Times times;
  private final HttpEndpoint.Services services;
  private final ProgramMetrics metrics;
  private volatile @Nullable HttpEndpoint endpoint;

  /**
   * What the front end works on.
   *
   * @param ready whether the caches are filled
   */
  public record Cluster(
      RunGateway runs,
      DatasetGateway datasets,
      RunClasses classes,
      OutputStore outputs,
      UploadRelay uploads,
      StoredScripts scripts,
      ToolServers toolServers,
      BooleanSupplier ready) {
    /** The same cluster, whose datasets are reached in another way. */
    public Cluster withDatasets(DatasetGateway others) {
      return new Cluster(runs, others, classes, outputs, uploads, scripts, toolServers, ready);
    }

    /**
     * None: for a front end that answers only what {@link #answerWithoutCluster} answers.
     *
     * @param classes those that the cluster will have
     */
    public static Cluster absent(RunClasses classes) {
      return new Cluster(
          new AbsentRuns(),
          new AbsentDatasets(),
          classes,
          OutputStore.NONE,
          UploadRelay.NONE,
          StoredScripts.NONE,
          ToolServers.NONE,
          () -> false);
    }
  }

  /**
   * Times that tests shorten.
   *
   * @param progressEvery interval of progress reports while nothing changes
   * @param absentGrace how long a created run may be absent from the cache
   * @param outputPoll how often the store is asked for more output of a run that is followed
   * @param http of the endpoint
   */
  public record Times(
      Duration progressEvery, Duration absentGrace, Duration outputPoll, HttpEndpoint.Times http) {
    /** What is right in a cluster. */
    public static final Times DEFAULT =
        new Times(
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofMillis(250),
            HttpEndpoint.Times.DEFAULT);
  }

  /**
   * The front end, not listening yet.
   *
   * @param metrics of the process, also of the client of the API server
   */
  public FrontEnd(
      FrontEndConfig config,
      Identities identities,
      Cluster unlimited,
      EndpointMemory memory,
      Times times,
      ProgramMetrics metrics) {
    CallLog calls = new CallLog(metrics);
    identities.bindTo(metrics);
    Cluster cluster = limited(unlimited, config);
    JsonMapper json = Json.mapper();
    DatasetWait datasetWait = new DatasetWait(times.progressEvery);
    DatasetUploads uploads =
        new DatasetUploads(
            cluster.datasets,
            new CountedUploads(cluster.uploads, metrics),
            datasetWait,
            cluster.classes);
    RunNames names = new RunNames(Clock.systemUTC());
    RunWait runWait = new RunWait(cluster.runs, times.progressEvery, times.absentGrace);
    FrontEndConfig.Defaults defaults = config.defaults();
    var settings =
        new ExecuteCustomAnalyticsCode.Settings(
            defaults.runClassName(),
            defaults.codeRunClassName(),
            defaults.timeout(),
            defaults.codeTimeout(),
            defaults.maxTimeout(),
            defaults.waitDefault(),
            Duration.ofSeconds(defaults.datasetWait()));
    ReplyBound bound = new ReplyBound(config.limits().replyBytes(), config.limits().replyTokens());
    OutputReader outputs = new OutputReader(cluster.outputs, bound);
    ArtifactReader artifacts = new ArtifactReader(cluster.outputs);
    ReplyArtifacts replyArtifacts = new ReplyArtifacts(artifacts);
    RunCall runs =
        new RunCall(cluster.runs, cluster.classes, runWait, outputs, replyArtifacts, names);
    QueryParameters.Settings queries =
        new QueryParameters.Settings(
            defaults.runClassName(),
            config.analytics().sqlRunClassName(),
            defaults.timeout(),
            defaults.maxTimeout(),
            defaults.waitDefault());
    CachedResults cache =
        new CachedResults(
            cluster.runs,
            cluster.classes,
            cluster.datasets,
            Duration.ofSeconds(config.analytics().cacheTtl()),
            Clock.systemUTC());
    RunValues values = new RunValues(cluster.outputs);
    ResultTables tables = new ResultTables(values, artifacts);
    AnalyticsCall analytics =
        new AnalyticsCall(
            cluster.datasets,
            new DatasetReadiness(cluster.datasets, datasetWait, settings.datasetWait()),
            runs,
            cache,
            values,
            replyArtifacts);
    QueryParameters queryParameters = new QueryParameters(queries);
    ScriptExecution scripts =
        new ScriptExecution(
            config.codeExecution(),
            cluster.scripts,
            new RunSubmission(cluster.runs, cluster.classes, runWait, names),
            values);
    ToolCatalogs catalogs =
        new ToolCatalogs(config.codeExecution(), cluster.toolServers, cluster.classes);
    ToolText toolText = new ToolText(new ToolSignatures(cluster.outputs));
    List<GuardedTool> tools =
        Stream.of(
                new ProfileDataset(queryParameters, analytics),
                new ExecuteQuery(queryParameters, analytics),
                new StreamSample(queryParameters, analytics),
                new ExportResult(queryParameters, cluster.runs, tables, analytics),
                new CacheInvalidate(cache, cluster.datasets),
                new ExecuteCustomAnalyticsCode(
                    settings,
                    cluster.datasets,
                    datasetWait,
                    runs,
                    new ExecutionReplies(values, artifacts)),
                new CodeExecutionTool(scripts, Duration.ofSeconds(defaults.waitDefault())),
                new SearchTools(catalogs, toolText),
                new DescribeTools(catalogs, toolText),
                new DescribeRuntime(
                    queries,
                    settings.codeRunClass(),
                    cluster.classes,
                    runs,
                    cache,
                    Clock.systemUTC()),
                new LoadDataset(
                    cluster.datasets,
                    new ArtifactSource(
                        cluster.runs, artifacts, new ToolUse(cluster.runs, cluster.classes)),
                    uploads,
                    new LoadReplies(
                        datasetWait, cluster.classes, Duration.ofSeconds(defaults.waitDefault())),
                    config.limits().requestBytes()),
                new ListDatasets(cluster.datasets, bound.tokens()),
                new DescribeDataset(cluster.datasets, datasetWait, settings.datasetWait()),
                new DeleteDataset(cluster.datasets),
                new GetRun(
                    cluster.runs,
                    cluster.classes,
                    runWait,
                    new RunReplies(outputs, tables, values, replyArtifacts)),
                new ListRuns(cluster.runs, bound.tokens()),
                new CancelRun(cluster.runs))
            .map(
                tool ->
                    new GuardedTool(
                        tool, ToolGroups.of(tool.description().name()), bound.tokens(), calls))
            .toList();
    CallsInFlight inFlight = new CallsInFlight();
    RestApi rest =
        new RestApi(
            new RestApi.Settings(
                defaults.runClassName(),
                config.analytics().sqlRunClassName(),
                defaults.codeRunClassName(),
                defaults.timeout(),
                defaults.codeTimeout(),
                defaults.maxTimeout(),
                times.outputPoll),
            new RestApi.Services(
                cluster.runs,
                runWait,
                cluster.datasets,
                uploads,
                datasetWait,
                cluster.classes,
                cluster.outputs,
                names,
                scripts,
                catalogs,
                calls));
    Cancellations cancellations =
        new Cancellations(
            inFlight,
            cluster.runs,
            Duration.ofSeconds(defaults.datasetWait()).plus(times.absentGrace));
    this.config = config;
    this.memory = memory;
    this.metrics = metrics;
    this.times = times.http;
    this.services =
        new HttpEndpoint.Services(
            identities,
            new McpEndpoint(
                json,
                tools,
                new RunResources(
                    cluster.runs,
                    new ToolUse(cluster.runs, cluster.classes),
                    artifacts,
                    outputs,
                    config.limits().replyBytes()),
                new McpEndpoint.Listing(
                    config.analytics().names(),
                    config.listsOutputSchemas(),
                    catalogs::pythonMayWrite),
                version()),
            cancellations,
            inFlight,
            rest,
            json,
            cluster.ready);
  }

  private static Cluster limited(Cluster cluster, FrontEndConfig config) {
    RunGateway runs =
        new LimitedRuns(
            cluster.runs,
            new LimitedRuns.Limits(
                config.limits().runsPerNamespace(),
                config.runsPerCaller(),
                config.unfinishedRunsPerCaller(),
                config.runsPerSecondPerCaller()));
    DatasetGateway datasets =
        new LimitedDatasets(
            cluster.datasets,
            new LimitedDatasets.Limits(
                config.limits().datasetsPerNamespace(),
                config.datasetsPerCaller(),
                config.runsPerSecondPerCaller()));
    return new Cluster(
        runs,
        datasets,
        cluster.classes,
        cluster.outputs,
        cluster.uploads,
        cluster.scripts,
        cluster.toolServers,
        cluster.ready);
  }

  private static String version() {
    String version = FrontEnd.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /**
   * Answers a message without the cluster, as {@code /mcp} does with it: the handshake, the lists
   * and the prompts.
   *
   * @param message JSON in UTF-8
   * @return JSON in UTF-8; empty for every message that takes more than settings and classes
   */
  public Optional<byte[]> answerWithoutCluster(byte[] message, Identity caller) {
    McpEndpoint mcp = services.mcp();
    if (!(new MessageReader(services.json()).read(message) instanceof Message.Request request)
        || !mcp.needsNoCluster(request)) {
      return Optional.empty();
    }
    CallContext call =
        new CallContext(caller, String.valueOf(request.id()), Progress.NONE, new Cancellation());
    Object answer = mcp.answer(request, call, config.offeredToolGroups());
    return Optional.of(services.json().writeValueAsBytes(answer));
  }

  /** Starts listening. */
  public void start() {
    HttpEndpoint starting = new HttpEndpoint(config, services, memory, times, metrics);
    endpoint = starting;
    starting.start();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return Objects.requireNonNull(endpoint, "not started").address();
  }

  /** Whether calls can be served. */
  public boolean isReady() {
    HttpEndpoint started = endpoint;
    return started != null && started.isReady();
  }

  /** Configuration that is refused while the front end serves, a line each. */
  public List<String> problems() {
    return services.identities().problems();
  }

  @Override
  public void close() {
    HttpEndpoint started = endpoint;
    if (started != null) {
      started.close();
    }
  }
}
