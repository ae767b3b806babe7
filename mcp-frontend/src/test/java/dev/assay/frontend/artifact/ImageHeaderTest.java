package dev.assay.frontend.artifact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.call.ContentBlock.Image.Format;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ImageHeaderTest {
  /** A real file. */
  static byte[] image(String format, int width, int height) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    ImageIO.write(new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB), format, file);
    return file.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({"png, PNG", "jpg, JPEG"})
  void theSizeOfAnImageIsRead(String extension, Format format) throws IOException {
    assertThat(ImageHeader.of(image(extension, 600, 360)))
        .contains(new ImageHeader(format, 600, 360));
  }

  @Test
  void anImageThatWouldTakeGigabytesToBeShownIsNot() throws IOException {
    byte[] file = image("png", 10, 10);
    ByteBuffer.wrap(file).putInt(16, 100_000).putInt(20, 100_000);

    assertThat(ImageHeader.of(file))
        .hasValueSatisfying(it -> assertThat(it.isShowable()).isFalse());
    ByteBuffer.wrap(file).putInt(16, -1).putInt(20, 1);
    assertThat(ImageHeader.of(file))
        .hasValueSatisfying(it -> assertThat(it.isShowable()).isFalse());
    assertThat(ImageHeader.of(image("png", 10, 10)).orElseThrow().isShowable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"png", "jpg"})
  void everyBeginningOfAnImageIsReadWithoutAFailure(String extension) throws IOException {
    byte[] file = image(extension, 20, 20);
    for (int length = 0; length < file.length; length++) {
      assertThat(ImageHeader.of(Arrays.copyOf(file, length))).isNotNull();
    }
    for (int at = 0; at < Math.min(file.length, 700); at++) {
      byte[] damaged = file.clone();
      damaged[at] ^= (byte) 0xFF;
      assertThat(ImageHeader.of(damaged)).isNotNull();
    }
  }

  @Test
  void whatIsNoImageHasNoHeader() {
    assertThat(ImageHeader.of("<svg onload='alert(1)'/>".getBytes(UTF_8))).isEmpty();
    assertThat(ImageHeader.of("GIF89a..............................".getBytes(UTF_8))).isEmpty();
    assertThat(ImageHeader.of(new byte[0])).isEmpty();
  }
}
