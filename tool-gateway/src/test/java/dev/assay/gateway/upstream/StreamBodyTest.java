package dev.assay.gateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamBodyTest {
  private static final String LONG = "x".repeat(40 << 10);

  private final ReplyMemory.Share memory = new ReplyMemory(8 << 20).part("a").share();
  private final Set<Flow.Subscription> streams = ConcurrentHashMap.newKeySet();
  private final StreamBody<String> body =
      new StreamBody<>(
          BodySubscribers.ofString(UTF_8),
          memory,
          () -> StreamBody.MIN_LIMIT_BYTES,
          streams,
          () -> {});

  @BeforeEach
  void subscribe() {
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {}
        });
  }

  private void read(String text) {
    body.onNext(List.of(ByteBuffer.wrap(text.getBytes(UTF_8))));
  }

  /** Also if the text arrives in two parts. */
  private boolean isReadToTheEnd(String text) {
    read(text.substring(0, text.length() / 2));
    read(text.substring(text.length() / 2));
    body.onComplete();
    try {
      return body.getBody().toCompletableFuture().join().equals(text);
    } catch (CompletionException e) {
      assertThat(e).hasCauseInstanceOf(TooLongException.class);
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: %s%s\n\n",
        ":%s%s",
        ": \rdata: %s%s\r\r",
        ": \r\ndata: %s\rdata: %s\r\n",
        "data: %s\n: waiting\ndata: %s\n\n",
        "data: %s\n:%s",
      })
  void moreThanTheLimitInOneEventOrCommentIsNotRead(String form) {
    assertThat(isReadToTheEnd(form.formatted(LONG, LONG))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: %s\n\ndata: %s\n\n",
        "data: %s\r\rdata: %s\r\r",
        "data: %s\r\n\r\ndata: %s\r\n\r\n",
        ":%s\n:%s\n",
        ":%s\r:%s\r",
        "data: x\n:%s\r\ndata: %s\n\n",
      })
  void eventsAndCommentsWithinTheLimitAreRead(String form) {
    assertThat(isReadToTheEnd(form.formatted(LONG, LONG))).isTrue();
  }

  @Test
  void theMemoryOfAnEventIsHeldUntilAnEmptyLineWhateverEndsLines() {
    read(": \rdata: " + LONG + "\r");
    assertThat(memory.isHolding()).isTrue();
    read("\r");
    assertThat(memory.isHolding()).isFalse();
  }

  @Test
  void theMemoryOfACommentIsHeldUntilItsLineEnds() {
    read(":" + LONG);
    assertThat(memory.isHolding()).isTrue();
    read("\r\n");
    assertThat(memory.isHolding()).isFalse();
  }
}
