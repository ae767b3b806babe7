package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.argument.SourceParameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetNames;
import dev.assay.frontend.run.NewRun;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunDocument;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSummary;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/runs}. */
final class RunsResource {
  static final String PATH = "/api/v1/runs";
  static final List<String> LIST_PARAMETERS = List.of("limit", "phase", "continue");

  /** What a run can have, less the one that is df. */
  private static final int MAX_FURTHER = Bounds.MAX_RUN_DATASETS - 1;

  private static final String WAIT_SECONDS = "waitSeconds";
  private static final Limit NAME_LIMIT = new Limit(Bounds.MAX_LABEL);
  private static final Parameter<Optional<String>> CODE =
      Parameter.optional("code", ArgumentTypes.text(new Limit(Bounds.MAX_CODE_BYTES)));
  private static final Parameter<Optional<Language>> LANGUAGE =
      Parameter.optional(
          "language", ArgumentTypes.choice(List.of(Language.values()), Language::wireName));
  private static final Parameter<Optional<BuiltinSpec>> BUILTIN =
      Parameter.optional("builtin", RunParts.BUILTIN);
  private static final Parameter<Optional<String>> INPUT =
      Parameter.optional("input", RunParts.INPUT);
  private static final Parameter<Optional<Integer>> REPLY_ROWS =
      Parameter.optional("replyRows", ArgumentTypes.integer(1, Bounds.MAX_REPLY_ROWS));
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
  private final Parameter<Integer> timeoutSeconds;
  private final Parameter<Optional<Integer>> waitSeconds;
  private final Parameters parameters;
  private final RunGateway runs;
  private final RunWait runWait;
  private final RunClasses classes;
  private final DatasetGateway datasets;
  private final Supplier<String> names;

