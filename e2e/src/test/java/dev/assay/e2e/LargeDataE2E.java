package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import java.io.BufferedWriter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CSV files of 10 MB to 1 GiB: uploaded through a control plane whose memory does not grow, read as
 * pandas reads them elsewhere, and used in a class with enough memory. The measurements are written
 * to target/large-data.md.
 */
@Full
class LargeDataE2E {
  private static final long MEBIBYTE = 1024 * 1024;
  private static final int MAX_SECONDS = 600;

  /** Much less than the largest file, and within the normal fluctuation of a JVM of this size. */
  private static final long MAX_GROWTH_KIB = 128 * 1024;

  private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

  /** The same code inside a run and outside. */
  private static final String DIGEST =
      """
      import hashlib, pandas
      rows = pandas.util.hash_pandas_object(df, index=True).values
      print(hashlib.sha256(rows.tobytes()).hexdigest(), list(df.dtypes.astype(str)))
      """;

  private static final String OUTSIDE =
      """
      import sys, time, pandas
      start = time.monotonic()
      df = pandas.read_csv(sys.argv[1])
      df.to_parquet(sys.argv[1] + '.parquet')
      seconds = time.monotonic() - start
      exec(sys.argv[2])
      print(seconds)
      """;

  @TempDir private Path folder = Path.of("");

  private final List<String> lines =
      new ArrayList<>(
          List.of(
              "| CSV | upload, s | until Ready, s | read_csv + to_parquet outside, s | call to df,"
                  + " s | control plane's peak before and after, MiB |",
              "|---|---|---|---|---|---|"));

  @Test
  void aFileOfAnySizeIsUploadedReadAndUsed(Assay assay) throws IOException {
    for (long size : List.of(10 * MEBIBYTE, 100 * MEBIBYTE, 1024 * MEBIBYTE)) {
      Path file = csv(size);
      takeThrough(assay, file, "large-" + size / MEBIBYTE);
      Files.delete(file);
    }
    Files.write(Path.of("target", "large-data.md"), lines);
  }

  private void takeThrough(Assay assay, Path file, String name) throws IOException {
    List<Long> before = peaksKib(assay);
    Stopwatch watch = new Stopwatch();
    upload(assay, file, name);
    double uploaded = watch.seconds();
    DatasetStatus status = assay.awaitSettled(name, MAX_SECONDS);
    double ready = watch.seconds();
    List<Long> after = peaksKib(assay);
    assertThat(status.phase()).as(status.message()).isEqualTo(DatasetPhase.Ready);
    for (int i = 0; i < before.size(); i++) {
      assertThat(after.get(i) - before.get(i)).isLessThan(MAX_GROWTH_KIB);
    }
    List<String> outside = outside(file);
    double toDf = use(assay, name, outside.getFirst());
    lines.add(
        String.format(
            Locale.ROOT,
            "| %d MiB | %.1f | %.1f | %.1f | %.1f | %s |",
            Math.ceilDiv(Files.size(file), MEBIBYTE),
            uploaded,
            ready,
            Double.parseDouble(outside.getLast()),
            toDf,
            mebibytes(before) + " / " + mebibytes(after)));
    assay.rest().delete("/datasets/" + name);
  }

  private static void upload(Assay assay, Path file, String name) throws FileNotFoundException {
    HttpResponse<String> answer =
        assay
            .rest()
            .upload(name + "?format=csv&snapshotClass=snapshot-large", BodyPublishers.ofFile(file));
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    JsonNode dataset = Rest.json(answer);
    assertThat(dataset.path("phase").asText()).isNotEqualTo("Failed");
  }

  /** Seconds from the call to the first line of code, which has the data as {@code df}. */
  private static double use(Assay assay, String name, String digest) {
    Reply small = assay.run(name, "print(len(df))");
    boolean fits = !small.isError();
    if (!fits) {
      assertThat(small.text()).contains("use class 'python-large'");
    }
    String code = "import time\nprint(time.time())\n" + DIGEST;
    double called = System.currentTimeMillis() / 1000.0;
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "dataset_name",
                name,
                "python_code",
                code,
                "timeout_seconds",
                MAX_SECONDS,
                "run_class",
                "python-large"));
    List<String> printed = reply.text().lines().toList();
    assertThat(printed).as(reply.text()).hasSize(2);
    assertThat(printed.getLast()).as("the frame inside").isEqualTo(digest);
    return Double.parseDouble(printed.getFirst()) - called;
  }

  /** The digest, and how long pandas took. */
  private static List<String> outside(Path file) {
    String python =
        Programs.run(List.of("../images/runner/environment"), "", Map.of()).orFail().strip()
            + "/bin/python";
    return Programs.run(
            List.of(python, "-c", OUTSIDE, file.toString(), DIGEST), "", Map.of(), MAX_SECONDS)
        .orFail()
        .lines()
        .toList();
  }

  /** The peak memory of each process of the control plane. */
  private static List<Long> peaksKib(Assay assay) {
    String namespace = assay.installation().systemNamespace();
    return Programs.kubectl("-n", namespace, "get", "pods", "-o", "name")
        .orFail()
        .lines()
        .sorted()
        .map(
            pod ->
                Programs.kubectl("-n", namespace, "exec", pod, "--", "cat", "/proc/1/status")
                    .orFail())
        .map(
            text -> {
              Matcher peak = PEAK.matcher(text);
              assertThat(peak.find()).as(text).isTrue();
              return Long.parseLong(peak.group(1));
            })
        .toList();
  }

  private static String mebibytes(List<Long> kibibytes) {
    return String.join(", ", kibibytes.stream().map(kib -> Long.toString(kib / 1024)).toList());
  }

  private Path csv(long bytes) throws IOException {
    Path file = folder.resolve("large.csv");
    String line = "id,region,price,quantity,day,note\n";
    try (BufferedWriter csv = Files.newBufferedWriter(file)) {
      long left = bytes;
      for (long row = 0; line.length() <= left; row++) {
        csv.write(line);
        left -= line.length();
        line =
            row
                + ",region-"
                + row * 31 % 17
                + ','
                + row * 7919 % 100_003 / 100.0
                + ','
                + row % 13
                + ",2024-01-"
                + (10 + row % 19)
                + ",note "
                + row % 101
                + '\n';
      }
    }
    return file;
  }

  /** Time since its creation. */
  private static final class Stopwatch {
    private final long began = System.nanoTime();

    double seconds() {
      return (System.nanoTime() - began) / 1e9;
    }
  }
}
