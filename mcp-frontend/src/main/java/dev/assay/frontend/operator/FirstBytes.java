package dev.assay.frontend.operator;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Takes the first bytes of a body. */
final class FirstBytes extends PartialBody<byte[]> {
  private final int limit;
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

  FirstBytes(int limit) {
    this.limit = limit;
  }

  @Override
  void take(ByteBuffer buffer) {
    byte[] bytes = new byte[Math.min(buffer.remaining(), limit - taken.size())];
    buffer.get(bytes);
    taken.writeBytes(bytes);
    if (taken.size() >= limit) {
      enough();
    }
  }

  @Override
  byte[] taken() {
    return taken.toByteArray();
  }
}
