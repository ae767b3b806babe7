package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the page on Python guarantees and only the sandbox could break. */
@Everywhere
class PythonE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void processesOfPoolsWork(Assay assay) {
    String code =
        """
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        from joblib import Parallel, delayed

        def double(x):
            return 2 * x

        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(double, range(3)))
        print(Parallel(2)(delayed(double)(x) for x in range(3)))
        """;
    assertThat(assay.run("sales_data", code, 60).text()).isEqualTo("[0, 2, 4]\n[0, 2, 4]\n");
  }

  @Test
  void plotsAreDrawnAndShowingOneWritesItToAFile(Assay assay) {
    String code =
        """
        import os
        import matplotlib.pyplot as plt
        pd.Series([1, 3, 2]).plot()
        plt.savefig("plot.png")
        print(os.path.getsize("plot.png") > 1000)
        plt.show()
        px.line([1, 3, 2]).show()
        """;
    assertThat(assay.run("sales_data", code, 60).text())
        .startsWith(
            """
            True
            Plot saved as artifacts/figure-1.png
            Plot saved as artifacts/figure-2.plotly.json
            [files in assay://runs/""")
        .contains("artifacts/figure-1.png (shown), artifacts/figure-2.plotly.json (");
  }

  @Test
  void aPartOfALineBeforeACrashIsKept(Assay assay) {
    Reply reply = assay.run("sales_data", "import os\nprint('so far', end=', ')\nos.abort()");
    assertThat(reply.text())
        .startsWith("so far, ")
        .contains("The process was ended by signal 6 (Aborted)");
  }

  @Test
  void aSignalToItselfIsToldByItsName(Assay assay) {
    Reply reply =
        assay.run("sales_data", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)");
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("The process was ended by signal 15 (Terminated)");
  }
}
