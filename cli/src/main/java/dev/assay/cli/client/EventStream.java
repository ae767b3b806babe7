package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.function.Consumer;

/** Server-sent events, of which only the data matters. */
final class EventStream {
  private static final String DATA = "data:";

  private EventStream() {}

  /** Reads until the end; the lines of an event's data are one text. */
  static void read(InputStream body, Consumer<String> to) throws IOException {
    StringBuilder data = new StringBuilder();
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      if (line.startsWith(DATA)) {
        data.append(line.substring(DATA.length()).stripLeading()).append('\n');
      } else if (line.isEmpty() && !data.isEmpty()) {
        to.accept(data.toString());
        data.setLength(0);
      }
    }
    if (!data.isEmpty()) {
      to.accept(data.toString());
    }
  }
}
