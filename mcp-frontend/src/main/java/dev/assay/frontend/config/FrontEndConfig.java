package dev.assay.frontend.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the platform team decides at installation.
 *
 * @param listen where to listen
 * @param auth who may call
 * @param allowedOrigins browser origins that may call, such as {@code https://chat.example}; a
 *     request without Origin is not from a browser and is fine
 * @param allowedHosts Host header values without port, beside the loopback names; {@code *} for any
 * @param namespaces the run namespaces
 * @param operator the operator's internal endpoint; without it, long output is shown in part
 * @param limits of the endpoint
 * @param defaults of a call
 * @param toolGroups the groups of tools that are offered; all when absent
 * @param outputSchemas whether tools are listed with the schema of their structured content, which
 *     nearly doubles the tokens of the list; not by default
 * @param analytics of the analytics tools
 * @param codeExecution of scripts; off when absent
 */
public record FrontEndConfig(
    Listen listen,
    @JsonProperty(required = true) Auth auth,
    List<String> allowedOrigins,
    List<String> allowedHosts,
    @JsonProperty(required = true) List<String> namespaces,
    @Nullable Operator operator,
    Limits limits,
    Defaults defaults,
    @Nullable List<ToolGroup> toolGroups,
    @Nullable Boolean outputSchemas,
    Analytics analytics,
    CodeExecution codeExecution) {
  private static final int MAX_REQUESTS_PER_SECOND = 100_000;

  @SuppressWarnings("NullAway") // Jackson hands null to a record for what the file leaves out.
  public FrontEndConfig {
    listen = listen == null ? new Listen("0.0.0.0", 8787) : listen;
    allowedOrigins = allowedOrigins == null ? List.of() : List.copyOf(allowedOrigins);
    allowedHosts = allowedHosts == null ? List.of() : List.copyOf(allowedHosts);
    limits =
        limits == null ? new Limits(null, null, null, null, null, null, null, null, null) : limits;
    defaults = defaults == null ? new Defaults(null, null, null, null, null) : defaults;
    analytics = analytics == null ? new Analytics(null, null, null) : analytics;
    codeExecution = codeExecution == null ? CodeExecution.OFF : codeExecution;
    Checks.require(auth != null, "auth", "is missing");
    Checks.require(
        namespaces != null && namespaces.stream().allMatch(Objects::nonNull),
        "namespaces",
        "must be a list of names");
    namespaces = List.copyOf(namespaces);
    Checks.require(
        toolGroups == null || !toolGroups.isEmpty(), "toolGroups", "names no group of tools");
    Checks.require(!namespaces.isEmpty(), "namespaces", "names no run namespace");
    for (String namespace : namespaces) {
      Checks.require(
          namespace.matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"),
          "namespaces",
          "'" + namespace + "' is not a valid namespace name");
    }
    for (String origin : allowedOrigins) {
      Checks.require(
          origin.matches("https?://[^/*\\s]+"),
          "allowedOrigins",
          "'" + origin + "' is not a valid origin; expected one such as https://chat.example");
    }
    if (auth.mode() == AuthMode.DISABLED) {
      Checks.require(
          namespaces.contains(auth.namespace()), "auth.namespace", "must be one of namespaces");
    }
  }

  /** The groups of tools that are offered to anybody. */
  public Set<ToolGroup> offeredToolGroups() {
    return ToolGroup.of(toolGroups);
  }

  /** Whether tools are listed with the schema of what they return. */
  public boolean listsOutputSchemas() {
    return Boolean.TRUE.equals(outputSchemas);
  }

  /** Whether a call tells who makes it, or all come from one caller. */
  public boolean tellsCallersApart() {
    return auth.mode() == AuthMode.API_KEYS;
  }

  /** Calls in flight of one caller: all of them where callers are not distinguished. */
  public int concurrentCallsPerCaller() {
    return tellsCallersApart() ? limits.concurrentCallsPerCaller() : limits.concurrentCalls();
  }

  /**
   * Rate limit of one caller in requests per second; effectively unlimited where callers are not
   * distinguished.
   */
  public int requestsPerSecondPerCaller() {
    return tellsCallersApart() ? limits.requestsPerSecondPerCaller() : MAX_REQUESTS_PER_SECOND;
  }

  /**
   * Rate limit of one caller in runs per second. A run takes more of the operator and the API
   * server than a request takes of the front end.
   */
  public int runsPerSecondPerCaller() {
    return Math.max(1, requestsPerSecondPerCaller() / 10);
  }

  /**
   * Runs of one caller that have not ended: as many as may exist where callers are not
   * distinguished.
   */
  public int unfinishedRunsPerCaller() {
    return tellsCallersApart() ? limits.unfinishedRunsPerCaller() : limits.runsPerNamespace();
  }

  /** Half of the runs of a namespace are for others; all, where callers are not distinguished. */
  public int runsPerCaller() {
    return ofOneCaller(limits.runsPerNamespace());
  }

  /** The same of datasets. */
  public int datasetsPerCaller() {
    return ofOneCaller(limits.datasetsPerNamespace());
  }

  private int ofOneCaller(int all) {
    return tellsCallersApart() ? Math.max(1, all / 2) : all;
  }

  /**
   * Where to listen.
   *
   * @param address an address of this machine
   * @param port TCP port; 0 lets the system choose
   */
  public record Listen(
      @JsonProperty(required = true) String address, @JsonProperty(required = true) int port) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    public Listen {
      Checks.require(address != null, "listen.address", "is missing");
      Checks.requireBetween("listen.port", port, 0, 65_535);
    }
  }

  /** How callers are identified. */
  public enum AuthMode {
    @JsonProperty("apiKeys")
    API_KEYS,
    @JsonProperty("disabled")
    DISABLED
  }

  /**
   * Who may call.
   *
   * @param mode by API keys, or anyone who can reach the port
   * @param keysFile the keys; only with {@code apiKeys}
   * @param namespace where runs go; only with {@code disabled}
   * @param caller the name runs carry; only with {@code disabled}
   */
  public record Auth(
      @JsonProperty(required = true) AuthMode mode,
      @Nullable Path keysFile,
      @Nullable String namespace,
      @Nullable String caller) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    public Auth {
      Checks.require(mode != null, "auth.mode", "is missing");
      boolean keys = mode == AuthMode.API_KEYS;
      Checks.require(!keys || keysFile != null, "auth.keysFile", "is needed with mode apiKeys");
      Checks.require(
          !keys || (namespace == null && caller == null),
          "auth",
          "namespace and caller belong to mode disabled");
      Checks.require(keys || keysFile == null, "auth.keysFile", "belongs to mode apiKeys");
      Checks.require(keys || namespace != null, "auth.namespace", "is needed with mode disabled");
      Checks.require(keys || caller != null, "auth.caller", "is needed with mode disabled");
    }
  }

  /**
   * The operator's internal endpoint.
   *
   * @param url https, or http on the loopback address only
   * @param caFile PEM certificates that its certificate must come from; re-read when it changes
   * @param tokenFile this process' token; re-read when it changes
   */
  public record Operator(
      @JsonProperty(required = true) URI url, @Nullable Path caFile, @Nullable Path tokenFile) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    public Operator {
      Checks.require(url != null, "operator.url", "is missing");
      String scheme = url.getScheme();
      String host = url.getHost() == null ? "" : url.getHost();
      Checks.require(
          "https".equals(scheme)
              || ("http".equals(scheme) && host.matches("localhost|127\\.0\\.0\\.1|\\[::1]")),
          "operator.url",
          "must be https, or http on the loopback address");
      Checks.require(
          !"https".equals(scheme) || caFile != null, "operator.caFile", "is needed with https");
    }
  }

  /**
   * Limits of the endpoint.
   *
   * @param maxRequestBytes of a request's body; far above what any tool takes, so that a call that
   *     is too long is answered as a call, and not as a request that could not be read
   * @param maxConcurrentCalls tool calls in flight, and as many outputs and loads of datasets by
   *     REST; more get 429
   * @param maxConcurrentCallsPerCaller of these, those of one caller; half of them by default
   * @param maxRequestsPerSecondPerCaller requests of one caller in the long run; in a burst five
   *     times as many. More get 429
   * @param maxReplyBytes bytes of output in a reply, as JSON; the default leaves room for the rest
   *     of a message of 1 MiB, which is the limit of some clients
   * @param maxReplyTokens estimated tokens of a tool's text where a call does not say how many
   * @param maxRunsPerNamespace runs of a namespace, those that have ended included: operator and
   *     front end have all of them in memory; no more are created
   * @param maxUnfinishedRunsPerCaller of these, those of one caller that have not ended
   * @param maxDatasetsPerNamespace datasets of a namespace; no more are created
   */
  public record Limits(
      @Nullable Integer maxRequestBytes,
      @Nullable Integer maxConcurrentCalls,
      @Nullable Integer maxConcurrentCallsPerCaller,
      @Nullable Integer maxRequestsPerSecondPerCaller,
      @Nullable Integer maxReplyBytes,
      @Nullable Integer maxReplyTokens,
      @Nullable Integer maxRunsPerNamespace,
      @Nullable Integer maxUnfinishedRunsPerCaller,
      @Nullable Integer maxDatasetsPerNamespace) {
    public Limits {
      maxRequestBytes = maxRequestBytes == null ? 16_777_216 : maxRequestBytes;
      maxConcurrentCalls = maxConcurrentCalls == null ? 256 : maxConcurrentCalls;
      maxConcurrentCallsPerCaller =
          maxConcurrentCallsPerCaller == null
              ? Math.max(1, maxConcurrentCalls / 2)
              : maxConcurrentCallsPerCaller;
      maxRequestsPerSecondPerCaller =
          maxRequestsPerSecondPerCaller == null ? 200 : maxRequestsPerSecondPerCaller;
      maxReplyBytes = maxReplyBytes == null ? 1_000_000 : maxReplyBytes;
      maxReplyTokens = maxReplyTokens == null ? 20_000 : maxReplyTokens;
      maxRunsPerNamespace = maxRunsPerNamespace == null ? 20_000 : maxRunsPerNamespace;
      maxUnfinishedRunsPerCaller =
          maxUnfinishedRunsPerCaller == null ? 1_000 : maxUnfinishedRunsPerCaller;
      maxDatasetsPerNamespace = maxDatasetsPerNamespace == null ? 2_000 : maxDatasetsPerNamespace;
      Checks.requireBetween("limits.maxRequestBytes", maxRequestBytes, 1024, 67_108_864);
      Checks.requireBetween("limits.maxConcurrentCalls", maxConcurrentCalls, 1, 100_000);
      Checks.requireBetween(
          "limits.maxConcurrentCallsPerCaller", maxConcurrentCallsPerCaller, 1, maxConcurrentCalls);
      Checks.requireBetween(
          "limits.maxRequestsPerSecondPerCaller",
          maxRequestsPerSecondPerCaller,
          1,
          MAX_REQUESTS_PER_SECOND);
      Checks.requireBetween("limits.maxReplyBytes", maxReplyBytes, 65_536, 67_108_864);
      Checks.requireBetween("limits.maxReplyTokens", maxReplyTokens, 1000, 200_000);
      Checks.requireBetween("limits.maxRunsPerNamespace", maxRunsPerNamespace, 1, 10_000_000);
      Checks.requireBetween(
          "limits.maxUnfinishedRunsPerCaller", maxUnfinishedRunsPerCaller, 1, 10_000_000);
      Checks.requireBetween("limits.maxDatasetsPerNamespace", maxDatasetsPerNamespace, 1, 100_000);
    }

    public int requestBytes() {
      return orFail(maxRequestBytes);
    }

    public int concurrentCalls() {
      return orFail(maxConcurrentCalls);
    }

    public int concurrentCallsPerCaller() {
      return orFail(maxConcurrentCallsPerCaller);
    }

    public int requestsPerSecondPerCaller() {
      return orFail(maxRequestsPerSecondPerCaller);
    }

    public int replyBytes() {
      return orFail(maxReplyBytes);
    }

    public int replyTokens() {
      return orFail(maxReplyTokens);
    }

    public int runsPerNamespace() {
      return orFail(maxRunsPerNamespace);
    }

    public int unfinishedRunsPerCaller() {
      return orFail(maxUnfinishedRunsPerCaller);
    }

    public int datasetsPerNamespace() {
      return orFail(maxDatasetsPerNamespace);
    }
  }

  /**
   * Defaults of a call.
   *
   * @param runClass the RunClass of runs
   * @param timeoutSeconds run time where a call names none
   * @param maxTimeoutSeconds most run time that a call may name
   * @param datasetWaitSeconds how long a call waits for a dataset that is still loading
   * @param codeRunClass the RunClass of runs in code mode
   * @param codeTimeoutSeconds their run time where a call names none
   * @param waitSeconds how long a call of a tool waits for its run or dataset where it does not
   *     say; less than clients wait for an answer, which is 60 s for many
   */
  public record Defaults(
      @Nullable String runClass,
      @Nullable Integer timeoutSeconds,
      @Nullable Integer maxTimeoutSeconds,
      @Nullable Integer datasetWaitSeconds,
      @Nullable String codeRunClass,
      @Nullable Integer codeTimeoutSeconds,
      @Nullable Integer waitSeconds) {
    private static final int CODE_TIMEOUT_SECONDS = 120;

    public Defaults {
      codeRunClass = codeRunClass == null ? "code" : codeRunClass;
      runClass = runClass == null ? "python" : runClass;
      timeoutSeconds = timeoutSeconds == null ? 30 : timeoutSeconds;
      maxTimeoutSeconds = maxTimeoutSeconds == null ? 600 : maxTimeoutSeconds;
      datasetWaitSeconds = datasetWaitSeconds == null ? 30 : datasetWaitSeconds;
      waitSeconds = waitSeconds == null ? 50 : waitSeconds;
      Checks.requireBetween("defaults.maxTimeoutSeconds", maxTimeoutSeconds, 1, 600);
      Checks.requireBetween("defaults.timeoutSeconds", timeoutSeconds, 1, maxTimeoutSeconds);
      Checks.requireBetween("defaults.datasetWaitSeconds", datasetWaitSeconds, 0, 600);
      Checks.requireBetween("defaults.waitSeconds", waitSeconds, 1, 600);
      codeTimeoutSeconds =
          codeTimeoutSeconds == null
              ? Math.min(CODE_TIMEOUT_SECONDS, maxTimeoutSeconds)
              : codeTimeoutSeconds;
      Checks.requireBetween(
          "defaults.codeTimeoutSeconds", codeTimeoutSeconds, 1, maxTimeoutSeconds);
    }

    /** The usual ones of code mode. */
    public Defaults(
        @Nullable String runClass,
        @Nullable Integer timeoutSeconds,
        @Nullable Integer maxTimeoutSeconds,
        @Nullable Integer datasetWaitSeconds,
        @Nullable Integer waitSeconds) {
      this(
          runClass, timeoutSeconds, maxTimeoutSeconds, datasetWaitSeconds, null, null, waitSeconds);
    }

    public String runClassName() {
      return orFail(runClass);
    }

    public int timeout() {
      return orFail(timeoutSeconds);
    }

    public int maxTimeout() {
      return orFail(maxTimeoutSeconds);
    }

    public String codeRunClassName() {
      return orFail(codeRunClass);
    }

    public int codeTimeout() {
      return orFail(codeTimeoutSeconds);
    }

    public int datasetWait() {
      return orFail(datasetWaitSeconds);
    }

    public int waitDefault() {
      return orFail(waitSeconds);
    }
  }

  /**
   * The analytics tools.
   *
   * @param toolNames the form of their names that is listed
   * @param sqlRunClass the RunClass of SQL, profiles and samples
   * @param cacheTtlSeconds how long after its end the result of a run is used again; 0 for never
   */
  public record Analytics(
      @Nullable ToolNames toolNames,
      @Nullable String sqlRunClass,
      @Nullable Integer cacheTtlSeconds) {
    public Analytics {
      toolNames = toolNames == null ? ToolNames.UNDERSCORE : toolNames;
      sqlRunClass = sqlRunClass == null ? "sql" : sqlRunClass;
      cacheTtlSeconds = cacheTtlSeconds == null ? 3_600 : cacheTtlSeconds;
      Checks.requireBetween("analytics.cacheTtlSeconds", cacheTtlSeconds, 0, 604_800);
    }

    public ToolNames names() {
      return orFail(toolNames);
    }

    public String sqlRunClassName() {
      return orFail(sqlRunClass);
    }

    public int cacheTtl() {
      return orFail(cacheTtlSeconds);
    }
  }

  private static <T> T orFail(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the constructor sets it");
    }
    return value;
  }
}
