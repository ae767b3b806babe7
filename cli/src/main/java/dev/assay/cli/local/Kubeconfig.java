package dev.assay.cli.local;

import dev.assay.cli.client.PrivateFile;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Path;

/** For kubectl, which then sees the objects of local mode; only its owner may read it. */
final class Kubeconfig {
  private Kubeconfig() {}

  static Path write(Path file, Config client) throws IOException {
    return PrivateFile.write(
        file,
        """
      apiVersion: v1
      kind: Config
      clusters:
      - name: assay-local
        cluster: {server: "%s", certificate-authority-data: "%s"}
      contexts:
      - name: assay-local
        context: {cluster: assay-local, user: assay-local, namespace: %s}
      users:
      - name: assay-local
        user: {token: "%s"}
      current-context: assay-local
      """
            .formatted(
                client.getMasterUrl(),
                client.getCaCertData(),
                LocalObjects.RUN_NAMESPACE,
                client.getOauthToken()));
  }
}
