package dev.assay.jvm;

/** The program: gets one job on its control socket, runs it, and sends its result. */
final class WorkerMain {
  private WorkerMain() {}

  public static void main(String[] arguments) {}
}
