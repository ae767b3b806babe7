package dev.assay.operator.runner;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Artifacts in a response each, for runners that send only one at a time. */
final class SingleArtifacts implements ArtifactFetch {
  private final Iterator<RunnerEvent.Artifact> wanted;
  private final Request request;
  private @Nullable TimedBody current;

  SingleArtifacts(List<RunnerEvent.Artifact> wanted, Request request) {
    this.wanted = wanted.iterator();
    this.request = request;
  }

  /** Requests one artifact. */
  interface Request {
    TimedBody send(RunnerEvent.Artifact artifact) throws IOException, RunnerRefusedException;
  }

  @Override
  public Optional<InputStream> next() throws IOException {
    close();
    RunnerEvent.Artifact artifact = wanted.next();
    try {
      TimedBody body = request.send(artifact);
      current = body;
      return Optional.of(new ArtifactStream(body.stream(), artifact.bytes()));
    } catch (RunnerRefusedException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    if (current != null) {
      current.close();
    }
  }
}
