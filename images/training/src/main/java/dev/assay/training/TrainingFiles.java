package dev.assay.training;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** The files that Kubernetes mounts for the programs, in a directory of this machine. */
record TrainingFiles(Path directory) {

  /** Writes a resource of this package, with the value of each {@code ${name}}. */
  Path writeResource(String name, Map<String, String> values) throws IOException {
    String text = resource(name);
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace("${" + value.getKey() + "}", value.getValue());
    }
    return write(name, text);
  }

  /** Writes a file. */
  Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  /** The text of a resource of this package. */
  static String resource(String name) throws IOException {
    try (InputStream found =
        Objects.requireNonNull(TrainingFiles.class.getResourceAsStream(name), name)) {
      return new String(found.readAllBytes(), UTF_8);
    }
  }
}
