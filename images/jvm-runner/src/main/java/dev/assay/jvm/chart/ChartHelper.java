package dev.assay.jvm.chart;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.job.Job.Chart;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The process that draws charts: {@code assay_runner.chart}. It is started with the query, since it
 * imports its libraries first, and draws from the file that the query leaves.
 */
public final class ChartHelper {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int TIMEOUT_SECONDS = 30;
  private static final int MAX_REPLY_BYTES = 16 * 1024;
  private static final String FOLDER = "charts";

  private final Process process;
  private final Path workspace;

  private ChartHelper(Process process, Path workspace) {
    this.process = process;
    this.workspace = workspace;
  }

  /**
   * Starts the process.
   *
   * @param python the interpreter that has the package
   */
  public static ChartHelper start(String python, Path workspace) throws IOException {
    Process process =
        new ProcessBuilder(python, "-I", "-m", "assay_runner.chart")
            .directory(workspace.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    return new ChartHelper(process, workspace);
  }

  /**
   * Draws a chart of a Parquet file.
   *
   * @param timeZone in which times in UTC are drawn
   * @return what the process says of it: a JSON object
   */
  public ChartReply draw(Chart chart, Path table, String timeZone) throws InterruptedException {
    CompletableFuture<ChartReply> reply =
        CompletableFuture.supplyAsync(() -> ask(request(chart, table, timeZone)));
    try {
      return reply.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return ChartReply.failed("timed out after " + TIMEOUT_SECONDS + " s");
    } catch (ExecutionException e) {
      return ChartReply.failed("the process that draws charts failed");
    } finally {
      process.destroyForcibly();
    }
  }

  private ChartReply ask(String request) {
    try (OutputStream input = process.getOutputStream()) {
      input.write((request + "\n").getBytes(UTF_8));
      input.flush();
      return ChartReply.parse(process.getInputStream().readNBytes(MAX_REPLY_BYTES));
    } catch (IOException e) {
      return ChartReply.failed("the process that draws charts ended");
    }
  }

  private String request(Chart chart, Path table, String timeZone) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("table", table.toAbsolutePath().toString());
      @Nullable String type = chart.type();
      if (type == null) {
        json.writeNullProperty("type");
      } else {
        json.writeStringProperty("type", type);
      }
      json.writeStringProperty("timeZone", timeZone);
      json.writeStringProperty("output", workspace.resolve(FOLDER).toAbsolutePath().toString());
      json.writeEndObject();
    }
    return text.toString();
  }
}
