package dev.assay.operator.run.execution;

import dev.assay.api.logging.LogContext;
import dev.assay.api.logging.TraceId;
import dev.assay.api.v1alpha1.AnalyticsRun;
import java.util.Map;

/** What log lines say of the run that they are about. */
public final class RunLines {
  private RunLines() {}

  /** The lines of this thread are about a run, until this is closed. */
  public static LogContext about(AnalyticsRun run) {
    Map<String, String> annotations = run.getMetadata().getAnnotations();
    return LogContext.open()
        .run(run.getMetadata().getNamespace(), run.getMetadata().getName())
        .caller(run.getSpec().caller())
        .trace(
            annotations == null
                ? null
                : TraceId.valid(annotations.get(TraceId.ANNOTATION)).orElse(null));
  }
}
