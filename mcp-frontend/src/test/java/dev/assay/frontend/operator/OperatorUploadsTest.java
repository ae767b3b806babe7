package dev.assay.frontend.operator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.dataset.UploadRelay.Relayed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Uploads over a connection that the operator closes as the next request is sent. */
@Timeout(30)
class OperatorUploadsTest {
  private static final String TEXT = "a,b\n";

  private final List<String> received = new CopyOnWriteArrayList<>();

  @Test
  void anUploadIsSentAgainIfItsConnectionWasClosedBeforeItsFirstByte() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> serve(server));
      OperatorUploads uploads = uploads(server);

      assertThat(upload(uploads)).isEqualTo(Relayed.TAKEN);
      assertThat(upload(uploads)).isEqualTo(Relayed.TAKEN);
      assertThat(received).containsExactly(TEXT, "closed", TEXT);
    }
  }

  @Test
  void anUploadThatBreaksOffIsNotSentAgain() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> breakOff(server));

      assertThat(upload(uploads(server))).isEqualTo(Relayed.UNREACHABLE);
      assertThat(received).containsExactly(TEXT);
    }
  }

  private static OperatorUploads uploads(ServerSocket server) {
    URI url = URI.create("http://127.0.0.1:" + server.getLocalPort());
    return new OperatorUploads(new OperatorClient(new FrontEndConfig.Operator(url, null, null)));
  }

  private static Relayed upload(OperatorUploads uploads) throws InterruptedException {
    byte[] bytes = TEXT.getBytes(UTF_8);
    return uploads.send(
        "runs", "uid-1", new UploadSource("u1", bytes.length), new ByteArrayInputStream(bytes));
  }

  /** Accepts one upload of each connection, and closes the connection on the next one. */
  private void serve(ServerSocket server) {
    try {
      while (true) {
        try (Socket socket = server.accept()) {
          accept(socket);
          write(socket, "HTTP/1.1 204 No Content\r\n\r\n");
          if (readHead(socket.getInputStream())) {
            received.add("closed");
          }
        }
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private void breakOff(ServerSocket server) {
    try {
      while (true) {
        try (Socket socket = server.accept()) {
          accept(socket);
        }
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private void accept(Socket socket) throws IOException {
    readHead(socket.getInputStream());
    write(socket, "HTTP/1.1 100 Continue\r\n\r\n");
    received.add(new String(socket.getInputStream().readNBytes(TEXT.length()), UTF_8));
  }

  /** Returns whether there was a request. */
  private static boolean readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        return false;
      }
      head.append((char) next);
    }
    return true;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }
}
