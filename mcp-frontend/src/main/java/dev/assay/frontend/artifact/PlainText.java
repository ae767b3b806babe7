package dev.assay.frontend.artifact;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;
import java.util.Set;

/** Files that are returned as text. */
final class PlainText {
  private static final Set<String> TEXTS =
      Set.of(
          "application/json",
          "application/x-ndjson",
          "application/sql",
          "application/xml",
          "application/yaml",
          "image/svg+xml");

  private PlainText() {}

  /**
   * The text of a file; empty where it is not to be read as text: by its media type, because it is
   * not UTF-8, or because it has control characters, which a terminal might obey.
   */
  static Optional<String> of(String mediaType, byte[] file) {
    if (!mediaType.startsWith("text/") && !TEXTS.contains(mediaType.split(";", 2)[0])) {
      return Optional.empty();
    }
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(file)).toString();
      return text.chars().anyMatch(PlainText::isControl) ? Optional.empty() : Optional.of(text);
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private static boolean isControl(int c) {
    return Character.isISOControl(c) && c != '\n' && c != '\t' && c != '\r';
  }
}
