package dev.assay.frontend.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConnectionLimitsTest {
  private static final int MAX = 2;
  private static final Duration LONG = Duration.ofHours(1);

  private final CountDownLatch inProgress = new CountDownLatch(MAX);
  private final CountDownLatch firstResponse = new CountDownLatch(1);
  private final CountDownLatch secondResponse = new CountDownLatch(1);

  @Test
  void aConnectionWhoseRequestEndsWhileTheMaximumIsOpenIsNotKept() throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setIdleTimeout(LONG.toMillis());
    server.addConnector(connector);
    ConnectionLimits limits = new ConnectionLimits(server, MAX, LONG, LONG);
    server.addBean(limits);
    server.setHandler(limits.applyTo(new Waiting()));
    server.start();
    try (Socket first = request(connector.getLocalPort(), "/first");
        Socket second = request(connector.getLocalPort(), "/second")) {
      inProgress.await();
      firstResponse.countDown();

      assertThat(first.getInputStream().readAllBytes()).isNotEmpty();
      secondResponse.countDown();
      assertThat(second.getInputStream().read()).isEqualTo('H');
    } finally {
      server.stop();
    }
  }

  private static Socket request(int port, String path) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    String head = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(path);
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private final class Waiting extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws InterruptedException {
      inProgress.countDown();
      (request.getHttpURI().getPath().equals("/first") ? firstResponse : secondResponse).await();
      callback.succeeded();
      return true;
    }
  }
}
