package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunText;
import dev.assay.frontend.run.ShownOutput;
import dev.assay.frontend.run.StoredTables;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is shown of a run: its rows, its output, its value and the files that it has left. */
public final class RunReplies {
  private final OutputReader outputs;
  private final int defaultTokens;
  private final StoredTables tables;
  private final RunValues values;
  private final ReplyArtifacts artifacts;

  public RunReplies(
      OutputReader outputs, StoredTables tables, RunValues values, ReplyArtifacts artifacts) {
    this.outputs = outputs.forStructuredReplies();
    this.defaultTokens = outputs.defaultTokens();
    this.tables = tables;
    this.values = values;
    this.artifacts = artifacts;
  }

  /** How many tokens a reply has at most, unless its caller asks for another number. */
  int defaultTokens() {
    return defaultTokens;
  }

  /** Rows of the result; empty where there is none, or it is not stored any more. */
  Optional<Reply> rows(AnalyticsRun run, int first, int limit, int tokens, CallMemory memory)
      throws InterruptedException {
    return tables
        .of(run, first, limit, memory)
        .map(table -> RunText.rows(run, table, first, limit, tokens));
  }

  /** The output from a byte on. */
  Reply page(AnalyticsRun run, int offset, int tokens, CallMemory memory)
      throws InterruptedException {
    return RunText.page(run, outputs.page(run, offset, tokens, memory));
  }

  /** A run that has not ended, and its output so far. */
  Reply underWay(AnalyticsRun run, int tokens, CallMemory memory) throws InterruptedException {
    return RunText.underWay(run, outputs.soFar(run, tokens, memory));
  }

  /** A run that has ended, with its files. */
  Reply ended(AnalyticsRun run, int tokens, CallMemory memory) throws InterruptedException {
    return artifacts.addedTo(withoutFiles(run, tokens, memory), run, memory);
  }

  private Reply withoutFiles(AnalyticsRun run, int tokens, CallMemory memory)
      throws InterruptedException {
    ShownOutput output = outputs.of(run, tokens, memory);
    return RunText.ended(
        run, output, longValue(run, tokens - TokenEstimate.of(output.text()), memory));
  }

  /** The value of a script that is too long for the status, cut; empty for queries. */
  private Optional<String> longValue(AnalyticsRun run, int tokens, CallMemory memory)
      throws InterruptedException {
    @Nullable RunResult result = RunState.statusOf(run).result();
    if (result == null
        || result.valueBytes() == null
        || result.value() != null
        || !run.getSpec().language().isScript()
        || !(values.of(run, memory) instanceof RunValues.Found found)) {
      return Optional.empty();
    }
    String json = Text.escapedJson(found.json());
    int end = TokenEstimate.prefix(json, Math.max(1, tokens));
    return Optional.of(
        end == json.length()
            ? json
            : json.substring(0, end)
                + "\n[the value was cut: it has "
                + result.valueBytes()
                + " bytes; raise max_tokens]");
  }
}
