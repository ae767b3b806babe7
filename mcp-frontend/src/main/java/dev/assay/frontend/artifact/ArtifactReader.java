package dev.assay.frontend.artifact;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.run.OutputStore;
import java.io.ByteArrayOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.function.Predicate;

/** Reads artifacts from the store, a piece at a time. */
public final class ArtifactReader {
  /** Most bytes of a piece. */
  public static final int PIECE = 1 << 20;

  private final OutputStore store;

  public ArtifactReader(OutputStore store) {
    this.store = store;
  }

  /** An artifact cannot be read. */
  public static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isGone;

    private UnreadableException(String message, boolean isGone) {
      super(message, null, false, false);
      this.isGone = isGone;
    }

    /** Whether it is not stored any more; otherwise it may be read later. */
    public boolean isGone() {
      return isGone;
    }

    /** One sentence without a full stop; never null. */
    public String text() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * The bytes from an offset on: at least one of what there is, and at most {@link #PIECE}.
   *
   * @param offset less than the artifact has bytes, or 0
   * @param maxBytes how much at most
   */
  public byte[] piece(AnalyticsRun run, Artifact artifact, long offset, long maxBytes)
      throws UnreadableException, InterruptedException {
    int wanted = (int) Math.min(Math.min(PIECE, maxBytes), artifact.bytes() - offset);
    if (wanted <= 0) {
      return new byte[0];
    }
    OutputStore.Stored stored =
        store.readArtifact(
            run.getMetadata().getNamespace(),
            run.getMetadata().getUid(),
            artifact.number(),
            offset,
            wanted);
    return switch (stored) {
      case OutputStore.Bytes read when read.bytes().length > 0 -> read.bytes();
      case OutputStore.Bytes cut -> throw damaged();
      case OutputStore.Absent absent ->
          throw new UnreadableException("The artifact is not stored any more", true);
      case OutputStore.Missing missing ->
          throw new UnreadableException("The artifact cannot be read now: " + missing.why(), false);
    };
  }

  /** All bytes; the caller has looked at how many there are. */
  public byte[] whole(AnalyticsRun run, Artifact artifact)
      throws UnreadableException, InterruptedException {
    ByteArrayOutputStream all = new ByteArrayOutputStream((int) artifact.bytes());
    readAll(
        run,
        artifact,
        piece -> {
          all.writeBytes(piece);
          return true;
        });
    return all.toByteArray();
  }

  /**
   * Reads an artifact to its end, and checks that it is what the run has left.
   *
   * @param sink takes the pieces in their order; returns false where it needs no more
   */
  public void readAll(AnalyticsRun run, Artifact artifact, Predicate<byte[]> sink)
      throws UnreadableException, InterruptedException {
    MessageDigest digest = Sha256.digest();
    long offset = 0;
    while (offset < artifact.bytes()) {
      byte[] piece = piece(run, artifact, offset, PIECE);
      digest.update(piece);
      offset += piece.length;
      if (!sink.test(piece)) {
        return;
      }
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(artifact.sha256())) {
      throw damaged();
    }
  }

  private static UnreadableException damaged() {
    return new UnreadableException("The stored artifact is damaged", true);
  }
}
