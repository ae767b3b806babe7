package dev.assay.api.v1alpha1;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.digest.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key of a result in the cache: equal for two runs if everything is equal that their value
 * follows from. Who called, and limits of time and output, are no part of it.
 */
public final class CacheKey {
  private static final int ABSENT = -1;

  private final MessageDigest sha256 = Sha256.digest();

  private CacheKey() {}

  /**
   * The key, in hexadecimal.
   *
   * @param spec the complete spec, with its code and input
   * @param className the class that the run has, which a spec may leave to the operator
   * @param snapshots the snapshots that the run reads, in the order of its datasets
   * @param inputs the artifacts that the run reads, in the order of its inputs
   * @param imageID the digest of the image that runs it
   */
  public static String of(
      AnalyticsRunSpec spec,
      String className,
      List<PinnedSnapshot> snapshots,
      List<PinnedInput> inputs,
      String imageID) {
    BuiltinSpec builtin = spec.builtin();
    ReplySpec reply = spec.reply();
    CacheKey key =
        new CacheKey()
            .add(spec.language().wireName())
            .add(spec.code())
            .add(builtin == null ? null : builtin.name().wireName())
            .add(builtin == null ? null : builtin.arguments())
            .add(spec.input())
            .add(reply == null ? null : Integer.toString(reply.rows()))
            .add(spec.cacheName())
            .add(className)
            .add(imageID);
    for (PinnedSnapshot snapshot : snapshots) {
      key.add(snapshot.dataset()).add(snapshot.displayName()).add(snapshot.id());
    }
    key.addOptions(spec, inputs);
    return HexFormat.of().formatHex(key.sha256.digest());
  }

  /**
   * What few runs have is added only where it is there, under a name that no dataset can have: the
   * keys of the others stay as they were.
   */
  private void addOptions(AnalyticsRunSpec spec, List<PinnedInput> inputs) {
    if (spec.runMode() != RunMode.STANDARD) {
      add("mode:").add(spec.runMode().wireName());
    }
    spec.fileList().forEach(file -> add("file:").add(file.path()).add(file.text()));
    inputs.forEach(input -> add("input:").add(input.path()).add(input.frame()).add(input.sha256()));
    spec.keptFrames().forEach(name -> add("keep:").add(name));
    ReplySpec reply = spec.reply();
    if (reply != null && reply.chart() != null) {
      ChartType type = reply.chart().type();
      add("chart:").add(type == null ? null : type.wireName());
    }
    if (reply != null && reply.timeZone() != null) {
      add("timeZone:").add(reply.timeZone());
    }
  }

  /** Each text has its length before it, so that two never look like two others. */
  private CacheKey add(@Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(UTF_8);
    int length = text == null ? ABSENT : bytes.length;
    sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
    sha256.update(bytes);
    return this;
  }
}
