package dev.assay.cli.python;

import java.util.List;
import java.util.Locale;

/** Explains a failure of pip in one sentence, with the remedy. */
final class InstallationFailure {
  private static final List<String> NO_NETWORK =
      List.of(
          "temporary failure in name resolution",
          "failed to establish a new connection",
          "newconnectionerror",
          "network is unreachable",
          "connection refused",
          "connecttimeout",
          "connection timed out",
          "read timed out",
          "proxyerror",
          "name or service not known",
          "(from versions: none)");

  private InstallationFailure() {}

  static String explain(List<String> said) {
    String all = String.join("\n", said).toLowerCase(Locale.ROOT);
    if (NO_NETWORK.stream().anyMatch(all::contains)) {
      return "the Python libraries could not be fetched: the first start needs the package index"
          + " of pip (pip's own settings for an index or a proxy are respected); retry with a"
          + " connection";
    }
    if (all.contains("no space left on device")) {
      return "the Python libraries need about 1 GiB of disk, and it is full: make room, or name"
          + " another directory in XDG_CACHE_HOME";
    }
    if (all.contains("do not match the hashes")) {
      return "a Python library that was fetched is not the one that was pinned: the index or a"
          + " proxy gave other bytes; try another index";
    }
    if (all.contains("no matching distribution")) {
      return "a pinned Python library has no build for this Python and this machine: use Python"
          + " 3.11 to 3.13 on Linux x86-64 or aarch64, and name it in "
          + SystemPython.VARIABLE;
    }
    return "the Python libraries could not be installed: "
        + said.stream()
            .filter(line -> line.toLowerCase(Locale.ROOT).contains("error"))
            .reduce((first, second) -> second)
            .orElseGet(() -> said.isEmpty() ? "pip said nothing" : said.getLast());
  }
}
