package dev.assay.jvm.javascript;

import com.caoccao.javet.enums.JSRuntimeType;
import com.caoccao.javet.interop.loader.IJavetLibLoadingListener;
import com.caoccao.javet.interop.loader.JavetLibLoader;
import com.caoccao.javet.swc4j.Swc4jLibLoader;
import com.caoccao.javet.swc4j.interfaces.ISwc4jLibLoadingListener;
import java.io.File;

/** The libraries of V8 and swc, which would be unpacked at each start. */
final class NativeLibraries {
  private NativeLibraries() {}

  /** Has them loaded from a directory. */
  static void loadFrom(File directory) {
    JavetLibLoader.setLibLoadingListener(
        new IJavetLibLoadingListener() {
          @Override
          public File getLibPath(JSRuntimeType type) {
            return directory;
          }

          @Override
          public boolean isDeploy(JSRuntimeType type) {
            return false;
          }
        });
    Swc4jLibLoader.setLibLoadingListener(
        new ISwc4jLibLoadingListener() {
          @Override
          public File getLibPath() {
            return directory;
          }

          @Override
          public boolean isDeploy() {
            return false;
          }
        });
  }
}
