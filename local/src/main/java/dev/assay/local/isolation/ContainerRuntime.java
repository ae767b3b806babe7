package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Starts containers. All that it has started ends when this process does, in whatever way. */
public final class ContainerRuntime implements AutoCloseable {
  private final Isolation isolation;
  private final Path bubblewrap;
  private final Helpers helpers;
  private final HostFiles hostFiles;
  private final Path root;

  private ContainerRuntime(Isolation isolation, Path bubblewrap, Path python, Path directory)
      throws IOException {
    this.isolation = isolation;
    this.bubblewrap = bubblewrap;
    this.helpers = new Helpers(python, directory);
    this.hostFiles = new HostFiles(directory);
    this.root = Files.createDirectories(directory.resolve("root"));
  }

  /**
   * A runtime that isolates in one way, whether or not this machine can; see {@link
   * IsolationDetection}.
   *
   * @param isolation which way
   * @param python an interpreter for the helper, 3.11 or newer
   * @param directory an empty one, which whoever made it removes after this was closed
   * @throws IOException if the directory cannot be written to
   */
  public static ContainerRuntime open(Isolation isolation, Path python, Path directory)
      throws IOException {
    Path bubblewrap = IsolationDetection.bubblewrap().orElse(Path.of("bwrap"));
    return new ContainerRuntime(isolation, bubblewrap, python, directory);
  }

  /** How containers are isolated. */
  public Isolation isolation() {
    return isolation;
  }

  /** Keeps helpers ready, so that containers start sooner. */
  public void warmUp() {
    helpers.fill();
  }

  /**
   * Starts a container; returns before its program runs.
   *
   * @throws IOException if no process can be started
   */
  public ContainerProcess start(ContainerSpec spec) throws IOException {
    String request = request(spec);
    Process helper = helpers.take();
    helper.getOutputStream().write((request + "\n").getBytes(StandardCharsets.UTF_8));
    helper.getOutputStream().flush();
    return new ContainerProcess(helper);
  }

  private String request(ContainerSpec spec) throws IOException {
    return switch (isolation) {
      case NAMESPACES -> HelperRequest.isolated(spec, hostFiles.with(spec), root);
      case BUBBLEWRAP ->
          HelperRequest.wrapped(spec, Bubblewrap.command(bubblewrap, spec, hostFiles.with(spec)));
      case NONE -> {
        PlainPaths plain = PlainPaths.of(spec);
        for (Map.Entry<Path, Path> link : plain.links().entrySet()) {
          Files.createDirectories(link.getKey().resolveSibling(""));
          Files.createSymbolicLink(link.getKey(), link.getValue());
        }
        yield HelperRequest.plain(plain.spec());
      }
    };
  }

  /** Ends the helpers that wait; containers are ended by whoever has started them. */
  @Override
  public void close() {
    helpers.close();
  }
}
