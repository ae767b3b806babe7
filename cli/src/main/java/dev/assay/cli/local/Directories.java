package dev.assay.cli.local;

import dev.assay.cli.DirectoryTree;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.PrivateFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The files of local mode, those that are kept and those that go with the process. The paths of
 * Pods must be short, since unix sockets are below them.
 */
final class Directories implements AutoCloseable {
  private final Path kept;
  private final Path scratch;
  private final @Nullable FileChannel lock;

  private Directories(Path kept, Path scratch, @Nullable FileChannel lock) {
    this.kept = kept;
    this.scratch = scratch;
    this.lock = lock;
  }

  /**
   * Creates what is missing.
   *
   * @param state where to keep what outlives the process; absent for nowhere
   */
  static Directories make(@Nullable Path state) throws MachineException {
    try {
      @Nullable Path kept = state == null ? null : privateDirectory(state);
      @Nullable FileChannel lock = state == null ? null : lock(state);
      Path scratch = Files.createTempDirectory(Path.of("/tmp"), "assay-");
      return new Directories(
          kept == null ? Files.createDirectory(scratch.resolve("kept")) : kept, scratch, lock);
    } catch (IOException e) {
      throw new MachineException(
          (state == null ? "/tmp" : state) + " cannot be written to: " + e.getMessage(), e);
    }
  }

  /** What is created in it later, such as results and snapshots, need not be private by itself. */
  private static Path privateDirectory(Path state) throws IOException, MachineException {
    PrivateFile.createDirectories(state);
    if (!PrivateFile.isOfOwnerOnly(state)) {
      throw new MachineException(
          "--state: other users of this machine can enter %s: chmod 700 it, or name a folder that is"
                  .formatted(state)
              + " not there yet");
    }
    return state;
  }

  private static FileChannel lock(Path state) throws IOException, MachineException {
    FileChannel channel =
        FileChannel.open(
            state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    @Nullable FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      throw new MachineException(
          state + " is in use by another 'assay local': end that one, or choose another --state");
    }
    return channel;
  }

  /** The objects of the API server, kept between starts. */
  Path objects() {
    return kept.resolve("objects.json");
  }

  Path outputs() {
    return kept.resolve("outputs");
  }

  /** Where snapshots of datasets are. */
  Path snapshots() throws IOException {
    return Files.createDirectories(kept.resolve("snapshots"));
  }

  Path kubeconfig() {
    return kept.resolve("kubeconfig");
  }

  /** The digest of the API key, for the front end. */
  Path keys() {
    return scratch.resolve("keys.yaml");
  }

  /** The token that the tool gateway knows the operator by. */
  Path gatewayToken() {
    return scratch.resolve("tool-gateway-token");
  }

  /** The directories of Pods. */
  Path pods() throws IOException {
    return Files.createDirectories(scratch.resolve("p"));
  }

  /** The files of the container runtime. */
  Path runtime() throws IOException {
    return Files.createDirectories(scratch.resolve("r"));
  }

  @Override
  public void close() throws IOException {
    if (lock != null) {
      lock.close();
    }
    DirectoryTree.remove(scratch);
  }
}
