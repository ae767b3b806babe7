package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.frontend.analytics.AnalyticsValue;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.InvalidValueException;
import dev.assay.frontend.analytics.TableValue;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.RunParameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code describe_runtime}: the environment of the code. Python and its packages are asked of a run
 * of the class, once for each image, since nothing else knows them for certain. What an image has
 * is asked again after a while where its name may have come to mean another one.
 */
public final class DescribeRuntime implements Tool {
  private static final String NAME = "describe_runtime";
  private static final int TIMEOUT_SECONDS = 30;
  private static final int MAX_REMEMBERED = 64;
  private static final int MAX_VERSION = 64;
  private static final int MAX_EXTENSIONS = 1_000;

  /** An image that is named by a tag can become another; one that is named by its digest cannot. */
  private static final Duration TAG_TTL = Duration.ofMinutes(10);

  private static final String CODE =
      """
      import importlib.metadata
      import sys

      print("Python", sys.version.split()[0])
      packages = {found.name: found.version for found in importlib.metadata.distributions()}
      print("Packages:", ", ".join(f"{name} {packages[name]}" for name in sorted(packages, key=str.lower)))
      """;

  private static final String SQL =
      """
      SELECT version() AS version, (SELECT string_agg(extension_name, ', ' ORDER BY extension_name) \
      FROM duckdb_extensions() WHERE loaded) AS extensions\
      """;

  /** Those whose libraries a run can list. */
  private static final List<Language> DESCRIBED =
      List.of(Language.PYTHON, Language.POLARS, Language.SQL);

  private static final Parameter<Optional<Language>> LANGUAGE =
      Parameter.optional("language", ArgumentTypes.choice(DESCRIBED, Language::wireName));
  private static final Parameter<Optional<String>> RUN_CLASS =
      Parameter.optional("run_class", ArgumentTypes.label());

  private static final ToolDescription DESCRIPTION =
      new ToolDescription(
          NAME,
          "Show the runtime",
          """
          Shows the environment (sandbox) of code: versions of Python and DuckDB, installed \
          packages and libraries that you can import, limits of time and memory. Once, before you \
          rely on a package.\
          """,
          Parameters.of(LANGUAGE, RunParameters.MODE, RUN_CLASS),
          RuntimeDocument.class,
          ToolDescription.Effects.READS,
          MethodKind.CALL);

  private final QueryParameters.Settings settings;
  private final String codeRunClass;
  private final RunClasses classes;
  private final CachedResults cache;
  private final RunCall runs;
  private final InstantSource clock;

  /** Least recently used first. */
  private final Map<Environment, Known> packagesByEnvironment =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Environment, Known> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** One image may have both: Python and DuckDB. */
  private record Environment(String image, boolean isSql) {}

  private record Known(String packages, Instant since) {}

  /**
   * The tool.
   *
   * @param settings the classes of calls that name none
   * @param codeRunClass the same in code mode
   */
  public DescribeRuntime(
      QueryParameters.Settings settings,
      String codeRunClass,
      RunClasses classes,
      RunCall runs,
      CachedResults cache,
      InstantSource clock) {
    this.clock = clock;
    this.settings = settings;
    this.codeRunClass = codeRunClass;
    this.cache = cache;
    this.classes = classes;
    this.runs = runs;
  }

  @Override
  public boolean createsRuns() {
    return true;
  }

  @Override
  public ToolDescription description() {
    return DESCRIPTION;
  }

  @Override
  public String afterFailure(CallContext call) {
    return RunCall.afterFailure(call);
  }

