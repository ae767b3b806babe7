package dev.assay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.upstream.ReplyMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The default memory of the container against what the gateway may take of it. */
class HeapSharesTest {
  private static final long MIB = 1 << 20;

  /** What the informers and the libraries have on the heap, and garbage that is not collected. */
  private static final long REST = 24 * MIB;

  /** Code, metadata of classes, the AOT cache, threads, buffers: as measured in a cluster. */
  private static final long BESIDE_THE_HEAP = 145 * MIB;

  private static long number(String file, String pattern) throws IOException {
    Matcher matcher =
        Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(Path.of("..", file)));
    assertThat(matcher.find()).as(pattern).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  static long memory() throws IOException {
    return number("helm/assay/values.yaml", "\ntoolGateway:.*?limits: \\{memory: (\\d+)Mi\\}")
        * MIB;
  }

  static long heap() throws IOException {
    return memory()
        * number("images/tool-gateway/Containerfile", "ENTRYPOINT.*MaxRAMPercentage=(\\d+)")
        / 100;
  }

  /** Of the heap, the serial collector leaves one space of survivors empty. */
  private static long usable() throws IOException {
    return heap() * 29 / 30;
  }

  @Test
  void everythingThatIsBoundedFitsTheHeapTogether() throws IOException {
    HeapShares shares = HeapShares.of(usable());
    long shortReplies = CallTable.MAX_IN_FLIGHT * ReplyMemory.SHORT;
    assertThat(shares.replies() + shares.lists() + shares.outcomes() + shortReplies + REST)
        .isLessThanOrEqualTo(usable());
    assertThat(heap() + BESIDE_THE_HEAP).isLessThanOrEqualTo(memory());
  }
}
