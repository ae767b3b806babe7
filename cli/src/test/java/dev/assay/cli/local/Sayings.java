package dev.assay.cli.local;

import dev.assay.cli.text.Progress;
import java.util.List;

/**
 * Remembers what is said.
 *
 * @param said in order
 */
record Sayings(List<String> said) implements Progress {
  @Override
  public void begin(String what, long steps) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void advance(long steps) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void end() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void say(String sentence) {
    said.add(sentence);
  }
}
