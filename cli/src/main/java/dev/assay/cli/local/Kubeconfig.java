package dev.assay.cli.local;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** For kubectl, which then sees the objects of local mode. */
final class Kubeconfig {
  private static final String TEXT =
      """
      apiVersion: v1
      kind: Config
      clusters:
      - name: assay-local
        cluster: {server: "%s"}
      contexts:
      - name: assay-local
        context: {cluster: assay-local, user: assay-local, namespace: %s}
      users:
      - name: assay-local
        user: {}
      current-context: assay-local
      """;

  private Kubeconfig() {}

  static Path write(Path file, URI server) throws IOException {
    return Files.writeString(file, TEXT.formatted(server, LocalObjects.RUN_NAMESPACE));
  }
}
