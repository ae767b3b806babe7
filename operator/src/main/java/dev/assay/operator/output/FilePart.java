package dev.assay.operator.output;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a part of a file, and closes the file with it. */
final class FilePart extends InputStream {
  private final FileChannel channel;
  private long offset;
  private long left;

  FilePart(FileChannel channel, long offset, long length) {
    this.channel = channel;
    this.offset = offset;
    this.left = length;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int from, int length) throws IOException {
    if (left == 0) {
      return -1;
    }
    int wanted = (int) Math.min(length, left);
    int count = channel.read(ByteBuffer.wrap(target, from, wanted), offset);
    if (count > 0) {
      offset += count;
      left -= count;
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
