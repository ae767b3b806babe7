package dev.assay.cli.command;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Retry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.JsonNode;

/** Downloads files that a run has left. A connection that breaks is continued. */
final class ArtifactDownload {
  private static final int CHUNK = 64 * 1024;

  private final AssayClient client;
  private final String run;
  private final Retry.Sleeper sleeper;

  ArtifactDownload(AssayClient client, String run, Retry.Sleeper sleeper) {
    this.client = client;
    this.run = run;
    this.sleeper = sleeper;
  }

  /**
   * Writes a file.
   *
   * @param artifact as the list has it
   * @throws ApiException also where the bytes are not those that the list names
   */
  void to(OutputStream out, JsonNode artifact)
      throws ApiException, IOException, InterruptedException {
    String path = artifact.path("path").asString();
    long length = artifact.path("bytes").asLong();
    MessageDigest digest = sha256();
    Retry retry = new Retry(sleeper);
    byte[] buffer = new byte[CHUNK];
    long offset = 0;
    while (offset < length) {
      long before = offset;
      ApiException failure;
      try (InputStream in = client.artifact(run, path, offset)) {
        int read;
        while ((read = read(in, buffer)) >= 0) {
          digest.update(buffer, 0, read);
          out.write(buffer, 0, read);
          offset += read;
        }
        failure = ApiException.disconnected("the connection broke", new IOException("too short"));
      } catch (BrokenException e) {
        failure = ApiException.disconnected("the connection broke", e);
      } catch (ApiException e) {
        failure = e;
      }
      if (offset < length) {
        if (offset > before) {
          retry.reset();
        }
        retry.await(failure);
      }
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(artifact.path("sha256").asString())) {
      throw new ApiException(0, "the file '" + path + "' is not what the run has left: retry");
    }
  }

  /** A failure to read is not one to write. */
  private static int read(InputStream in, byte[] buffer) throws BrokenException {
    try {
      return in.read(buffer);
    } catch (IOException e) {
      throw new BrokenException(e);
    }
  }

  private static final class BrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenException(IOException cause) {
      super(cause);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // Every JVM has SHA-256.
    }
  }
}
