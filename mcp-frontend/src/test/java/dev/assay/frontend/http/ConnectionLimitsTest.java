package dev.assay.frontend.http;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionLimitsTest {
  private static final int MAX = 32;
  private static final Duration LONG = Duration.ofHours(1);

  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final ConnectionLimits limits = new ConnectionLimits(server, MAX, LONG, LONG);
  private final CountDownLatch response = new CountDownLatch(1);
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    connector.setIdleTimeout(LONG.toMillis());
    server.addConnector(connector);
    server.addBean(limits);
    server.setHandler(limits.applyTo(new Admitting()));
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    response.countDown();
    for (Socket socket : sockets) {
      socket.close();
    }
    server.stop();
  }

  @Test
  void connectionsThatWaitMakeRoomForNewOnesTheOldestFirst() throws IOException {
    Socket oldest = connect("127.0.0.2");
    awaitOpen(1);
    for (int i = 1; i < 2 * MAX; i++) {
      connect("127.0.0.2").getOutputStream().write("GET /slo".getBytes(US_ASCII));
    }

    assertThat(isClosed(oldest)).isTrue();
    Socket served = connect("127.0.0.2");
    ask(served, "/now");
    assertThat(served.getInputStream().read()).isEqualTo('H');
  }

  @Test
  void theAddressWithMostWaitingConnectionsMakesRoom() throws IOException {
    Socket quiet = connect("127.0.0.3");
    awaitOpen(1);
    Socket crowd = connect("127.0.0.2");
    for (int i = 0; i < 2 * MAX; i++) {
      connect("127.0.0.2");
    }
    assertThat(isClosed(crowd)).isTrue();

    ask(quiet, "/now");

    assertThat(quiet.getInputStream().read()).isEqualTo('H');
  }

  @Test
  void aConnectionWhoseRequestIsServedIsNotClosed() throws IOException {
    Socket served = connect("127.0.0.2");
    ask(served, "/later");
    // Until then it waits as others do: a connection counts before it is known to be open.
    await(() -> limits.serving() == 1);
    Socket later = connect("127.0.0.2");
    for (int i = 0; i < 2 * MAX; i++) {
      connect("127.0.0.2");
    }
    assertThat(isClosed(later)).isTrue();

    response.countDown();

    assertThat(served.getInputStream().read()).isEqualTo('H');
  }

  @Test
  void aConnectionWaitsAgainAfterItsResponse() throws IOException {
    Socket served = connect("127.0.0.2");
    ask(served, "/now");

    assertThat(served.getInputStream().read()).isEqualTo('H');
    await(() -> limits.waiting() == 1);
  }

  private void awaitOpen(int connections) {
    await(() -> limits.waiting() == connections);
  }

  private Socket connect(String from) throws IOException {
    Socket socket =
        new Socket(
            InetAddress.getLoopbackAddress(),
            connector.getLocalPort(),
            InetAddress.ofLiteral(from),
            0);
    socket.setSoTimeout(20_000);
    sockets.add(socket);
    return socket;
  }

  private static void ask(Socket socket, String path) throws IOException {
    String head = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path);
    socket.getOutputStream().write(head.getBytes(US_ASCII));
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private final class Admitting extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws InterruptedException {
      limits.markServing(request.getConnectionMetaData().getConnection().getEndPoint());
      if (request.getHttpURI().getPath().equals("/later")) {
        ConnectionLimitsTest.this.response.await();
      }
      callback.succeeded();
      return true;
    }
  }
}
