package dev.assay.frontend.run;

import dev.assay.frontend.run.OutputStore.Calls;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Some of the records of the calls of a run, taken from all of them, of which each is a line of
 * JSON. However many there are, a page is in memory.
 */
public final class ToolCallPage {
  private static final ObjectReader RECORD = JsonMapper.shared().readerFor(ToolCallRecord.class);

  /** Of the lines; the first is taken in any case. */
  private static final int MAX_BYTES = 512 * 1024;

  private final int after;
  private final int limit;
  private final List<ToolCallRecord> records = new ArrayList<>();
  private int bytes;
  private boolean hasMore;

  /**
   * An empty page.
   *
   * @param after the number of the last call of the page before
   * @param limit how many records at most
   */
  public ToolCallPage(int after, int limit) {
    this.after = after;
    this.limit = limit;
  }

  /**
   * Adds the next record, if it belongs to the page; false where the page was full before.
   *
   * @throws JacksonException if the line is malformed
   */
  public boolean add(byte[] line) {
    ToolCallRecord read = RECORD.readValue(line);
    if (read.call() <= after) {
      return true;
    }
    bytes += line.length;
    hasMore = records.size() == limit || (bytes > MAX_BYTES && !records.isEmpty());
    if (!hasMore) {
      records.add(read);
    }
    return !hasMore;
  }

  /** What was added. */
  public Calls calls() {
    return new Calls(records, hasMore);
  }
}
