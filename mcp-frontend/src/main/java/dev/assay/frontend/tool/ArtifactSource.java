package dev.assay.frontend.tool;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.run.ToolUse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Artifacts that become datasets. */
public final class ArtifactSource {
  private static final int MAX_SHOWN = 80;

  private final RunGateway runs;
  private final ArtifactReader reader;
  private final ToolUse toolUse;

  /** The artifacts of runs. */
  public ArtifactSource(RunGateway runs, ArtifactReader reader, ToolUse toolUse) {
    this.runs = runs;
    this.reader = reader;
    this.toolUse = toolUse;
  }

  /** Those of the caller of a call. */
  Finder of(CallContext call) {
    return (run, path) -> {
      Optional<AnalyticsRun> found =
          RunNames.isValid(run) ? runs.read(call.identity(), run) : Optional.empty();
      AnalyticsRun source =
          found.orElseThrow(
              () ->
                  BadArgumentException.value(
                      "'from_run': there is no run '"
                          + Text.oneLine(run, MAX_SHOWN)
                          + "' in your namespace"));
      return new Found(
          Artifact.find(source, path)
              .orElseThrow(
                  () ->
                      BadArgumentException.value(
                          "'path': the run has no artifact '"
                              + Text.oneLine(path, MAX_SHOWN)
                              + "'")),
          source,
          reader,
          toolUse.isUntrusted(source));
    };
  }

  /** Finds an artifact. */
  @FunctionalInterface
  interface Finder {
    /**
     * The artifact of a run.
     *
     * @throws BadArgumentException where there is none
     */
    Found find(String run, String path);
  }

  /**
   * An artifact whose bytes can be read.
   *
   * @param isUntrusted whether it may contain content of tool servers
   */
  record Found(Artifact artifact, AnalyticsRun run, ArtifactReader reader, boolean isUntrusted) {
    /** Its bytes, a piece at a time. */
    InputStream open() {
      return new Pieces(this);
    }
  }

  /** The bytes of an artifact. */
  private static final class Pieces extends InputStream {
    private final Found found;
    private byte[] piece = {};
    private int at;
    private long offset;

    Pieces(Found found) {
      this.found = found;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int start, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (at == piece.length && !next()) {
        return -1;
      }
      int count = Math.min(length, piece.length - at);
      System.arraycopy(piece, at, into, start, count);
      at += count;
      return count;
    }

    private boolean next() throws IOException {
      try {
        piece = found.reader.piece(found.run, found.artifact, offset, ArtifactReader.PIECE);
        at = 0;
        offset += piece.length;
        return piece.length > 0;
      } catch (ArtifactReader.UnreadableException e) {
        throw new IOException(e.text(), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }
}
