package dev.assay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoggingTest {
  private static LoggerContext configured() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Main.class.getResource("/logback.xml"));
    return context;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport",
        "reactor.core.publisher.Operators"
      })
  void whatToolServersReplyIsNotLogged(String logger) throws Exception {
    assertThat(configured().getLogger(logger).getEffectiveLevel()).isEqualTo(Level.OFF);
  }

  @Test
  void callsAreLoggedOnceAndWithNothingAroundTheirJson() throws Exception {
    LoggerContext context = configured();

    assertThat(context.getLogger("dev.assay.gateway.calls").getEffectiveLevel())
        .isEqualTo(Level.INFO);
    assertThat(context.getLogger("dev.assay.gateway.calls").isAdditive()).isFalse();
    assertThat(context.getLogger("dev.assay.gateway").getEffectiveLevel()).isEqualTo(Level.INFO);
  }
}