  @Override
  public Reply call(CallContext call, Arguments arguments) throws InterruptedException {
    Optional<Language> wanted = arguments.get(LANGUAGE);
    Language language = wanted.orElse(Language.PYTHON);
    boolean isCode = arguments.get(RunParameters.MODE) == RunMode.CODE;
    if (isCode && language != Language.PYTHON) {
      throw BadArgumentException.value("'mode' code is for language python");
    }
    String name =
        arguments
            .get(RUN_CLASS)
            .orElseGet(() -> isCode ? codeRunClass : settings.classFor(language));
    RunClassSpec runClass =
        classes
            .find(name)
            .map(RunClass::getSpec)
            .filter(spec -> spec.purpose() == RunClassSpec.Purpose.Run)
            .filter(spec -> spec.allows(call.identity().namespace()))
            .orElseThrow(
                () ->
                    BadArgumentException.value(
                        "'run_class' names no class for runs in your namespace"));
    if (isCode) {
      String text = CodeModeText.of(runClass.allowedModules());
      return Reply.success(
          text, RuntimeDocument.of(name, runClass, "", text, cache.counters(call.identity())));
    }
    if (wanted.isPresent() && !runClass.offers(language)) {
      throw BadArgumentException.value(
          "class '%s' does not run '%s': name another 'run_class' or 'language'"
              .formatted(name, language.wireName()));
    }
    if (runsScriptsOnly(runClass)) {
      throw BadArgumentException.value(
          "class '%s' has no libraries: it runs scripts in JavaScript and TypeScript"
              .formatted(name));
    }
    boolean isSql = wanted.isPresent() ? language == Language.SQL : !isOfPython(runClass);
    Environment environment = new Environment(runClass.image(), isSql);
    String packages = remembered(environment);
    if (packages == null) {
      Patience patience = Patience.of(Duration.ofSeconds(settings.waitSeconds()));
      Reply reply = runs.run(question(name, runClass, isSql), runs.defaultTokens(), patience, call);
      if (reply.isError()) {
        return reply;
      }
      if (RunReply.isInProgress(reply)) {
        return Reply.executionError(
            "Unavailable",
            "timed out after %d s waiting for class '%s', which may have no free Pod: retry in a minute"
                .formatted(settings.waitSeconds(), name));
      }
      packages = isSql ? ofSql(reply.text()) : reply.text();
      remember(environment, packages);
    }
    RuntimeDocument runtime =
        RuntimeDocument.of(name, runClass, packages, null, cache.counters(call.identity()));
    return Reply.success(
        packages.stripTrailing() + "\n" + limits(runtime) + tools(runtime), runtime);
  }

  private static boolean runsScriptsOnly(RunClassSpec runClass) {
    List<Language> languages = runClass.languages();
    return languages != null
        && !languages.isEmpty()
        && languages.stream().allMatch(Language::isScript);
  }

  private static boolean isOfPython(RunClassSpec runClass) {
    return runClass.offers(Language.PYTHON);
  }

  private static AnalyticsRunSpec question(String className, RunClassSpec runClass, boolean isSql) {
    return AnalyticsRunSpecBuilder.builder()
        .className(className)
        .language(isSql ? Language.SQL : Language.PYTHON)
        .code(isSql ? SQL : CODE)
        .timeoutSeconds(Math.min(TIMEOUT_SECONDS, runClass.timeouts().maxSeconds()))
        .tool(NAME)
        .build();
  }

  /** What a query of {@link #SQL} returned, in the form that {@link #CODE} prints. */
  private static String ofSql(String value) {
    try {
      @Nullable TableValue table = AnalyticsValue.read(value).table();
      if (table != null && table.rows().size() == 1 && table.columns().size() == 2) {
        List<@Nullable Object> row = table.rows().getFirst();
        return "DuckDB "
            + Text.oneLine(String.valueOf(row.getFirst()), MAX_VERSION)
            + "\nExtensions: "
            + Text.oneLine(String.valueOf(row.getLast()), MAX_EXTENSIONS);
      }
    } catch (InvalidValueException e) {
      // Said below.
    }
    return "DuckDB of an unknown version";
  }

  private @Nullable String remembered(Environment environment) {
    synchronized (packagesByEnvironment) {
      Known known = packagesByEnvironment.get(environment);
      return known == null || isOutdated(environment.image, known) ? null : known.packages;
    }
  }

  private boolean isOutdated(String image, Known known) {
    return !image.contains("@sha256:") && !clock.instant().isBefore(known.since.plus(TAG_TTL));
  }

  private void remember(Environment environment, String packages) {
    synchronized (packagesByEnvironment) {
      packagesByEnvironment.put(environment, new Known(packages, clock.instant()));
    }
  }

  private static String limits(RuntimeDocument runtime) {
    RuntimeDocument.Limits limits = runtime.limits();
    return """
    Limits of class '%s': %s of memory, %s CPU, %s of scratch space; %d s of run time \
    unless a call says otherwise, and at most %d; %d bytes of output are kept.
    There is no network, and nothing is kept from one call to the next.\
    """
        .formatted(
            runtime.runClass(),
            limits.memory(),
            limits.cpu(),
            limits.scratch(),
            limits.timeoutSeconds(),
            limits.maxTimeoutSeconds(),
            limits.outputBytes());
  }

  private static String tools(RuntimeDocument runtime) {
    List<String> servers = runtime.toolServers();
    return servers == null
        ? ""
        : """

        Python calls tools of other servers (%s): call_tool(server, tool, args) returns \
        {"ok": True, "result": ...} or {"ok": False, "error": ...}; call_tools(requests, \
        max_parallel=8) calls many at once.\
        """
            .formatted(servers.contains("*") ? "all" : String.join(", ", servers));
  }
}
