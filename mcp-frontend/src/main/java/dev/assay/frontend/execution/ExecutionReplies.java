package dev.assay.frontend.execution;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.analytics.GuardReport;
import dev.assay.frontend.analytics.InvalidValueException;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.ReplySize;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The structured content of replies to code. The text is that of every run. */
public final class ExecutionReplies {
  private static final Logger log = LoggerFactory.getLogger(ExecutionReplies.class);
  private static final int STDERR_TOKENS = 1_000;
  private static final int MAX_STDERR_BYTES = 64 * 1024;

  private final RunValues values;
  private final ArtifactReader artifacts;

  public ExecutionReplies(RunValues values, ArtifactReader artifacts) {
    this.values = values;
    this.artifacts = artifacts;
  }

  /**
   * The reply of a run that has ended, with what is said of it as an object. A run that succeeded
   * and is not in code mode has none.
   *
   * @param output what it printed, as the text has it
   * @param data what the code works on, looked up where that is needed
   */
  public Reply structured(
      Reply reply, AnalyticsRun run, String output, Supplier<DataFacts> data, CallMemory memory)
      throws InterruptedException {
    boolean succeeded = RunState.phaseOf(run) == RunPhase.Succeeded;
    boolean isCode = run.getSpec().runMode() == RunMode.CODE;
    if (succeeded && !isCode) {
      return reply;
    }
    if (!memory.reserveReply(ReplySize.ofText(Text.bytes(output)))) {
      return reply;
    }
    @Nullable FailureDocument failure =
        succeeded ? null : Failures.of(run, output, guard(run, memory), data.get());
    return reply.withStructured(
        isCode || failure == null ? CodeResult.of(run, output, stderr(run), failure) : failure);
  }

  private @Nullable GuardReport guard(AnalyticsRun run, CallMemory memory)
      throws InterruptedException {
    if (RunState.statusOf(run).reason() != RunReason.GuardRefused
        || !(values.of(run, memory) instanceof RunValues.Found found)) {
      return null;
    }
    try {
      return GuardReport.read(found.json());
    } catch (InvalidValueException e) {
      log.warn(
          "the report about run {} cannot be used: {}",
          run.getMetadata().getName(),
          e.getMessage());
      return null;
    }
  }

  private String stderr(AnalyticsRun run) throws InterruptedException {
    Optional<Artifact> stored = Artifact.errorLogOf(run);
    if (stored.isEmpty()) {
      return "";
    }
    try {
      byte[] beginning = artifacts.piece(run, stored.get(), 0, MAX_STDERR_BYTES);
      String text = Text.decode(beginning, beginning.length < stored.get().bytes());
      int end = TokenEstimate.prefix(text, STDERR_TOKENS);
      return end == text.length()
          ? text
          : text.substring(0, end) + "\n[cut; " + stored.get().uri() + " has all of it]";
    } catch (ArtifactReader.UnreadableException e) {
      return "[cannot be read: " + e.text() + "]";
    }
  }
}
