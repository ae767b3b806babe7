package dev.assay.cli.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * The libraries of the runner, each with its version and the digests of its files.
 *
 * @param text as pip reads it
 */
record Requirements(String text) {
  static Requirements ofTheRunner() throws IOException {
    try (InputStream in = Requirements.class.getResourceAsStream("requirements.txt")) {
      if (in == null) {
        throw new IOException("the program was built without requirements.txt");
      }
      return new Requirements(new String(in.readAllBytes(), UTF_8));
    }
  }

  /** Names of the libraries, as pip writes them. */
  List<String> names() {
    return text.lines()
        .filter(line -> line.matches("[A-Za-z0-9].*==.*"))
        .map(line -> line.substring(0, line.indexOf("==")))
        .toList();
  }
}
