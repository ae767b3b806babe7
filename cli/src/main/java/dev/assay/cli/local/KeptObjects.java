package dev.assay.cli.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.PrivateFile;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps runs and datasets in a file, from one start to the next. */
final class KeptObjects implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptObjects.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> KEPT = List.of("analyticsruns", "datasets");
  private static final String GROUP = "assay.dev";
  private static final long SAVE_EVERY_SECONDS = 2;

  private final Path file;
  private final ObjectStorage storage;
  private final List<ResourceDefinition> kept;
  private @Nullable ScheduledExecutorService timer;
  private long saved;

  KeptObjects(Path file, ObjectStorage storage, ResourceDefinitions definitions) {
    this.file = file;
    this.storage = storage;
    this.kept =
        definitions.all().stream()
            .filter(one -> one.group().equals(GROUP) && KEPT.contains(one.names().plural()))
            .toList();
  }

  /**
   * Puts back what was there when the process before ended, and saves from now on: now and then,
   * since a process may be killed, and at the end.
   *
   * @throws MachineException where the file cannot be read; it is left as it is
   */
  void begin() throws MachineException {
    if (Files.exists(file)) {
      load();
    }
    timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("save").factory());
    var unused =
        timer.scheduleWithFixedDelay(
            this::saveQuietly, SAVE_EVERY_SECONDS, SAVE_EVERY_SECONDS, TimeUnit.SECONDS);
  }

  private void load() throws MachineException {
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
          file + " is damaged: remove it to start without earlier runs and datasets", e);
    }
  }

  private void saveQuietly() {
    try {
      save();
    } catch (IOException | RuntimeException e) {
      LOG.warn("Runs and datasets could not be saved: {}", e.toString());
    }
  }

  /** Writes all where something has changed; whole or not at all. */
  private synchronized void save() throws IOException {
    long revision = storage.revision();
    if (revision == saved) {
      return;
    }
    ObjectNode all = JSON.createObjectNode();
    for (ResourceDefinition resource : kept) {
      ArrayNode objects = all.putArray(resource.names().plural());
      storage.list(resource, "").objects().forEach(objects::add);
    }
    // Code and the text of datasets are their owner's, whatever the mode of the directory is.
    var unused = PrivateFile.write(file, JSON.writeValueAsString(all));
    saved = revision;
  }

  @Override
  public void close() throws IOException {
    if (timer != null) {
      timer.shutdownNow();
      save();
    }
  }
}
