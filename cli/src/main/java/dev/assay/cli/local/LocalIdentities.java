package dev.assay.cli.local;

import dev.assay.api.digest.Sha256;
import dev.assay.cli.client.PrivateFile;
import dev.assay.frontend.identity.ApiKeys;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.identity.SharedAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Local mode's only caller, known by an API key as callers of a cluster are. */
final class LocalIdentities implements Identities {
  private static final String CALLER = "local";

  /** Who the key stands for. */
  static final Identity IDENTITY =
      new Identity(CALLER, LocalObjects.RUN_NAMESPACE, null, SharedAccess.ALL);

  private final ApiKeys keys;
  private final String location;

  private LocalIdentities(ApiKeys keys, String location) {
    this.keys = keys;
    this.location = location;
  }

  /**
   * Writes the front end's file of digests and reads it.
   *
   * @param location where the caller finds the key
   */
  static LocalIdentities write(Path file, String key, String location) throws IOException {
    PrivateFile.write(
        file,
        """
        keys:
        - caller: %s
          namespace: %s
          sha256: %s
          shared: all
        """
            .formatted(CALLER, LocalObjects.RUN_NAMESPACE, Sha256.hex(key)));
    return new LocalIdentities(new ApiKeys(file, List.of(LocalObjects.RUN_NAMESPACE)), location);
  }

  @Override
  public Optional<Identity> of(@Nullable String key) {
    return keys.of(key);
  }

  @Override
  public String keyLocation() {
    return location;
  }
}
