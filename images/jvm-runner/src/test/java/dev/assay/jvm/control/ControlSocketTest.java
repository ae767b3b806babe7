package dev.assay.jvm.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.jvm.Json;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ControlSocketTest {
  private static byte[] frame(String json) {
    return Frames.encode(json.getBytes(UTF_8)).array();
  }

  private static ControlSocket receiving(String json) {
    return receiving(frame(json));
  }

  private static ControlSocket receiving(byte[] bytes) {
    return new ControlSocket(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
  }

  @Test
  void aJobIsTakenApart() throws Exception {
    Job job =
        receiving(
                """
                {"type": "job", "kind": "sql", "code": "SELECT ?", "input": "[1]", "more": [{}],
                 "datasets": [{"name": "a-b", "displayName": "A b"}, {"name": "c"}, "d"],
                 "reply": {"rows": 7, "timeZone": "Asia/Tokyo"}}
                """)
            .receiveJob()
            .orElseThrow();
    assertThat(job.kind()).isEqualTo("sql");
    assertThat(job.input()).isEqualTo("[1]");
    assertThat(job.reply().rows()).isEqualTo(7);
    assertThat(job.reply().timeZone()).isEqualTo("Asia/Tokyo");
    assertThat(job.datasets())
        .containsExactly(
            new Job.DatasetName("a-b", "A b"),
            new Job.DatasetName("c", "c"),
            new Job.DatasetName("d", "d"));
    assertThat(job.datasets().getFirst().tableName()).isEqualTo("A_b");
  }

  @Test
  void aJobHasToolsOnlyIfItSaysSo() throws Exception {
    String with = "{\"type\": \"job\", \"tools\": {\"maxParallel\": 7, \"other\": [1]}}";
    assertThat(receiving(with).receiveJob().orElseThrow().maxParallel()).isEqualTo(7);
    assertThat(receiving("{\"tools\": null}").receiveJob().orElseThrow().maxParallel()).isZero();
    assertThat(receiving("{}").receiveJob().orElseThrow().maxParallel()).isZero();
  }

  @Test
  void whatIsNoJobIsRefused() {
    for (String json : List.of("[]", "{\"code\": 7}", "{\"datasets\": {}}", "{\"code\"", "x")) {
      assertThatThrownBy(() -> receiving(json).receiveJob())
          .describedAs(json)
          .isInstanceOf(IOException.class);
    }
    byte[] enormous = ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array();
    assertThatThrownBy(() -> receiving(enormous).receiveJob())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("over the limit");
  }

  @Test
  void theEndOfTheStreamIsNoJob() throws Exception {
    assertThat(receiving(new byte[0]).receiveJob()).isEmpty();
  }

  @Test
  void stopIsToldFromOtherMessages() throws Exception {
    assertThat(receiving("{\"type\": \"stop\"}").awaitStop()).isTrue();
    assertThat(receiving("{\"type\": \"other\"}").awaitStop()).isFalse();
  }

  @Test
  @Timeout(60)
  void whoeverWaitsForStopIsNotInNativeCodeForWhichHaltWouldWait() throws Exception {
    Process silent = new ProcessBuilder("cat").start();
    try (InputStream input = silent.getInputStream()) {
      ControlSocket socket = new ControlSocket(input, OutputStream.nullOutputStream());
      Thread waiting = Thread.ofPlatform().daemon().start(() -> awaitStop(socket));
      while (waiting.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      waiting.interrupt();
      waiting.join();
    } finally {
      silent.destroyForcibly();
    }
  }

  private static void awaitStop(ControlSocket socket) {
    try {
      socket.awaitStop();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aResultHasTheErrorAndTheValueAsBase64() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    JobFailure failure =
        new JobFailure(
            ErrorCode.QUERY_ERROR,
            "BinderError",
            "Column 'é' not found",
            new JobFailure.Place(2, 3, "  é\n  ^"),
            List.of());
    new ControlSocket(InputStream.nullInputStream(), output).result(failure, "{\"a\": \"é\"}");
    byte[] sent = output.toByteArray();
    assertThat(ByteBuffer.wrap(sent).getInt()).isEqualTo(sent.length - 4);
    Map<String, Object> message = Json.object(new String(sent, 4, sent.length - 4, UTF_8));
    assertThat(message.get("error"))
        .isEqualTo(
            Map.of(
                "type", "BinderError",
                "message", "Column 'é' not found",
                "code", "QUERY_ERROR",
                "line", 2L,
                "column", 3L,
                "traceback", "LINE 2:   é\n          ^"));
    assertThat(new String(Base64.getDecoder().decode((String) message.get("valueJson")), UTF_8))
        .isEqualTo("{\"a\": \"é\"}");
  }

  @Test
  void aProgramThatTheLauncherHasNotStartedSaysSo() {
    OutputStream readOnly =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException("Bad file descriptor");
          }
        };
    assertThatThrownBy(() -> new ControlSocket(InputStream.nullInputStream(), readOnly).ready(1, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the launcher starts this program");
  }
}
