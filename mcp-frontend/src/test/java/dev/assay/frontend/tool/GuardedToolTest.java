package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.FakeUploads;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.run.StoredTables;
import dev.assay.frontend.run.ToolUse;
import dev.assay.frontend.watch.ClusterException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a caller reads where the Kubernetes API gives no answer: only what is known. */
class GuardedToolTest {
  private final FakeRuns runs = new FakeRuns();
  private final FakeDatasets datasets = new FakeDatasets();
  private final ClusterException noAnswer = ClusterException.unavailable(new RuntimeException());

  @Test
  void ofALostWriteOfADatasetItIsSaidThatItsFateIsUnknown() {
    datasets.refusal = noAnswer;
    DatasetWait wait = new DatasetWait(Duration.ofMillis(50));
    DatasetUploads uploads =
        new DatasetUploads(datasets, new FakeUploads(datasets), wait, FakeRunClasses.usual());

    assertThat(
            reply(
                new LoadDataset(
                    datasets,
                    new ArtifactSource(
                        runs,
                        new ArtifactReader(new FakeOutputs()),
                        new ToolUse(runs, FakeRunClasses.usual())),
                    uploads,
                    new LoadReplies(wait, FakeRunClasses.usual(), Duration.ofSeconds(50)),
                    16 << 20),
                Map.of("dataset_name", "d", "text", "a\n1\n")))
        .isEqualTo(
            "EXECUTION ERROR: Unavailable: the Kubernetes API could not be reached (request r1)\n"
                + "Whether the dataset was written is not known: describe_dataset shows it if it"
                + " was.");
  }

  @Test
  void aLostCancellationSaysNothingOfAStart() {
    runs.with(Fixtures.run("run-a", null));
    runs.cancelRefusal = noAnswer;

    assertThat(reply(new CancelRun(runs), Map.of("name", "run-a")))
        .endsWith(
            "Whether the run is being stopped is not known: calling cancel_run again is safe.");
  }

  @Test
  void aLostReadHasChangedNothing() {
    runs.readRefusal = noAnswer;

    assertThat(
            reply(
                new GetRun(
                    runs,
                    FakeRunClasses.usual(),
                    new RunWait(runs, Duration.ofMillis(50), Duration.ofMillis(100)),
                    new RunReplies(
                        new OutputReader(new FakeOutputs(), new ReplyBound(65_536, 20_000)),
                        StoredTables.NONE,
                        new RunValues(new FakeOutputs()),
                        new ReplyArtifacts(new ArtifactReader(new FakeOutputs())))),
                Map.of("name", "run-a")))
        .endsWith("(request r1)\nNothing was changed: retrying is safe.");
  }

  @Test
  void aReplyIsAsLongAsItsCallerAsksForAndNoLongerThanUsualOtherwise() {
    GuardedTool tool =
        new GuardedTool(
            new LongReply(), ToolGroup.ALL, 1_000, new CallLog(ProgramMetrics.unread()));
    Map<String, Object> asking = new HashMap<>(Map.of(MaxTokens.NAME, 5_000));

    assertThat(reply(tool, asking)).isEqualTo(LongReply.TEXT);
    assertThat(reply(tool, new HashMap<>()))
        .hasSizeLessThan(LongReply.TEXT.length())
        .contains("more tokens: ask for less]");
  }

  /** Reads its arguments as tools do. */
  private static final class LongReply implements Tool {
    static final String TEXT = "line\n".repeat(2_000);
    private static final Parameter<Integer> TOKENS = MaxTokens.of(1_000);

    @Override
    public ToolDescription description() {
      return new ToolDescription(
          "long_reply",
          "Long reply",
          "Returns a long text.",
          Parameters.of(TOKENS),
          ToolDescription.Effects.READS,
          MethodKind.QUICK);
    }

    @Override
    public Reply call(CallContext call, Arguments arguments) {
      int unused = arguments.get(TOKENS);
      return Reply.success(TEXT);
    }
  }

  private static String reply(Tool tool, Map<String, Object> arguments) {
    return reply(new GuardedTool(tool), arguments);
  }

  private static String reply(GuardedTool tool, Map<String, Object> arguments) {
    return tool.call(
            new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
            arguments)
        .text();
  }
}
