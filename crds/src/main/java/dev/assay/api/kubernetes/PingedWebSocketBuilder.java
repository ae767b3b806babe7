package dev.assay.api.kubernetes;

import java.net.URI;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The JDK's builder; pings the WebSockets that it builds. */
record PingedWebSocketBuilder(WebSocket.Builder builder, Pings pings) implements WebSocket.Builder {

  @Override
  public WebSocket.Builder header(String name, String value) {
    builder.header(name, value);
    return this;
  }

  @Override
  public WebSocket.Builder connectTimeout(Duration timeout) {
    builder.connectTimeout(timeout);
    return this;
  }

  @Override
  public WebSocket.Builder subprotocols(String mostPreferred, String... lesserPreferred) {
    builder.subprotocols(mostPreferred, lesserPreferred);
    return this;
  }

  @Override
  public CompletableFuture<WebSocket> buildAsync(URI uri, WebSocket.Listener listener) {
    return builder.buildAsync(uri, pings.watching(listener));
  }
}
