package dev.assay.gateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.gateway.Await;
import dev.assay.gateway.upstream.UpstreamHttpClient.TooLongException;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
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

  private final ReplyMemory.Part part = new ReplyMemory(8 << 20).part("a");
  private final ReplyMemory.Share memory = part.share();
  private final Set<StreamBody<?>> streams = ConcurrentHashMap.newKeySet();
  private long limit = StreamBody.MIN_LIMIT_BYTES;
  private StreamBody<String> body = body(Duration.ofHours(1));

  private StreamBody<String> body(Duration maxUnfinished) {
    return new StreamBody<>(
        BodySubscribers.ofString(UTF_8), memory, () -> limit, maxUnfinished, streams, () -> {});
  }

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
  void theMemoryOfAnEventIsGivenBackThoughTheNextHasBegun() {
    read("data: " + LONG);
    assertThat(memory.isHolding()).isTrue();
    read("\n\ndata: short");
    assertThat(memory.isHolding()).isFalse();
  }

  @Test
  void theMemoryOfAnEventWithAReplyIsHeldUntilTheReplyHasBeenDealtWith() {
    ReplyMemory.Share reply = part.share();
    Receiver receiver = new Receiver();
    body =
        new StreamBody<>(
            BodySubscribers.fromSubscriber(receiver, end -> ""),
            memory,
            () -> limit,
            Duration.ofHours(1),
            streams,
            () -> {});
    subscribe();
    read("data: " + LONG);
    receiver.onMessage = () -> StreamBody.handOver(reply);
    read("\n\n");
    assertThat(memory.isHolding()).isFalse();
    assertThat(reply.isHolding()).isTrue();
    reply.close();
    assertThat(reply.isHolding()).isFalse();
  }

  @Test
  void aReplyThatHasArrivedInNoStreamIsGivenNoMemory() {
    ReplyMemory.Share reply = part.share();
    read("data: " + LONG);
    StreamBody.handOver(reply);
    assertThat(reply.isHolding()).isFalse();
    assertThat(memory.isHolding()).isTrue();
  }

  /** Does something with what it receives. */
  private static final class Receiver implements Flow.Subscriber<List<ByteBuffer>> {
    private Runnable onMessage = () -> {};

    @Override
    public void onSubscribe(Flow.Subscription subscription) {}

    @Override
    public void onNext(List<ByteBuffer> item) {
      onMessage.run();
    }

    @Override
    public void onError(Throwable error) {}

    @Override
    public void onComplete() {}
  }

  @Test
  void anEventThatIsTooLongOnceNobodyWaitsForItEndsTheStream() {
    limit = 1 << 20;
    read("data: " + LONG + LONG);
    body.checkLimit();
    assertThat(memory.isHolding()).as("somebody waits").isTrue();
    limit = StreamBody.MIN_LIMIT_BYTES;
    body.checkLimit();
    assertThat(memory.isHolding()).isFalse();
    assertThat(body.getBody().toCompletableFuture()).isCompletedExceptionally();
    assertThat(streams).isEmpty();
  }

  @Test
  void aLongEventThatDoesNotEndInTimeEndsTheStream() {
    body = body(Duration.ofMillis(50));
    subscribe();
    read("data: " + LONG + "\n\n");
    read("data: short");
    read(LONG);
    Await.await(() -> body.getBody().toCompletableFuture().isCompletedExceptionally());
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
