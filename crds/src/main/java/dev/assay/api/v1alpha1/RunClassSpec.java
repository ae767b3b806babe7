package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Toleration;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How Pods of a class are created, and who may use it.
 *
 * @param purpose Run for classes that run code, Snapshot for classes that make dataset snapshots
 * @param allowedNamespaces the namespaces that may use it; {@code *} for all
 * @param image the runner image
 * @param imagePullPolicy when the image is pulled; Kubernetes' default when absent
 * @param imagePullSecrets names of pull Secrets in the run namespace
 * @param languages languages that the class runs; empty for purpose Snapshot
 * @param defaultFor languages whose runs get this class when they name none; where several classes
 *     of a namespace are the default for a language, the newest is used
 * @param resources resources of the worker container, as Kubernetes quantities
 * @param scratch the volume that code may write to; {@code /workspace}, {@code /scratch} and {@code
 *     /tmp} share it
 * @param timeouts time limits in seconds
 * @param output limits of output
 * @param artifacts limits of the files that runs leave and read
 * @param guard the check of code before it is started
 * @param tools which tools of tool servers code may call, and limits of the calls; when absent,
 *     javascript and typescript call those of all tool servers of the namespace, python calls none
 * @param maxConcurrentRuns how many of its runs a namespace may have at a time; others wait,
 *     callers in turn and the oldest run of each first, until their pending deadlines. Any number
 *     when absent
 * @param maxRunning the former name of maxConcurrentRuns, which version 0.2 still reads
 * @param source limits of the sources that a class of purpose Snapshot reads
 * @param runtimeClassName a sandboxed runtime such as gVisor
 * @param nodeSelector labels of the nodes that Pods may run on
 * @param tolerations tolerations of Pods
 * @param priorityClassName priority class of Pods
 * @param podLabels labels added to Pods; Assay's own labels cannot be set
 * @param podAnnotations annotations added to Pods
 * @param mirrorLogs whether output is also written to the log of the Pod's supervisor container,
 *     for {@code kubectl logs} and for log collectors; off when absent
 * @param environment variables of the worker container, such as {@code POLARS_MAX_THREADS}, which
 *     user code can read; no secrets
 * @param hostUsers false gives each Pod a user namespace of its own, where the nodes support it;
 *     Kubernetes' default when absent
 * @param podRetentionSeconds how long a Pod is kept after its run has ended, with its worker
 *     stopped; 0 when absent
 * @param warmPool Pods that are started before their runs are known; none when absent
 * @param egressCheck whether code is only started in a Pod that was seen to be refused a
 *     connection; Required when absent
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "self.purpose == 'Snapshot' ? (!has(self.languages) || size(self.languages) == 0)"
            + " : (has(self.languages) && size(self.languages) > 0)",
    message = "a class of purpose Run names its languages, one of purpose Snapshot has none")
@ValidationRule(
    value =
        "!has(self.defaultFor)"
            + " || self.defaultFor.all(l, has(self.languages) && l in self.languages)",
    message = "defaultFor must be among languages")
@ValidationRule(
    value =
        "self.purpose == 'Snapshot' || self.timeouts.maxSeconds <= " + Bounds.MAX_TIMEOUT_SECONDS,
    message =
        "timeouts.maxSeconds of a class of purpose Run is at most " + Bounds.MAX_TIMEOUT_SECONDS)
@ValidationRule(
    value = "self.purpose == 'Snapshot' || !has(self.source)",
    message = "source is for classes of purpose Snapshot")
@ValidationRule(
    value = "self.purpose == 'Run' || (!has(self.artifacts) && !has(self.guard))",
    message = "artifacts and guard are for classes of purpose Run")
@ValidationRule(
    value = "self.purpose == 'Run' || !has(self.tools)",
    message = "tools is for classes of purpose Run")
@ValidationRule(
    value = "self.purpose == 'Run' || (!has(self.maxConcurrentRuns) && !has(self.maxRunning))",
    message = "maxConcurrentRuns is for classes of purpose Run")
@ValidationRule(
    value = "!has(self.maxConcurrentRuns) || !has(self.maxRunning)",
    message = "maxRunning is the former name of maxConcurrentRuns: remove maxRunning")
@ValidationRule(
    value = "self.purpose == 'Run' || !has(self.warmPool)",
    message = "warmPool is for classes of purpose Run")
