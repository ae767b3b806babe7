package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.ChartType;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.KnownValues;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.RunParameters;
import dev.assay.frontend.argument.SourceParameters;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetNames;
import dev.assay.frontend.run.Text;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The fields of the body that creates a run, and the spec that they become. */
final class RunFields {
  /** What a run can have, less the one that is df. */
  private static final int MAX_FURTHER = Bounds.MAX_RUN_DATASETS - 1;

  static final String WAIT_SECONDS = "waitSeconds";
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Parameter<Optional<String>> CODE =
      Parameter.optional("code", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)));
  private static final Parameter<Optional<Language>> LANGUAGE =
      Parameter.optional(
          "language", ArgumentTypes.choice(KnownValues.of(Language.class), Language::wireName));
  private static final Parameter<Optional<BuiltinSpec>> BUILTIN =
      Parameter.optional("builtin", RunParts.BUILTIN);
  private static final Parameter<Optional<String>> INPUT =
      Parameter.optional("input", RunParts.INPUT);
  private static final Parameter<Optional<Integer>> REPLY_ROWS =
      Parameter.optional("replyRows", ArgumentTypes.integer(1, Bounds.MAX_REPLY_ROWS));
  private static final Map<String, ChartType> CHARTS =
      KnownValues.of(ChartType.class).stream()
          .collect(Collectors.toMap(ChartType::wireName, Function.identity()));
  private static final Parameter<Optional<String>> CHART =
      Parameter.optional(
          "chart",
          ArgumentTypes.choice(
              Stream.concat(
                      Stream.of("auto"),
                      KnownValues.of(ChartType.class).stream().map(ChartType::wireName))
                  .toList(),
              UnaryOperator.identity()));
  private static final Parameter<Optional<String>> TIME_ZONE =
      Parameter.optional("timeZone", ArgumentTypes.timeZone());
  private static final Parameter<Optional<String>> CACHE_NAME =
      Parameter.optional("cacheName", ArgumentTypes.text(new Limit(Bounds.MAX_CACHE_NAME)));
  private static final Parameter<Optional<String>> DATASET =
      Parameter.optional("dataset", SourceParameters.datasetName());
  private static final Parameter<Optional<List<String>>> FURTHER =
      Parameter.optional(
          "datasets",
          ArgumentTypes.listOf(ArgumentTypes.text(NAME_LIMIT), MAX_FURTHER, NAME_LIMIT));

  private final RestApi.Settings settings;
  private final Parameter<Optional<String>> runClass;
  private final Parameter<Optional<Integer>> timeoutSeconds;
  private final Parameter<Optional<Integer>> waitSeconds;
  private final Parameters parameters;
  private final DatasetGateway datasets;

  RunFields(RestApi.Settings settings, DatasetGateway datasets) {
    this.settings = settings;
    this.datasets = datasets;
    this.runClass = Parameter.optional("runClass", ArgumentTypes.label());
    this.timeoutSeconds =
        Parameter.optional(
            "timeoutSeconds", ArgumentTypes.integer(1, settings.maxTimeoutSeconds()));
    this.waitSeconds =
        Parameter.optional(WAIT_SECONDS, ArgumentTypes.integer(0, settings.maxTimeoutSeconds()));
    this.parameters =
        Parameters.of(
            CODE,
            LANGUAGE,
            BUILTIN,
            INPUT,
            REPLY_ROWS,
            CACHE_NAME,
            DATASET,
            FURTHER,
            RunParameters.MODE,
            RunParameters.FILES,
            RunParameters.INPUTS,
            RunParameters.KEEP,
            CHART,
            TIME_ZONE,
            runClass,
            timeoutSeconds,
            waitSeconds);
  }

  Parameters parameters() {
    return parameters;
  }

  /** How long the answer waits for the end of the run; empty where it does not. */
  Optional<Integer> waitSeconds(Arguments fields) {
    return fields.get(waitSeconds);
  }

  /**
   * The spec of a new run.
   *
   * @throws BadArgumentException where a field cannot be used
   */
  AnalyticsRunSpec spec(Arguments fields, RestRequest request) {
    @Nullable String code = fields.get(CODE).orElse(null);
    @Nullable BuiltinSpec builtin = fields.get(BUILTIN).orElse(null);
    if ((code == null) == (builtin == null)) {
      throw BadArgumentException.value("give either 'code' or 'builtin'");
    }
    Language language =
        fields.get(LANGUAGE).orElse(builtin == null ? Language.PYTHON : Language.SQL);
    RunMode mode = fields.get(RunParameters.MODE);
    if (mode == RunMode.CODE && (code == null || language != Language.PYTHON)) {
      throw BadArgumentException.value("'mode' code requires 'code' and language python");
    }
    List<String> read = datasets(fields, request.namespace());
    return AnalyticsRunSpecBuilder.builder()
        .className(fields.get(runClass).orElse(settings.classFor(language, mode)))
        .language(language)
        .code(code)
        .builtin(builtin)
        .input(fields.get(INPUT).orElse(null))
        .reply(reply(fields, language))
        .mode(mode == RunMode.STANDARD ? null : mode)
        .files(fields.get(RunParameters.FILES).orElse(null))
        .inputs(fields.get(RunParameters.INPUTS).orElse(null))
        .keep(fields.get(RunParameters.KEEP).orElse(null))
        .cacheName(fields.get(CACHE_NAME).filter(name -> !name.isEmpty()).orElse(null))
        .datasets(read.isEmpty() ? null : read)
        .timeoutSeconds(
            fields
                .get(timeoutSeconds)
                .orElse(
                    mode == RunMode.CODE
                        ? settings.codeTimeoutSeconds()
                        : settings.timeoutSeconds()))
        .build();
  }

  private static @Nullable ReplySpec reply(Arguments fields, Language language) {
    Optional<Integer> rows = fields.get(REPLY_ROWS);
    Optional<String> chart = fields.get(CHART);
    if (chart.isPresent() && rows.isEmpty()) {
      throw BadArgumentException.value("'chart' requires 'replyRows'");
    }
    Optional<String> timeZone = fields.get(TIME_ZONE);
    if (timeZone.isPresent() && (rows.isEmpty() || language != Language.SQL)) {
      throw BadArgumentException.value("'timeZone' requires 'replyRows' and language sql");
    }
    return rows.map(
            count ->
                new ReplySpec(
                    count,
                    chart.map(type -> new ChartSpec(CHARTS.get(type))).orElse(null),
                    timeZone.orElse(null)))
        .orElse(null);
  }

  private List<String> datasets(Arguments fields, String namespace) {
    List<String> further = fields.get(FURTHER).orElse(List.of());
    Optional<String> first = fields.get(DATASET);
    if (first.isEmpty()) {
      if (!further.isEmpty()) {
        throw BadArgumentException.value(
            "'datasets' requires 'dataset', which names the first dataset");
      }
      return List.of();
    }
    Set<String> resourceNames = new LinkedHashSet<>();
    resourceNames.add(existing(DATASET, first.get(), namespace));
    further.forEach(name -> resourceNames.add(existing(FURTHER, name, namespace)));
    return List.copyOf(resourceNames);
  }

  private String existing(Parameter<?> parameter, String name, String namespace) {
    if (!DatasetName.isValid(name)
        || datasets.find(namespace, DatasetName.toResourceName(name)).isEmpty()) {
      throw BadArgumentException.value(
          "'"
              + parameter.name()
              + "' names a dataset that does not exist: POST "
              + DatasetsResource.PATH
              + " creates '"
              + Text.oneLine(name, 80)
              + "'."
              + DatasetNames.alternatives(name, datasets.list(namespace)));
    }
    return DatasetName.toResourceName(name);
  }
}
