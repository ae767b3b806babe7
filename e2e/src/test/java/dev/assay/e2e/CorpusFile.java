package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.DatasetSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of the corpus, which is on the volume {@code shared}.
 *
 * @param expected what plain pandas makes of it: {@code rows}, {@code columns} and {@code
 *     fingerprint}, or {@code error}
 */
record CorpusFile(JsonNode expected) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static Path folder(Assay assay) {
    return assay.installation().data().resolve("corpus");
  }

  static List<CorpusFile> all(Assay assay) {
    List<CorpusFile> files = new ArrayList<>();
    try {
      JSON.readTree(folder(assay).resolve("cases.json").toFile())
          .forEach(expected -> files.add(new CorpusFile(expected)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  static CorpusFile named(Assay assay, String name) {
    return all(assay).stream()
        .filter(file -> file.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("the corpus has no file " + name));
  }

  String name() {
    return expected.path("file").asText();
  }

  /** Whether pandas reads it. */
  boolean isReadable() {
    return expected.has("fingerprint");
  }

  /** Creates a dataset of the file, which is not loaded yet. */
  void create(Assay assay, String dataset) {
    try {
      assay.createDataset(dataset, snapshotClass(assay, dataset), source());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the class of a dataset of the file, if it has one of its own. */
  void removeClass(Assay assay, String dataset) {
    if (expected.at("/source/limits").isObject()) {
      Classes.remove(assay, dataset.replace('_', '-'));
    }
  }

  /** The limits are set in the class. */
  private @Nullable String snapshotClass(Assay assay, String dataset) {
    JsonNode limits = expected.at("/source/limits");
    if (limits.isMissingNode()) {
      return null;
    }
    String name = dataset.replace('_', '-');
    Classes.like("snapshot", assay, name, spec -> spec.set("source", limits));
    return name;
  }

  private DatasetSource source() throws IOException {
    ObjectNode source = expected.path("source").deepCopy();
    source.remove("limits");
    source.putObject("volume").put("name", "shared").put("path", "corpus/" + name());
    return JSON.treeToValue(source, DatasetSource.class);
  }
}
