package dev.assay.frontend.artifact;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.ReplySize;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a reply has of the files that its run has left: images, and links to all of them. */
public final class ReplyArtifacts {
  /** Each takes some hundred tokens. */
  private static final int MAX_IMAGES = 4;

  private static final int MAX_LINKS = 20;
  private static final int MAX_MESSAGE = 500;

  private final ArtifactReader reader;

  public ReplyArtifacts(ArtifactReader reader) {
    this.reader = reader;
  }

  /** The reply with the artifacts of its run; the same where there are none. */
  public Reply addedTo(Reply reply, AnalyticsRun run, CallMemory memory)
      throws InterruptedException {
    List<ContentBlock> blocks = blocks(run, Artifact::isShown, memory);
    return blocks.isEmpty() ? reply : reply.withFurther(blocks);
  }

  /** The first images, then a link to each artifact, then what has no link. */
  public List<ContentBlock> blocks(
      AnalyticsRun run, Predicate<Artifact> isWanted, CallMemory memory)
      throws InterruptedException {
    List<Artifact> shown = Artifact.allOf(run).stream().filter(isWanted).toList();
    List<ContentBlock> blocks = new ArrayList<>(images(run, shown, memory));
    shown.stream().limit(MAX_LINKS).map(Artifact::link).forEach(blocks::add);
    String rest = rest(run, shown.size());
    if (!rest.isEmpty()) {
      blocks.add(new ContentBlock.Text(rest));
    }
    return blocks;
  }

  /**
   * Reads no more files than images are shown, since any file may be named like one. Their memory
   * is reserved at once: a reply that holds some and waits for more may wait for itself.
   */
  private List<ContentBlock.Image> images(AnalyticsRun run, List<Artifact> shown, CallMemory memory)
      throws InterruptedException {
    List<Artifact> candidates =
        shown.stream().filter(ReplyArtifacts::mayBeImage).limit(MAX_IMAGES).toList();
    long heap =
        candidates.stream().mapToLong(artifact -> ReplySize.ofImage((int) artifact.bytes())).sum();
    List<ContentBlock.Image> images = new ArrayList<>();
    if (!candidates.isEmpty() && memory.reserveReply(heap)) {
      for (Artifact artifact : candidates) {
        read(run, artifact).ifPresent(images::add);
      }
    }
    return images;
  }

  private static boolean mayBeImage(Artifact artifact) {
    return List.of("image/png", "image/jpeg").contains(artifact.mediaType())
        && artifact.bytes() <= ContentBlock.Image.MAX_BYTES;
  }

  private static String rest(AnalyticsRun run, int shown) {
    String more =
        shown > MAX_LINKS
            ? "[and "
                + (shown - MAX_LINKS)
                + " more artifacts: GET /api/v1/runs/"
                + run.getMetadata().getName()
                + "/artifacts lists them]"
            : "";
    @Nullable String message = RunState.statusOf(run).artifactsMessage();
    return message == null || message.isBlank()
        ? more
        : (more.isEmpty() ? "" : more + "\n") + "[" + Text.oneLine(message, MAX_MESSAGE) + "]";
  }

  /** An artifact as an image; empty where it is none that can be shown, or cannot be read now. */
  public Optional<ContentBlock.Image> image(AnalyticsRun run, Artifact artifact, CallMemory memory)
      throws InterruptedException {
    return mayBeImage(artifact) && memory.reserveReply(ReplySize.ofImage((int) artifact.bytes()))
        ? read(run, artifact)
        : Optional.empty();
  }

  private Optional<ContentBlock.Image> read(AnalyticsRun run, Artifact artifact)
      throws InterruptedException {
    try {
      byte[] file = reader.whole(run, artifact);
      return ImageHeader.of(file)
          .filter(ImageHeader::isShowable)
          .map(header -> new ContentBlock.Image(file, header.format()));
    } catch (ArtifactReader.UnreadableException e) {
      return Optional.empty();
    }
  }
}
