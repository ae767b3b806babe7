package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallRun;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.run.RunAccess;
import dev.assay.frontend.run.RunDocument;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.run.RunSummary;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Patience;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/runs}. */
final class RunsResource {
  static final String PATH = "/api/v1/runs";
  static final List<String> LIST_PARAMETERS = List.of("limit", "phase", "continue");

  private final RunFields fields;
  private final RunGateway runs;
  private final RunWait runWait;
  private final RunSubmission submission;

  RunsResource(RestApi.Settings settings, RestApi.Services services) {
    this.fields = new RunFields(settings, services.datasets());
    this.runs = services.runs();
    this.runWait = services.runWait();
    this.submission =
        new RunSubmission(
            services.runs(), services.classes(), services.runWait(), services.names());
  }

  /** Of the body that creates a run. */
  Parameters parameters() {
    return fields.parameters();
  }

  Answer create(RestRequest request) {
    Arguments given = fields.parameters().read(request.members());
    Optional<Integer> wait = fields.waitSeconds(given);
    AnalyticsRun created = create(fields.spec(given, request), request);
    String location = PATH + "/" + created.getMetadata().getName();
    return wait.isEmpty()
        ? new Answer.Document(201, RunDocument.of(created), location)
        : new Answer.Awaited(
            201,
            location,
            cancellation ->
                awaited(
                    created, Patience.of(Duration.ofSeconds(wait.get())), request, cancellation));
  }

  /** Creation alone is quick; its answer may be to wait for the end of the run. */
  static MethodKind kindOfCreation(Map<String, Object> fields) {
    return fields.get(RunFields.WAIT_SECONDS) == null ? MethodKind.QUICK : MethodKind.CALL;
  }

  /** The run when it has ended or the wait is over; it goes on, also where nobody waits for it. */
  private RunDocument awaited(
      AnalyticsRun created, Patience patience, RestRequest request, Cancellation cancellation)
      throws InterruptedException {
    Duration bound = submission.boundOf(created.getSpec());
    try {
      return RunDocument.of(
          runWait.follow(created, bound, patience, request.call(cancellation)).run());
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

  private AnalyticsRun create(AnalyticsRunSpec spec, RestRequest request) {
    CallContext creating = request.call(new Cancellation());
    try {
      return submission.create(spec, creating);
    } catch (ClusterException e) {
      @Nullable CallRun run = creating.run().get();
      if (run == null) {
        throw e;
      }
      throw RestException.unavailable(
          e.getMessage()
              + "; whether the run "
              + run.name()
              + " was created is not known: GET "
              + PATH
              + "/"
              + run.name()
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
    RunPage page = RunPage.of(runs.list(request.identity()), phase(query), after, limit);
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
    if (!RunAccess.mayChange(run, request.identity())) {
      throw RestException.refused(RunAccess.refusal(run));
    }
    runs.cancel(request.namespace(), request.name());
    return new Answer.Document(202, RunDocument.of(find(request)));
  }

  /** The run that the path names. */
  AnalyticsRun find(RestRequest request) {
    String name = request.name();
    return (RunNames.isValid(name)
            ? runs.read(request.identity(), name)
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
