package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;
import javax.imageio.ImageIO;

/** What a PNG file shows, as a reader outside of Assay decodes it. */
record Picture(int width, int height, int colours) {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

  /** Decodes a PNG file. */
  static Picture of(byte[] file) {
    assertThat(file).startsWith(SIGNATURE);
    try {
      BufferedImage image =
          Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(file)), "no picture");
      int[] pixels =
          image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
      return new Picture(
          image.getWidth(), image.getHeight(), (int) Arrays.stream(pixels).distinct().count());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
