package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.StringNode;

class RpcMessageTest {
  private static Optional<RpcMessage> read(String text) {
    return RpcMessage.read(text.getBytes(UTF_8));
  }

  private static RpcMessage message(String text) {
    return read(text).orElseThrow();
  }

  @Test
  void aTextBecomesOneLineAndStaysAsItIsOtherwise() {
    String text = "{\r\n \"big\": 12345678901234567890123, \"text\": \"\u00e9\\n\u6587\"}\n";
    assertThat(message(text).line())
        .asString(UTF_8)
        .isEqualTo(text.replace('\r', ' ').replace('\n', ' '));
  }

  @Test
  void methodAndIdSayWhatAMessageIs() {
    assertThat(message("{\"params\":{\"id\":null},\"id\":0,\"method\":\"a\"}").isRequest())
        .isTrue();
    assertThat(message("{\"id\":\"a\",\"result\":{\"method\":\"a\"}}").isResponse()).isTrue();
    RpcMessage notification = message("{\"method\":\"a\",\"id\":null,\"params\":[{}]}");
    assertThat(notification.isRequest()).isFalse();
    assertThat(notification.isResponse()).isFalse();
    assertThat(message("{\"id\":1,\"method\":\"initialize\"}").isInitialize()).isTrue();
  }

  @Test
  void aNotificationMayCancelARequest() {
    assertThat(
            message("{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}")
                .cancelledId())
        .contains(StringNode.valueOf("a"));
    assertThat(message("{\"method\":\"a\",\"params\":{\"requestId\":\"a\"}}").cancelledId())
        .isEmpty();
  }

  @Test
  void aReplyCanBeTheOneToAnotherRequest() {
    RpcMessage reply = message("{\"id\":1,\"result\":{}}");
    assertThat(reply.as(reply.id()).line()).asString(UTF_8).isEqualTo("{\"id\":1,\"result\":{}}");
    assertThat(reply.as(StringNode.valueOf("b")).line())
        .asString(UTF_8)
        .isEqualTo("{\"id\":\"b\",\"result\":{}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "1",
        "{",
        "{\"id\":1",
        "{\"id\":{}}",
        "{\"id\":[1]}",
        "{\"id\":1} {}",
        "{\"id\":1,\"result\":[}}"
      })
  void anotherTextIsNoMessage(String text) {
    assertThat(read(text)).isEmpty();
  }
}
