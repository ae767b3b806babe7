package dev.assay.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One manifest below crds/fixtures.
 *
 * @param name of the file, without folder and extension
 * @param yaml with repetitions expanded
 * @param refusal part of the error message; empty if the manifest must be accepted
 */
public record Fixture(String name, String yaml, Optional<String> refusal) {
  private static final Path ROOT = Path.of("../crds/fixtures");
  private static final Pattern REPETITION = Pattern.compile("\\$\\{(.) \\* ([0-9]+)\\}");
  private static final Pattern REFUSAL = Pattern.compile("\\A# refused: (.+)\n");
  private static final String ENDING = ".yaml";

  /** All fixtures of a folder, by name. */
  public static List<Fixture> all(String folder) {
    try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
      return files.sorted().map(Fixture::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Fixture read(Path file) {
    try {
      String text = Files.readString(file);
      String name = file.getFileName().toString();
      return new Fixture(
          name.substring(0, name.length() - ENDING.length()),
          REPETITION
              .matcher(text)
              .replaceAll(match -> match.group(1).repeat(Integer.parseInt(match.group(2)))),
          REFUSAL.matcher(text).results().findFirst().map(match -> match.group(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
