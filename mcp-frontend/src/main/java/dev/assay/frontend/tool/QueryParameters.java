package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.argument.ArgumentType;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TableBudget;
import dev.assay.frontend.watch.Patience;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** The parameters that the tools that query datasets have in common. */
public final class QueryParameters {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Limit PATH_LIMIT = new Limit(255);

  /** The name, path or pattern of datasets. */
  static final ArgumentType<String> PATH = ArgumentTypes.text(PATH_LIMIT);

  /** The longest list of paths; a list of patterns can be longer than that of datasets. */
  static final Limit PATHS_LIMIT = new Limit(64 * 1024);

  static final Parameter<String> FILE_PATH =
      Parameter.required("file_path", PATH).describedAs("Name or path of a dataset");

  /** Above this, long values are shortened. */
  private static final int COMPRESSED_TOKENS = 2_000;

  /** Clients refuse replies of more than 25,000 tokens. */
  private static final int MOST_TOKENS = 20_000;

  static final Parameter<Optional<Integer>> MAX_TOKENS =
      Parameter.optional(MaxTokens.NAME, MaxTokens.upTo(MOST_TOKENS));

  private final Settings settings;
  private final Parameter<Integer> timeout;
  private final Parameter<Optional<String>> runClass;
  private final WaitSeconds waitSeconds;

  /**
   * What the platform team decided.
   *
   * @param runClass the class of runs in Python and Polars
   * @param sqlRunClass the class of runs in SQL, of profiles and samples
   * @param timeoutSeconds run time where a call names none
   * @param maxTimeoutSeconds most run time that a call may name
   * @param waitSeconds how long a call waits for its run where it does not say
   */
  public record Settings(
      String runClass,
      String sqlRunClass,
      int timeoutSeconds,
      int maxTimeoutSeconds,
      int waitSeconds) {
    /** The class of runs in a language. */
    String classFor(Language language) {
      return language == Language.SQL ? sqlRunClass : runClass;
    }
  }

  /**
   * What the rows of a result may take of a reply. A number of rows that the call names is obeyed,
   * unless it names {@code max_tokens} too.
   *
   * @param rows how many are wanted
   * @param defaultTokens where the call names neither
   */
  static TableBudget budget(Arguments arguments, Parameter<Integer> rows, int defaultTokens) {
    int wanted = arguments.get(rows);
    Optional<Integer> tokens = arguments.get(MAX_TOKENS);
    return tokens.isEmpty() && arguments.has(rows)
        ? new TableBudget(wanted, COMPRESSED_TOKENS, MOST_TOKENS)
        : TableBudget.bending(wanted, tokens.orElse(defaultTokens));
  }

  /** The parameters of one front end. */
  public QueryParameters(Settings settings) {
    this.settings = settings;
    this.timeout =
        Parameter.withDefault(
            "timeout_seconds",
            ArgumentTypes.integer(1, settings.maxTimeoutSeconds),
            settings.timeoutSeconds);
    this.runClass =
        Parameter.optional("run_class", ArgumentTypes.label())
            .describedAs("Only if an error names one");
    this.waitSeconds = WaitSeconds.upTo(settings.maxTimeoutSeconds, settings.waitSeconds);
  }

  Parameter<Integer> timeout() {
    return timeout;
  }

  Parameter<Optional<String>> runClass() {
    return runClass;
  }

  Parameter<Optional<Integer>> waitSeconds() {
    return waitSeconds.parameter();
  }

  /** How long a call waits for the end of its run, from now on. */
  Patience patience(Arguments arguments) {
    return waitSeconds.patience(arguments);
  }

  /** A run with the class and the time limit of a call. */
  AnalyticsRunSpec spec(Language language, String tool, Arguments arguments) {
    return AnalyticsRunSpecBuilder.builder()
        .className(arguments.get(runClass).orElse(settings.classFor(language)))
        .language(language)
        .timeoutSeconds(arguments.get(timeout))
        .tool(tool)
        .build();
  }

  /** The same for builtin work over a file. */
  AnalyticsRunSpec builtin(
      Builtin builtin,
      QueryFiles.One file,
      Map<String, Object> values,
      String tool,
      Arguments arguments) {
    Map<String, Object> all = new LinkedHashMap<>(file.arguments());
    all.putAll(values);
    return builtin(builtin, all, tool, arguments).withInputs(file.inputsOrNull());
  }

  /** The same for builtin work that needs no dataset. */
  AnalyticsRunSpec builtin(
      Builtin builtin, Map<String, Object> values, String tool, Arguments arguments) {
    String json = JSON.writeValueAsString(values);
    if (Text.bytes(json) > Bounds.MAX_ARGUMENTS_BYTES) {
      throw BadArgumentException.value(
          "the arguments have more than " + Bounds.MAX_ARGUMENTS_BYTES + " bytes of UTF-8");
    }
    return spec(Language.SQL, tool, arguments).withBuiltin(new BuiltinSpec(builtin, json));
  }

  /**
   * An argument as JSON text, in the order of its members.
   *
   * @throws BadArgumentException where it is longer than a run takes
   */
  static String json(Parameter<?> parameter, Object value) {
    return ArgumentTypes.jsonText(parameter.name(), value, new Limit(Bounds.MAX_INPUT_BYTES));
  }
}
