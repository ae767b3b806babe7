package dev.assay.frontend.tool;

import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.config.ToolNames;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description of a tool that agents read.
 *
 * @param name 1 to 64 letters, digits, {@code _} and {@code -}: other characters make some clients
 *     drop the whole server
 * @param title for people, in lists of clients
 * @param text for the agent: what it is for, and when it is not, in words of those who ask for it
 * @param parameters what its input schema is made of, and the check of its arguments
 * @param output what {@link dev.assay.frontend.call.Reply#structured} of a success is; null where
 *     the tool returns content alone
 * @param effects what a call does to the world
 * @param kind how long a call takes
 */
public record ToolDescription(
    String name,
    String title,
    String text,
    Parameters parameters,
    @Nullable Class<? extends Record> output,
    Effects effects,
    MethodKind kind) {
  private static final String GROUP = "analytics";

  public ToolDescription {
    if (!name.matches("[a-zA-Z0-9_-]{1,64}")) {
      throw new IllegalArgumentException("not a tool name that all clients take: " + name);
    }
  }

  /** All names that it answers to: one for each form where it is one of a group. */
  public List<String> names() {
    return Arrays.stream(ToolNames.values()).map(this::listedAs).distinct().toList();
  }

  /** The name that is listed. */
  public String listedAs(ToolNames form) {
    if (!name.startsWith(GROUP + "_")) {
      return name;
    }
    String bare = name.substring(GROUP.length() + 1);
    return switch (form) {
      case UNDERSCORE -> name;
      case SLASH -> GROUP + "/" + bare;
      case BARE -> bare;
    };
  }

  /** A tool that returns content alone. */
  public ToolDescription(
      String name,
      String title,
      String text,
      Parameters parameters,
      Effects effects,
      MethodKind kind) {
    this(name, title, text, parameters, null, effects, kind);
  }

  /** What a call does to the world outside its own run. */
  public enum Effects {
    /** Nothing. */
    READS,
    /**
     * It runs Python of its caller: nothing, unless the class of the run lets Python call tools of
     * other servers that do.
     */
    RUNS_PYTHON,
    /** It makes or marks something, and nothing is lost. */
    WRITES,
    /** It deletes, replaces or stops something, or can have others do so. */
    DESTROYS
  }
}
