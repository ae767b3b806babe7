package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Files to load as they are listed in the test data: format, options, and text or bytes. */
final class SourceFile {
  private SourceFile() {}

  /** The elements of a list in the test data. */
  static List<JsonNode> listed(String name) {
    try {
      List<JsonNode> found = new ArrayList<>();
      Rest.JSON
          .readTree(Files.readString(Path.of("src/test/resources/data", name)))
          .forEach(found::add);
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uploads a file as a dataset, and returns what the REST API says of it once it is loaded. */
  static JsonNode upload(Assay assay, String dataset, JsonNode file) {
    StringBuilder query = new StringBuilder("?wait=true&format=" + file.path("format").asText());
    for (String name : List.of("options", "compression")) {
      JsonNode value = file.path(name);
      if (!value.isMissingNode()) {
        String text = value.isTextual() ? value.asText() : value.toString();
        query.append('&').append(name).append('=').append(Rest.encoded(text));
      }
    }
    byte[] bytes =
        file.has("text")
            ? file.path("text").asText().getBytes(UTF_8)
            : Base64.getDecoder().decode(file.path("base64").asText());
    return Rest.json(assay.rest().upload(dataset + query, BodyPublishers.ofByteArray(bytes)));
  }
}
