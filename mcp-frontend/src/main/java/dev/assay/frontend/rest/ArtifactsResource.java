package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.artifact.Artifact;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.run.Text;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/runs/{name}/artifacts} and {@code /code}. */
final class ArtifactsResource {
  private static final int MAX_SHOWN = 80;

  private final RunsResource resource;
  private final ArtifactReader artifacts;

  ArtifactsResource(RunsResource resource, ArtifactReader artifacts) {
    this.resource = resource;
    this.artifacts = artifacts;
  }

  Answer list(RestRequest request) {
    return new Answer.Document(200, ArtifactDocument.of(resource.find(request)));
  }

  /** The first piece is read here, so that its absence can still be told by a status. */
  Answer get(RestRequest request) throws InterruptedException {
    AnalyticsRun run = resource.find(request);
    Artifact artifact =
        Artifact.find(run, request.path())
            .orElseThrow(
                () ->
                    RestException.notFound(
                        "The run has no artifact '%s'; GET %s/%s/artifacts lists those that it has"
                            .formatted(
                                Text.oneLine(request.path(), MAX_SHOWN),
                                RunsResource.PATH,
                                run.getMetadata().getName())));
    String tag = "\"" + artifact.sha256() + "\"";
    boolean isOther =
        request.conditions().ifRange().filter(known -> !known.equals(tag)).isPresent();
    Map<String, String> headers = headers(artifact.mediaType(), artifact.fileName());
    headers.put("ETag", tag);
    headers.put("Accept-Ranges", "bytes");
    ByteRange.Wanted wanted =
        isOther
            ? new ByteRange.Whole()
            : ByteRange.of(request.conditions().range(), artifact.bytes());
    return switch (wanted) {
      case ByteRange.Whole whole ->
          file(200, headers, new ByteRange(0, artifact.bytes() - 1), run, artifact);
      case ByteRange.Part part -> {
        headers.put(
            "Content-Range",
            "bytes %d-%d/%d"
                .formatted(part.range().first(), part.range().last(), artifact.bytes()));
        yield file(206, headers, part.range(), run, artifact);
      }
      case ByteRange.Unsatisfiable not -> new Answer.OutOfRange(artifact.bytes());
    };
  }

  private Answer file(
      int status, Map<String, String> headers, ByteRange range, AnalyticsRun run, Artifact artifact)
      throws InterruptedException {
    byte[] first;
    try {
      first = artifacts.piece(run, artifact, range.first(), range.length());
    } catch (ArtifactReader.UnreadableException e) {
      throw e.isGone()
          ? RestException.notFound(e.text())
          : RestException.unavailable(e.text() + "; retry");
    }
    return new Answer.File(
        status,
        headers,
        range.length(),
        (sink, cancellation) -> send(first, range, run, artifact, sink));
  }

  private void send(
      byte[] first, ByteRange range, AnalyticsRun run, Artifact artifact, Answer.Sink sink)
      throws InterruptedException {
    byte[] piece = first;
    long at = range.first();
    while (piece.length > 0 && sink.write(piece)) {
      at += piece.length;
      try {
        piece = artifacts.piece(run, artifact, at, range.last() + 1 - at);
      } catch (ArtifactReader.UnreadableException e) {
        throw new Answer.BrokenOffException(e.text());
      }
    }
  }

  Answer code(RestRequest request) {
    AnalyticsRun run = resource.find(request);
    @Nullable String code = run.getSpec().code();
    if (code == null) {
      throw RestException.notFound("The run has no code: it does builtin work");
    }
    byte[] bytes = code.getBytes(UTF_8);
    String fileName = run.getMetadata().getName() + run.getSpec().language().extension();
    return new Answer.File(
        200,
        headers("text/plain", fileName),
        bytes.length,
        (sink, cancellation) -> sink.write(bytes));
  }

  /** A browser neither shows such a file, nor guesses what it is, nor runs what is in it. */
  private static Map<String, String> headers(String mediaType, String fileName) {
    Map<String, String> headers = new LinkedHashMap<>();
    // Most code writes UTF-8; without a charset, some clients assume ISO 8859-1.
    headers.put(
        "Content-Type", mediaType.startsWith("text/") ? mediaType + "; charset=utf-8" : mediaType);
    headers.put(
        "Content-Disposition",
        "attachment; filename=\"%s\"; filename*=UTF-8''%s"
            .formatted(
                fileName.replaceAll("[^A-Za-z0-9._ -]", "_"),
                URLEncoder.encode(fileName, UTF_8).replace("+", "%20").replace("*", "%2A")));
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("Content-Security-Policy", "default-src 'none'; sandbox");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    return headers;
  }
}
