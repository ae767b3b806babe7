package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.client.PrivateFile;
import dev.assay.frontend.identity.ApiKeys;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Local mode's only caller, known by an API key as callers of a cluster are. */
final class LocalIdentities implements Identities {
  private static final String CALLER = "local";

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
        """
            .formatted(CALLER, LocalObjects.RUN_NAMESPACE, sha256(key)));
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

  private static String sha256(String key) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(key.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
