package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.dataset.DatasetReadiness;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunWait;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What the analytics tools work with, over fakes, with one dataset. */
final class AnalyticsTestBed {
  private static final Duration TICK = Duration.ofMillis(20);

  final FakeRuns runs = new FakeRuns();
  final FakeOutputs outputs = new FakeOutputs();
  final ArtifactReader artifacts = new ArtifactReader(outputs);
  final QueryParameters common =
      new QueryParameters(new QueryParameters.Settings("python", "sql", 30, 600, 50));
  private final FakeDatasets datasets =
      new FakeDatasets().with(Fixtures.dataset("flights", DatasetPhase.Ready));
  private final FakeRunClasses classes =
      FakeRunClasses.usual().with(FakeRunClasses.runClass("sql", Purpose.Run, "jvm:1", 10, 60));

  /** Runs return a value, and leave files. */
  void returning(String value, RunArtifact... left) {
    runs.operator(
        (fake, run) -> fake.status(run, Fixtures.returned(value).withArtifacts(List.of(left))));
  }

  /** A run that is there. */
  AnalyticsRun with(String name, AnalyticsRunStatus status) {
    AnalyticsRun run = Fixtures.run(name, status);
    runs.with(run);
    return run;
  }

  /** A file that runs leave, stored for the first one that is created. */
  RunArtifact stored(String run, int number, String path, byte[] bytes, String mediaType) {
    outputs.artifact("uid-" + run, number, bytes);
    return Fixtures.artifact(path, bytes, mediaType);
  }

  AnalyticsCall queries() {
    return new AnalyticsCall(
        datasets,
        new DatasetReadiness(datasets, new DatasetWait(TICK), Duration.ofMillis(400)),
        new RunCall(
            runs,
            classes,
            new RunWait(runs, TICK, Duration.ofMillis(100)),
            new OutputReader(outputs, new ReplyBound(65_536, 20_000)),
            new ReplyArtifacts(artifacts),
            new RunNames(Clock.systemUTC())),
        new CachedResults(runs, classes, datasets, Duration.ofHours(1), Clock.systemUTC()),
        new RunValues(outputs),
        new ReplyArtifacts(artifacts));
  }

  static Reply call(Tool tool, Map<String, Object> arguments) {
    return new GuardedTool(tool)
        .call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
            arguments);
  }
}
