package dev.assay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A fenced block of a page of the documentation.
 *
 * @param language the first word behind the fence; may be empty
 * @param mark the rest of that line; may be empty
 * @param text the lines between the fences
 */
record FencedBlock(String language, String mark, String text) {
  private static final Pattern BLOCK =
      Pattern.compile("^```(\\S*)(?: ([^\\n]*))?\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

  /** The blocks of a page, in their order. */
  static List<FencedBlock> of(Path page) {
    try {
      return BLOCK
          .matcher(Files.readString(page))
          .results()
          .map(
              found ->
                  new FencedBlock(
                      found.group(1), found.group(2) == null ? "" : found.group(2), found.group(3)))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
