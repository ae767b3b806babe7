package dev.assay.cli.local;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.cli.ExitCode;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.ApiException;
import dev.assay.cli.client.Endpoint;
import dev.assay.cli.python.PythonEnvironment;
import dev.assay.cli.text.Progress;
import dev.assay.frontend.dataset.DatasetState;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.IsolationDetection;
import dev.assay.local.isolation.MemoryLimit;
import dev.assay.operator.AssayOperator;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Local mode as a person meets it: what is said, asked and shown. */
public final class LocalMode {
  private static final long LOADING_MINUTES = 5;

  /**
   * What a person asked for.
   *
   * @param demo whether to make calls that show what it does
   * @param once whether to end after them
   * @param trustCode whether to serve although nothing isolates code here
   * @param command how this program is called
   */
  public record Wishes(boolean demo, boolean once, boolean trustCode, String command) {}

  private final LocalSettings settings;
  private final Wishes wishes;
  private final PrintStream out;
  private final Progress progress;

  public LocalMode(LocalSettings settings, Wishes wishes, PrintStream out, Progress progress) {
    this.settings = settings;
    this.wishes = wishes;
    this.out = out;
    this.progress = progress;
  }

  /**
   * Runs until the process is told to end, or the demonstration is over.
   *
   * @return the exit code
   */
  public int run() throws MachineException, ApiException, IOException, InterruptedException {
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
      progress.say("This was tried on Linux only, and is likely to fail elsewhere");
    }
    AssayOperator.boundHeadersOfRunners();
    checkPort();
    checkFolder();
    PythonEnvironment python = PythonEnvironment.prepare(progress);
    Isolation isolation = IsolationDetection.detect(python.interpreter().toString());
    MemoryLimit memory = IsolationDetection.memoryLimit(python.interpreter().toString());
    out.println("Isolation: " + Machine.promise(isolation, memory));
    if (isolation == Isolation.NONE && !wishes.once && !wishes.trustCode) {
      throw new MachineException(
          "nothing isolates code on this machine, and callers could do all that you can: start with"
              + " --trust-code if you trust all code that will be sent, or see 'assay doctor'");
    }
    try (LocalAssay assay = LocalAssay.start(settings, python, isolation)) {
      CountDownLatch ended = endWithTheProcess(assay);
      offerData(assay);
      out.printf("Assay serves %s/mcp and %s/api/v1%n%n", assay.endpoint(), assay.endpoint());
      if (wishes.demo) {
        new Demo(new Endpoint(assay.endpoint(), assay.key()), out).run();
      }
      if (!wishes.once) {
        tellHowToUse(assay);
        ended.await();
      }
    }
    return ExitCode.DONE;
  }

  /** Ctrl-C and SIGTERM come as the end of the process. */
  private static CountDownLatch endWithTheProcess(LocalAssay assay) {
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  assay.close();
                  ended.countDown();
                }));
    return ended;
  }

  /** Before anything takes time. */
  private void checkPort() throws MachineException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()));
    } catch (IOException e) {
      throw new MachineException(
          "port "
              + settings.port()
              + " is taken, perhaps by another 'assay local': choose another with --port, or 0 for"
              + " any that is free",
          e);
    }
  }

  private void checkFolder() throws MachineException {
    Path data = settings.data();
    if (data != null && !(Files.isDirectory(data) && Files.isReadable(data))) {
      throw new MachineException("--data: " + data + " is no folder that can be read");
    }
  }

  private void offerData(LocalAssay assay) throws IOException, InterruptedException {
    List<Dataset> offered = new ArrayList<>();
    if (wishes.demo) {
      offered.add(SampleData.dataset());
    }
    if (settings.data() != null) {
      DataFolder folder = DataFolder.read(settings.data());
      folder.skipped().forEach(skipped -> progress.say("Not offered: " + skipped));
      for (Map.Entry<String, DataFolder.Table> table : folder.tables().entrySet()) {
        offered.add(
            LocalObjects.dataset(
                table.getKey(), table.getValue().displayName(), table.getValue().source()));
      }
    }
    offered.forEach(assay::offer);
    if (settings.data() != null) {
      awaitLoaded(assay, offered);
    }
  }

  private void awaitLoaded(LocalAssay assay, List<Dataset> offered) throws InterruptedException {
    progress.begin("Datasets", offered.size());
    List<String> failed = new ArrayList<>();
    for (Dataset dataset : offered) {
      Dataset loaded =
          assay
              .client()
              .resource(dataset)
              .waitUntilCondition(LocalMode::isSettled, LOADING_MINUTES, TimeUnit.MINUTES);
      if (DatasetState.of(loaded) instanceof DatasetState.Failed reason) {
        failed.add("Dataset %s: %s".formatted(loaded.getMetadata().getName(), reason.message()));
      }
      progress.advance(1);
    }
    progress.end();
    failed.forEach(progress::say);
  }

  private static boolean isSettled(Dataset dataset) {
    return dataset != null && !(DatasetState.of(dataset) instanceof DatasetState.Loading);
  }

  private void tellHowToUse(LocalAssay assay) {
    out.println();
    ClientConfiguration.lines(assay.endpoint(), assay.key(), wishes.command).forEach(out::println);
    out.println("kubectl          KUBECONFIG=" + assay.kubeconfig() + " kubectl get assay");
    out.println();
    out.println(
        "Ctrl-C ends it"
            + (settings.state() == null
                ? ", with all runs and datasets."
                : "; runs and datasets are kept."));
  }
}
