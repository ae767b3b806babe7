package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ClientMessageTest {
  @Test
  void onlyRequestsBesideInitializeCanBeCancelled() {
    assertThat(cancellable("{'id':1,'method':'tools/call'}")).containsExactly("1");
    assertThat(cancellable("{'id':1,'method':'initialize'}")).isEmpty();
    assertThat(cancellable("{'method':'notifications/initialized'}")).isEmpty();
    assertThat(cancellable("{'id':1,'result':{}}")).isEmpty();
    assertThat(cancellable("[{'id':1,'method':'a'},{'method':'b'},{'id':'c','method':'d'}]"))
        .containsExactly("1", "\"c\"");
  }

  private static List<String> cancellable(String json) {
    return new ClientMessage(JsonMapper.shared().readTree(json.replace('\'', '"')))
        .cancellableIds().stream().map(Object::toString).toList();
  }
}
