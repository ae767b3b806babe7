package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files that code leaves are stored whatever it does, and later runs read them. */
@Everywhere
class ArtifactsE2E {
  /** Leaves a file, and prints its digest. */
  private static final String LEAVE =
      """
      import hashlib, os
      os.makedirs("artifacts/deep/er", exist_ok=True)
      data = bytes(range(256)) * 4000
      with open("artifacts/deep/er/ä b.bin", "wb") as file:
          file.write(data)
      print(hashlib.sha256(data).hexdigest(), flush=True)
      """;

  private static final String LEFT = "artifacts/deep/er/ä b.bin";

  private final Runs runs;

  ArtifactsE2E(Assay assay) {
    this.runs = new Runs(assay);
  }

  @Test
  void whatCodeLeavesIsListedWithItsDigest() {
    AnalyticsRunStatus ended = end(python(LEAVE + "open('.hidden', 'w').write('no')\n"));
    assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(ended.artifactList())
        .containsExactly(
            new RunArtifact(
                LEFT, 1_024_000, Runs.output(ended).strip(), "application/octet-stream"));
    assertThat(ended.artifactsMessage()).isNull();
  }

  @Test
  void aRunThatLeavesNothingHasNoArtifacts() {
    AnalyticsRunStatus ended = end(python("print(1)"));
    assertThat(ended.artifacts()).isNull();
    assertThat(ended.artifactsMessage()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "raise ValueError('x') | CodeError",
        "import os; os._exit(3) | CodeError",
        "import os; os.kill(os.getpid(), 9) | CodeError",
        "while True: pass | DeadlineExceeded",
      })
  void whatCodeHasLeftIsKeptHoweverItEnds(String end, RunReason reason) {
    AnalyticsRunStatus ended = end(python(LEAVE + end).withTimeoutSeconds(3));
    assertThat(ended.reason()).isEqualTo(reason);
    assertDigest(ended);
  }

  @Test
  void whatACancelledRunHasLeftIsKept() {
    AnalyticsRun run = runs.create(python(LEAVE + "while True: pass").withTimeoutSeconds(60));
    runs.awaitRunning(run);
    runs.cancel(run);
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    assertThat(ended.reason()).isEqualTo(RunReason.Cancelled);
    // It may have been cancelled before its first line.
    if (!Runs.output(ended).isEmpty()) {
      assertDigest(ended);
    }
  }

  @Test
  void whatIsNoFileIsLeftOutAndTheRestIsKept() {
    AnalyticsRunStatus ended =
        end(
            python(
                """
                import os, socket
                os.makedirs("artifacts/folder")
                os.chdir("artifacts")
                open("good.txt", "w").write("good")
                os.symlink("/etc/passwd", "link.txt")
                os.symlink("good.txt", "near.txt")
                os.symlink("/etc", "folder/linked")
                os.mkfifo("pipe")
                left, right = socket.socketpair()
                socket.socket(socket.AF_UNIX).bind("socket")
                with open("sparse.bin", "wb") as file:
                    file.truncate(1 << 40)
                for name in ["new\\nline", "escape\\x1b[31m", "return\\r", "right\\u202eleft"]:
                    open(name, "w").write("x")
                open("none.txt", "w").write("x")
                os.chmod("none.txt", 0)
                print("done")
                """));
    assertThat(Runs.output(ended)).isEqualTo("done\n");
    assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(ended.artifactList())
        .extracting(RunArtifact::path)
        .contains("artifacts/good.txt")
        .isSubsetOf("artifacts/good.txt", "artifacts/none.txt");
    assertThat(ended.artifactsMessage()).isNotBlank().doesNotContain("\n", "\u001b", "passwd");
  }

