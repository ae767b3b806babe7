package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A caller that disconnects during an upload can start again at once. */
@Full
class AbandonedUploadsE2E {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedUploadsE2E.class);
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  /** The timeout of a stalled upload. */
  private static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  /** A busy machine takes longer for each load. */
  private static final int MAX_SLOWDOWN = 2;

  /** Too many bytes for an inline source, so that the retry is an upload, too. */
  private static final int ROWS = 200_000;

  private static final String PART = "a\n" + "7\n".repeat(10_000);
  private static final int ANNOUNCED = 10_000_000;

  @Test
  void anUploadThatWasCutOffHalfWayIsRetried(Assay assay) throws IOException {
    Duration bound = bound(assay);
    assay.rest().abandonUpload("abandoned_half_way?format=csv", PART, ANNOUNCED);
    assertRetried(assay, "abandoned_half_way", bound);
  }

  @Test
  void anUploadWhoseCallerDidNotWaitToBeAskedForItIsRetried(Assay assay) throws IOException {
    Duration bound = bound(assay);
    try (Socket _ = assay.rest().announceUpload("abandoned_early?format=csv", ANNOUNCED)) {
      assay.awaitAnnounced("abandoned_early").join();
    }
    assertRetried(assay, "abandoned_early", bound);
  }

  @Test
  void anUploadWhoseBytesStopComingIsRetried(Assay assay) throws IOException {
    Duration bound = bound(assay);
    // As when the caller's machine fails without closing the connection.
    try (Socket socket = assay.rest().announceUpload("abandoned_silent?format=csv", ANNOUNCED)) {
      Rest.sendWhenAsked(socket, PART);
      assertRetried(assay, "abandoned_silent", bound.plus(MAX_SILENCE));
    }
  }

  /** Retries as an agent does. */
  private static void assertRetried(Assay assay, String name, Duration bound) {
    long began = System.nanoTime();
    Reply reply = load(assay, name);
    while (reply.isError() && System.nanoTime() - began < bound.toNanos()) {
      reply = load(assay, name);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    LOG.info("{} was ready {} after its first retry, of {} that it may take", name, took, bound);
    assertThat(reply.text()).startsWith("Dataset '" + name + "' is ready: " + ROWS + " rows");
    assertThat(took).isLessThan(bound);
    assertThat(assay.run(name, "print(df['a'].sum())").text()).isEqualTo(ROWS + "\n");
  }

  /** Far longer than a load needs. */
  private static Duration bound(Assay assay) {
    Reply reply = load(assay, "abandoned_never");
    assertThat(reply.isError()).as(reply.text()).isFalse();
    return MAX_WAIT.plus(reply.took().multipliedBy(MAX_SLOWDOWN));
  }

  private static Reply load(Assay assay, String name) {
    return assay.call(
        "load_dataset",
        Map.of("dataset_name", name, "text", "a\n" + "1\n".repeat(ROWS), "replace", true));
  }
}
