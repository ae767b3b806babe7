package dev.assay.frontend.operator;

import dev.assay.frontend.run.OutputStore.Calls;
import dev.assay.frontend.run.ToolCallPage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes a page of records of calls, each a line of JSON. */
final class CallLines extends PartialBody<Calls> {
  /** Of the arguments, which are the longest part, at most 16 KiB are recorded. */
  private static final int MAX_LINE_BYTES = 256 * 1024;

  private final ToolCallPage page;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  CallLines(ToolCallPage page) {
    this.page = page;
  }

  @Override
  void take(ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining() && !isDone()) {
      take(buffer.get());
    }
  }

  private void take(byte next) throws IOException {
    if (next != '\n') {
      if (line.size() == MAX_LINE_BYTES) {
        throw new IOException("a record of a call has more than " + MAX_LINE_BYTES + " bytes");
      }
      line.write(next);
      return;
    }
    byte[] json = line.toByteArray();
    line.reset();
    if (!page.add(json)) {
      enough();
    }
  }

  @Override
  Calls taken() {
    return page.calls();
  }
}
