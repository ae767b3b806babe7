package dev.assay.local.kubelet;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Knows what stands for a container image here. */
@FunctionalInterface
public interface Images {
  /** What stands for an image of a name; empty where there is none. */
  Optional<Image> find(String name);

  /**
   * A program and files of this machine in place of an image.
   *
   * @param python the interpreter to run where a command names the image's
   * @param readOnlyPaths the directories that it needs, besides the system's own
   * @param server the only command that is given this machine's network, and only where its
   *     container declares a port
   */
  record Image(Path python, List<Path> readOnlyPaths, List<String> server) {
    public Image {
      readOnlyPaths = List.copyOf(readOnlyPaths);
      server = List.copyOf(server);
    }
  }
}
