package dev.assay.jvm.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls tools by way of the supervisor: one call, or one batch, after the other. */
public final class ToolCalls {
  private final ControlSocket socket;
  private long last;

  /** Calls over a socket, which has received a job with tools. */
  public ToolCalls(ControlSocket socket) {
    this.socket = socket;
  }

  /**
   * Calls that are made together.
   *
   * @param first the number of the first
   * @param size how many there are
   * @param maxParallel how many may be under way at once
   */
  record Batch(long first, int size, int maxParallel) {}

  /** Calls one tool, and returns the result as JSON. */
  public byte[] call(ToolRequest request) throws IOException {
    return call(List.of(request), null)[0];
  }

  /**
   * Calls several tools, 1 to 100.
   *
   * @param maxParallel how many may be called at once
   * @return the results as JSON, in the order of the requests
   */
  public byte[][] call(List<ToolRequest> requests, int maxParallel) throws IOException {
    return call(requests, new Batch(last + 1, requests.size(), maxParallel));
  }

  private byte[][] call(List<ToolRequest> requests, @Nullable Batch batch) throws IOException {
    long first = last + 1;
    for (ToolRequest request : requests) {
      last++;
      socket.toolCall(last, batch, request);
    }
    byte[][] results = new byte[requests.size()][];
    for (int count = 0; count < results.length; count++) {
      receive(first, results);
    }
    return results;
  }

  /** Receives one result, all pieces of which come one after the other. */
  private void receive(long first, byte[][] results) throws IOException {
    Messages.ResultPiece piece = socket.resultPiece();
    long index = piece.call() - first;
    if (index < 0 || index >= results.length || results[(int) index] != null) {
      throw new IOException("a result is of no open call");
    }
    byte[] data = piece.data();
    if (piece.more()) {
      List<byte[]> pieces = new ArrayList<>();
      pieces.add(data);
      while (piece.more()) {
        piece = socket.resultPiece();
        pieces.add(piece.data());
      }
      data = joined(pieces);
    }
    results[(int) index] = data;
  }

  private static byte[] joined(List<byte[]> pieces) {
    byte[] all = new byte[pieces.stream().mapToInt(piece -> piece.length).sum()];
    int at = 0;
    for (byte[] piece : pieces) {
      System.arraycopy(piece, 0, all, at, piece.length);
      at += piece.length;
    }
    return all;
  }
}
