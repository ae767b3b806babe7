package dev.assay.operator.runner;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Artifacts in one response: before the bytes of each, its number in 4 bytes and its length in 8,
 * which is 2^64 - 1 for one that is lost.
 */
final class StreamedArtifacts implements ArtifactFetch {
  private static final int HEAD_BYTES = Integer.BYTES + Long.BYTES;
  private static final long LOST = -1;

  private final TimedBody body;
  private final Iterator<RunnerEvent.Artifact> wanted;

  StreamedArtifacts(TimedBody body, List<RunnerEvent.Artifact> wanted) {
    this.body = body;
    this.wanted = wanted.iterator();
  }

  @Override
  public Optional<InputStream> next() throws IOException {
    RunnerEvent.Artifact artifact = wanted.next();
    ByteBuffer head =
        ByteBuffer.wrap(new ArtifactStream(body.stream(), HEAD_BYTES).readNBytes(HEAD_BYTES));
    int number = head.getInt();
    long bytes = head.getLong();
    if (number != artifact.number() || (bytes != artifact.bytes() && bytes != LOST)) {
      throw new ArtifactLostException("the Pod sends another artifact than was announced");
    }
    return bytes == LOST ? Optional.empty() : Optional.of(new ArtifactStream(body.stream(), bytes));
  }

  /** The longest response: all of them are delivered. */
  static long maxBytes(List<RunnerEvent.Artifact> wanted) {
    return wanted.stream().mapToLong(artifact -> HEAD_BYTES + artifact.bytes()).sum();
  }

  @Override
  public void close() {
    body.close();
  }
}
