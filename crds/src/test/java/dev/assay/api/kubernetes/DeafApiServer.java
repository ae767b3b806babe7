package dev.assay.api.kubernetes;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lists nothing, and accepts watches over WebSockets. Each answers one ping and is silent from then
 * on, like a connection that nobody polls any more.
 */
final class DeafApiServer implements AutoCloseable {
  private static final Pattern KEY = Pattern.compile("(?i)sec-websocket-key: *(\\S+)");
  private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final String EMPTY_LIST =
      """
      {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}\
      """;

  /** The request line of each watch that was opened. */
  final BlockingQueue<String> watches = new LinkedBlockingQueue<>();

  private final ServerSocket socket;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  DeafApiServer() throws IOException {
    socket = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    threads.execute(this::acceptAll);
  }

  String uri() {
    return "http://127.0.0.1:" + socket.getLocalPort();
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket connection = socket.accept();
        threads.execute(() -> serveQuietly(connection));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serveQuietly(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      while (serve(in, connection.getOutputStream())) {
        // The next request of this connection.
      }
    } catch (IOException e) {
      // The client went away.
    }
  }

  private boolean serve(InputStream in, OutputStream out) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return false;
      }
      head.append((char) next);
    }
    Matcher key = KEY.matcher(head);
    if (!key.find()) {
      out.write(
          ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                  + EMPTY_LIST.length()
                  + "\r\n\r\n"
                  + EMPTY_LIST)
              .getBytes(ISO_8859_1));
      return true;
    }
    out.write(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: "
                + accept(key.group(1))
                + "\r\n\r\n")
            .getBytes(ISO_8859_1));
    watches.add(head.substring(0, head.indexOf("\r\n")));
    // The first frame is a ping; an unmasked pong without a payload answers it.
    if (in.read() >= 0) {
      out.write(new byte[] {(byte) 0x8A, 0});
    }
    in.transferTo(OutputStream.nullOutputStream());
    return false;
  }

  private static String accept(String key) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest((key + MAGIC).getBytes(ISO_8859_1));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    threads.shutdownNow();
  }
}
