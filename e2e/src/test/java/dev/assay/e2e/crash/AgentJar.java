package dev.assay.e2e.crash;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** Packs the agent. */
public final class AgentJar {
  private static final List<String> CLASSES =
      List.of(
          "CrashAgent",
          "CrashAgent$Transformer",
          "CrashPoints",
          "Step",
          "StepCalls",
          "StepCalls$Calls");

  private AgentJar() {}

  /** A jar for {@code -javaagent}. */
  public static byte[] bytes() {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", CrashAgent.class.getName());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes, manifest)) {
      String directory = AgentJar.class.getPackageName().replace('.', '/') + "/";
      for (String name : CLASSES) {
        jar.putNextEntry(new ZipEntry(directory + name + ".class"));
        try (InputStream classFile = AgentJar.class.getResourceAsStream(name + ".class")) {
          Objects.requireNonNull(classFile, name).transferTo(jar);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
