package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.tool.CallRecord.End;
import dev.assay.operator.tool.CallRecord.Intent;
import dev.assay.operator.tool.CallRecord.Subject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallRecordsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Subject SUBJECT = new Subject("crm", "find", "digest", 2, "sha", null);

  static List<String> lines(String log) throws IOException {
    List<String> lines = new ArrayList<>();
    CallRecords.read(
        new ByteArrayInputStream(log.getBytes(UTF_8)), line -> lines.add(new String(line, UTF_8)));
    return lines;
  }

  @Test
  void theCallsOfABatchAreInTheirOrderWhicheverEndedFirst() throws Exception {
    String log = log(intent(1, 1), intent(2, 1), end(2, 1, null), end(1, 1, null), intent(3, 3));

    assertThat(lines(log))
        .extracting(
            line -> JSON.readTree(line).path("call") + JSON.readTree(line).path("outcome").asText())
        .containsExactly("1OK", "2OK", "3");
  }

  @Test
  void whatComesLateIsNoRecordOfItsOwn() throws Exception {
    String log =
        log(
            intent(1, 1),
            end(1, 1, null),
            intent(2, 2),
            end(1, 1, CallCode.OUTCOME_UNKNOWN),
            end(2, 2, null));

    assertThat(lines(log)).hasSize(2).allMatch(line -> line.contains("\"outcome\":\"OK\""));
  }

  @Test
  void aReaderThatHasEnoughReadsNoFurther() throws Exception {
    InputStream endless =
        new InputStream() {
          private byte[] line = {};
          private int at;
          private int call;

          @Override
          public int read() throws IOException {
            if (at == line.length) {
              call++;
              line = log(intent(call, call), end(call, call, null)).getBytes(UTF_8);
              at = 0;
            }
            return line[at++];
          }
        };
    List<String> lines = new ArrayList<>();
    CallRecords.read(
        endless,
        line -> {
          lines.add(new String(line, UTF_8));
          return lines.size() < 1000;
        });

    assertThat(lines).hasSize(1000).last().asString().contains("\"call\":1000,");
  }

  private static String log(CallRecord... records) {
    return Stream.of(records).map(CallRecordsTest::line).collect(Collectors.joining());
  }

  private static String line(CallRecord record) {
    try {
      return JSON.writeValueAsString(record) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Intent intent(int call, int group) {
    return new Intent(call, group, SUBJECT, 1, new Replica("10.0.0.1", "a"), "process", "now");
  }

  private static End end(int call, int group, @Nullable CallCode code) {
    return new End(
        call, group, SUBJECT, code, code == null ? Sent.YES : Sent.UNKNOWN, 2, "sha", 1L, "now");
  }
}
