package dev.assay.frontend.tool;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.RunClassSpec;
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
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RuntimeDocument(
    String runClass,
    @Nullable String python,
    @Nullable Map<String, String> packages,
    Limits limits) {
  private static final Pattern PYTHON = Pattern.compile("(?m)^Python (\\S{1,64})$");
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
   */
  static RuntimeDocument of(String name, RunClassSpec runClass, String reported) {
    return new RuntimeDocument(
        name,
        PYTHON.matcher(reported).results().map(found -> found.group(1)).findFirst().orElse(null),
        packages(reported),
        Limits.of(runClass));
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
