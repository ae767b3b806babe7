package dev.assay.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.AssayClient;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.client.FakeApi;
import dev.assay.cli.client.FakeApi.Answer;
import dev.assay.cli.client.FakeApi.Asked;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A command that is interrupted. */
class FollowedRunTest {
  private static final String CREATE = "POST /api/v1/runs";
  private static final String CANCEL = "POST /api/v1/runs/run-1/cancel";
  private static final Answer CREATED =
      new Answer(201, "application/json", "{\"name\":\"run-1\",\"phase\":\"Pending\"}");

  private final FakeApi api = new FakeApi().on(CANCEL, 202, "{\"name\":\"run-1\"}");
  private final Endpoint endpoint = Endpoint.of(api.address(), null);
  private final AssayClient client = new AssayClient(endpoint);
  private final FollowedRun run =
      new FollowedRun(client, endpoint, AssayClient.object().put("code", "1"));

  @AfterEach
  void close() {
    // Else it is cancelled when the process of the tests ends.
    run.detach();
    client.close();
    api.close();
  }

  @Test
  void aRunWhoseNameHasNotComeIsCancelledByItsKey() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    api.onCall(
        CREATE,
        body -> {
          if (isFirst.getAndSet(false)) {
            sent.countDown();
            awaitQuietly(answer);
          }
          return CREATED;
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> command = threads.submit(run::create);
      assertThat(sent.await(10, TimeUnit.SECONDS)).isTrue();

      run.cancelUnlessOver();

      assertThat(api.asked()).extracting(Asked::line).containsExactly(CREATE, CREATE, CANCEL);
      Asked first = api.asked().get(0);
      Asked again = api.asked().get(1);
      assertThat(again.body()).isEqualTo(first.body());
      assertThat(again.idempotencyKey()).isEqualTo(first.idempotencyKey()).isNotEmpty();
      answer.countDown();
      assertThat(command.get()).isNotNull();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aRunWhoseNameIsKnownIsCancelledByThat() throws Exception {
    api.on(CREATE, CREATED);
    var unused = run.create();

    run.cancelUnlessOver();

    assertThat(api.asked()).extracting(Asked::line).containsExactly(CREATE, CANCEL);
  }

  @Test
  void aRunThatIsDetachedOrWasRefusedIsLeftAlone() throws Exception {
    api.on(CREATE, 403, "{\"error\":{\"code\":403,\"message\":\"no room\"}}");
    assertThatExceptionOfType(ApiException.class).isThrownBy(run::create);
    run.cancelUnlessOver();
    api.on(CREATE, CREATED);
    FollowedRun detached = new FollowedRun(client, endpoint, AssayClient.object().put("code", "1"));
    var unused = detached.create();
    detached.detach();
    detached.cancelUnlessOver();

    assertThat(api.asked()).extracting(Asked::line).containsExactly(CREATE, CREATE);
  }

  @Test
  void everyRunHasAKeyOfItsOwn() throws Exception {
    api.on(CREATE, CREATED);
    var unused = run.create();
    FollowedRun other = new FollowedRun(client, endpoint, AssayClient.object().put("code", "1"));
    unused = other.create();
    other.detach();

    assertThat(api.asked()).extracting(Asked::idempotencyKey).doesNotHaveDuplicates();
  }
}
