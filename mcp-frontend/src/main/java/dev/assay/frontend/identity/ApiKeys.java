package dev.assay.frontend.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.metrics.ProgramMetrics.Row;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ReloadingFile;
import dev.assay.frontend.config.ToolGroup;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Identities by API key. The file has digests only, and is read again when it changes.
 *
 * <p>An entry that cannot be used is refused alone: a mistake in it must not keep a key valid that
 * the same change removes. For the same reason the keys of a file that cannot be read any more stay
 * valid for a short time only.
 */
public final class ApiKeys implements Identities {
  private static final int MAX_KEY_LENGTH = 1024;

  /** How long the keys of the last usable file stay valid. */
  static final Duration GRACE = Duration.ofSeconds(60);

  private final InstantSource clock;
  private final ReloadingFile<KeyEntries> file;

  /**
   * Reads the keys.
   *
   * @param namespaces the run namespaces; a key of another one is refused
   * @throws InvalidConfigException if the file cannot be used or has no usable key
   */
  public ApiKeys(Path file, Collection<String> namespaces) {
    this(file, namespaces, InstantSource.system());
  }

  ApiKeys(Path file, Collection<String> namespaces, InstantSource clock) {
    this.clock = clock;
    this.file = new ReloadingFile<>(file, path -> KeyEntries.read(path, namespaces), clock);
    KeyEntries keys = this.file.get();
    if (keys.entries().isEmpty()) {
      throw new InvalidConfigException(
          keys.refused().isEmpty()
              ? file + ": keys: there are none; add one, or set auth.mode to disabled"
              : keys.refused().getFirst());
    }
  }

  @Override
  public Optional<Identity> of(@Nullable String key) {
    return entry(key).map(KeyEntries.Entry::identity);
  }

  @Override
  public Set<ToolGroup> toolGroups(@Nullable String key) {
    return entry(key).map(KeyEntries.Entry::toolGroups).orElse(Set.of());
  }

  /** Compares with every entry, always, in constant time. */
  private Optional<KeyEntries.Entry> entry(@Nullable String key) {
    if (key == null || key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      return Optional.empty();
    }
    byte[] digest = Sha256.digest().digest(key.getBytes(UTF_8));
    KeyEntries.Entry found = null;
    for (KeyEntries.Entry entry : valid(file.current())) {
      boolean same = MessageDigest.isEqual(digest, entry.sha256());
      found = same ? entry : found;
    }
    Instant now = clock.instant();
    return Optional.ofNullable(found).filter(entry -> entry.isValid(now));
  }

  private List<KeyEntries.Entry> valid(ReloadingFile.Current<KeyEntries> current) {
    boolean isOver = current.unusable() != null && isOver(current.unusable());
    return isOver ? List.of() : current.value().entries();
  }

  private boolean isOver(ReloadingFile.Unusable unusable) {
    return clock.instant().isAfter(unusable.since().plus(GRACE));
  }

  @Override
  public List<String> problems() {
    ReloadingFile.Current<KeyEntries> current = file.current();
    List<String> problems = new ArrayList<>(current.value().refused());
    ReloadingFile.@Nullable Unusable unusable = current.unusable();
    if (unusable != null) {
      problems.addFirst(
          (isOver(unusable)
                  ? "all API keys are refused because the file is unusable; fix it: "
                  : "the API key file is unusable; all keys are refused 60 s after "
                      + unusable.since()
                      + "; fix it: ")
              + unusable.why());
    }
    return problems;
  }

  @Override
  public void bindTo(ProgramMetrics metrics) {
    metrics.gauges(
        "assay_frontend_api_keys", "Entries of the file of API keys, by state.", this::byState);
    Gauge.builder(
            "assay_frontend_api_keys_file_unusable",
            () -> file.current().unusable() == null ? 0 : 1)
        .description("1 while the file of API keys cannot be used.")
        .register(metrics.registry());
  }

  private List<Row> byState() {
    Instant now = clock.instant();
    ReloadingFile.Current<KeyEntries> current = file.current();
    List<KeyEntries.Entry> entries = valid(current);
    long valid = entries.stream().filter(entry -> entry.isValid(now)).count();
    return List.of(
        new Row(Tags.of("state", "valid"), valid),
        new Row(Tags.of("state", "expired_or_disabled"), entries.size() - valid),
        new Row(Tags.of("state", "refused"), current.value().refused().size()));
  }
}
