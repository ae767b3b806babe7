package dev.assay.frontend.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
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

/** Identities by API key. The file has digests only, and is read again when it changes. */
public final class ApiKeys implements Identities {
  private static final int MAX_KEY_LENGTH = 1024;

  private final ReloadingFile<List<Entry>> entries;

  /**
   * Reads the keys.
   *
   * @param namespaces the run namespaces; a key of another one is refused
   * @throws InvalidConfigException where the file cannot be used or has no keys
   */
  public ApiKeys(Path file, Collection<String> namespaces) {
    this.entries = new ReloadingFile<>(file, path -> read(path, namespaces));
    if (entries.get().isEmpty()) {
      throw new InvalidConfigException(
          file + ": keys: there are none; add one, or set auth.mode to disabled");
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
    for (Entry entry : entries.get()) {
      boolean same = MessageDigest.isEqual(digest, entry.sha256);
      found = same ? entry : found;
    }
    return Optional.ofNullable(found);
  }

  private static List<Entry> read(Path file, Collection<String> namespaces) {
    KeysFile keys = YamlFile.read(file, KeysFile.class);
    List<Entry> entries = new ArrayList<>();
    Map<String, Integer> byDigest = new HashMap<>();
    for (int i = 0; i < keys.keys.size(); i++) {
      Key key = keys.keys.get(i);
      String member = file + ": keys.[" + i + "].";
      if (key == null) {
        throw new InvalidConfigException(member + "caller: is missing");
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
      Integer same = byDigest.putIfAbsent(key.sha256.toLowerCase(Locale.ROOT), i);
      if (same != null) {
        throw new InvalidConfigException(
            member
                + "sha256: is that of keys.["
                + same
                + "] too; give each caller a key of its own");
      }
      entries.add(
          new Entry(
              HexFormat.of().parseHex(key.sha256),
              new Identity(key.caller, key.namespace, grants(key, member)),
              ToolGroup.of(key.toolGroups)));
    }
    return List.copyOf(entries);
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
  private record Entry(byte[] sha256, Identity identity, Set<ToolGroup> toolGroups) {
    @Override
    public String toString() {
      return identity.toString();
    }
  }

  record KeysFile(@JsonProperty(required = true) List<@Nullable Key> keys) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    KeysFile {
      keys = keys == null ? List.of() : keys;
    }
  }

  /** What limits a key and has no value is refused: it must not be taken for no limit. */
  record Key(
      @JsonProperty(required = true) String caller,
      @JsonProperty(required = true) String namespace,
      @JsonProperty(required = true) String sha256,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<ToolGroup> toolGroups,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<String> servers,
      @JsonSetter(contentNulls = Nulls.FAIL) @JsonDeserialize(using = ListWithValue.class)
          @Nullable List<ToolPermission> permissions) {
    @SuppressWarnings("NullAway") // An explicit null in the file.
    Key {
      caller = caller == null ? "" : caller;
      namespace = namespace == null ? "" : namespace;
      sha256 = sha256 == null ? "" : sha256;
    }
  }
}
