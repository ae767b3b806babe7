package dev.assay.cli.command;

import dev.assay.cli.text.Progress;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;

/** Streams a file as the body of a request, with its length. */
final class FileUpload implements AutoCloseable {
  /** A smaller one is uploaded before anybody could read the progress. */
  private static final long MIN_BYTES_WITH_PROGRESS = 8L * 1024 * 1024;

  private final InputStream stream;
  private final long bytes;
  private final Progress progress;

  private FileUpload(InputStream stream, long bytes, Progress progress) {
    this.stream = stream;
    this.bytes = bytes;
    this.progress = progress;
  }

  /** Opens a file; the caller closes what is returned. */
  static FileUpload of(Path file, Progress progress) throws IOException {
    long bytes = Files.size(file);
    InputStream stream = Files.newInputStream(file);
    if (bytes < MIN_BYTES_WITH_PROGRESS) {
      return new FileUpload(stream, bytes, Progress.NONE);
    }
    progress.begin("Uploading " + file.getFileName() + " (bytes)", bytes);
    return new FileUpload(new Reporting(stream, progress), bytes, progress);
  }

  /** The body, once. */
  HttpRequest.BodyPublisher body() {
    return bytes == 0
        ? BodyPublishers.noBody()
        : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(() -> stream), bytes);
  }

  @Override
  public void close() throws IOException {
    progress.end();
    stream.close();
  }

  /** Reports how much of it was read. */
  private static final class Reporting extends FilterInputStream {
    private final Progress progress;

    Reporting(InputStream stream, Progress progress) {
      super(stream);
      this.progress = progress;
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      progress.advance(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = super.read(into, offset, length);
      progress.advance(Math.max(0, read));
      return read;
    }
  }
}
