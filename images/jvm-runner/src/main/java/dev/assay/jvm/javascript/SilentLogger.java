package dev.assay.jvm.javascript;

import com.caoccao.javet.interfaces.IJavetLogger;

/** Takes what the library for V8 has to say, such as that an end leaves objects behind. */
final class SilentLogger implements IJavetLogger {
  @Override
  public void debug(String message) {}

  @Override
  public void error(String message) {}

  @Override
  public void error(String message, Throwable cause) {}

  @Override
  public void info(String message) {}

  @Override
  public void warn(String message) {}
}
