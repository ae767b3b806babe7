package dev.assay.cli.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.cli.MachineException;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** Runs and datasets in a file, from one start to the next. */
final class KeptObjects {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> KEPT = List.of("analyticsruns", "datasets");
  private static final String GROUP = "assay.dev";

  private final Path file;
  private final ObjectStorage storage;
  private final List<ResourceDefinition> kept;
  private long saved;

  KeptObjects(Path file, ObjectStorage storage, ResourceDefinitions definitions) {
    this.file = file;
    this.storage = storage;
    this.kept =
        definitions.all().stream()
            .filter(one -> one.group().equals(GROUP) && KEPT.contains(one.names().plural()))
            .toList();
  }

  /** Puts back what was there when the process before ended. */
  void load() throws MachineException {
    if (!Files.exists(file)) {
      return;
    }
    try {
      JsonNode all = JSON.readTree(file.toFile());
      for (ResourceDefinition resource : kept) {
        for (JsonNode object : all.path(resource.names().plural())) {
          JsonNode metadata = object.path("metadata");
          ObjectKey key =
              new ObjectKey(metadata.path("namespace").asText(), metadata.path("name").asText());
          storage.replace(resource, key, null, (ObjectNode) object);
        }
      }
    } catch (IOException | ClassCastException e) {
      throw new MachineException(
          file + " is damaged: remove it to begin anew without earlier runs and datasets", e);
    }
  }

  /** Writes all where something has changed; whole or not at all. */
  synchronized void save() throws IOException {
    long revision = storage.revision();
    if (revision == saved) {
      return;
    }
    ObjectNode all = JSON.createObjectNode();
    for (ResourceDefinition resource : kept) {
      ArrayNode objects = all.putArray(resource.names().plural());
      storage.list(resource, "").objects().forEach(objects::add);
    }
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    JSON.writeValue(unfinished.toFile(), all);
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    saved = revision;
  }
}
