package dev.assay.e2e;

import dev.assay.api.v1alpha1.DatasetFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Computes the same result outside of Assay, with plain pandas of the same version on this machine.
 */
final class PlainPandas {
  private final Path python;

  PlainPandas(Installation installation) {
    python = installation.clients().resolve("python/bin/python");
  }

  /** The output of the code when {@code df} is read from {@code file}. */
  String prints(DatasetFormat format, Path file, String code) {
    return Programs.run(
            List.of(
                python.toString(),
                "-I",
                "-c",
                """
                import sys
                import numpy as np
                import pandas as pd
                df = getattr(pd, "read_" + sys.argv[1])(sys.argv[2])
                exec(compile(sys.stdin.read(), "<string>", "exec"))
                """,
                format.wireName(),
                file.toString()),
            code,
            Map.of())
        .orFail();
  }
}
