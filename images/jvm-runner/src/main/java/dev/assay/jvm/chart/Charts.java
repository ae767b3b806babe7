package dev.assay.jvm.chart;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.Chart;
import dev.assay.jvm.result.ResultFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The chart of a job, if it wants one. */
public final class Charts {
  private final Session session;
  private final @Nullable Chart wanted;
  private final @Nullable ChartHelper helper;

  private Charts(Session session, @Nullable Chart wanted, @Nullable ChartHelper helper) {
    this.session = session;
    this.wanted = wanted;
    this.helper = helper;
  }

  /** Starts what draws it, while the query runs. */
  public static Charts prepare(Session session, Job job) {
    Chart wanted = job.reply().chart();
    if (wanted == null) {
      return new Charts(session, null, null);
    }
    try {
      return new Charts(
          session, wanted, ChartHelper.start(session.surroundings().python(), session.workspace()));
    } catch (IOException e) {
      return new Charts(session, wanted, null);
    }
  }

  /** Draws the stored result; null if no chart is wanted. */
  public @Nullable ChartReply draw() {
    if (wanted == null) {
      return null;
    }
    Path table = session.workspace().resolve(ResultFiles.TABLE);
    if (!Files.exists(table)) {
      return ChartReply.failed("the result has no rows");
    }
    if (helper == null) {
      return ChartReply.failed("the process that draws charts could not be started");
    }
    try {
      return helper.draw(wanted, table, session.timeZone().name());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ChartReply.failed("it was interrupted");
    }
  }
}
