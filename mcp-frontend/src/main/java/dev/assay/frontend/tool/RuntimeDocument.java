package dev.assay.frontend.tool;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.frontend.analytics.CachedResults;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where code runs.
 *
 * @param python version; absent where the image did not report it
 * @param packages version by name; absent likewise
 * @param duckdb version of DuckDB; absent for classes that run Python
 * @param extensions of DuckDB; absent likewise
 * @param toolServers servers whose tools Python code may call; absent where it may call none
 * @param codeMode what code in code mode can use; absent otherwise
 * @param cache results that the caller can use again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RuntimeDocument(
    String runClass,
    @Nullable String python,
    @Nullable Map<String, String> packages,
    @Nullable String duckdb,
    @Nullable List<String> extensions,
    Limits limits,
    @Nullable List<String> toolServers,
    @Nullable String codeMode,
    CachedResults.Counters cache) {
  private static final Pattern PYTHON = Pattern.compile("(?m)^Python (\\S{1,64})$");
  private static final Pattern DUCKDB = Pattern.compile("(?m)^DuckDB (\\S{1,64})$");
  private static final Pattern EXTENSIONS = Pattern.compile("(?m)^Extensions: (.+)$");
  private static final Pattern PACKAGES = Pattern.compile("(?m)^Packages: (.*)$");
  private static final Pattern PACKAGE =
      Pattern.compile("([\\w.-]{1,128}) ([\\w.+!-]{1,64})(?:, |$)");

  /** Limits of a run of the class; resources as Kubernetes writes them. */
  record Limits(
      String memory,
      String cpu,
      String scratch,
      int timeoutSeconds,
      int maxTimeoutSeconds,
      long outputBytes) {
    static Limits of(RunClassSpec runClass) {
      return new Limits(
          runClass.resources().memory(),
          runClass.resources().cpu(),
          runClass.scratch().sizeLimit(),
          runClass.timeouts().defaultSeconds(),
          runClass.timeouts().maxSeconds(),
          runClass.output().limitBytes());
    }
  }

  /**
   * The runtime of a class.
   *
   * @param reported what a run of it printed about its image
   * @param codeMode what code in code mode can use; null otherwise
   */
  static RuntimeDocument of(
      String name,
      RunClassSpec runClass,
      String reported,
      @Nullable String codeMode,
      CachedResults.Counters cache) {
    @Nullable String extensions = find(EXTENSIONS, reported);
    return new RuntimeDocument(
        name,
        find(PYTHON, reported),
        packages(reported),
        find(DUCKDB, reported),
        extensions == null ? null : List.of(extensions.split(", ")),
        Limits.of(runClass),
        toolServers(runClass),
        codeMode,
        cache);
  }

  private static @Nullable List<String> toolServers(RunClassSpec runClass) {
    @Nullable ClassTools tools = runClass.tools();
    @Nullable List<String> servers = tools == null ? null : tools.servers();
    return servers == null || servers.isEmpty() || !runClass.offers(Language.PYTHON)
        ? null
        : servers;
  }

  private static @Nullable String find(Pattern pattern, String reported) {
    return pattern
        .matcher(reported)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElse(null);
  }

  private static @Nullable Map<String, String> packages(String reported) {
    return PACKAGES
        .matcher(reported)
        .results()
        .findFirst()
        .map(
            line -> {
              Map<String, String> versions = new TreeMap<>();
              PACKAGE
                  .matcher(line.group(1))
                  .results()
                  .forEach((MatchResult one) -> versions.put(one.group(1), one.group(2)));
              return versions;
            })
        .orElse(null);
  }
}
