package dev.assay.frontend.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.frontend.config.InvalidConfigException;
import dev.assay.frontend.config.ReloadingFile;
import dev.assay.frontend.config.ToolGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiKeysTest {
  private static final List<String> NAMESPACES = List.of("runs", "other");

  @TempDir Path directory;

  @Test
  void aKeyStandsForItsCallerAndNothingElseDoes() throws Exception {
    ApiKeys keys =
        new ApiKeys(file(entry("alice", "runs", "k-1") + entry("bob", "other", "k-2")), NAMESPACES);

    assertThat(keys.of("k-1")).contains(new Identity("alice", "runs"));
    assertThat(keys.of("k-2")).contains(new Identity("bob", "other"));
    assertThat(keys.of("k-3")).isEmpty();
    assertThat(keys.of("K-1")).isEmpty();
    assertThat(keys.of("")).isEmpty();
    assertThat(keys.of(null)).isEmpty();
    assertThat(keys.of(digest("k-1"))).isEmpty();
    assertThat(keys.of("k".repeat(5000))).isEmpty();
  }

  @Test
  void aKeyIsForTheToolsOfItsGroups() throws Exception {
    ApiKeys keys =
        new ApiKeys(
            file(
                entry("alice", "runs", "k-1")
                    + entry("alice", "runs", "k-2")
                        .replace("}", ", toolGroups: [analytics, datasets]}")),
            NAMESPACES);

    assertThat(keys.toolGroups("k-1")).isEqualTo(ToolGroup.ALL);
    assertThat(keys.toolGroups("k-2")).containsOnly(ToolGroup.ANALYTICS, ToolGroup.DATASETS);
    assertThat(keys.of("k-1")).isEqualTo(keys.of("k-2"));
    assertThat(keys.toolGroups("k-3")).isEmpty();
  }

  @Test
  void aKeyGrantsTheServersAndPermissionsThatItNames() throws Exception {
    ApiKeys keys =
        new ApiKeys(
            file(
                entry("a", "runs", "k-1").replace("}", ", servers: [], permissions: [read, read]}")
                    + entry("a", "runs", "k-2").replace("}", ", servers: [github, '*']}")
                    + entry("a", "runs", "k-3")),
            NAMESPACES);

    assertThat(grants(keys, "k-1"))
        .isEqualTo(new ToolGrants(List.of(), List.of(ToolPermission.READ)));
    assertThat(grants(keys, "k-2")).isEqualTo(new ToolGrants(List.of("github", "*"), null));
    assertThat(grants(keys, "k-3")).isNull();
  }

  @Test
  void aKeySeesTheRunsOfOthersWhereItSaysSo() throws Exception {
    ApiKeys keys =
        new ApiKeys(
            file(
                entry("a", "runs", "k-1")
                    + entry("a", "runs", "k-2").replace("}", ", shared: read}")
                    + entry("a", "runs", "k-3").replace("}", ", shared: all}")
                    + entry("a", "runs", "k-4").replace("}", ", shared: maybe}")
                    + entry("a", "runs", "k-5").replace("}", ", shared: }")),
            NAMESPACES);

    assertThat(Stream.of("k-1", "k-2", "k-3").map(key -> keys.of(key).orElseThrow().shared()))
        .containsExactly(SharedAccess.NONE, SharedAccess.READ, SharedAccess.ALL);
    assertThat(keys.of("k-4")).isEmpty();
    assertThat(keys.of("k-5").orElseThrow().shared()).isEqualTo(SharedAccess.NONE);
  }

  private static @Nullable ToolGrants grants(ApiKeys keys, String key) {
    return keys.of(key).orElseThrow().grants();
  }

  @Test
  void theFileIsReadAgainWhenItIsExchanged() throws Exception {
    Path first = Files.createDirectory(directory.resolve("v1"));
    Path second = Files.createDirectory(directory.resolve("v2"));
    Files.writeString(first.resolve("keys.yaml"), "keys:\n" + entry("alice", "runs", "k-1"));
    Files.writeString(second.resolve("keys.yaml"), "keys:\n" + entry("carol", "runs", "k-9"));
    Path data = directory.resolve("..data");
    Files.createSymbolicLink(data, first);
    ApiKeys keys = new ApiKeys(data.resolve("keys.yaml"), NAMESPACES);
    assertThat(keys.of("k-1")).isPresent();

    // As kubelet does it when a Secret changes.
    Path next = directory.resolve("..next");
    Files.createSymbolicLink(next, second);
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

    assertThat(keys.of("k-1")).isEmpty();
    assertThat(keys.of("k-9")).contains(new Identity("carol", "runs"));
  }

  @Test
  void aFileThatCannotBeReadShutsEverybodyOutAfterAMinute() throws Exception {
    Path file = file(entry("alice", "runs", "k-1"));
    AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    ApiKeys keys = new ApiKeys(file, NAMESPACES, now::get);

    Files.writeString(file, "keys: [{caller: alice");
    assertThat(keys.of("k-1")).isPresent();
    assertThat(keys.problems())
        .singleElement()
        .asString()
        .startsWith(
            "the API key file is unusable; all keys are refused 60 s after 1970-01-01T00:00:00Z;");
    now.set(Instant.EPOCH.plusSeconds(60));
    assertThat(keys.of("k-1")).isPresent();
    // Another version that cannot be used begins no other minute.
    Files.delete(file);
    assertThat(keys.of("k-1")).isPresent();
    now.set(Instant.EPOCH.plusSeconds(61));
    assertThat(keys.of("k-1")).isEmpty();
    assertThat(keys.problems())
        .singleElement()
        .asString()
        .startsWith("all API keys are refused because the file is unusable; fix it: ")
        .endsWith("there is no such file");
    assertThat(metricsOf(keys))
        .contains("{state=\"valid\"} 0.0\n", "assay_frontend_api_keys_file_unusable 1.0\n");

    Files.writeString(file, "keys:\n" + entry("alice", "runs", "k-1"));
    assertThat(keys.of("k-1")).isPresent();
    assertThat(keys.problems()).isEmpty();
    Files.writeString(file, "keys: []");
    assertThat(keys.of("k-1")).isEmpty();
  }

  /** A mode that is changed leaves the time and the size of a file as they were. */
  @Test
  void aFileThatBecomesReadableIsReadThoughItLooksAsBefore() throws Exception {
    Path file = file(entry("alice", "runs", "k-1"));
    AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    AtomicBoolean isReadable = new AtomicBoolean(true);
    ReloadingFile<String> read =
        new ReloadingFile<>(
            file,
            path -> {
              if (!isReadable.get()) {
                throw new InvalidConfigException("cannot be read");
              }
              return "read";
            },
            now::get);
    isReadable.set(false);
    Files.writeString(file, "changed");
    assertThat(read.current().unusable()).isNotNull();
    isReadable.set(true);
    assertThat(read.current().unusable()).isNotNull();
    now.set(Instant.EPOCH.plusSeconds(5));
    assertThat(read.current().unusable()).isNull();
  }

  /** Else a key that the same change removes would stay valid. */
  @Test
  void anEntryThatCannotBeUsedIsRefusedAlone() throws Exception {
    Path file = file(entry("alice", "runs", "k-1") + entry("bob", "runs", "k-2"));
    ApiKeys keys = new ApiKeys(file, NAMESPACES);

    Files.writeString(
        file, "keys:\n" + entry("alice", "runs", "k-1") + entry("carol", "typo", "k-3") + "- 7\n");

    assertThat(keys.of("k-1")).isPresent();
    assertThat(keys.of("k-2")).isEmpty();
    assertThat(keys.of("k-3")).isEmpty();
    assertThat(keys.problems())
        .containsExactly(
            file + ": keys.[1].namespace: 'typo' is not one of the run namespaces",
            file + ": keys.[2]: must be an object with caller, namespace and sha256");
    assertThat(metricsOf(keys)).contains("{state=\"valid\"} 1.0\n", "{state=\"refused\"} 2.0\n");
  }

  @Test
  void aKeyIsNotValidWhileItIsDisabledAndOnceItHasExpired() throws Exception {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2027-01-30T23:59:59Z"));
    ApiKeys keys =
        new ApiKeys(
            file(
                entry("a", "runs", "k-1").replace("}", ", expires: 2027-01-31T00:00:00Z}")
                    + entry("a", "runs", "k-2").replace("}", ", disabled: true}")
                    + entry("a", "runs", "k-3").replace("}", ", disabled: false}")),
            NAMESPACES,
            now::get);

    assertThat(keys.of("k-1")).isPresent();
    assertThat(keys.of("k-2")).isEmpty();
    assertThat(keys.of("k-3")).isPresent();
    now.set(Instant.parse("2027-01-31T00:00:00Z"));
    assertThat(keys.of("k-1")).isEmpty();
    assertThat(keys.toolGroups("k-1")).isEmpty();
    assertThat(metricsOf(keys))
        .contains("{state=\"valid\"} 1.0\n", "{state=\"expired_or_disabled\"} 2.0\n");
  }

  @Test
  void withoutKeysItDoesNotStart() {
    assertThatThrownBy(() -> new ApiKeys(file(" []"), NAMESPACES))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("keys: there are none");
    assertThatThrownBy(() -> new ApiKeys(directory.resolve("none"), NAMESPACES))
        .hasMessageContaining("there is no such file");
  }

  @Test
  void oneKeyOfTwoCallersIsRefused() {
    String entries =
        entry("a", "runs", "k")
            + entry("b", "runs", "k").replace(digest("k"), digest("k").toUpperCase(Locale.ROOT));
    assertThatThrownBy(() -> new ApiKeys(file(entries), NAMESPACES))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("keys.[0].sha256: is that of keys.[1] too");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{caller: a, namespace: elsewhere, sha256: $}|keys.[0].namespace: 'elsewhere' is not one"
            + " of",
        "{caller: a, namespace: runs, sha256: 12}|keys.[0].sha256: must be",
        "{caller: '', namespace: runs, sha256: $}|keys.[0].caller: must have",
        "{caller: a, namespace: runs, sha256: $, servers: [A]}|keys.[0].servers: 'A' is not a valid",
        "{caller: a, namespace: runs, sha256: $, permissions: [all]}|keys.[0].permissions",
        "{caller: a, namespace: runs, sha256: $, servers: }|keys.[0].servers: has no value; leave it"
            + " out, or write [] for none",
        "{caller: a, namespace: runs, sha256: $, permissions: ~}|keys.[0].permissions: has no value",
        "{caller: a, namespace: runs, sha256: $, toolGroups: null}|keys.[0].toolGroups: has no value",
        "{caller: a, namespace: runs, sha256: $, servers: [a, ~]}|keys.[0].servers",
        "{caller: a, namespace: runs, sha256: $, permissions: [~]}|keys.[0].permissions",
        "{caller: a, namespace: runs}|sha256",
        "{caller: 007, namespace: runs, sha256: $}|keys.[0].caller: must be a text",
        "{caller: a, namespace: runs, sha256: $, expires: 2027-01-31}|keys.[0].expires: must be a"
            + " time in UTC",
        "{caller: a, namespace: runs, sha256: $, expires: }|keys.[0].expires: has no value",
        "{caller: a, namespace: runs, sha256: $, disabled: ~}|keys.[0].disabled: has no value",
        "{caller: a, namespace: runs, sha256: $, disabled: no way}|keys.[0].disabled",
        "{caller: a, namespace: runs, sha256: $, key: x}|key",
      })
  void aBadEntryIsNamed(String entry, String message) {
    assertThatThrownBy(
            () -> new ApiKeys(file("\n- " + entry.replace("$", digest("k"))), NAMESPACES))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(message)
        .extracting(Throwable::getMessage)
        .asString()
        .doesNotContain("\n", "dev.assay");
  }

  private Path file(String entries) throws IOException {
    Path file = directory.resolve("keys.yaml");
    Files.writeString(file, "keys:" + (entries.startsWith("-") ? "\n" : "") + entries);
    return file;
  }

  private static String entry(String caller, String namespace, String key) {
    return "- {caller: "
        + caller
        + ", namespace: "
        + namespace
        + ", sha256: "
        + digest(key)
        + "}\n";
  }

  private static String digest(String key) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String metricsOf(ApiKeys keys) {
    ProgramMetrics metrics = ProgramMetrics.create();
    keys.bindTo(metrics);
    return metrics.text();
  }
}
