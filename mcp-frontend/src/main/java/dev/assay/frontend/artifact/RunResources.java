package dev.assay.frontend.artifact;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.ReplySize;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.run.RunPage;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.run.ToolUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the runs that a caller may read have left, as resources of MCP. */
public final class RunResources {
  /** A page ends with the run that fills it, and each run has 128 artifacts at most. */
  private static final int MAX_PER_PAGE = 100;

  /** Each is read from the API server: the caches do not know artifacts. */
  private static final int MAX_RUNS_PER_PAGE = 20;

  private static final int MAX_SHOWN = 80;

  private final RunGateway runs;
  private final ToolUse toolUse;
  private final ArtifactReader artifacts;
  private final OutputReader outputs;
  private final int maxBytes;

  /**
   * Resources of all namespaces.
   *
   * @param maxBytes of one that is read; REST has longer ones
   */
  public RunResources(
      RunGateway runs,
      ToolUse toolUse,
      ArtifactReader artifacts,
      OutputReader outputs,
      int maxBytes) {
    this.runs = runs;
    this.toolUse = toolUse;
    this.artifacts = artifacts;
    this.outputs = outputs;
    this.maxBytes = maxBytes;
  }

  /**
   * Some of the artifacts that a caller may read, those of the newest run first.
   *
   * @param next where the next page begins; null where this one is the last
   */
  public record Page(List<Artifact> artifacts, @Nullable String next) {}

  /** The content of a resource. What a run left may contain content of tool servers. */
  public sealed interface Content {}

  /** Text without control characters. */
  public record TextContent(String mediaType, String text, boolean isUntrusted)
      implements Content {}

  /** Bytes. */
  @SuppressWarnings("ArrayRecordComponent") // Written, never compared.
  public record BlobContent(String mediaType, byte[] bytes, boolean isUntrusted)
      implements Content {}

  /** There is no such resource in the caller's namespace. */
  public record NotFound(String message) implements Content {}

  /** It exists, and is not returned here. */
  public record Refused(String message) implements Content {}

  /**
   * A page.
   *
   * @param cursor where it begins, from the page before; null for the first one
   * @return empty where the cursor is not one of a page
   */
  public Optional<Page> list(Identity caller, @Nullable String cursor) {
    Optional<RunPage.Place> after =
        cursor == null ? Optional.empty() : RunPage.Place.ofToken(cursor);
    if (cursor != null && after.isEmpty()) {
      return Optional.empty();
    }
    RunPage page =
        RunPage.of(
            runs.list(caller).stream().filter(RunState::hasArtifacts).toList(),
            null,
            after.orElse(null),
            MAX_RUNS_PER_PAGE);
    List<Artifact> found = new ArrayList<>();
    List<AnalyticsRun> left = page.runs();
    while (!left.isEmpty() && found.size() < MAX_PER_PAGE) {
      AnalyticsRun run = left.getFirst();
      runs.read(caller, run.getMetadata().getName())
          .ifPresent(now -> found.addAll(Artifact.allOf(now)));
      after = Optional.of(RunPage.Place.of(run));
      left = left.subList(1, left.size());
    }
    boolean isLast = left.isEmpty() && page.next() == null;
    return Optional.of(new Page(found, isLast ? null : after.orElseThrow().token()));
  }

  /** Reads a resource. */
  public Content read(String uri, CallContext call) throws InterruptedException {
    Optional<ResourceUri> parsed = ResourceUri.parse(uri);
    if (parsed.isEmpty()) {
      return new NotFound(
          "There is no resource "
              + Text.oneLine(uri, MAX_SHOWN)
              + "; resources/templates/list has the forms of addresses");
    }
    Optional<AnalyticsRun> run = runs.read(call.identity(), parsed.get().run());
    if (run.isEmpty()) {
      return new NotFound("There is no run '" + parsed.get().run() + "' in your namespace");
    }
    return switch (parsed.get()) {
      case ResourceUri.File file -> file(run.get(), file.path(), call);
      case ResourceUri.Code code -> code(run.get(), call);
      case ResourceUri.Output output -> output(run.get(), call);
    };
  }

  private Content file(AnalyticsRun run, String path, CallContext call)
      throws InterruptedException {
    Optional<Artifact> found = Artifact.find(run, path);
    if (found.isEmpty()) {
      return new NotFound(
          "The run '%s' has no artifact '%s'"
              .formatted(run.getMetadata().getName(), Text.oneLine(path, MAX_SHOWN)));
    }
    Artifact artifact = found.get();
    if (artifact.bytes() > maxBytes) {
      return new Refused(
          "The artifact has %d bytes, and resources/read returns at most %d: GET %s downloads it"
              .formatted(artifact.bytes(), maxBytes, artifact.restPath()));
    }
    if (!call.memory().reserveReply(ReplySize.ofText((int) artifact.bytes()))) {
      return noMemory();
    }
    try {
      byte[] bytes = artifacts.whole(run, artifact);
      return PlainText.of(artifact.mediaType(), bytes)
          .<Content>map(
              text -> new TextContent(artifact.mediaType(), text, toolUse.isUntrusted(run)))
          .orElseGet(() -> new BlobContent(artifact.mediaType(), bytes, toolUse.isUntrusted(run)));
    } catch (ArtifactReader.UnreadableException e) {
      return e.isGone() ? new NotFound(e.text()) : new Refused(e.text() + "; retry");
    }
  }

  private static Content code(AnalyticsRun run, CallContext call) throws InterruptedException {
    @Nullable String code = run.getSpec().code();
    if (code == null) {
      return new NotFound("The run '" + run.getMetadata().getName() + "' has no code");
    }
    if (!call.memory().reserveReply(ReplySize.ofText(Text.bytes(code)))) {
      return noMemory();
    }
    return new TextContent(run.getSpec().language().mediaType(), code, false);
  }

  private Content output(AnalyticsRun run, CallContext call) throws InterruptedException {
    return new TextContent(
        "text/plain",
        (RunState.hasEnded(run)
                ? outputs.of(run, Integer.MAX_VALUE, call.memory())
                : outputs.soFar(run, Integer.MAX_VALUE, call.memory()))
            .text(),
        toolUse.isUntrusted(run));
  }

  private static Content noMemory() {
    return new Refused("Too many long replies are being sent: retry in a second");
  }
}
