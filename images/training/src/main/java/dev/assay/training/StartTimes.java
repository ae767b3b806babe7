package dev.assay.training;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures how the programs start with their AOT caches and without, in turn, and what the first
 * runs cost operator and front end. The figures of docs/operate.md are from here.
 */
public final class StartTimes {
  private static final int BATCH = 20;

  private final Map<String, List<Long>> samples = new LinkedHashMap<>();
  private final int batches;

  private StartTimes(int batches) {
    this.batches = batches;
  }

  /**
   * Prints the medians.
   *
   * @param arguments the directory of the programs, how often each is started, and how many times
   *     20 runs follow
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    StartTimes times = new StartTimes(Integer.parseInt(arguments[2]));
    try (Installation assay = new Installation(Path.of(arguments[0]))) {
      for (int round = 0; round < Integer.parseInt(arguments[1]); round++) {
        times.measure(assay, "without", "-XX:AOTMode=off", "-XX:AOTMode=off");
        times.measure(
            assay,
            "with",
            "-XX:AOTCache=" + assay.cache("operator"),
            "-XX:AOTCache=" + assay.cache("mcp-frontend"));
        times.measureToolGateway(assay, "without", "-XX:AOTMode=off");
        times.measureToolGateway(assay, "with", "-XX:AOTCache=" + assay.cache("tool-gateway"));
      }
    }
    times.samples.forEach(
        (name, values) -> System.out.printf("%-48s %8d  %s%n", name, median(values), values));
  }

  private void measure(Installation assay, String cache, String operatorOption, String frontOption)
      throws IOException, InterruptedException {
    try (Program operator = assay.startOperator(operatorOption)) {
      atStart(cache + " operator", operator);
      try (Program frontEnd = assay.startFrontEnd(frontOption);
          Calls calls = assay.calls()) {
        atStart(cache + " front end", frontEnd);
        Workload workload = new Workload(calls);
        workload.load();
        for (int batch = 1; batch <= batches; batch++) {
          long operatorBefore = operator.cpuMillis();
          long frontEndBefore = frontEnd.cpuMillis();
          long begin = System.nanoTime();
          for (int run = 0; run < BATCH; run++) {
            workload.code(run);
          }
          String runs = " until run " + batch * BATCH;
          add(cache + runs + " call ms", (System.nanoTime() - begin) / 1_000_000 / BATCH);
          add(cache + runs + " operator CPU ms", (operator.cpuMillis() - operatorBefore) / BATCH);
          add(cache + runs + " front end CPU ms", (frontEnd.cpuMillis() - frontEndBefore) / BATCH);
        }
        add(cache + " operator warm MiB", operator.residentMebibytes());
        add(cache + " front end warm MiB", frontEnd.residentMebibytes());
        frontEnd.stop();
      }
      operator.stop();
    }
  }

  private void measureToolGateway(Installation assay, String cache, String option)
      throws IOException, InterruptedException {
    try (Program gateway = assay.startToolGateway(option)) {
      atStart(cache + " tool gateway", gateway);
      gateway.stop();
    }
  }

  private void atStart(String name, Program program) throws IOException {
    add(name + " ready after ms", program.readyAfterMillis());
    add(name + " ready CPU ms", program.cpuMillis());
    add(name + " ready MiB", program.residentMebibytes());
  }

  private void add(String name, long value) {
    samples.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
