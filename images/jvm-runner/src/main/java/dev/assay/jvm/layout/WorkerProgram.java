package dev.assay.jvm.layout;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of the directory, with a jar of its own: what one starts with does not make the other
 * slower.
 *
 * @param start the name of the script that starts it
 * @param jar the name of its jar
 * @param archive the name of the archive of its loaded classes
 * @param mainClass what is started
 * @param trainingClass does once what the program does, for the archive
 * @param options of the JVM, besides those that all have
 * @param sources jars, or directories of classes
 */
record WorkerProgram(
    String start,
    String jar,
    String archive,
    String mainClass,
    String trainingClass,
    List<String> options,
    List<Path> sources) {
  /** An archive of classes can be used only with the collector that it was made with. */
  private static final List<String> COMMON = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private static final String START =
      """
      #!/bin/sh
      # Starts the worker; its standard input is the control socket.
      directory=${0%/*}
      exec "JAVA" -XX:AOTCache="$directory/ARCHIVE" -Xlog:disable OPTIONS \\
        -XX:-UsePerfData -Djava.library.path="$directory/native" -jar "$directory/JAR"
      """;

  /** The script that starts it. */
  String script(String java) {
    return START
        .replace("JAVA", java)
        .replace("ARCHIVE", archive)
        .replace("OPTIONS", String.join(" ", allOptions()))
        .replace("JAR", jar);
  }

  /** How its archive is made. */
  ArchiveTraining training(String java, Path directory) {
    Path whole = directory.resolve(archive);
    Path unfinished = ArchiveTraining.unfinished(whole);
    List<String> command = new ArrayList<>();
    command.add(java);
    command.add("-XX:AOTCacheOutput=" + unfinished);
    command.addAll(allOptions());
    command.add("-Djava.library.path=" + directory.resolve("native"));
    command.add("-cp");
    command.add(directory.resolve(jar).toString());
    command.add(trainingClass);
    return new ArchiveTraining(whole, unfinished, command);
  }

  private List<String> allOptions() {
    List<String> all = new ArrayList<>(COMMON);
    all.addAll(options);
    return all;
  }
}
