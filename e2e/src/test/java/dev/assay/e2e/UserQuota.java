package dev.assay.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A limit that the kernel enforces per user and not per Pod. Each is one file of {@code
 * probes/quota}; a file that is added there is tested like the others.
 *
 * @param name of the file, and of the probe in it
 */
record UserQuota(String name) {
  private static final String DIRECTORY = "probes/quota";
  private static final String SUFFIX = ".py";

  /** All of them, in alphabetical order. */
  static List<UserQuota> all() {
    try (Stream<Path> files = Files.list(Samples.file(DIRECTORY))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(SUFFIX))
          .sorted()
          .map(file -> new UserQuota(file.substring(0, file.length() - SUFFIX.length())))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A program that exhausts the quota and holds it until it is stopped. */
  String attack() {
    return program(List.of(this), "attack('" + name + "')\n");
  }

  /** Code that uses each quota once and prints the results. */
  static String useOfAll() {
    return program(all(), "use_all()\n");
  }

  private static String program(List<UserQuota> quotas, String call) {
    return quotas.stream()
        .map(quota -> Samples.text(DIRECTORY + "/" + quota.name() + SUFFIX))
        .collect(Collectors.joining("\n\n", Samples.text("probes/quota_tools.py") + "\n\n", call));
  }

  @Override
  public String toString() {
    return name;
  }
}
