package dev.assay.frontend.identity;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ListWithValue;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.config.YamlFile;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a file of API keys.
 *
 * @param refused what is wrong with those that are not among them
 */
record KeyEntries(List<Entry> entries, List<String> refused) {
  private static final Logger log = LoggerFactory.getLogger(KeyEntries.class);
  private static final int MAX_LOGGED = 20;

  /**
   * Reads a file.
   *
   * @throws InvalidConfigException if it cannot be used as a whole
   */
  static KeyEntries read(Path file, Collection<String> namespaces) {
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
    return new KeyEntries(List.copyOf(entries), List.copyOf(refused));
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
        new Identity(
            key.caller,
            key.namespace,
            grants(key, member),
            key.shared == null ? SharedAccess.NONE : key.shared),
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
  record Entry(
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
   * @param shared what it may do with runs and datasets of others; none by default
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
      @Nullable SharedAccess shared,
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
