package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.dataset.DatasetGateway;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.script.ScriptExecution;
import dev.assay.frontend.toolserver.ToolCatalogs;
import dev.assay.frontend.watch.ClusterException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes of the API, and the words for what goes wrong behind them. */
public final class RestApi {
  private static final String DOCUMENT = "openapi.json";

  /** A piece that is read, its buffer, and the copy that is written. */
  private static final long OUTPUT_HEAP = 3L * OutputBytes.PIECE;

  /** The same for files. */
  private static final long FILE_HEAP = 3L * ArtifactReader.PIECE;

  /** A definition as it is read and as it is written. */
  private static final long DEFINITION_HEAP = 2L * 1024 * 1024;

  /** A page of records of calls as lines, as they are read, and as they are written. */
  private static final long CALLS_HEAP = 4L * 1024 * 1024;

  /** What is on its way between the two connections of an upload. */
  private static final long UPLOAD_HEAP = 512L * 1024;

  private final List<Route> routes;

  /**
   * What the platform team decided.
   *
   * @param runClass where a request names none
   * @param sqlRunClass the same for SQL and builtin work
   * @param codeRunClass the same for code mode
   * @param timeoutSeconds run time where a request names none
   * @param codeTimeoutSeconds the same for code mode
   * @param maxTimeoutSeconds most run time that a request may name
   * @param pollEvery how often the store is asked for more output of a run that is followed
   */
  public record Settings(
      String runClass,
      String sqlRunClass,
      String codeRunClass,
      int timeoutSeconds,
      int codeTimeoutSeconds,
      int maxTimeoutSeconds,
      Duration pollEvery) {
    /** The class of runs in a language and mode; null for the default of the language. */
    @Nullable String classFor(Language language, RunMode mode) {
      if (mode == RunMode.CODE) {
        return codeRunClass;
      }
      if (language == Language.SQL) {
        return sqlRunClass;
      }
      return language.isPython() ? runClass : null;
    }
  }

  /**
   * What the API works with.
   *
   * @param names gives each run a name that no other has
   */
  public record Services(
      RunGateway runs,
      RunWait runWait,
      DatasetGateway datasets,
      DatasetUploads uploads,
      DatasetWait datasetWait,
      RunClasses classes,
      OutputStore outputs,
      Supplier<String> names,
      ScriptExecution scripts,
      ToolCatalogs toolServers,
      CallLog calls) {}

  /** The API over runs and datasets. */
  public RestApi(Settings settings, Services services) {
    RunsResource run = new RunsResource(settings, services);
    OutputResource output =
        new OutputResource(
            run,
            services.runs,
            services.classes,
            new OutputBytes(services.outputs),
            settings.pollEvery);
    CallsResource call = new CallsResource(run, services.outputs);
    ArtifactsResource artifact = new ArtifactsResource(run, new ArtifactReader(services.outputs));
    DatasetsResource dataset =
        new DatasetsResource(
            services.datasets, services.uploads, services.datasetWait, services.classes);
    CodeResource code = new CodeResource(services.scripts, services.calls);
    ToolServersResource toolServer =
        new ToolServersResource(services.toolServers, services.outputs);
    byte[] document = document();
    String oneRun = RunsResource.PATH + "/" + Route.NAME;
    String oneDataset = DatasetsResource.PATH + "/" + Route.NAME;
    List<String> none = List.of();
    Route.Requirements create =
        new Route.Requirements(true, Route.Body.JSON, RunsResource::kindOfCreation, 0);
    Route.Requirements stream =
        new Route.Requirements(true, Route.Body.NONE, MethodKind.OUTPUT, OUTPUT_HEAP);
    Route.Requirements file =
        new Route.Requirements(true, Route.Body.NONE, MethodKind.OUTPUT, FILE_HEAP);
    Route.Requirements definition =
        new Route.Requirements(true, Route.Body.NONE, MethodKind.OUTPUT, DEFINITION_HEAP);
    Route.Requirements calls =
        new Route.Requirements(true, Route.Body.NONE, MethodKind.OUTPUT, CALLS_HEAP);
    Route.Requirements bodyAndTime =
        new Route.Requirements(true, Route.Body.JSON, MethodKind.LOAD, 0);
    Route.Requirements upload =
        new Route.Requirements(true, Route.Body.RAW, MethodKind.LOAD, UPLOAD_HEAP);
    Route.Requirements script = new Route.Requirements(true, Route.Body.JSON, MethodKind.CALL, 0);
    this.routes =
        List.of(
            new Route("POST", RunsResource.PATH, none, create, run::create),
            new Route(
                "GET",
                RunsResource.PATH,
                RunsResource.LIST_PARAMETERS,
                Route.Requirements.KEY,
                run::list),
            new Route("GET", oneRun, none, Route.Requirements.KEY, run::get),
            new Route("GET", oneRun + "/output", OutputResource.PARAMETERS, stream, output::get),
            new Route("GET", oneRun + "/code", none, file, artifact::code),
            new Route("GET", oneRun + "/artifacts", none, Route.Requirements.KEY, artifact::list),
            new Route("GET", oneRun + "/artifacts/" + Route.PATH, none, file, artifact::get),
            new Route("GET", oneRun + "/calls", CallsResource.PARAMETERS, calls, call::list),
            new Route("POST", oneRun + "/cancel", none, Route.Requirements.KEY, run::cancel),
            new Route("GET", DatasetsResource.PATH, none, Route.Requirements.KEY, dataset::list),
            new Route("POST", DatasetsResource.PATH, none, bodyAndTime, dataset::create),
            new Route("GET", oneDataset, none, Route.Requirements.KEY, dataset::get),
            new Route(
                "PUT", oneDataset, DatasetsResource.UPLOAD_PARAMETERS, upload, dataset::upload),
            new Route("DELETE", oneDataset, none, Route.Requirements.KEY, dataset::delete),
            new Route("POST", CodeResource.EXECUTION, none, script, code::execute),
            new Route("GET", CodeResource.SCRIPTS, none, Route.Requirements.KEY, code::list),
            new Route(
                "GET", ToolServersResource.PATH, none, Route.Requirements.KEY, toolServer::list),
            new Route(
                "GET",
                ToolServersResource.PATH + "/" + Route.NAME + "/tools",
                none,
                Route.Requirements.KEY,
                toolServer::tools),
            new Route(
                "GET",
                ToolServersResource.PATH + "/" + Route.NAME + "/definitions/" + Route.PATH,
                none,
                definition,
                toolServer::definition),
            new Route(
                "GET",
                "/api/v1/openapi.json",
                none,
                Route.Requirements.NOTHING,
                request -> new Answer.Finished(document)));
  }

