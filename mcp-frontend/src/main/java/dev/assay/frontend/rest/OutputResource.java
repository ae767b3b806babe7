package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.run.RunClasses;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunState;
import java.time.Duration;
import java.util.List;

/** {@code /api/v1/runs/{name}/output}. */
final class OutputResource {
  static final List<String> PARAMETERS = List.of("follow", "offset");
  private static final long MAX_OFFSET = 999_999_999_999L;

  private final RunsResource resource;
  private final RunGateway runs;
  private final RunClasses classes;
  private final OutputBytes outputs;
  private final Duration pollEvery;

  /**
   * The resource.
   *
   * @param pollEvery how often the store is asked for more of a run in progress
   */
  OutputResource(
      RunsResource resource,
      RunGateway runs,
      RunClasses classes,
      OutputBytes outputs,
      Duration pollEvery) {
    this.resource = resource;
    this.runs = runs;
    this.classes = classes;
    this.outputs = outputs;
    this.pollEvery = pollEvery;
  }

  /** The first piece is read here, so that its absence can still be told by a status. */
  Answer get(RestRequest request) throws InterruptedException {
    boolean follow = request.query().flag("follow", false);
    long offset = request.query().number("offset", 0, MAX_OFFSET, 0);
    AnalyticsRun run = resource.find(request);
    byte[] first = outputs.at(run, offset);
    return follow
        ? new Answer.Pieces(
            new LiveTransfer(
                runs, outputs, run, offset, first, new LiveTransfer.Pace(pollEvery, bound(run))),
            true)
        : new Answer.Pieces((sink, cancellation) -> whole(run, offset, first, sink), false);
  }

  private void whole(AnalyticsRun run, long offset, byte[] first, Answer.Sink sink)
      throws InterruptedException {
    long at = offset;
    byte[] piece = first;
    while (piece.length > 0 && sink.write(piece)) {
      at += piece.length;
      piece = OutputBytes.isFull(piece) ? rest(run, at) : new byte[0];
    }
  }

  private byte[] rest(AnalyticsRun run, long at) throws InterruptedException {
    try {
      return outputs.at(run, at);
    } catch (RestException e) {
      throw new Answer.BrokenOffException(e.text());
    }
  }

  private Duration bound(AnalyticsRun run) {
    return classes.limitsOf(RunState.classOf(run)).bound(run.getSpec());
  }
}