@ValidationRule(
    value = "self.purpose == 'Run' || !has(self.egressCheck)",
    message = "egressCheck is for classes of purpose Run")
@ValidationRule(
    value =
        "!has(self.podLabels) || self.podLabels.all(k, !k.startsWith('assay.dev/') &&"
            + " !k.startsWith('app.kubernetes.io/'))",
    message = "labels under assay.dev/ and app.kubernetes.io/ belong to Assay")
@ValidationRule(
    value =
        "self.purpose == 'Run' || !(has(self.mirrorLogs) && self.mirrorLogs)"
            + " && !(has(self.podRetentionSeconds) && self.podRetentionSeconds > 0)",
    message = "mirrorLogs and podRetentionSeconds are for classes of purpose Run")
@ValidationRule(
    value =
        "!has(self.environment)"
            + " || self.environment.all(n, n.matches('^[A-Za-z_][A-Za-z0-9_]{0,63}$'))",
    message =
        "the names in environment are letters, digits and underscores, 64 at most, and do not begin"
            + " with a digit")
@ValidationRule(
    value =
        "!has(self.environment) || self.environment.all(n,"
            + " !(n in ['HOME', 'LOGNAME', 'PWD', 'TMPDIR', 'USER'])"
            + " && !n.startsWith('ASSAY_') && !n.startsWith('KUBERNETES_')"
            + " && !n.startsWith('LD_') && !n.startsWith('PYTHON'))",
    message =
        "environment cannot name HOME, LOGNAME, PWD, TMPDIR, USER, or variables that begin with"
            + " ASSAY_, KUBERNETES_, LD_ or PYTHON")
