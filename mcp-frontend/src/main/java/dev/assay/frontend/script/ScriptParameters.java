package dev.assay.frontend.script;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Language;
import dev.assay.frontend.argument.ArgumentType;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.config.CodeExecution;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The arguments of {@code code_execution}, which are the fields of its request by REST, too. */
public final class ScriptParameters {
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_SUBDOMAIN);
  private static final Limit OPTIONS_LIMIT = new Limit(16 * 1024);
  private static final Limit INPUT_LIMIT =
      new Limit(Bounds.MAX_INPUT_BYTES, "Have the script get the data itself");

  private static final Parameter<Optional<String>> CODE =
      Parameter.optional("code", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)))
          .describedAs(
              """
              call_tool(server, tool, args) returns {ok: true, result} or {ok: false, error: \
              {code, message, sent}} and never throws. result is the tool's data, parsed, or its \
              text. call_tools([{server, tool, args}, ...]) makes up to 100 calls side by side and \
              returns their outcomes in order. The value has to be JSON; it can also be a return \
              outside of functions. Write an object in parentheses: ({total: 3}). A promise at the \
              end is awaited. input is the argument of that name, parsed; console.log goes to \
              logs. No timers, require or import; nothing is kept for the next call. Types are \
              removed, not checked.\
              """);
  private static final Parameter<Optional<String>> SCRIPT =
      Parameter.optional("script", ArgumentTypes.text(NAME_LIMIT))
          .describedAs("Instead of code: a stored script");
  private static final Parameter<Optional<Language>> LANGUAGE =
      Parameter.optional(
          "language",
          ArgumentTypes.choice(
                  List.of(Language.JAVASCRIPT, Language.TYPESCRIPT), Language::wireName)
              .with("default", Language.JAVASCRIPT.wireName()));
  private static final Parameter<Optional<String>> INPUT = Parameter.optional("input", input());

  private final Parameter<Integer> timeout;
  private final Parameter<Integer> toolCalls;
  private final Parameter<Integer> parallel;
  private final Parameter<Optional<List<String>>> servers;
  private final Parameter<Optional<Arguments>> options;
  private final Parameters optionParameters;
  private final Parameters all;

  /** With the defaults of an installation. */
  public ScriptParameters(CodeExecution settings) {
    this.timeout =
        Parameter.withDefault(
            "timeout_ms",
            ArgumentTypes.integer(1, CodeExecution.MAX_TIMEOUT_MS),
            settings.timeout());
    this.toolCalls =
        Parameter.withDefault(
                "max_tool_calls",
                ArgumentTypes.integer(0, Bounds.MAX_RUN_TOOL_CALLS),
                settings.toolCalls())
            .describedAs("0: any number");
    this.servers =
        Parameter.optional(
                "allowed_servers",
                ArgumentTypes.listOf(
                    ArgumentTypes.labelOrAll(), Bounds.MAX_RUN_TOOL_SERVERS, OPTIONS_LIMIT))
            .describedAs("Empty or *: all");
    this.parallel =
        Parameter.withDefault(
            "max_parallel",
            ArgumentTypes.integer(1, CodeExecution.MAX_PARALLEL),
            settings.parallel());
    this.optionParameters = Parameters.of(timeout, toolCalls, servers, parallel);
    this.options =
        Parameter.optional("options", ArgumentTypes.objectOf(optionParameters, OPTIONS_LIMIT));
    this.all = Parameters.of(CODE, SCRIPT, LANGUAGE, INPUT, options);
  }

  private static ArgumentType<String> input() {
    return ArgumentTypes.object(INPUT_LIMIT)
        .map(object -> ArgumentTypes.jsonText("input", object, INPUT_LIMIT));
  }

  /** All of them. */
  public Parameters all() {
    return all;
  }

  /** Those of {@code options}. */
  public Parameters options() {
    return optionParameters;
  }

  /**
   * What a call asks for.
   *
   * @throws ScriptException where the language or an option cannot be used
   * @throws BadArgumentException where another argument cannot be used
   */
  public ScriptCall read(Arguments arguments) {
    Optional<String> code = arguments.get(CODE);
    Optional<String> script = arguments.get(SCRIPT);
    if (code.isPresent() == script.isPresent()) {
      throw BadArgumentException.value(
          code.isPresent()
              ? "give 'code' or 'script', not both"
              : "give 'code', or 'script' with the name of a stored script");
    }
    Optional<Language> language =
        coded(ScriptErrorCode.INVALID_LANGUAGE, () -> arguments.get(LANGUAGE));
    return new ScriptCall(
        code.orElse(null),
        script.orElse(null),
        language.orElse(null),
        arguments.get(INPUT).orElse("{}"),
        coded(ScriptErrorCode.INVALID_OPTIONS, () -> readOptions(arguments)));
  }

  private ScriptOptions readOptions(Arguments arguments) {
    Arguments given = arguments.get(options).orElseGet(() -> optionParameters.read(Map.of()));
    return new ScriptOptions(
        given.get(timeout),
        given.get(toolCalls),
        given.get(servers).filter(names -> !names.isEmpty()).orElse(null),
        given.get(parallel));
  }

  private static <T> T coded(ScriptErrorCode code, Supplier<T> argument) {
    try {
      return argument.get();
    } catch (BadArgumentException e) {
      throw new ScriptException(code, e.text());
    }
  }
}
