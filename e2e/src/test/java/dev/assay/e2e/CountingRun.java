package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunPhase;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A call whose code counts slowly, and the run that it creates.
 *
 * @param code its code, which is unique
 * @param lines the number of lines it prints
 * @param reply the final reply to the caller
 */
record CountingRun(String code, int lines, CompletableFuture<Reply> reply) {
  private static final String DATASET = "sales_data";
  private static final int FILES = 3;

  /**
   * Calls.
   *
   * @param timeLimit of the run, in seconds
   * @param pause between two lines, in seconds
   */
  static CountingRun call(Assay assay, Executor threads, int timeLimit, int lines, double pause) {
    String code = code(lines, pause);
    return new CountingRun(
        code,
        lines,
        CompletableFuture.supplyAsync(() -> assay.run(DATASET, code, timeLimit), threads));
  }

  /** Unique code that leaves files and counts. */
  static String code(int lines, double pause) {
    return """
        # %s
        import os, time

        os.makedirs("artifacts", exist_ok=True)
        for n in range(FILES):
            with open(f"artifacts/{n}.txt", "w") as file:
                file.write(f"file {n}\\n")
        for n in range(%d):
            print("line", n)
            time.sleep(%s)
        """
        .replace("FILES", Integer.toString(FILES))
        .formatted(UUID.randomUUID(), lines, pause);
  }

  /** The files that it leaves. */
  static List<RunArtifact> files() {
    return IntStream.range(0, FILES)
        .mapToObj(
            n -> {
              byte[] text = ("file " + n + "\n").getBytes(UTF_8);
              return new RunArtifact(
                  "artifacts/" + n + ".txt", text.length, Sha256.hex(text), "text/plain");
            })
        .toList();
  }

  /** Its complete output. */
  String wholeOutput() {
    return lines(lines);
  }

  /** This number of lines that count from zero. */
  static String lines(int number) {
    return IntStream.range(0, number)
        .mapToObj(n -> "line " + n + "\n")
        .collect(Collectors.joining());
  }

  AnalyticsRun find(Assay assay) {
    List<AnalyticsRun> found =
        assay.runs().inNamespace(assay.namespace()).list().getItems().stream()
            .filter(run -> code.equals(run.getSpec().code()))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " runs came of one call");
    }
    return found.getFirst();
  }

  AnalyticsRunStatus status(Assay assay) {
    return Objects.requireNonNull(find(assay).getStatus());
  }

  /** Waits until the code runs. */
  void awaitRunning(Assay assay) {
    assay
        .runs()
        .inNamespace(assay.namespace())
        .informOnCondition(runs -> runs.stream().anyMatch(this::isRunning))
        .orTimeout(1, TimeUnit.MINUTES)
        .join();
  }

  private boolean isRunning(AnalyticsRun run) {
    return code.equals(run.getSpec().code())
        && run.getStatus() != null
        && run.getStatus().phase() == RunPhase.Running;
  }

  void deletePods(Assay assay) {
    assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel(Runs.RUN_UID, find(assay).getMetadata().getUid())
        .delete();
  }
}
