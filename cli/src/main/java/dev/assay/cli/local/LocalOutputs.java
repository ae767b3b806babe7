package dev.assay.cli.local;

import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.run.ToolCallPage;
import dev.assay.operator.output.StoredArtifact;
import dev.assay.operator.tool.CallRecords;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operator's output store, which the front end reaches without a network here. */
final class LocalOutputs implements OutputStore {
  private static final Logger LOG = LoggerFactory.getLogger(LocalOutputs.class);

  private final dev.assay.operator.output.OutputStore outputs;

  LocalOutputs(dev.assay.operator.output.OutputStore outputs) {
    this.outputs = outputs;
  }

  @Override
  public Stored read(String namespace, String runUid, long offset, int maxBytes) {
    return read(
        runUid,
        () -> {
          Optional<InputStream> found = outputs.read(namespace, runUid, offset);
          if (found.isEmpty()) {
            return new Absent();
          }
          try (InputStream stream = found.get()) {
            return new Bytes(stream.readNBytes(maxBytes));
          }
        });
  }

  @Override
  public Stored readValue(String namespace, String runUid) {
    return read(
        runUid,
        () -> outputs.value(namespace, runUid).<Stored>map(Bytes::new).orElseGet(Absent::new));
  }

  @Override
  public Stored readArtifact(
      String namespace, String runUid, int number, long offset, int maxBytes) {
    return read(
        runUid,
        () -> {
          Optional<StoredArtifact> found =
              outputs.artifact(namespace, runUid, number, offset, maxBytes);
          if (found.isEmpty()) {
            return new Absent();
          }
          try (InputStream content = found.get().content()) {
            return new Bytes(content.readNBytes(maxBytes));
          }
        });
  }

  @Override
  public Stored readDefinition(String namespace, String digest) {
    return read(
        digest,
        () -> outputs.definition(namespace, digest).<Stored>map(Bytes::new).orElseGet(Absent::new));
  }

  @Override
  public StoredCalls readCalls(String namespace, String runUid, int after, int limit) {
    try (InputStream log = outputs.calls(namespace, runUid, 0)) {
      ToolCallPage page = new ToolCallPage(after, limit);
      return CallRecords.read(log, page::add) ? page.calls() : new Absent();
    } catch (IOException e) {
      return missing(runUid, e);
    }
  }

  private interface Access {
    Stored run() throws IOException;
  }

  private static Stored read(String name, Access access) {
    try {
      return access.run();
    } catch (IOException e) {
      return missing(name, e);
    }
  }

  private static Missing missing(String name, IOException e) {
    LOG.warn("What is stored of {} could not be read", name, e);
    return new Missing("it could not be read");
  }
}