  private static byte[] document() {
    try (InputStream document = RestApi.class.getResourceAsStream(DOCUMENT)) {
      return Objects.requireNonNull(document, DOCUMENT).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All routes. */
  public List<Route> routes() {
    return routes;
  }

  /** What a path leads to. */
  public sealed interface Match {}

  /**
   * It can be asked for.
   *
   * @param name what stands in the path for the name; empty where nothing does
   * @param path the rest of the path; empty where the route has none
   */
  public record Found(Route route, String name, String path) implements Match {}

  /** It can be asked for with other methods only, these. */
  public record OtherMethods(List<String> methods) implements Match {}

  /** There is nothing at this path. */
  public record NotFound() implements Match {}

  /**
   * Finds a route.
   *
   * @param path decoded
   */
  public Match match(String method, String path) {
    List<String> parts = List.of(path.split("/", -1));
    List<String> methods = new ArrayList<>();
    for (Route route : routes) {
      List<String> template = List.of(route.template().split("/", -1));
      if (!fits(template, parts)) {
        continue;
      }
      if (route.method().equals(method)) {
        int name = template.indexOf(Route.NAME);
        int rest = template.indexOf(Route.PATH);
        return new Found(
            route,
            name < 0 ? "" : parts.get(name),
            rest < 0 ? "" : String.join("/", parts.subList(rest, parts.size())));
      }
      methods.add(route.method());
    }
    return methods.isEmpty() ? new NotFound() : new OtherMethods(methods);
  }

  private static boolean fits(List<String> template, List<String> parts) {
    boolean hasRest = template.getLast().equals(Route.PATH);
    int fixed = hasRest ? template.size() - 1 : template.size();
    if (hasRest ? parts.size() <= fixed || parts.getLast().isEmpty() : parts.size() != fixed) {
      return false;
    }
    for (int i = 0; i < fixed; i++) {
      boolean any = template.get(i).equals(Route.NAME) && !parts.get(i).isEmpty();
      if (!any && !template.get(i).equals(parts.get(i))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Does what is asked for.
   *
   * @throws RestException where it is not done
   */
  public Answer answer(Route route, RestRequest request) throws InterruptedException {
    try {
      return route.handler().answer(request);
    } catch (BadArgumentException e) {
      throw RestException.invalid(e.text());
    } catch (ClusterException e) {
      throw RestException.of(e, " (request " + request.requestId() + ")");
    }
  }
}
