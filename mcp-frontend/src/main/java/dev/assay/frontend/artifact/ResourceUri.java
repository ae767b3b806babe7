package dev.assay.frontend.artifact;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.run.RunNames;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** What {@code resources/read} can read, by its address. */
public sealed interface ResourceUri {
  /** The beginning of all addresses. */
  String PREFIX = "assay://runs/";

  /** Longest address: a path of 256 bytes, each of them encoded. */
  int MAX_LENGTH = 1_200;

  /** Name of the run. */
  String run();

  /** The address as text. */
  String text();

  /** An artifact. */
  record File(String run, String path) implements ResourceUri {
    @Override
    public String text() {
      return folderOf(run) + encoded(path);
    }
  }

  /** The code of a run. */
  record Code(String run) implements ResourceUri {
    @Override
    public String text() {
      return PREFIX + run + "/code";
    }
  }

  /** What a run has printed. */
  record Output(String run) implements ResourceUri {
    @Override
    public String text() {
      return PREFIX + run + "/output";
    }
  }

  /** What the address of each artifact of a run begins with. */
  static String folderOf(String run) {
    return PREFIX + run + "/artifacts/";
  }

  /** The address of a text; empty where it is none. */
  static Optional<ResourceUri> parse(String text) {
    if (!text.startsWith(PREFIX) || text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String[] parts = text.substring(PREFIX.length()).split("/", 3);
    if (parts.length < 2 || !RunNames.isValid(parts[0])) {
      return Optional.empty();
    }
    String run = parts[0];
    return switch (parts[1]) {
      case "code" -> parts.length == 2 ? Optional.of(new Code(run)) : Optional.empty();
      case "output" -> parts.length == 2 ? Optional.of(new Output(run)) : Optional.empty();
      case "artifacts" ->
          parts.length == 3 && !parts[2].isEmpty()
              ? decoded(parts[2]).map(path -> new File(run, path))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** A path as a part of an address. */
  static String encoded(String path) {
    return Arrays.stream(path.split("/", -1))
        .map(part -> URLEncoder.encode(part, UTF_8).replace("+", "%20"))
        .collect(Collectors.joining("/"));
  }

  private static Optional<String> decoded(String path) {
    try {
      return Optional.of(URLDecoder.decode(path.replace("+", "%2B"), UTF_8));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
