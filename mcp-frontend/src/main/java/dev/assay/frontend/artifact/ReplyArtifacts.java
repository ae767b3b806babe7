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
    List<ContentBlock> blocks = new ArrayList<>();
    for (Artifact artifact : shown) {
      if (blocks.size() < MAX_IMAGES) {
        image(run, artifact, memory).ifPresent(blocks::add);
      }
    }
    shown.stream().limit(MAX_LINKS).map(Artifact::link).forEach(blocks::add);
    String rest = rest(run, shown.size());
    if (!rest.isEmpty()) {
      blocks.add(new ContentBlock.Text(rest));
    }
    return blocks;
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
    boolean isImage =
        artifact.mediaType().equals("image/png") || artifact.mediaType().equals("image/jpeg");
    if (!isImage
        || artifact.bytes() > ContentBlock.Image.MAX_BYTES
        || !memory.reserveReply(ReplySize.ofImage((int) artifact.bytes()))) {
      return Optional.empty();
    }
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
