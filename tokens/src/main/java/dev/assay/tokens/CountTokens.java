package dev.assay.tokens;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads transcripts as JSON lines from standard input, and writes a line of counts for each. */
public final class CountTokens {
  private CountTokens() {}

  /** The program; it has no arguments. */
  public static void main(String[] arguments) throws IOException {
    // A number that was written with all its digits is counted with them.
    JsonMapper json =
        JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();
    TranscriptCounts counts = new TranscriptCounts(json);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        out.println(counts.of(json.readTree(line)));
      }
    }
  }
}
