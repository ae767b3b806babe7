package dev.assay.frontend.artifact;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.ReplySize;
import dev.assay.frontend.run.ByteSize;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a reply has of the files that its run has left: images, a line that names all of them, and
 * links.
 */
public final class ReplyArtifacts {
  /** Each takes some hundred tokens. */
  private static final int MAX_IMAGES = 4;

  private static final int MAX_NAMED = 20;
  private static final int MAX_MESSAGE = 500;

  /** Of one event of a stream, which has the whole reply: see {@link ContentBlock.Image}. */
  private static final int MAX_REPLY_BYTES = 1 << 20;

  /** What a reply has beside its texts and images. */
  private static final int MARGIN = 32 * 1024;

  /** The escapes of a text in JSON at most double it, but for control characters. */
  private static final int BYTES_PER_TEXT_BYTE = 2;

  private final ArtifactReader reader;

  public ReplyArtifacts(ArtifactReader reader) {
    this.reader = reader;
  }

  /** The reply with the artifacts of its run; the same where there are none. */
  public Reply addedTo(Reply reply, AnalyticsRun run, CallMemory memory)
      throws InterruptedException {
    List<ContentBlock> blocks = blocks(run, Artifact::isShown, room(reply), memory);
    return blocks.isEmpty() ? reply : reply.withFurther(blocks);
  }

  /** The bytes of images that fit beside what a reply has already. */
  private static int room(Reply reply) {
    // Structured content has the text once more.
    int times = BYTES_PER_TEXT_BYTE * (reply.structured() == null ? 1 : 2);
    long left = MAX_REPLY_BYTES - MARGIN - (long) times * Text.bytes(reply.text());
    return Math.clamp(left * 3 / 4, 0, ContentBlock.Image.MAX_BYTES);
  }

  /**
   * The first images, then a line about the first artifacts, then a link to each of them.
   *
   * @param room the bytes that all images may have together
   */
  public List<ContentBlock> blocks(
      AnalyticsRun run, Predicate<Artifact> isWanted, int room, CallMemory memory)
      throws InterruptedException {
    List<Artifact> wanted = Artifact.allOf(run).stream().filter(isWanted).toList();
    Map<Artifact, ContentBlock.Image> images = images(run, wanted, room, memory);
    List<ContentBlock> blocks = new ArrayList<>(images.values());
    List<Artifact> named = wanted.stream().limit(MAX_NAMED).toList();
    String text =
        Stream.of(names(run, named, images.keySet()), rest(run, wanted.size()))
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"));
    if (!text.isEmpty()) {
      blocks.add(new ContentBlock.Text(text));
    }
    named.stream().map(Artifact::link).forEach(blocks::add);
    return blocks;
  }

  /**
   * Reads no more files than images are shown, since any file may be named like one. Their memory
   * is reserved at once: a reply that holds some and waits for more may wait for itself.
   */
  private Map<Artifact, ContentBlock.Image> images(
      AnalyticsRun run, List<Artifact> wanted, int room, CallMemory memory)
      throws InterruptedException {
    List<Artifact> candidates = new ArrayList<>();
    long left = room;
    for (Artifact artifact : wanted) {
      if (mayBeImage(artifact) && artifact.bytes() <= left && candidates.size() < MAX_IMAGES) {
        candidates.add(artifact);
        left -= artifact.bytes();
      }
    }
    long heap =
        candidates.stream().mapToLong(artifact -> ReplySize.ofImage((int) artifact.bytes())).sum();
    Map<Artifact, ContentBlock.Image> images = new LinkedHashMap<>();
    if (!candidates.isEmpty() && memory.reserveReply(heap)) {
      for (Artifact artifact : candidates) {
        read(run, artifact).ifPresent(image -> images.put(artifact, image));
      }
    }
    return images;
  }

  private static boolean mayBeImage(Artifact artifact) {
    return List.of("image/png", "image/jpeg").contains(artifact.mediaType())
        && artifact.bytes() <= ContentBlock.Image.MAX_BYTES;
  }

  /** The address of each is that of the folder and its path. */
  private static String names(AnalyticsRun run, List<Artifact> named, Set<Artifact> shown) {
    return named.isEmpty()
        ? ""
        : named.stream()
            .map(
                artifact ->
                    artifact.shownPath()
                        + (shown.contains(artifact)
                            ? " (shown)"
                            : " (" + ByteSize.text(artifact.bytes()) + ")"))
            .collect(
                Collectors.joining(
                    ", ",
                    "[files in " + ResourceUri.folderOf(run.getMetadata().getName()) + ": ",
                    "]"));
  }

  private static String rest(AnalyticsRun run, int wanted) {
    String more =
        wanted > MAX_NAMED
            ? "[and "
                + (wanted - MAX_NAMED)
                + " more artifacts: GET /api/v1/runs/"
                + run.getMetadata().getName()
                + "/artifacts lists them]"
            : "";
    return leftOut(run)
        .map(message -> (more.isEmpty() ? "" : more + "\n") + "[" + message + "]")
        .orElse(more);
  }

  /** Which files of a run were not kept, and why; empty where all were. */
  public static Optional<String> leftOut(AnalyticsRun run) {
    return Optional.ofNullable(RunState.statusOf(run).artifactsMessage())
        .filter(message -> !message.isBlank())
        .map(message -> Text.oneLine(message, MAX_MESSAGE));
  }

  /**
   * An artifact as an image; empty where it is none that can be shown, or cannot be read now.
   *
   * @param room the bytes that it may have
   */
  public Optional<ContentBlock.Image> image(
      AnalyticsRun run, Artifact artifact, int room, CallMemory memory)
      throws InterruptedException {
    return mayBeImage(artifact)
            && artifact.bytes() <= room
            && memory.reserveReply(ReplySize.ofImage((int) artifact.bytes()))
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