public record RunClassSpec(
    @Required Purpose purpose,
    @Required @Size(min = 1, max = 64)
        List<
                @Pattern("^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$")
                @Size(min = 1, max = Bounds.MAX_LABEL) String>
            allowedNamespaces,
    @Required @Size(min = 1, max = Bounds.MAX_IMAGE) String image,
    @Nullable PullPolicy imagePullPolicy,
    @Size(max = 8) @Nullable List<@Size(max = 253) String> imagePullSecrets,
    @Size(max = 8) @Nullable List<Language> languages,
    @Size(max = 8) @Nullable List<Language> defaultFor,
    @Required ClassResources resources,
    @Required ClassScratch scratch,
    @Required ClassTimeouts timeouts,
    @Required ClassOutput output,
    @Nullable ClassArtifacts artifacts,
    @Nullable ClassGuard guard,
    @Nullable ClassTools tools,
    @Min(1) @Max(Bounds.MAX_CONCURRENT_RUNS) @Nullable Integer maxConcurrentRuns,
    @Min(1) @Max(Bounds.MAX_CONCURRENT_RUNS) @Nullable Integer maxRunning,
    @Nullable ClassSource source,
    @Size(max = 253) @Nullable String runtimeClassName,
    @Size(max = 32) @Nullable Map<String, @Size(max = Bounds.MAX_LABEL) String> nodeSelector,
    @Size(max = 32) @Nullable List<Toleration> tolerations,
    @Size(max = 253) @Nullable String priorityClassName,
    @Size(max = 32) @Nullable Map<String, @Size(max = Bounds.MAX_LABEL) String> podLabels,
    @Size(max = 32) @Nullable Map<String, @Size(max = 1024) String> podAnnotations,
    @Size(max = 16) @Nullable Map<String, @Size(max = 1024) String> environment,
    @Nullable Boolean hostUsers,
    @Nullable Boolean mirrorLogs,
    @Min(0) @Max(86_400) @Nullable Integer podRetentionSeconds,
    @Nullable ClassWarmPool warmPool,
    @Nullable EgressCheck egressCheck)
    implements RunClassSpecBuilder.With {

  /** What a class is for. */
  public enum Purpose {
    Run,
    Snapshot,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** When an image is pulled, as in Kubernetes. */
  public enum PullPolicy {
    Always,
    IfNotPresent,
    Never,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** Whether a Pod must be seen to be refused a connection before it is given code. */
  public enum EgressCheck {
    /** No code is started in a Pod that can connect, or whose network cannot be tested. */
    Required,
    /** The network of Pods is not tested. */
    Disabled,

    /** A value of a newer version. */
    @JsonEnumDefaultValue
    @JsonIgnore
    Unknown
  }

  /** Whether the class is open to a namespace. */
  public boolean allows(String namespace) {
    return allowedNamespaces.contains("*") || allowedNamespaces.contains(namespace);
  }

  /** The limits of a source, with defaults. */
  public SourceLimits sourceLimits() {
    return source == null ? ClassSource.DEFAULT : source.orDefaults();
  }

  /** The limits of the files that a run leaves, and of those it reads, with defaults. */
  public ArtifactLimits artifactLimits() {
    return artifacts == null ? ClassArtifacts.DEFAULT : artifacts.orDefaults();
  }

  /** Whether the code of a run is checked before it is started. */
  public boolean guards(RunMode mode) {
    Boolean enabled = guard == null ? null : guard.enabled();
    return enabled == null ? mode == RunMode.CODE : enabled;
  }

  /** The modules that code may import in addition to those that the guard knows. */
  public List<String> allowedModules() {
    return guard == null || guard.allowedModules() == null ? List.of() : guard.allowedModules();
  }

  /** The limits of the calls of tools, with defaults. */
  public ToolLimits toolLimits() {
    return tools == null ? ClassTools.DEFAULT : tools.orDefaults();
  }

  /** How many of its runs a namespace may have at a time; null for any number. */
  public @Nullable Integer concurrentRunsLimit() {
    return maxConcurrentRuns == null ? maxRunning : maxConcurrentRuns;
  }

  /** Whether output goes to the Pod's log too. */
  public boolean mirrorsLogs() {
    return Boolean.TRUE.equals(mirrorLogs);
  }

  /** How long a Pod outlives its run. */
  public Duration podRetention() {
    return Duration.ofSeconds(podRetentionSeconds == null ? 0 : podRetentionSeconds);
  }

  /** The bounds of each of its pools, with defaults. */
  public WarmPoolLimits warmPoolLimits() {
    return warmPool == null ? ClassWarmPool.NONE : warmPool.orDefaults();
  }

  /** Whether a Pod must be seen to be refused a connection before it is given code. */
  public boolean requiresEgressCheck() {
    return purpose == Purpose.Run && egressCheck != EgressCheck.Disabled;
  }

  /** Whether warm Pods of the class take runs with datasets. */
  public boolean warmPodsTakeDatasets() {
    return warmPool != null && !Boolean.FALSE.equals(warmPool.datasets());
  }

  /** Whether the class runs code of a language. */
  public boolean offers(Language language) {
    return languages != null && languages.contains(language);
  }

  /** Whether code in a language has functions to call tools, whatever they return. */
  public boolean offersToolsTo(Language language) {
    return switch (language) {
      case JAVASCRIPT, TYPESCRIPT -> true;
      case PYTHON -> tools != null && tools.servers() != null;
      case POLARS, SQL, UNKNOWN -> false;
    };
  }

  /** Whether runs of a language that name no class get this one. */
  public boolean isDefaultFor(Language language) {
    return defaultFor != null && defaultFor.contains(language);
  }

  /**
   * Resources of the worker container, as Kubernetes quantities.
   *
   * @param cpu CPU limit, such as 1 or 500m
   * @param memory memory request and limit, such as 512Mi
   * @param cpuRequest what the scheduler reserves; the limit when absent
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassResources(
      @Required @Pattern(QUANTITY) @Size(min = 1, max = 16) String cpu,
      @Required @Pattern(QUANTITY) @Size(min = 1, max = 16) String memory,
      @Pattern(QUANTITY) @Size(min = 1, max = 16) @Nullable String cpuRequest) {}

  /**
   * The scratch volume.
   *
   * @param sizeLimit maximum size, as a Kubernetes quantity
   * @param medium Memory counts towards the worker's memory and refuses a write when full; Disk is
   *     the node's disk, where an overrun gets the Pod evicted
   */
  @RecordBuilder
  public record ClassScratch(
      @Required @Pattern(QUANTITY) @Size(min = 1, max = 16) String sizeLimit,
      @Default("Memory") Medium medium) {

    /** Where scratch lives. */
    public enum Medium {
      Memory,
      Disk,

      /** A value of a newer version. */
      @JsonEnumDefaultValue
      @JsonIgnore
      Unknown
    }
  }

  /**
   * Time limits in seconds. Those of a run are at most 600 seconds.
   *
   * @param defaultSeconds time limit of a run that names none, or of a snapshot
   * @param maxSeconds the highest time limit that a run may name
   * @param pendingSeconds how long a run may wait for its Pod to start
   */
  @ValidationRule(
      value = "self.defaultSeconds <= self.maxSeconds",
      message = "defaultSeconds cannot be above maxSeconds")
  @RecordBuilder
  public record ClassTimeouts(
      @Required @Min(1) @Max(Bounds.MAX_SNAPSHOT_SECONDS) int defaultSeconds,
      @Required @Min(1) @Max(Bounds.MAX_SNAPSHOT_SECONDS) int maxSeconds,
      @Default("300") @Min(5) @Max(86_400) int pendingSeconds) {}

  /**
   * Limits of output.
   *
   * @param limitBytes maximum bytes of output stored for a run
   */
  @RecordBuilder
  public record ClassOutput(@Required @Min(1024) @Max(67_108_864) int limitBytes) {}

  /**
   * Limits of artifacts. Files beyond them are left out, and the run says so.
   *
   * @param limitBytes bytes of all artifacts of a run together, and of all its inputs; 64 MiB when
   *     absent, and 0 for none
   * @param maxCount number of artifacts of a run; 100 when absent
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassArtifacts(
      @Min(0) @Max(Bounds.MAX_ARTIFACT_BYTES) @Nullable Long limitBytes,
      @Min(1) @Max(Bounds.MAX_ARTIFACTS) @Nullable Integer maxCount) {
    /** The limits of a class that names none. */
    private static final ArtifactLimits DEFAULT = new ArtifactLimits(64L << 20, 100);

    private ArtifactLimits orDefaults() {
      return new ArtifactLimits(
          limitBytes == null ? DEFAULT.limitBytes : limitBytes,
          maxCount == null ? DEFAULT.maxCount : maxCount);
    }
  }

  /**
   * Limits of artifacts, each with a value.
   *
   * @param limitBytes bytes of all artifacts of a run together, and of all its inputs
   * @param maxCount number of artifacts of a run
   */
  public record ArtifactLimits(long limitBytes, int maxCount) {}

  /**
   * The check of Python code before it is started. It finds mistakes early and keeps agents to the
   * allowed packages; what contains hostile code is the Pod.
   *
   * @param enabled whether code is checked; only in mode code when absent
   * @param allowedModules top-level modules that code may import, in addition to those that the
   *     guard allows by itself
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassGuard(
      @Nullable Boolean enabled,
      @Size(max = 64)
          @Nullable List<@Pattern("^[A-Za-z_][A-Za-z0-9_]*$") @Size(min = 1, max = 64) String>
              allowedModules) {}

  /**
   * Which tools of tool servers the code of a run may call, and limits of the calls. What a run or
   * an API key allows narrows it.
   *
   * @param servers names of ToolServers in the run's namespace, {@code *} for all; none when empty.
   *     When absent, all for javascript and typescript, none for python
   * @param permissions permissions of the tools that code may call; all when absent, none when
   *     empty
   * @param maxCalls number of calls of a run, those that were refused included: the next one ends
   *     it; 10,000 when absent
   * @param resultBytes bytes of the result of a call, as JSON; 1 MiB when absent
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassTools(
      @Size(max = Bounds.MAX_RUN_TOOL_SERVERS)
          @Nullable
              List<@Pattern(RunTools.SERVER_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String>
              servers,
      @Size(max = 3) @Nullable List<ToolPermission> permissions,
      @Min(1) @Max(Bounds.MAX_CLASS_TOOL_CALLS) @Nullable Integer maxCalls,
      @Min(1024) @Max(Bounds.MAX_TOOL_RESULT_BYTES) @Nullable Integer resultBytes) {
    /** The limits of a class that names none. */
    private static final ToolLimits DEFAULT = new ToolLimits(10_000, 1 << 20);

    private ToolLimits orDefaults() {
      return new ToolLimits(
          maxCalls == null ? DEFAULT.maxCalls : maxCalls,
          resultBytes == null ? DEFAULT.resultBytes : resultBytes);
    }
  }

  /**
   * Limits of the calls of tools, each with a value.
   *
   * @param maxCalls number of calls of a run, those that were refused included
   * @param resultBytes bytes of the result of a call, as JSON
   */
  public record ToolLimits(int maxCalls, int resultBytes) {}

  /**
   * Pods that are started before their runs are known, so that a run need not wait for its Pod.
   * Each serves one run. Between {@code min} and {@code max}, their number follows the calls.
   *
   * @param min idle Pods at any time, in each namespace that may use the class, for each worker
   *     that its languages need (one for Python and Polars, one for SQL, one for JavaScript and
   *     TypeScript); 0 when absent
   * @param max idle Pods at most; {@code min} when absent. With a {@code min} of 0 the first call
   *     starts them
   * @param idleSeconds how long after the last call only {@code min} are left; 300 when absent
   * @param datasets whether they take runs with datasets, for which their supervisors mount all
   *     snapshots of the namespace; true when absent
   */
  @ValidationRule(
      value = "!has(self.min) || !has(self.max) || self.max >= self.min",
      message = "max cannot be below min")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassWarmPool(
      @Min(0) @Max(Bounds.MAX_WARM_PODS) @Nullable Integer min,
      @Min(0) @Max(Bounds.MAX_WARM_PODS) @Nullable Integer max,
      @Min(10) @Max(86_400) @Nullable Integer idleSeconds,
      @Nullable Boolean datasets) {
    private static final Duration DEFAULT_IDLE = Duration.ofMinutes(5);

    /** The bounds of a class without pools. */
    private static final WarmPoolLimits NONE = new WarmPoolLimits(0, 0, DEFAULT_IDLE);

    private WarmPoolLimits orDefaults() {
      int least = min == null ? 0 : min;
      return new WarmPoolLimits(
          least,
          max == null ? least : max,
          idleSeconds == null ? DEFAULT_IDLE : Duration.ofSeconds(idleSeconds));
    }
  }

  /**
   * Bounds of a pool, each with a value.
   *
   * @param min idle Pods at any time
   * @param max idle Pods at most; 0 if there is no pool
   * @param idle how long after the last call only {@code min} are left
   */
  public record WarmPoolLimits(int min, int max, Duration idle) {
    /** Whether there is a pool, though it may have no Pod now. */
    public boolean exist() {
      return max > 0;
    }
  }

  /**
   * Limits of a source. A source above one is refused, and the error names the limit.
   *
   * @param maxBytes bytes of the source, after decompression; 1 GiB when absent
   * @param maxRows rows of the table; 100,000,000 when absent
   * @param maxColumns columns of the table; 10,000 when absent
   * @param maxNesting depth of arrays, objects and types within each other; 64 when absent
   * @param frameBytes bytes of the source above which pandas does not read it, unless the dataset
   *     says {@code frame: true}; 1 GiB when absent
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @RecordBuilder
  public record ClassSource(
      @Min(1) @Max(Bounds.MAX_SOURCE) @Nullable Long maxBytes,
      @Min(1) @Max(Bounds.MAX_SOURCE) @Nullable Long maxRows,
      @Min(1) @Max(1_000_000) @Nullable Integer maxColumns,
      @Min(1) @Max(512) @Nullable Integer maxNesting,
      @Min(1) @Max(Bounds.MAX_SOURCE) @Nullable Long frameBytes) {
    /** The limits of a class that names none. */
    private static final SourceLimits DEFAULT =
        new SourceLimits(1L << 30, 100_000_000, 10_000, 64, 1L << 30);

    private SourceLimits orDefaults() {
      return new SourceLimits(
          maxBytes == null ? DEFAULT.maxBytes : maxBytes,
          maxRows == null ? DEFAULT.maxRows : maxRows,
          maxColumns == null ? DEFAULT.maxColumns : maxColumns,
          maxNesting == null ? DEFAULT.maxNesting : maxNesting,
          frameBytes == null ? DEFAULT.frameBytes : frameBytes);
    }
  }

  /**
   * Limits of a source, each with a value.
   *
   * @param maxBytes bytes of the source, after decompression
   * @param maxRows rows of the table
   * @param maxColumns columns of the table
   * @param maxNesting depth of arrays, objects and types within each other
   * @param frameBytes bytes of the source above which pandas does not read it
   */
  public record SourceLimits(
      long maxBytes, long maxRows, long maxColumns, long maxNesting, long frameBytes) {}

  private static final String QUANTITY = "^[0-9]+(\\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$";
}
