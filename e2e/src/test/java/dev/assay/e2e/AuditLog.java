package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What Assay's own accounts have changed in the cluster, from the API server's audit log. */
final class AuditLog {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> NOT_COUNTED = Set.of("events", "leases", "tokenreviews");

  private final Path file;

  AuditLog(Path file) {
    this.file = file;
  }

  /**
   * One change.
   *
   * @param time when the request arrived
   * @param verb such as patch
   * @param resource such as pods, with the subresource, as in analyticsruns/status
   * @param name of the object; empty for a creation with a generated name
   * @param code of the response
   */
  record Write(Instant time, String verb, String resource, String name, int code) {}

  /**
   * The changes of objects with matching names, without Events and Leases.
   *
   * @param since of those before, a generated name may have been that of another object
   */
  List<Write> writes(Predicate<String> name, Instant since) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(AuditLog::parse)
          .filter(write -> !NOT_COUNTED.contains(write.resource()))
          .filter(write -> name.test(write.name()) && !write.time().isBefore(since))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Write parse(String line) {
    try {
      JsonNode event = JSON.readTree(line);
      JsonNode object = event.path("objectRef");
      String subresource = object.path("subresource").asText();
      return new Write(
          Instant.parse(event.path("requestReceivedTimestamp").asText()),
          event.path("verb").asText(),
          object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
          object.path("name").asText(),
          event.path("responseStatus").path("code").asInt());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
