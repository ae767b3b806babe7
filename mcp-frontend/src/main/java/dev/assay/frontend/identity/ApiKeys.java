package dev.assay.frontend.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ListWithValue;
import dev.assay.frontend.config.ReloadingFile;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.config.YamlFile;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identities by API key. The file has digests only, and is read again when it changes.
 *
 * <p>An entry that cannot be used is refused alone: a mistake in it must not keep a key valid that
 * the same change removes. For the same reason the keys of a file that cannot be read any more stay
 * valid for a short time only.
 */
public final class ApiKeys implements Identities {
  private static final Logger log = LoggerFactory.getLogger(ApiKeys.class);
  private static final int MAX_KEY_LENGTH = 1024;
  private static final int MAX_LOGGED = 20;

  /** How long the keys of the last usable file stay valid. */
  static final Duration GRACE = Duration.ofSeconds(60);

  private final InstantSource clock;
  private final ReloadingFile<Keys> file;

  /**
   * The entries of a file.
   *
   * @param refused what is wrong with those that are not among them
   */
  private record Keys(List<Entry> entries, List<String> refused) {}

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
    this.file = new ReloadingFile<>(file, path -> read(path, namespaces), clock);
    Keys keys = this.file.get();
    if (keys.entries.isEmpty()) {
      throw new InvalidConfigException(
          keys.refused.isEmpty()
              ? file + ": keys: there are none; add one, or set auth.mode to disabled"
              : keys.refused.getFirst());
    }
  }

  @Override
  public Optional<Identity> of(@Nullable String key) {
    return entry(key).map(Entry::identity);
  }

  @Override
  public Set<ToolGroup> toolGroups(@Nullable String key) {
    return entry(key).map(Entry::toolGroups).orElse(Set.of());
  }

  /** Compares with every entry, always, in constant time. */
  private Optional<Entry> entry(@Nullable String key) {
    if (key == null || key.isEmpty() || key.length() > MAX_KEY_LENGTH) {
      return Optional.empty();
    }
    byte[] digest = Sha256.digest().digest(key.getBytes(UTF_8));
    Entry found = null;
    for (Entry entry : valid(file.current())) {
      boolean same = MessageDigest.isEqual(digest, entry.sha256);
      found = same ? entry : found;
    }
    Instant now = clock.instant();
    return Optional.ofNullable(found).filter(entry -> entry.isValid(now));
  }

  private List<Entry> valid(ReloadingFile.Current<Keys> current) {
    boolean isOver = current.unusable() != null && isOver(current.unusable());
    return isOver ? List.of() : current.value().entries;
  }

  private boolean isOver(ReloadingFile.Unusable unusable) {
    return clock.instant().isAfter(unusable.since().plus(GRACE));
  }

  @Override
  public List<String> problems() {
    ReloadingFile.Current<Keys> current = file.current();
    List<String> problems = new ArrayList<>(current.value().refused);
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
  public String metrics() {
    Instant now = clock.instant();
    ReloadingFile.Current<Keys> current = file.current();
    List<Entry> entries = valid(current);
    long valid = entries.stream().filter(entry -> entry.isValid(now)).count();
    return """
        # HELP assay_frontend_api_keys Entries of the file of API keys, by state.
        # TYPE assay_frontend_api_keys gauge
        assay_frontend_api_keys{state="valid"} %d
        assay_frontend_api_keys{state="expired_or_disabled"} %d
        assay_frontend_api_keys{state="refused"} %d
        # HELP assay_frontend_api_keys_file_unusable 1 while the file of API keys cannot be used.
        # TYPE assay_frontend_api_keys_file_unusable gauge
        assay_frontend_api_keys_file_unusable %d
        """
        .formatted(
            valid,
            entries.size() - valid,
            current.value().refused.size(),
            current.unusable() == null ? 0 : 1);
  }

  private static Keys read(Path file, Collection<String> namespaces) {
    KeysFile keys = YamlFile.read(file, KeysFile.class);
    List<Entry> entries = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    Map<String, List<Integer>> byDigest = byDigest(keys.keys);
    for (int i = 0; i < keys.keys.size(); i++) {
      String member = file + ": keys.[" + i + "].";
      try {
        entries.add(entry(keys.keys.get(i), i, member, namespaces, byDigest));
      } catch (InvalidConfigException e) {
        refused.add(String.valueOf(e.getMessage()));
      }
    }
    refused.stream().limit(MAX_LOGGED).forEach(why -> log.error("a key is refused: {}", why));
    return new Keys(List.copyOf(entries), List.copyOf(refused));
  }

  /** Which entries have the same digest: nobody can tell whose key it is. */
  private static Map<String, List<Integer>> byDigest(List<JsonNode> keys) {
    Map<String, List<Integer>> byDigest = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      String digest = keys.get(i).path("sha256").asText("").toLowerCase(Locale.ROOT);
      byDigest.computeIfAbsent(digest, of -> new ArrayList<>()).add(i);
    }
    return byDigest;
  }

  private static Entry entry(
      JsonNode read,
      int number,
      String member,
      Collection<String> namespaces,
      Map<String, List<Integer>> byDigest) {
    if (!read.isObject()) {
      throw new InvalidConfigException(
          member.substring(0, member.length() - 1)
              + ": must be an object with caller, namespace and sha256");
    }
    for (String text : List.of("caller", "namespace", "sha256")) {
      // YAML reads 0123 as 83.
      if (read.path(text).isNumber()) {
        throw new InvalidConfigException(member + text + ": must be a text: put it in quotes");
      }
    }
    for (String limit : List.of("disabled", "expires")) {
      if (read.has(limit) && read.get(limit).isNull()) {
        throw new InvalidConfigException(member + limit + ": has no value; leave it out");
      }
    }
    Key key;
    try {
      key = YamlFile.part(read, Key.class);
    } catch (InvalidConfigException e) {
      throw new InvalidConfigException(member + e.getMessage());
    }
    if (!namespaces.contains(key.namespace)) {
      throw new InvalidConfigException(
          member + "namespace: '" + key.namespace + "' is not one of the run namespaces");
    }
    if (key.caller.isBlank() || key.caller.length() > 253) {
      throw new InvalidConfigException(member + "caller: must have 1 to 253 characters");
    }
    if (!key.sha256.matches("[0-9a-fA-F]{64}")) {
      throw new InvalidConfigException(
          member + "sha256: must be the SHA-256 of the key in 64 hexadecimal digits");
    }
    if (key.toolGroups != null && key.toolGroups.isEmpty()) {
      throw new InvalidConfigException(member + "toolGroups: names no group of tools");
    }
    for (int other : byDigest.getOrDefault(key.sha256.toLowerCase(Locale.ROOT), List.of())) {
      if (other != number) {
        throw new InvalidConfigException(
            member
                + "sha256: is that of keys.["
                + other
                + "] too; give each caller a key of its own");
      }
    }
    return new Entry(
        HexFormat.of().parseHex(key.sha256),
        new Identity(key.caller, key.namespace, grants(key, member)),
        ToolGroup.of(key.toolGroups),
        Boolean.TRUE.equals(key.disabled),
        expires(key, member));
  }

  private static @Nullable Instant expires(Key key, String member) {
    try {
      return key.expires == null ? null : Instant.parse(key.expires);
    } catch (DateTimeParseException e) {
      throw new InvalidConfigException(
          member + "expires: must be a time in UTC, such as 2027-01-31T00:00:00Z");
    }
  }

  private static @Nullable ToolGrants grants(Key key, String member) {
    List<String> servers = key.servers == null ? List.of() : key.servers;
    for (String server : servers) {
      if (!server.equals("*") && !isLabel(server)) {
        throw new InvalidConfigException(
            member + "servers: '" + server + "' is not a valid name of a server, nor *");
      }
    }
    if (servers.size() > Bounds.MAX_RUN_TOOL_SERVERS) {
      throw new InvalidConfigException(
          member + "servers: has more than " + Bounds.MAX_RUN_TOOL_SERVERS + " elements");
    }
    return key.servers == null && key.permissions == null
        ? null
        : new ToolGrants(
            key.servers == null ? null : List.copyOf(servers),
            key.permissions == null ? null : List.copyOf(new LinkedHashSet<>(key.permissions)));
  }

  private static boolean isLabel(String name) {
    return name.length() <= Bounds.MAX_LABEL && name.matches(Bounds.LABEL_PATTERN);
  }

  @SuppressWarnings("ArrayRecordComponent") // Compared by MessageDigest alone.
  private record Entry(
      byte[] sha256,
      Identity identity,
      Set<ToolGroup> toolGroups,
      boolean isDisabled,
      @Nullable Instant expires) {
    boolean isValid(Instant now) {
      return !isDisabled && (expires == null || now.isBefore(expires));
    }

    @Override
    public String toString() {
      return identity.toString();
    }
  }

  record KeysFile(@JsonProperty(required = true) List<JsonNode> keys) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    KeysFile {
      keys = keys == null ? List.of() : keys;
    }
  }

  /**
   * What limits a key and has no value is refused: it must not be taken for no limit.
   *
   * @param disabled true for a key that is not valid now
   * @param expires from when on it is not valid
   */
  record Key(
      @JsonProperty(required = true) String caller,
      @JsonProperty(required = true) String namespace,
      @JsonProperty(required = true) String sha256,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<ToolGroup> toolGroups,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<String> servers,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<ToolPermission> permissions,
      @Nullable Boolean disabled,
      @Nullable String expires) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    Key {
      caller = caller == null ? "" : caller;
      namespace = namespace == null ? "" : namespace;
      sha256 = sha256 == null ? "" : sha256;
    }
  }
}