  @Test
  void aFolderThatIsALinkIsNotFollowed() {
    AnalyticsRunStatus ended =
        end(
            python(
                "import os\nos.rmdir('artifacts')\nos.symlink('/etc', 'artifacts')\nprint('done')"));
    assertThat(ended.phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(ended.artifacts()).isNull();
  }

  // Twice as many as are looked at. For each new file ext4 searches for an inode that was not freed
  // in the last seconds: where other runs have just ended, 100,000 take minutes.
  @Test
  void of20000FilesThoseThatTheClassAllowsAreKept() {
    AnalyticsRunStatus ended =
        end(
            python(
                    """
                    import os
                    os.makedirs("artifacts", exist_ok=True)
                    os.chdir("artifacts")
                    for i in range(20_000):
                        os.close(os.open(f"{i:06}", os.O_CREAT))
                    print("done")
                    """)
                .withTimeoutSeconds(120));
    assertThat(Runs.output(ended)).isEqualTo("done\n");
    assertThat(ended.artifactList()).hasSize(100);
    assertThat(ended.artifactsMessage())
        .contains("over the 100 files", "there are more than 10000 entries");
  }

  // 3,000 folders are beyond what a path (4,096 bytes), the recursion of Python (1,000) and open
  // files (1,024) reach. More only cost time: in local mode Landlock walks from each new folder up
  // to the one that may be written to, which is 50 million steps for 10,000.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "folders 3,000 deep | 3_000 | \"d\" | too deep",
        "a path of 4 KiB | 15 | \"n\" * 250 | over 256 bytes",
      })
  void aFileFarBelowIsLeftOutAndTheRestIsKept(
      String what, String depth, String name, String reason) {
    AnalyticsRunStatus ended =
        end(
            python(
                    """
                    import os
                    os.makedirs("artifacts", exist_ok=True)
                    os.chdir("artifacts")
                    open("good.txt", "w").write("good")
                    for _ in range(DEPTH):
                        os.mkdir(NAME)
                        os.chdir(NAME)
                    open(NAME, "w").write("below")
                    print("done")
                    """
                        .replace("DEPTH", depth)
                        .replace("NAME", name))
                .withTimeoutSeconds(120));
    assertThat(Runs.output(ended)).as("%s: %s", what, ended).isEqualTo("done\n");
    assertThat(ended.artifactList())
        .extracting(RunArtifact::path)
        .containsExactly("artifacts/good.txt");
    assertThat(ended.artifactsMessage()).contains(reason);
  }

  @Test
  void codeThatIsKilledForMemoryKeepsItsFilesUnlessItsContainerIsKilledWithIt() {
    AnalyticsRunStatus ended =
        end(
            python(
                    LEAVE
                        + """
                        held = []
                        while True:
                            held.append(bytearray(b"x" * (16 << 20)))
                        """)
                .withTimeoutSeconds(60));
    assertThat(ended.reason()).isEqualTo(RunReason.MemoryExceeded);
    if (ended.artifactList().isEmpty()) {
      assertThat(ended.artifactsMessage()).startsWith("No files were collected");
    } else {
      assertDigest(ended);
    }
  }

  @Test
  void whatCodeHasLeftBeforeItsScratchWasFullIsKept() {
    AnalyticsRunStatus ended =
        end(
            python(
                    LEAVE
                        + """
                        try:
                            with open("artifacts/late.bin", "wb", buffering=0) as file:
                                for _ in range(96):
                                    if file.write(bytes(1 << 20)) < 1 << 20:
                                        raise OSError("full")
                        except OSError:
                            os.unlink("artifacts/late.bin")
                            raise
                        os.unlink("artifacts/late.bin")
                        """)
                .withTimeoutSeconds(60));
    // In local mode scratch has no size where this user may not mount it.
    assertThat(ended.reason()).isIn(RunReason.CodeError, RunReason.Completed);
    assertDigest(ended);
    assertThat(ended.artifactsMessage()).isNull();
  }

  @Test
  void aProcessThatSurvivesTheCodeWritesNoMore() {
    AnalyticsRun run =
        runs.create(
            python(
                """
                import os, time
                os.makedirs("artifacts", exist_ok=True)
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() == 0:
                        os.close(1)
                        os.close(2)
                        with open("artifacts/log.txt", "w", buffering=1) as log:
                            while True:
                                log.write("still here\\n")
                                os.sched_yield()
                while not os.path.exists("artifacts/log.txt"):
                    time.sleep(0.01)
                print("done", flush=True)
                os._exit(0)
                """));
    AnalyticsRunStatus ended = runs.awaitEnd(run);
    RunArtifact log = ended.artifactList().getFirst();
    assertThat(log.path()).isEqualTo("artifacts/log.txt");
    assertThat(digestIn(run, "artifacts/log.txt")).isEqualTo(log.bytes() + " " + log.sha256());
  }

  @Test
  void anArtifactIsAFileOfALaterRunWhichCannotChangeIt() {
    AnalyticsRun earlier = runs.create(python(LEAVE));
    String digest = Runs.output(runs.awaitEnd(earlier)).strip();
    String name = earlier.getMetadata().getName();
    AnalyticsRunStatus later =
        end(
            python(
                    """
                    import hashlib
                    data = open("old/data.bin", "rb").read()
                    print(len(data), hashlib.sha256(data).hexdigest())
                    try:
                        open("old/data.bin", "r+b")
                        print("written")
                    except OSError as error:
                        print(type(error).__name__)
                    """)
                .withInputs(List.of(new RunInput(name, LEFT, "old/data.bin"))));
    assertThat(Runs.output(later).lines()).first().isEqualTo("1024000 " + digest);
    assertThat(Runs.output(later)).doesNotContain("written");
    assertThat(later.inputList()).singleElement().extracting("sha256").isEqualTo(digest);
  }

  @Test
  void aRunWhoseInputDoesNotExistIsRefusedAndSaysWhich() {
    AnalyticsRun earlier = runs.create(python("print(1)"));
    runs.awaitEnd(earlier);
    String name = earlier.getMetadata().getName();
    Map<RunInput, String> missing =
        Map.of(
            new RunInput("e2e-none", "a", null), "\"e2e-none\" was not found",
            new RunInput(name, "a.csv", null), "has no artifact \"a.csv\"",
            new RunInput(name, null, null), "kept no frames");
    missing.forEach(
        (input, words) -> {
          AnalyticsRunStatus ended = end(python("print(1)").withInputs(List.of(input)));
          assertThat(ended.reason()).isEqualTo(RunReason.ArtifactNotFound);
          assertThat(ended.payloadStarted()).isEqualTo(PayloadStarted.No);
          assertThat(ended.message()).contains(words);
        });
  }

  @Test
  void keptFramesAreVariablesOfPythonAndTablesOfSql() {
    AnalyticsRun earlier =
        runs.create(
            python("import pandas as pd\nsales = pd.DataFrame({'a': [1, 2], 'b': ['x', None]})")
                .withKeep(List.of("sales", "missing")));
    AnalyticsRunStatus ended = runs.awaitEnd(earlier);
    assertThat(ended.artifactList())
        .extracting(RunArtifact::path)
        .containsExactlyInAnyOrder("frames/sales.arrow", "frames/sales.parquet");
    List<RunInput> inputs = List.of(new RunInput(earlier.getMetadata().getName(), null, null));
    AnalyticsRunStatus python =
        end(python("print(sales['a'].sum(), sales['b'].isna().sum())").withInputs(inputs));
    assertThat(Runs.output(python)).isEqualTo("3 1\n");
    AnalyticsRunStatus sql =
        end(
            spec("SELECT sum(a) AS total FROM sales", Language.SQL)
                .with()
                .className("sql")
                .reply(ReplySpec.ofRows(5))
                .inputs(inputs)
                .build());
    assertThat(sql.result()).isNotNull();
    assertThat(sql.result().value()).contains("total").contains("3");
  }

  @Test
  void filesAreInTheWorkingDirectoryBeforeTheCodeStarts() {
    AnalyticsRunStatus ended =
        end(
            python("import helper\nprint(helper.X, open('data/raw.txt').read())")
                .withFiles(
                    List.of(new RunFile("helper.py", "X = 5"), new RunFile("data/raw.txt", "ä"))));
    assertThat(Runs.output(ended)).isEqualTo("5 ä\n");
  }

  @Test
  void whatARunReadsAndLeavesIsDeletedWithIt() {
    AnalyticsRun earlier = runs.create(python(LEAVE));
    runs.awaitEnd(earlier);
    runs.delete(earlier);
    AnalyticsRunStatus ended =
        end(
            python("print(1)")
                .withInputs(List.of(new RunInput(earlier.getMetadata().getName(), LEFT, null))));
    assertThat(ended.reason()).isEqualTo(RunReason.ArtifactNotFound);
  }

  private AnalyticsRunStatus end(AnalyticsRunSpec spec) {
    return runs.awaitEnd(runs.create(spec));
  }

  /** Length and digest of an artifact as a later run reads it. */
  private String digestIn(AnalyticsRun run, String path) {
    return Runs.output(
            end(
                python(
                        """
                        import hashlib
                        data = open("input.bin", "rb").read()
                        print(len(data), hashlib.sha256(data).hexdigest())
                        """)
                    .withInputs(
                        List.of(new RunInput(run.getMetadata().getName(), path, "input.bin")))))
        .strip();
  }

  private static void assertDigest(AnalyticsRunStatus ended) {
    Map<String, String> digests =
        ended.artifactList().stream()
            .collect(Collectors.toMap(RunArtifact::path, RunArtifact::sha256));
    assertThat(digests)
        .containsExactly(Map.entry(LEFT, Runs.output(ended).lines().findFirst().orElseThrow()));
  }

  private static AnalyticsRunSpec python(String code) {
    return spec(code, Language.PYTHON);
  }

  private static AnalyticsRunSpec spec(String code, Language language) {
    return AnalyticsRunSpecBuilder.builder()
        .className("python")
        .language(language)
        .code(code)
        .build();
  }
}
