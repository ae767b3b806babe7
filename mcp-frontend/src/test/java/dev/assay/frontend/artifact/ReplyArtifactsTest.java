package dev.assay.frontend.artifact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.ReplySize;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplyArtifactsTest {
  private final FakeOutputs outputs = new FakeOutputs();
  private final ReplyArtifacts artifacts = new ReplyArtifacts(new ArtifactReader(outputs));

  /** A run whose first artifacts are stored. */
  private AnalyticsRun left(RunArtifact... all) {
    return Fixtures.run("run-a", Fixtures.left(all));
  }

  private RunArtifact stored(int number, String path, byte[] bytes, String mediaType) {
    outputs.artifact("uid-1", number, bytes);
    return Fixtures.artifact(path, bytes, mediaType);
  }

  private List<ContentBlock> added(AnalyticsRun run) throws InterruptedException {
    Reply reply = artifacts.addedTo(Reply.success("said"), run, CallMemory.UNCOUNTED);
    assertThat(reply.content().getFirst()).isEqualTo(new ContentBlock.Text("said"));
    return reply.content().subList(1, reply.content().size());
  }

  @Test
  void aReplyWithoutArtifactsIsAsItWas() throws InterruptedException {
    assertThat(added(left())).isEmpty();
  }

  @Test
  void imagesComeBeforeALineAboutAllFilesAndTheirLinks() throws InterruptedException, IOException {
    byte[] png = ImageHeaderTest.image("png", 60, 36);
    AnalyticsRun run =
        left(
            stored(1, "reports/a b.html", "<p>".getBytes(UTF_8), "text/html"),
            stored(2, "artifacts/figure-1.png", png, "image/png"));

    assertThat(added(run))
        .satisfiesExactly(
            image -> {
              assertThat(((ContentBlock.Image) image).bytes()).isEqualTo(png);
              assertThat(((ContentBlock.Image) image).format())
                  .isEqualTo(ContentBlock.Image.Format.PNG);
            },
            text ->
                assertThat(text)
                    .isEqualTo(
                        new ContentBlock.Text(
                            "[files in assay://runs/run-a/artifacts/: reports/a b.html (3 B),"
                                + " artifacts/figure-1.png (shown)]")),
            link ->
                assertThat(link)
                    .isEqualTo(
                        new ContentBlock.ResourceLink(
                            "assay://runs/run-a/artifacts/reports/a%20b.html",
                            "reports/a b.html", "text/html", 3)),
            link -> assertThat(link).isInstanceOf(ContentBlock.ResourceLink.class));
  }

  @Test
  void atMostFourImagesAreShown() throws InterruptedException, IOException {
    byte[] png = ImageHeaderTest.image("png", 6, 6);
    RunArtifact[] all =
        IntStream.rangeClosed(1, 6)
            .mapToObj(number -> stored(number, number + ".png", png, "image/png"))
            .toArray(RunArtifact[]::new);

    assertThat(added(left(all)).stream().filter(ContentBlock.Image.class::isInstance)).hasSize(4);
  }

  /** With Base64, one more would not fit into an event of 1 MiB. */
  @Test
  void imagesHaveABoundTogetherAndTheTextSaysWhichAreNotShown()
      throws InterruptedException, IOException {
    AnalyticsRun run =
        left(
            stored(1, "a.png", padded(400_000), "image/png"),
            stored(2, "b.png", padded(300_001), "image/png"),
            stored(3, "c.png", padded(300_000), "image/png"));

    List<ContentBlock> blocks = added(run);

    assertThat(blocks.stream().filter(ContentBlock.Image.class::isInstance)).hasSize(2);
    assertThat(blocks.get(2))
        .isEqualTo(
            new ContentBlock.Text(
                "[files in assay://runs/run-a/artifacts/: a.png (shown), b.png (293.0 KiB),"
                    + " c.png (shown)]"));
    assertThat(blocks.subList(3, 6)).allMatch(ContentBlock.ResourceLink.class::isInstance);
  }

  @Test
  void aLongTextLeavesLessRoomForImages() throws InterruptedException, IOException {
    AnalyticsRun run = left(stored(1, "a.png", padded(600_000), "image/png"));

    assertThat(images(Reply.success("x".repeat(50_000)), run)).isEqualTo(1);
    assertThat(images(Reply.success("x".repeat(150_000)), run)).isEqualTo(0);
    assertThat(images(Reply.success("x".repeat(50_000), new Answer("x".repeat(50_000))), run))
        .isEqualTo(1);
    assertThat(images(Reply.success("x".repeat(75_000), new Answer("x".repeat(75_000))), run))
        .isEqualTo(0);
    assertThat(images(Reply.success("x".repeat(2_000_000)), run)).isEqualTo(0);
  }

  private record Answer(String text) {}

  private long images(Reply reply, AnalyticsRun run) throws InterruptedException {
    return artifacts.addedTo(reply, run, CallMemory.UNCOUNTED).content().stream()
        .filter(ContentBlock.Image.class::isInstance)
        .count();
  }

  /** A picture with something behind its end. */
  private static byte[] padded(int bytes) throws IOException {
    return Arrays.copyOf(ImageHeaderTest.image("png", 6, 6), bytes);
  }

  @Test
  void whatIsNoImageOrTooLargeIsALinkOnly() throws InterruptedException, IOException {
    byte[] bomb = ImageHeaderTest.image("png", 6, 6);
    ByteBuffer.wrap(bomb).putInt(16, 1_000_000);
    AnalyticsRun run =
        left(
            stored(1, "fake.png", "<script>".getBytes(UTF_8), "image/png"),
            stored(2, "bomb.png", bomb, "image/png"),
            stored(3, "large.png", new byte[ContentBlock.Image.MAX_BYTES + 1], "image/png"),
            stored(4, "a.svg", "<svg/>".getBytes(UTF_8), "image/svg+xml"),
            Fixtures.artifact("gone.png", new byte[9], "image/png"));

    assertThat(added(run))
        .hasSize(6)
        .noneMatch(ContentBlock.Image.class::isInstance)
        .first()
        .asString()
        .contains("large.png (683.6 KiB)")
        .doesNotContain("shown");
  }

  @Test
  void noMoreFilesAreReadThanImagesCanBeShown() throws InterruptedException {
    RunArtifact[] all =
        IntStream.rangeClosed(1, 20)
            .mapToObj(number -> stored(number, number + ".png", new byte[9], "image/png"))
            .toArray(RunArtifact[]::new);
    List<Long> reserved = new ArrayList<>();
    CallMemory counted =
        new CallMemory() {
          @Override
          public void releaseRequest(long bytes) {
            // Only replies are counted.
          }

          @Override
          public boolean reserveReply(long bytes) {
            reserved.add(bytes);
            return true;
          }
        };

    artifacts.addedTo(Reply.success(""), left(all), counted);

    assertThat(reserved).containsExactly(4 * ReplySize.ofImage(9));
  }

  @Test
  void aDamagedImageIsALinkOnly() throws InterruptedException, IOException {
    byte[] png = ImageHeaderTest.image("png", 6, 6);
    RunArtifact listed = Fixtures.artifact("a.png", png, "image/png");
    outputs.artifact("uid-1", 1, ImageHeaderTest.image("png", 7, 5));

    assertThat(added(left(listed))).noneMatch(ContentBlock.Image.class::isInstance);
  }

  @Test
  void whatARunKeepsForItselfIsNotNamed() throws InterruptedException {
    assertThat(added(left(Fixtures.artifact(".work/generated/a.py", new byte[1], "text/x-python"))))
        .isEmpty();
  }

  @Test
  void manyFilesAreCountedAndWhatWasLeftOutIsSaid() throws InterruptedException {
    RunArtifact[] all =
        IntStream.rangeClosed(1, 25)
            .mapToObj(number -> Fixtures.artifact(number + ".txt", new byte[1], "text/plain"))
            .toArray(RunArtifact[]::new);
    AnalyticsRun run = left(all);
    run.setStatus(run.getStatus().withArtifactsMessage("2 files were left out:\nlinks"));

    assertThat(added(run))
        .hasSize(21)
        .first()
        .asString()
        .contains(
            "20.txt (1 B)]\n[and 5 more artifacts: GET /api/v1/runs/run-a/artifacts lists them]\n"
                + "[2 files were left out: links]");
  }

  @Test
  void withoutMemoryAnImageIsALinkOnly() throws InterruptedException, IOException {
    AnalyticsRun run = left(stored(1, "a.png", ImageHeaderTest.image("png", 6, 6), "image/png"));
    CallMemory none =
        new CallMemory() {
          @Override
          public void releaseRequest(long bytes) {
            // None is counted.
          }

          @Override
          public boolean reserveReply(long bytes) {
            return false;
          }
        };

    assertThat(artifacts.addedTo(Reply.success(""), run, none).content())
        .noneMatch(ContentBlock.Image.class::isInstance)
        .anyMatch(ContentBlock.ResourceLink.class::isInstance);
  }
}
