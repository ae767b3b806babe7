package dev.assay.frontend;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.run.RunGateway;
import dev.assay.frontend.watch.Subscription;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Where there is no cluster: nothing asks for runs then. */
final class AbsentRuns implements RunGateway {
  @Override
  public Subscription<AnalyticsRun> follow(String namespace, String name) {
    throw absent();
  }

  @Override
  public AnalyticsRun create(AnalyticsRun run) {
    throw absent();
  }

  @Override
  public Optional<AnalyticsRun> read(String namespace, String name) {
    throw absent();
  }

  @Override
  public List<AnalyticsRun> list(String namespace) {
    throw absent();
  }

  @Override
  public void cancel(String namespace, String name) {
    throw absent();
  }

  @Override
  public void invalidate(String namespace, String name) {
    throw absent();
  }

  @Override
  public void detach(String namespace, String name) {
    throw absent();
  }

  /** None is ever seen. */
  @Override
  public void onSeen(Consumer<AnalyticsRun> listener) {}

  private static IllegalStateException absent() {
    return new IllegalStateException("there is no cluster");
  }
}
