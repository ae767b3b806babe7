package dev.assay.operator.tool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Reads the log of the calls of a run, of which each line is a record. */
final class CallLines {
  private static final ObjectReader RECORD = new JsonMapper().readerFor(CallRecord.class);

  private CallLines() {}

  /** Takes records. */
  @FunctionalInterface
  interface Records {
    void take(CallRecord record) throws IOException;
  }

  /**
   * What was read.
   *
   * @param bytes the length of the lines that have an end
   * @param endsInLine whether nothing comes after them
   */
  record Read(long bytes, boolean endsInLine) {}

  /** Reads the rest of a log; lines that are malformed are left out. */
  static Read read(InputStream log, Records records) throws IOException {
    byte[] buffer = new byte[16 * 1024];
    ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
    long bytes = 0;
    for (int count = log.read(buffer); count >= 0; count = log.read(buffer)) {
      int begin = 0;
      for (int at = 0; at < count; at++) {
        if (buffer[at] != '\n') {
          continue;
        }
        line.write(buffer, begin, at - begin);
        begin = at + 1;
        bytes += line.size() + 1;
        Optional<CallRecord> record = parse(line.toByteArray());
        line.reset();
        if (record.isPresent()) {
          records.take(record.get());
        }
      }
      line.write(buffer, begin, count - begin);
    }
    return new Read(bytes, line.size() == 0);
  }

  private static Optional<CallRecord> parse(byte[] line) throws IOException {
    if (line.length == 0) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(RECORD.readValue(line));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
