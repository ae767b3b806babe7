package dev.assay.frontend.artifact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.call.ContentBlock.Image.Format;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
  void anImageThatWouldTakeGigabytesToBeShownIsNot() {
    assertThat(new ImageHeader(Format.PNG, 4_096, 4_096).isShowable()).isTrue();
    assertThat(new ImageHeader(Format.PNG, 4_097, 1).isShowable()).isFalse();
    assertThat(new ImageHeader(Format.JPEG, 1, 4_097).isShowable()).isFalse();
    assertThat(new ImageHeader(Format.PNG, -1, 1).isShowable()).isFalse();
    assertThat(new ImageHeader(Format.PNG, 1, 0).isShowable()).isFalse();
  }

  /** APIs of models reject it, and the conversation with it. */
  @ParameterizedTest
  @CsvSource({"png", "jpg"})
  void anImageThatWasCutHasNoHeader(String extension) throws IOException {
    byte[] file = image(extension, 20, 20);
    for (int length = 0; length < file.length; length++) {
      assertThat(ImageHeader.of(Arrays.copyOf(file, length))).isEmpty();
    }
  }

  @Test
  void aDamagedPngHasNoHeader() throws IOException {
    byte[] file = image("png", 20, 20);
    for (int at = 0; at < file.length; at++) {
      byte[] damaged = file.clone();
      damaged[at] ^= (byte) 0xFF;
      assertThat(ImageHeader.of(damaged)).isEmpty();
    }
  }

  @Test
  void aDamagedJpegIsReadWithoutAFailure() throws IOException {
    byte[] file = image("jpg", 20, 20);
    for (int at = 0; at < file.length; at++) {
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
