package dev.assay.operator.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * What a finished output consists of. It is written last, so that output with a manifest is known
 * to be all that there will be.
 *
 * @param length in bytes
 * @param truncated whether the code wrote more than is stored, or may have
 * @param sha256 of the stored bytes, in hexadecimal
 * @param ended when the output was finished
 */
public record OutputManifest(long length, boolean truncated, String sha256, Instant ended) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Whether both are of the same bytes. */
  public boolean isOfSameOutput(OutputManifest other) {
    return length == other.length && sha256.equals(other.sha256);
  }

  /** As it is stored. */
  byte[] toJson() {
    try {
      return JSON.writeValueAsBytes(
          JSON.createObjectNode()
              .put("length", length)
              .put("truncated", truncated)
              .put("sha256", sha256)
              .put("ended", ended.toString()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A manifest could not be serialized", e);
    }
  }

  /**
   * Reads what was stored; fields of a later version are ignored.
   *
   * @return empty if it is malformed
   */
  static Optional<OutputManifest> parse(byte[] json) {
    try {
      JsonNode manifest = JSON.readTree(json);
      JsonNode length = manifest.path("length");
      JsonNode truncated = manifest.path("truncated");
      JsonNode sha256 = manifest.path("sha256");
      if (!length.isIntegralNumber() || !truncated.isBoolean() || !sha256.isTextual()) {
        return Optional.empty();
      }
      return Optional.of(
          new OutputManifest(
              length.longValue(),
              truncated.booleanValue(),
              sha256.textValue(),
              Instant.parse(manifest.path("ended").asText())));
    } catch (IOException | DateTimeException e) {
      return Optional.empty();
    }
  }
}
