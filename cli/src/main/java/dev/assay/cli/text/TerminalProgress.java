package dev.assay.cli.text;

import java.io.PrintStream;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Bars on a terminal, plain lines elsewhere. */
public final class TerminalProgress implements Progress {
  private static final int UPDATE_MILLIS = 200;

  private final PrintStream err;
  private final boolean terminal;
  private @Nullable ProgressBar bar;

  public TerminalProgress(PrintStream err) {
    this.err = err;
    this.terminal = Terminal.ERR.isThere();
  }

  @Override
  public void begin(String what, long steps) {
    if (terminal) {
      bar =
          new ProgressBarBuilder()
              .setTaskName(what)
              .setInitialMax(steps)
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(UPDATE_MILLIS)
              .build();
    } else {
      err.println(what + ": " + steps);
    }
  }

  @Override
  public void advance(long steps) {
    if (bar != null) {
      bar.stepBy(steps);
    }
  }

  @Override
  public void end() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }

  @Override
  public void say(String sentence) {
    err.println(sentence);
  }
}
