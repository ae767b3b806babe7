package dev.assay.cli.client;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a program keeps the files of its user, as the XDG Base Directory Specification says.
 *
 * @param cache files that can be made again
 * @param state files that a restart must not lose
 */
public record UserDirectories(Path cache, Path state) {
  /** Those of the user who runs this. */
  public static UserDirectories ofUser() {
    return of(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /**
   * Those that an environment names.
   *
   * @param account the home directory of the account, for where HOME is not set; a shell expands
   *     {@code ~} to HOME, which may be another
   */
  static UserDirectories of(Map<String, String> environment, Path account) {
    Path home = named(environment.get("HOME"), account);
    return new UserDirectories(
        named(environment.get("XDG_CACHE_HOME"), home.resolve(".cache")),
        named(environment.get("XDG_STATE_HOME"), home.resolve(".local").resolve("state")));
  }

  private static Path named(@Nullable String name, Path otherwise) {
    return name == null || name.isBlank() ? otherwise : Path.of(name);
  }
}