  RunsResource(RestApi.Settings settings, RestApi.Services services) {
    this.settings = settings;
    this.runs = services.runs();
    this.runWait = services.runWait();
    this.classes = services.classes();
    this.datasets = services.datasets();
    this.names = services.names();
    this.runClass = Parameter.optional("runClass", ArgumentTypes.label());
    this.timeoutSeconds =
        Parameter.withDefault(
            "timeoutSeconds",
            ArgumentTypes.integer(1, settings.maxTimeoutSeconds()),
            settings.timeoutSeconds());
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
            runClass,
            timeoutSeconds,
            waitSeconds);
  }

  /** Of the body that creates a run. */
  Parameters parameters() {
    return parameters;
  }

  Answer create(RestRequest request) {
    Arguments fields = parameters.read(request.members());
    NewRun wanted = new NewRun(names.get(), spec(fields, request));
    Optional<Integer> wait = fields.get(waitSeconds);
    AnalyticsRun created = create(wanted, request);
    String location = PATH + "/" + wanted.name();
    return wait.isEmpty()
        ? new Answer.Document(201, RunDocument.of(created), location)
        : new Answer.Awaited(
            201,
            location,
            cancellation ->
                awaited(
                    created, Patience.of(Duration.ofSeconds(wait.get())), request, cancellation));
  }

  private AnalyticsRunSpec spec(Arguments fields, RestRequest request) {
    @Nullable String code = fields.get(CODE).orElse(null);
    @Nullable BuiltinSpec builtin = fields.get(BUILTIN).orElse(null);
    if ((code == null) == (builtin == null)) {
      throw BadArgumentException.value("give either 'code' or 'builtin'");
    }
    Language language =
        fields.get(LANGUAGE).orElse(builtin == null ? Language.PYTHON : Language.SQL);
    List<String> read = datasets(fields, request.namespace());
    return AnalyticsRunSpecBuilder.builder()
        .className(fields.get(runClass).orElseGet(() -> settings.classFor(language)))
        .language(language)
        .code(code)
        .builtin(builtin)
        .input(fields.get(INPUT).orElse(null))
        .reply(fields.get(REPLY_ROWS).map(ReplySpec::ofRows).orElse(null))
        .cacheName(fields.get(CACHE_NAME).filter(name -> !name.isEmpty()).orElse(null))
        .datasets(read.isEmpty() ? null : read)
        .timeoutSeconds(fields.get(timeoutSeconds))
        .requestId(request.requestId())
        .build();
  }

  /** Creation alone is quick; its answer may be to wait for the end of the run. */
  static MethodKind kindOfCreation(Map<String, Object> fields) {
    return fields.get(WAIT_SECONDS) == null ? MethodKind.QUICK : MethodKind.CALL;
  }

  /** The run when it has ended or the wait is over; it goes on, also where nobody waits for it. */
  private RunDocument awaited(
      AnalyticsRun created, Patience patience, RestRequest request, Cancellation cancellation)
      throws InterruptedException {
    CallContext call =
        new CallContext(request.identity(), request.requestId(), Progress.NONE, cancellation);
    int timeout = Objects.requireNonNull(created.getSpec().timeoutSeconds());
    Duration bound = classes.limitsOf(RunState.classOf(created)).bound(timeout);
    try {
      return RunDocument.of(runWait.follow(created, bound, patience, call).run());
    } catch (ClusterException e) {
      throw notFollowed(created, e, request);
    }
  }

  private static RestException notFollowed(
      AnalyticsRun created, ClusterException why, RestRequest request) {
    return RestException.unavailable(
        "The run was created, but whether it has ended is not known: "
            + why.getMessage()
            + "; GET "
            + PATH
            + "/"
            + created.getMetadata().getName()
            + " tells (request "
            + request.requestId()
            + ")");
  }

  private List<String> datasets(Arguments fields, String namespace) {
    List<String> further = fields.get(FURTHER).orElse(List.of());
    Optional<String> first = fields.get(DATASET);
    if (first.isEmpty()) {
      if (!further.isEmpty()) {
        throw BadArgumentException.value(
            "'datasets' are further ones beside 'dataset', which is df");
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

  private AnalyticsRun create(NewRun wanted, RestRequest request) {
    try {
      return runs.create(wanted.of(request.identity()));
    } catch (ClusterException e) {
      if (e.wasNotDone()) {
        throw e;
      }
      throw RestException.unavailable(
          e.getMessage()
              + "; whether the run "
              + wanted.name()
              + " was created is not known: GET "
              + PATH
              + "/"
              + wanted.name()
              + " tells");
    }
  }

  Answer list(RestRequest request) {
    Query query = request.query();
    int limit = (int) query.number("limit", 1, RunPage.MAX, RunPage.DEFAULT);
    RunPage.@Nullable Place after =
        query
            .text("continue")
            .map(
                token ->
                    RunPage.Place.ofToken(token)
                        .orElseThrow(
                            () ->
                                RestException.badRequest(
                                    "The parameter 'continue' is not a token that a page returned;"
                                        + " leave it out to start with the first page")))
            .orElse(null);
    RunPage page = RunPage.of(runs.list(request.namespace()), phase(query), after, limit);
    return new Answer.Document(
        200,
        new Page<>(
            page.runs().stream().map(RunSummary::of).toList(),
            page.next() == null ? null : page.next().token()));
  }

  private static @Nullable RunPhase phase(Query query) {
    return query
        .text("phase")
        .map(
            name ->
                RunState.phaseNamed(name)
                    .orElseThrow(
                        () ->
                            RestException.badRequest(
                                "The parameter 'phase' must be one of " + RunState.PHASES)))
        .orElse(null);
  }

  Answer get(RestRequest request) {
    return new Answer.Document(200, RunDocument.of(find(request)));
  }

  /** Of a run that has ended nothing is changed. */
  Answer cancel(RestRequest request) {
    AnalyticsRun run = find(request);
    if (RunState.hasEnded(run)) {
      return new Answer.Document(200, RunDocument.of(run));
    }
    runs.cancel(request.namespace(), request.name());
    return new Answer.Document(202, RunDocument.of(find(request)));
  }

  /** The run that the path names. */
  AnalyticsRun find(RestRequest request) {
    String name = request.name();
    return (RunNames.isValid(name)
            ? runs.read(request.namespace(), name)
            : Optional.<AnalyticsRun>empty())
        .orElseThrow(
            () ->
                RestException.notFound(
                    "There is no run '"
                        + Text.oneLine(name, 80)
                        + "' in your namespace; GET "
                        + PATH
                        + " lists the existing ones"));
  }
}
