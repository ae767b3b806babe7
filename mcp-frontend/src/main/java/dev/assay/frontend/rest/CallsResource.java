package dev.assay.frontend.rest;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.ToolCallRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/runs/{name}/calls}: the calls of tools that the code of a run has made. */
final class CallsResource {
  static final List<String> PARAMETERS = List.of("limit", "continue");
  private static final int MAX = 1_000;
  private static final int DEFAULT = 100;

  private final RunsResource resource;
  private final OutputStore outputs;

  CallsResource(RunsResource resource, OutputStore outputs) {
    this.resource = resource;
    this.outputs = outputs;
  }

  Answer list(RestRequest request) throws InterruptedException {
    int limit = (int) request.query().number("limit", 1, MAX, DEFAULT);
    int after = (int) request.query().number("continue", 1, Integer.MAX_VALUE, 0);
    AnalyticsRun run = resource.find(request);
    return new Answer.Document(
        200,
        switch (outputs.readCalls(
            run.getMetadata().getNamespace(), run.getMetadata().getUid(), after, limit)) {
          case OutputStore.Calls calls -> page(calls);
          case OutputStore.Absent absent -> withoutRecords(run);
          case OutputStore.Missing missing ->
              throw RestException.unavailable(
                  "The records of the calls cannot be read now: " + missing.why() + "; retry");
        });
  }

  private static Page<ToolCallRecord> page(OutputStore.Calls calls) {
    List<ToolCallRecord> records = calls.records();
    return new Page<>(
        records.stream().map(ToolCallRecord::cleaned).toList(),
        calls.hasMore() ? Integer.toString(records.getLast().call()) : null);
  }

  /** Of most runs there are none; the status tells those apart whose records were removed. */
  private static Page<ToolCallRecord> withoutRecords(AnalyticsRun run) {
    @Nullable ToolCallCounts counts = RunState.statusOf(run).toolCalls();
    if (counts == null || counts.equals(ToolCallCounts.NONE)) {
      return new Page<>(List.of(), null);
    }
    throw RestException.notFound("The records of the calls of this run are not stored any more");
  }
}
