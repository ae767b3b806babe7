package dev.assay.local.kubelet;

import dev.assay.api.digest.Sha256;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the local replacement of a container image. */
@FunctionalInterface
public interface Images {
  /** The replacement of an image; empty if there is none. */
  Optional<Image> find(String name);

  /**
   * A program and files of this machine in place of an image.
   *
   * @param python the interpreter to run where a command names the image's
   * @param readOnlyPaths the directories that it needs, besides the system's own
   * @param server the only command that is given this machine's network, and only where its
   *     container declares a port
   * @param environment the variables that an image would set
   */
  record Image(
      Path python, List<Path> readOnlyPaths, List<String> server, Map<String, String> environment) {
    public Image {
      readOnlyPaths = List.copyOf(readOnlyPaths);
      server = List.copyOf(server);
      environment = Map.copyOf(environment);
    }

    /** Changes with the directories, whose names have the digest of what is in them. */
    String id() {
      return "sha256:" + Sha256.hex(toString());
    }
  }
}
