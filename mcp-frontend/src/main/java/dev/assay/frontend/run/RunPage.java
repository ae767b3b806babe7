package dev.assay.frontend.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A part of the runs of a namespace, newest first.
 *
 * @param runs of this page
 * @param next where the next page begins; null where this one is the last
 */
public record RunPage(List<AnalyticsRun> runs, @Nullable Place next) {
  /** Most runs of a page. */
  public static final int MAX = 500;

  /** Runs of a page where a caller does not say. */
  public static final int DEFAULT = 50;

  /** Kubernetes tells seconds; {@link RunNames} puts the runs of one second in order. */
  private static final Comparator<Place> NEWEST_FIRST =
      Comparator.comparing(Place::createdAt, Comparator.reverseOrder())
          .thenComparing(Place::name, Comparator.reverseOrder());

  /**
   * A page.
   *
   * @param phase null for all
   * @param after the last run of the page before; null for the first page
   * @param limit how many runs at most
   */
  public static RunPage of(
      Collection<AnalyticsRun> all, @Nullable RunPhase phase, @Nullable Place after, int limit) {
    List<AnalyticsRun> rest =
        all.stream()
            .filter(run -> phase == null || RunState.phaseOf(run) == phase)
            .filter(run -> after == null || NEWEST_FIRST.compare(Place.of(run), after) > 0)
            .sorted(Comparator.comparing(Place::of, NEWEST_FIRST))
            .limit(limit + 1L)
            .toList();
    return rest.size() > limit
        ? new RunPage(rest.subList(0, limit), Place.of(rest.get(limit - 1)))
        : new RunPage(rest, null);
  }

  /** A run's place in the order; it stays where it is when others come and go. */
  public record Place(String createdAt, String name) {
    /** That of a run. */
    public static Place of(AnalyticsRun run) {
      String created = run.getMetadata().getCreationTimestamp();
      return new Place(created == null ? "" : created, run.getMetadata().getName());
    }

    /** A text for callers to bring back. */
    public String token() {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString((createdAt + "/" + name).getBytes(UTF_8));
    }

    /** From a caller's text; empty where it is none of ours. */
    public static Optional<Place> ofToken(String token) {
      String text;
      try {
        text = new String(Base64.getUrlDecoder().decode(token), UTF_8);
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
      int slash = text.indexOf('/');
      return slash < 0
          ? Optional.empty()
          : Optional.of(new Place(text.substring(0, slash), text.substring(slash + 1)));
    }
  }
}
