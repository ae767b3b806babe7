package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.assay.api.digest.Sha256;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks JSON text that is passed on as it is: nothing of it is kept. */
final class CallArguments {
  private static final int MAX_DEPTH = 64;

  /** What a tool server answers may be nested deeper than what code sends. */
  private static final int MAX_RESULT_DEPTH = 1000;

  private static final JsonFactory ARGUMENTS = json(MAX_DEPTH);
  private static final JsonFactory RESULTS = json(MAX_RESULT_DEPTH);

  private CallArguments() {}

  private static JsonFactory json(int maxDepth) {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(maxDepth)
                .maxStringLength(Integer.MAX_VALUE)
                .maxNumberLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .build())
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
        .build();
  }

  /** Why the arguments of a call are invalid; empty if they are one JSON object. */
  static Optional<String> problem(byte @Nullable [] args) {
    return args != null && isOneValue(ARGUMENTS, args, true)
        ? Optional.empty()
        : Optional.of(
            "args must be one JSON object that is nested at most %d deep".formatted(MAX_DEPTH));
  }

  /** Whether bytes are one JSON value in UTF-8. */
  static boolean isJson(byte[] bytes) {
    return isOneValue(RESULTS, bytes, false);
  }

  private static boolean isOneValue(JsonFactory factory, byte[] bytes, boolean isObject) {
    // UTF-16 and UTF-32 would be detected and accepted, and nobody after this would read them.
    String text = new String(bytes, UTF_8);
    try (JsonParser parser = factory.createParser(text)) {
      JsonToken first = parser.nextToken();
      if (first == null || (isObject && first != JsonToken.START_OBJECT)) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null && isUtf8(text, bytes);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isUtf8(String text, byte[] bytes) {
    return text.indexOf('\uFFFD') < 0 || Arrays.equals(text.getBytes(UTF_8), bytes);
  }

  /** What identifies a call: server, tool and arguments, as a SHA-256 in hexadecimal. */
  static String digest(String server, String tool, byte[] args) {
    MessageDigest digest = Sha256.digest();
    digest.update(server.getBytes(UTF_8));
    digest.update((byte) 0);
    digest.update(tool.getBytes(UTF_8));
    digest.update((byte) 0);
    digest.update(args);
    return HexFormat.of().formatHex(digest.digest());
  }
}
